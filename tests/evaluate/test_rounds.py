import os
import subprocess
import sys
import time
import warnings
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np
import pytest

from ldslearn._parallel import Engine, use_engine
from ldslearn._processes import has_ended
from ldslearn.datasets import Collection, make_lds_sequences
from ldslearn.evaluate import METHODS, Settings, evaluate, parse_protocol
from ldslearn.evaluate import rounds as module
from ldslearn.evaluate.rounds import DoneRound, run_rounds

FOLDS = parse_protocol("folds:3")
CODING, AUTO = METHODS["lds-sc-grass"], METHODS["auto"]
GIVEN = {"n_states": 2, "sparsity": 0.01}


@pytest.fixture(scope="module")
def data():
    return Collection(*make_lds_sequences(2, 6, random_state=0))


def list_rounds(data, method, settings, given):
    return list(run_rounds(data, method, FOLDS, FOLDS.splits(data, 0), settings, given))


@pytest.fixture
def in_processes(monkeypatch):
    monkeypatch.setattr(module, "_count_processes", lambda *_: 2)


def act_elsewhere(method, act):
    """Return the method with an action in other processes than this."""
    here, build = os.getpid(), method.build

    def act_and_build(settings):
        if os.getpid() != here:
            act()
        return build(settings)

    return replace(method, build=act_and_build)


def test_rounds_in_processes_are_those_of_one_process_in_the_same_order(data, in_processes):
    method = act_elsewhere(CODING, lambda: warnings.warn("another process", stacklevel=1))
    with pytest.warns(UserWarning, match="another process") as caught:
        found = list_rounds(data, method, Settings(), GIVEN)
    assert 1 <= len(caught) <= 2  # the second round runs in another process, the third in either
    assert [one.fit is None for one in found] == [False, True, True]
    arguments = (CODING, FOLDS, Settings(), GIVEN)
    expected = [module.run_round(data, *split, *arguments) for split in FOLDS.splits(data, 0)]
    assert len(found) == len(expected) == 3
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.predicted, other.predicted)
        assert one.misclassified == other.misclassified
        for name in ("accuracy", "n_train", "n_test", "n_states"):
            assert one.record[name] == other.record[name]


def test_a_process_that_is_ended_gets_a_message_with_a_remedy(data, in_processes):
    method = act_elsewhere(CODING, lambda: os._exit(9))
    with pytest.raises(MemoryError, match=r"one was ended from outside.*--jobs 1"):
        list_rounds(data, method, Settings(), GIVEN)


def test_only_rounds_of_searches_run_at_once(data, monkeypatch):
    def count(method=AUTO, n_jobs=2, n_rounds=3):
        return module._count_processes(data, method, Settings(n_jobs=n_jobs), n_rounds)

    assert count() == 2
    assert count(n_jobs=8) == 3
    assert count(n_jobs=None) == count(n_rounds=1) == count(CODING) == 1
    cluster = Engine()
    cluster.n_workers = 4
    with use_engine(cluster):
        assert count() == 1
    monkeypatch.setattr(module, "_LARGEST_COPY", 1000)
    assert count() == 1


class EndedFuture(Future):
    """A future that nobody waits for."""

    def result(self, timeout=None):
        assert self.done()
        return super().result(timeout)


class OtherProcess:
    """An executor that does its work here, when it is asked to."""

    def __init__(self, n_processes, initializer, initargs):
        assert n_processes == 1
        assert (initializer, initargs) == (module._start_process, (os.getpid(),))
        self.futures, self.n_sent, self.is_shut_down = [], 0, False

    def submit(self, function, *arguments):
        self.futures.append((future := EndedFuture(), function, arguments))
        self.n_sent += 1
        return future

    def work(self):
        future, function, arguments = self.futures.pop(0)
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)

    def shutdown(self, kill_workers):
        assert kill_workers
        self.is_shut_down = True


@pytest.fixture
def other_process(monkeypatch):
    found = []

    def make(*arguments, **options):
        found.append(OtherProcess(*arguments, **options))
        return found[0]

    monkeypatch.setattr(module, "ProcessPoolExecutor", make)
    monkeypatch.setattr(module, "hide_progress", nullcontext)  # its work is done in this process
    return found


def test_whichever_process_is_free_takes_the_next_round(data, monkeypatch, other_process):
    """The other process does two rounds during each one here; results come in order."""
    seen, splits = [], parse_protocol("folds:6").splits(data, 0)

    def run(data, train, test, method, protocol, settings, given):
        index = next(i for i, split in enumerate(splits) if split[1] is test)
        seen.append((index, settings))
        if index in (0, 4):
            other_process[0].work()
            other_process[0].work()
        return DoneRound("fit", index, {}, [])

    monkeypatch.setattr(module, "run_round", run)
    settings = Settings(n_jobs=2, time_budget=7.0)
    found = list(run_rounds(data, AUTO, FOLDS, splits, settings, {}))
    assert [one.predicted for one in found] == [0, 1, 2, 3, 4, 5]
    assert [one.fit for one in found] == ["fit", None, None, None, None, None]
    assert [index for index, _ in seen] == [0, 1, 2, 4, 3, 5]
    assert (other_process[0].n_sent, other_process[0].is_shut_down) == (4, True)
    # As long as threads would have: six rounds of 7 s in three turns.
    assert {settings for _, settings in seen} == {Settings(n_jobs=1, time_budget=14.0)}


