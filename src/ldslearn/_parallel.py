"""Blocks of work on threads or a cluster, with single-threaded BLAS and a progress bar.

:func:`for_each_block` runs blocks on threads that share memory. An :class:`Engine` maps blocks to
results, in this process or on a cluster (:func:`ldslearn.scale.use_cluster`).
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  loads the BLAS of SciPy, which is limited, too
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from ldslearn._checks import check_jobs
from ldslearn._progress import show_progress

_LARGEST_BLOCK = 16  # items: enough to vectorise over, few enough for a bar that moves
_BYTES_PER_MESSAGE = 2**22  # to a worker: many blocks for many workers
_BLOCKS_PER_THREAD = 4  # so that threads do not wait long for a slow block


@cache
def _find_blas() -> ThreadpoolController:
    """Return the BLAS libraries of this process, searched for once: it takes a millisecond."""
    return ThreadpoolController().select(user_api="blas")


_blas_lock = threading.Lock()


@contextmanager
def limit_blas_threads() -> Iterator[None]:
    """Limit BLAS to one thread, unless another thread of ours has done so already.

    The limit is global to the process. Only the call that sets it restores it: overlapping calls
    would leave each other's limit behind.
    """
    if not _blas_lock.acquire(blocking=False):
        yield
        return
    try:
        with _find_blas().limit(limits=1):
            yield
    finally:
        _blas_lock.release()


_one_thread: ContextVar[bool] = ContextVar("one_thread", default=False)


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Use one thread inside the block, whatever `n_jobs` is: the other cores are busy already."""
    token = _one_thread.set(True)
    try:
        yield
    finally:
        _one_thread.reset(token)


def for_each_block(
    work: Callable[[slice], None],
    n_items: int,
    *,
    n_jobs: int | None,
    description: str,
    worth_a_call: int = 1,
) -> None:
    """Call `work(block)` for consecutive slices that cover ``range(n_items)``.

    Blocks run on threads and share memory: `work` writes its results to arrays. BLAS has one thread
    per block whatever `n_jobs` is, so that results are the same for any number of jobs, to the last
    bit unless `work` treats the items of a block together. `n_jobs` is as in joblib. When blocks
    fail, the error of the first one is raised. Blocks of far fewer than `worth_a_call` items take
    longer to call than to compute: there are then fewer and larger ones, as many for each thread.
    """
    check_jobs(n_jobs)
    n_threads = 1 if _one_thread.get() else min(effective_n_jobs(n_jobs), n_items)
    per_thread = min(_BLOCKS_PER_THREAD, -(-n_items // (worth_a_call * n_threads)))
    size = min(max(_LARGEST_BLOCK, worth_a_call), -(-n_items // (per_thread * n_threads)))
    blocks = [slice(start, min(start + size, n_items)) for start in range(0, n_items, size)]
    with limit_blas_threads(), show_progress(description, n_items) as advance:
        if n_threads == 1:
            for block in blocks:
                work(block)
                advance(block.stop - block.start)
            return
        _share_blocks(work, blocks, n_threads, advance)


def _share_blocks(
    work: Callable[[slice], None],
    blocks: list[slice],
    n_threads: int,
    advance: Callable[[int], None],
) -> None:
    """Run blocks on this thread and others; whichever is free takes the next one.

    A pool of :mod:`concurrent.futures` takes a millisecond more, as long as small kernels.
    """
    waiting, errors = iter(enumerate(blocks)), dict[int, BaseException]()
    n_helping, is_over, change = 0, False, threading.Condition()

    def take_blocks() -> None:
        while True:
            with change:
                if is_over or errors or (taken := next(waiting, None)) is None:
                    return
            index, block = taken
            try:
                work(block)
            except Exception as error:
                errors[index] = error
                return
            with change:
                advance(block.stop - block.start)

    def help_out() -> None:
        nonlocal n_helping
        with change:
            n_helping += 1
        try:
            take_blocks()
        except BaseException as error:  # not an error of a block: it is raised before those
            errors[-1] = error
        finally:
            with change:
                n_helping -= 1
                change.notify_all()

    try:
        for _ in range(n_threads - 1):
            # An interrupt of start() may leave a thread that never ends: the process ends all the
            # same, as it is a daemon.
            threading.Thread(target=help_out, daemon=True).start()
        Context().run(take_blocks)  # an empty context, as other threads have
    finally:
        with change:
            is_over = True  # a thread that starts later takes no block
            change.wait_for(lambda: n_helping == 0)
        first = errors[min(errors)] if errors else None  # blocks before it were all taken
        errors.clear()
    if first is not None:
        try:
            raise first
        finally:
            del first  # or its traceback would keep itself, and the arrays of its frames


class Engine:
    """Maps blocks to results in this process, one after the other, with threads inside each.

    Attributes
    ----------
    n_workers : int
        Blocks that run at once; 0 in this process, where one block may hold everything.
    """

    n_workers = 0

    def map(
        self,
        function: Callable[..., Any],
        blocks: Sequence[tuple[Any, ...]],
        *shared: Any,
        description: str = "",
        fallback: Callable[..., Any] | None = None,
    ) -> Iterator[Any]:
        """Yield ``function(*block, *shared)`` of every block, in order.

        Parameters
        ----------
        function : callable
            A function of a module, not of another function: it may be sent to workers.
        blocks : sequence of tuples
        *shared
            Arguments that all blocks share.
        description : str
            Text of the progress bar; no bar without it.
        fallback : callable, optional
            ``fallback(*block)`` replaces the result of a block on which several workers died.
        """
        if not description:
            yield from (function(*block, *shared) for block in blocks)
            return
        with show_progress(description, len(blocks)) as advance:
            for block in blocks:
                yield function(*block, *shared)
                advance(1)

    def submit(
        self, function: Callable[..., Any], blocks: Sequence[tuple[Any, ...]], *shared: Any
    ) -> list[Any]:
        """Return handles of the results, which stay where they are computed.

        A handle may be part of a block or be shared; `function` then receives its value.
        """
        return [function(*block, *shared) for block in blocks]


def cut_by_bytes(sizes: Sequence[int]) -> list[slice]:
    """Return consecutive slices of items, each of few enough bytes to be sent at once."""
    slices: list[slice] = []
    total = 0
    for index, size in enumerate(sizes):
        if slices and total + size <= _BYTES_PER_MESSAGE:
            slices[-1] = slice(slices[-1].start, index + 1)
            total += size
        else:
            slices.append(slice(index, index + 1))
            total = size
    return slices


_engine: ContextVar[Engine] = ContextVar("engine", default=Engine())  # noqa: B039  has no state


def current_engine() -> Engine:
    """Return the engine of this context: a cluster inside ``ldslearn.scale.use_cluster``."""
    return _engine.get()


@contextmanager
def use_engine(engine: Engine) -> Iterator[None]:
    """Make `engine` the current one inside the block."""
    token = _engine.set(engine)
    try:
        yield
    finally:
        _engine.reset(token)
