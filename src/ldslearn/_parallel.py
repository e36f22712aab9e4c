"""Blocks of work over threads or a cluster, BLAS kept to one thread each, progress in a terminal.

Two seams: :func:`for_each_block` has threads that share memory; an :class:`Engine` has blocks in
and blocks out, and works in this process unless a cluster was given (``ldslearn.scale``).
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from joblib import effective_n_jobs
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from threadpoolctl import ThreadpoolController

from ldslearn._checks import check_jobs

_SECONDS_BEFORE_PROGRESS = 1.0
_LARGEST_BLOCK = 16  # items; enough to vectorise over, few enough to keep a bar moving
_BLOCK_BYTES = 2**22  # of what is sent to a worker: many blocks for many workers
_BLOCKS_PER_THREAD = 4  # so that a slow block leaves no thread waiting for long


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of this process (finding them costs a millisecond, so once)."""
    import scipy.linalg  # noqa: F401  loads SciPy's own BLAS, so that it is found, too

    return ThreadpoolController().select(user_api="blas")


_limiting = threading.Lock()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS to one thread, unless another thread of ours is doing so already.

    The limit is global to the process: whoever sets it restores it, and nobody else touches it, or
    overlapping calls would leave each other's limit behind.
    """
    if not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with _blas().limit(limits=1):
            yield
    finally:
        _limiting.release()


_drawing = threading.Lock()


@contextmanager
def progress(description: str, total: int) -> Iterator[Callable[..., None]]:
    """Yield ``advance(count, text=None)``: a bar on an interactive terminal once work takes long.

    `text` replaces the description. Work within work has no bar of its own.
    """
    console = Console(stderr=True)
    if not description or not console.is_terminal or not _drawing.acquire(blocking=False):
        yield lambda count, text=None: None
        return
    started, done = time.monotonic(), 0
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(description, total=total)

    def advance(count: int, text: str | None = None) -> None:
        nonlocal done
        done += count
        bar.update(task, completed=done, description=text)
        if not bar.live.is_started and time.monotonic() - started > _SECONDS_BEFORE_PROGRESS:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()
        _drawing.release()


_alone: ContextVar[bool] = ContextVar("alone", default=False)


@contextmanager
def alone() -> Iterator[None]:
    """One thread inside the block, whatever `n_jobs` says: the other cores have work already."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)


def for_each_block(
    work: Callable[[slice], None], n_items: int, *, n_jobs: int | None, description: str
) -> None:
    """Call `work(block)` for consecutive slices that cover ``range(n_items)``.

    The blocks share memory (threads), so `work` writes its results where they belong. Every block
    runs with single-threaded BLAS whatever `n_jobs` is: nothing is oversubscribed, and the
    results are the same to the last bit for any number of jobs. `n_jobs` means what it means in
    joblib; when blocks fail, the error of the first one is raised.
    """
    check_jobs(n_jobs)
    n_threads = 1 if _alone.get() else min(effective_n_jobs(n_jobs), n_items)
    size = min(_LARGEST_BLOCK, -(-n_items // (_BLOCKS_PER_THREAD * n_threads)))
    blocks = [slice(start, min(start + size, n_items)) for start in range(0, n_items, size)]
    with single_threaded_blas(), progress(description, n_items) as advance:
        if n_threads == 1:
            for block in blocks:
                work(block)
                advance(block.stop - block.start)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                for block, _ in zip(blocks, pool.map(work, blocks), strict=True):
                    advance(block.stop - block.start)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


class Engine:
    """Where blocks are worked on: in this process, one after the other, threads inside each.

    Attributes
    ----------
    n_workers : int
        Blocks that are worked on at once; 0 in this process, where a block may as well be all.
    """

    n_workers = 0

    def map(
        self,
        function: Callable[..., Any],
        blocks: Sequence[tuple[Any, ...]],
        *shared: Any,
        description: str = "",
        lost: Callable[..., Any] | None = None,
    ) -> Iterator[Any]:
        """Yield ``function(*block, *shared)`` of every block, in order.

        Parameters
        ----------
        function : callable
            Of a module, not defined inside another function: it may have to travel.
        blocks : sequence of tuples
        *shared
            The same for all blocks.
        description : str
            What the progress bar says; none without it.
        lost : callable, optional
            ``lost(*block)`` in place of the result of a block that ended several workers.
        """
        if not description:
            yield from (function(*block, *shared) for block in blocks)
            return
        with progress(description, len(blocks)) as advance:
            for block in blocks:
                yield function(*block, *shared)
                advance(1)

    def keep(
        self, function: Callable[..., Any], blocks: Sequence[tuple[Any, ...]], *shared: Any
    ) -> list[Any]:
        """Return handles of the results, which stay where they are made.

        A handle may be part of a block or be shared, and is then replaced by what it stands for.
        """
        return [function(*block, *shared) for block in blocks]


def cut(sizes: Sequence[int]) -> list[slice]:
    """Return consecutive slices of items that together have few enough bytes to be sent."""
    found: list[slice] = []
    total = 0
    for index, size in enumerate(sizes):
        if found and total + size <= _BLOCK_BYTES:
            found[-1] = slice(found[-1].start, index + 1)
            total += size
        else:
            found.append(slice(index, index + 1))
            total = size
    return found


_engine: ContextVar[Engine] = ContextVar("engine", default=Engine())  # noqa: B039  has no state


def current_engine() -> Engine:
    """Return the engine of this context: a cluster inside ``ldslearn.scale.use_cluster``."""
    return _engine.get()


@contextmanager
def using(engine: Engine) -> Iterator[None]:
    """Make an engine that of the block."""
    token = _engine.set(engine)
    try:
        yield
    finally:
        _engine.reset(token)