@pytest.mark.usefixtures("other_process")
@pytest.mark.parametrize(
    ("method", "n_jobs", "budget"), [(AUTO, 1, 21.0), (AUTO, 2, 21.0), (CODING, 1, None)]
)
def test_the_bar_shows_the_budget_of_all_rounds(data, monkeypatch, method, n_jobs, budget):
    budgets = []

    @contextmanager
    def show_progress(description, total, *, budget):
        budgets.append(budget)
        yield lambda count, text=None: None

    monkeypatch.setattr(module, "show_progress", show_progress)
    monkeypatch.setattr(module, "run_round", lambda *_: DoneRound(None, 0, {}, []))
    settings = Settings(n_jobs=n_jobs, time_budget=7.0)
    rounds = run_rounds(data, method, FOLDS, FOLDS.splits(data, 0), settings, GIVEN)
    next(rounds)
    rounds.close()
    assert budgets == [budget]


WAITING = """
import os, time
from dataclasses import replace
from ldslearn.datasets import Collection, make_lds_sequences
from ldslearn.evaluate import METHODS, Settings, parse_protocol
from ldslearn.evaluate.rounds import run_rounds

def wait(settings):
    print(os.getpid(), flush=True)
    time.sleep(100)

data, folds = Collection(*make_lds_sequences(2, 6, random_state=0)), parse_protocol("folds:3")
auto = replace(METHODS["auto"], build=wait)
list(run_rounds(data, auto, folds, folds.splits(data, 0), Settings(n_jobs=2), {}))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_no_process_outlives_one_that_was_killed():
    main = subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE, text=True)
    with main:
        others = {int(main.stdout.readline()) for _ in range(2)} - {main.pid}
        main.kill()
    (other,) = others
    deadline = time.monotonic() + 30
    while not has_ended(other) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert has_ended(other)


def test_an_error_of_another_process_is_raised_after_the_round_here(
    data, monkeypatch, other_process
):
    seen, splits = [], FOLDS.splits(data, 0)

    def run(data, train, test, *rest):
        seen.append(train)
        if len(seen) == 1:
            other_process[0].work()
            return DoneRound(None, test, {}, [])
        raise ValueError("no such rank")

    monkeypatch.setattr(module, "run_round", run)
    with pytest.raises(ValueError, match="no such rank"):
        list(run_rounds(data, AUTO, FOLDS, splits, Settings(n_jobs=2), {}))
    assert len(seen) == 2  # the third round is not run
    assert (other_process[0].n_sent, other_process[0].is_shut_down) == (1, True)


def test_an_evaluation_that_ends_early_leaves_nothing_behind(data, monkeypatch, other_process):
    monkeypatch.setattr(module, "run_round", lambda *_: DoneRound(None, None, {}, []))
    rounds = run_rounds(data, AUTO, FOLDS, FOLDS.splits(data, 0), Settings(n_jobs=2), {})
    next(rounds)
    shared = rounds.gi_frame.f_locals["rounds"]
    rounds.close()
    assert other_process[0].is_shut_down
    assert shared._executor is None  # loky releases semaphores with it
    other_process[0].work()
    assert other_process[0].n_sent == 1


def test_a_round_that_cannot_be_sent_later_is_reported(data, monkeypatch, other_process):
    """Rounds after the first one are sent by a callback, whose errors nobody sees."""
    submit = OtherProcess.submit

    def send_once(self, *arguments):
        if self.n_sent == 1:
            raise OSError("no more processes")
        return submit(self, *arguments)

    def run(*_):
        if other_process[0].futures:
            other_process[0].work()  # while the first round runs here
        return DoneRound(None, None, {}, [])

    monkeypatch.setattr(OtherProcess, "submit", send_once)
    monkeypatch.setattr(module, "run_round", run)
    rounds = run_rounds(data, AUTO, FOLDS, FOLDS.splits(data, 0), Settings(n_jobs=2), {})
    with pytest.raises(OSError, match="no more processes"):
        list(rounds)


def test_wrong_arguments_are_named(data):
    with pytest.raises(ValueError, match=r"data must be a Collection; got tuple\. Pass Collection"):
        evaluate((data.X, data.y))
    with pytest.raises(ValueError, match="n_jobs must be"):
        evaluate(data, "auto", settings=Settings(n_jobs=0))
    assert evaluate(data, "lds-sc-grass", "folds:2", **GIVEN)["protocol"] == "folds:2"
