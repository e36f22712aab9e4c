import gc
import threading
import time
import weakref
from contextlib import suppress
from contextvars import ContextVar

import numpy as np
import pytest
import threadpoolctl

from ldslearn._parallel import for_each_block


def blas_threads():
    return {
        pool["num_threads"]
        for pool in threadpoolctl.threadpool_info()
        if pool["user_api"] == "blas"
    }


@pytest.mark.parametrize("n_items", [1, 7, 100])
@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_every_item_is_visited_once(n_items, n_jobs):
    visits = np.zeros(n_items, dtype=int)

    def work(block):
        visits[block] += 1

    for_each_block(work, n_items, n_jobs=n_jobs, description="visiting")
    np.testing.assert_array_equal(visits, 1)


@pytest.mark.parametrize(
    ("n_items", "n_jobs", "worth_a_call", "expected"),
    [
        (100, 1, 1, [16] * 6 + [4]),
        (100, 1, 64, [50, 50]),
        (100, 2, 64, [50, 50]),
        (100, 2, 33, [25] * 4),
        (100, 2, 3, [13] * 7 + [9]),
        (1000, 2, 64, [64] * 15 + [40]),
        (3, 2, 1, [1] * 3),
        (3, 2, 64, [2, 1]),
    ],
)
def test_blocks_are_worth_a_call_and_threads_have_equal_parts(
    n_items, n_jobs, worth_a_call, expected
):
    found = []
    for_each_block(found.append, n_items, n_jobs=n_jobs, description="", worth_a_call=worth_a_call)
    found.sort(key=lambda block: block.start)
    assert [block.stop - block.start for block in found] == expected


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_blas_is_single_threaded_inside_and_restored_after(n_jobs):
    with threadpoolctl.threadpool_limits(2):
        before, seen = blas_threads(), []
        for_each_block(lambda _: seen.append(blas_threads()), 4, n_jobs=n_jobs, description="")
        assert blas_threads() == before
    assert seen
    assert all(inside == {1} for inside in seen)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_comes_out_as_it_is(n_jobs):
    def work(block):
        if block.start <= 30 < block.stop:
            raise ValueError("item 30")

    with pytest.raises(ValueError, match="item 30"):
        for_each_block(work, 100, n_jobs=n_jobs, description="failing")


def test_overlapping_calls_leave_no_limit_behind():
    """The first to come limits and restores, whoever is still at work."""
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def work(block):
        inside.set()
        leave.wait(10)

    def call():
        for_each_block(work, 1, n_jobs=1, description="")

    first, second = threading.Thread(target=call), threading.Thread(target=call)
    first.start()
    inside.wait(10)
    second.start()
    leave.set()
    first.join(10)
    second.join(10)
    assert blas_threads() == before


def test_jobs_are_threads():
    """Two blocks that wait for each other end only if they run at the same time."""
    barrier = threading.Barrier(2, timeout=10)
    for_each_block(lambda block: barrier.wait() and None, 2, n_jobs=2, description="")


@pytest.mark.parametrize("failing", [{2}, {2, 3}, {0, 5}])
def test_the_error_of_the_first_block_is_raised(failing):
    """A later block fails before an earlier one, on another thread."""
    both = threading.Barrier(2, timeout=10)

    def work(block):
        if failing == {2, 3} and block.start in failing:
            both.wait()
            time.sleep(0.1 * (3 - block.start))
        if block.start in failing:
            raise ValueError(f"item {block.start}")

    with pytest.raises(ValueError, match=f"item {min(failing)}"):
        for_each_block(work, 8, n_jobs=2, description="")


def test_errors_keep_no_arrays():
    """The traceback of an error must not be part of a cycle, which holds arrays for a while."""
    kept = []

    def work(block):
        large = np.zeros(3)
        kept.append(weakref.ref(large))
        raise ValueError

    gc.disable()
    try:
        with suppress(ValueError):
            for_each_block(work, 8, n_jobs=2, description="")
        assert kept
        assert all(one() is None for one in kept)
    finally:
        gc.enable()


def test_an_error_ends_the_work_of_all_threads():
    both, started = threading.Barrier(2, timeout=10), []

    def work(block):
        started.append(block.start)
        if block.start < 2:
            both.wait()
        if block.start == 0:
            raise ValueError("item 0")
        time.sleep(0.2)

    with pytest.raises(ValueError, match="item 0"):
        for_each_block(work, 8, n_jobs=2, description="")
    assert len(started) < 4


def test_a_thread_that_starts_late_takes_no_block(monkeypatch):
    """The error is raised before the thread begins; arrays may be used again by then."""
    run, threads, started = threading.Thread.run, [], []

    def run_late(thread):
        threads.append(thread)
        time.sleep(0.3)
        run(thread)

    def work(block):
        started.append(block.start)
        raise ValueError("item 0")

    monkeypatch.setattr(threading.Thread, "run", run_late)
    with pytest.raises(ValueError, match="item 0"):
        for_each_block(work, 8, n_jobs=2, description="")
    for thread in threads:
        thread.join(10)
    assert started == [0]


def test_a_thread_that_is_told_to_exit_ends_the_work():
    both, main = threading.Barrier(2, timeout=10), threading.current_thread()

    def work(block):
        if block.start < 2:
            both.wait()
        if threading.current_thread() is not main:
            raise SystemExit("of a thread")

    with pytest.raises(SystemExit, match="of a thread"):
        for_each_block(work, 8, n_jobs=2, description="")


def test_an_interrupt_of_a_block_waits_for_other_threads():
    both, main, seen = threading.Barrier(2, timeout=10), threading.current_thread(), []

    def work(block):
        both.wait()
        if threading.current_thread() is main:
            raise KeyboardInterrupt
        time.sleep(0.3)
        seen.append(block)

    with pytest.raises(KeyboardInterrupt):
        for_each_block(work, 2, n_jobs=2, description="")
    assert len(seen) == 1


def test_all_blocks_have_the_same_context():
    """What this thread has set, as an engine, is not there for some blocks only."""
    both, setting, seen = threading.Barrier(2, timeout=10), ContextVar("setting"), []
    token = setting.set("of this thread")

    def work(block):
        both.wait()
        seen.append(setting.get(None))

    for_each_block(work, 2, n_jobs=2, description="")
    setting.reset(token)
    assert seen == [None, None]


def test_an_interrupt_waits_for_a_thread_that_is_being_started(monkeypatch):
    """The thread runs, and its start has not returned yet."""
    begun, seen = threading.Event(), []

    def work(block):
        begun.set()
        time.sleep(1.0)
        seen.append(block)

    original = threading.Thread.start

    def start(thread):
        original(thread)
        begun.wait(10)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(KeyboardInterrupt):
        for_each_block(work, 8, n_jobs=2, description="")
    assert len(seen) == 1
    time.sleep(0.5)
    assert len(seen) == 1
