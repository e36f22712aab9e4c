"""Blocks of work over threads, BLAS kept to one thread each, progress in a terminal."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from threadpoolctl import ThreadpoolController

SECONDS_BEFORE_PROGRESS = 1.0


@cache
def _blas() -> Any:
    """The BLAS libraries of this process (finding them costs a millisecond, so once)."""
    import scipy.linalg  # noqa: F401  loads SciPy's own BLAS, so that it is found, too

    return ThreadpoolController().select(user_api="blas")


class _SingleThreadedBlas:
    """One BLAS thread while anyone is inside; counted, as limits are global to the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limits: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._limits = _blas().limit(limits=1)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._limits.restore_original_limits()


single_threaded_blas = _SingleThreadedBlas()


@contextmanager
def _progress(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield `advance(count)`: draws a bar on an interactive terminal once the work takes long."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda count: None
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

    def advance(count: int) -> None:
        nonlocal done
        done += count
        bar.update(task, completed=done)
        if not bar.live.is_started and time.monotonic() - started > SECONDS_BEFORE_PROGRESS:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()


def for_each_block(
    work: Callable[[slice], None],
    n_items: int,
    *,
    block_size: int,
    n_jobs: int | None,
    description: str,
) -> None:
    """Call `work(block)` for consecutive slices that cover ``range(n_items)``.

    The blocks share memory (threads), so `work` writes its results where they belong. Every block
    runs with single-threaded BLAS whatever `n_jobs` is: nothing is oversubscribed, and the
    results are the same to the last bit for any number of jobs.
    """
    blocks = [
        slice(start, min(start + block_size, n_items)) for start in range(0, n_items, block_size)
    ]

    def counted(block: slice) -> int:
        work(block)
        return block.stop - block.start

    with single_threaded_blas(), _progress(description, n_items) as advance:
        parallel = Parallel(
            n_jobs=n_jobs, require="sharedmem", return_as="generator_unordered", batch_size=1
        )
        for count in parallel(delayed(counted)(block) for block in blocks):
            advance(count)
