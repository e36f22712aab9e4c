"""A progress bar on a terminal, with the time so far or left and what nested work does."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
)
from rich.text import Text

_SECONDS_BEFORE_PROGRESS = 1.0
_TIME_WIDTH = 26  # characters of the time, and of the gaps around it
_SHORTEST = 12  # characters of the description


class _DescriptionColumn(ProgressColumn):
    """What is being done, in one line: as much of it as the terminal has room for."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def render(self, task: Task) -> Text:
        text = Text(task.description, no_wrap=True)
        text.truncate(self.width, overflow="ellipsis")
        return text


class _TimeColumn(ProgressColumn):
    """Time left if all items take as long as those that are done, counted down from item to item.

    Before the first is done, the time so far, and the time budget if there is one.

    Rich's own column has none while an item takes longer than half a minute.
    """

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        text = describe_time(
            task.elapsed or 0.0,
            task.fields["seconds"],
            task.completed,
            task.total or 0,
            task.fields["budget"],
        )
        return Text(text, style="progress.remaining", no_wrap=True)


def describe_time(
    elapsed: float, seconds: float, done: float, total: float, budget: float | None = None
) -> str:
    """Return the time left, if `done` of `total` items took `seconds`, as ``1:23 left``.

    If none is done, the time so far, as ``0:07 so far`` or ``0:07 so far, budget 1:00``.

    Parameters
    ----------
    elapsed : float
        Seconds since the beginning.
    seconds : float
        Seconds from the beginning to the end of the last item that is done.
    done, total : float
    budget : float, optional
        Seconds after which the work tries nothing more.
    """
    if not done:
        limit = "" if budget is None else f", budget {_format_clock(budget)}"
        return f"{_format_clock(elapsed)} so far{limit}"
    return f"{_format_clock(max(0.0, seconds / done * total - elapsed))} left"


def _format_clock(seconds: float) -> str:
    """Return ``1:23``, or ``1:02:03`` with hours."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


_bar_lock = threading.Lock()
_describe_nested: Callable[[str], None] | None = None  # writes next to the bar that is shown


@contextmanager
def show_progress(
    description: str, total: int, *, budget: float | None = None
) -> Iterator[Callable[..., None]]:
    """Show a progress bar on an interactive terminal, once the work takes a second.

    Yields ``advance(count, text=None)``; `text` replaces the description. Nested work has no bar of
    its own: what it does is written next to the description of the bar. `budget` is the time budget
    of the work in seconds, which is shown until the first item is done.
    """
    global _describe_nested  # there is one terminal
    console = Console(stderr=True)
    if not description or not console.is_terminal:
        yield lambda count, text=None: None
        return
    if not _bar_lock.acquire(blocking=False):
        tell = _describe_nested
        yield lambda count, text=None: tell(text or description) if tell else None
        return
    started, done, own, is_over = time.monotonic(), 0, description, False
    latest = description  # what was written last, which may be of nested work
    seconds = 0.0  # until the last item was done
    writing = threading.Lock()  # a nested thread may end after the bar
    bar_width, counts = min(40, console.width // 8), f" {total}/{total} "
    bar = Progress(
        _DescriptionColumn(max(_SHORTEST, console.width - bar_width - len(counts) - _TIME_WIDTH)),
        BarColumn(bar_width),
        MofNCompleteColumn(),
        _TimeColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(description, total=total, seconds=0.0, budget=budget)

    def write(text: str) -> None:
        nonlocal latest
        with writing:
            if is_over:
                return
            latest = text
            bar.update(task, completed=done, description=text, seconds=seconds)
            is_long = time.monotonic() - started > _SECONDS_BEFORE_PROGRESS
            if is_long and not bar.live.is_started:
                bar.start()

    def advance(count: int, text: str | None = None) -> None:
        nonlocal done, own, seconds
        done, own = done + count, text or own
        if count:
            seconds = time.monotonic() - started
        write(own)

    def describe(nested: str) -> None:
        write(f"{own}: {nested}")

    _describe_nested = describe
    # The first item may take long, and say nothing meanwhile.
    timer = threading.Timer(1.1 * _SECONDS_BEFORE_PROGRESS, lambda: write(latest))
    timer.daemon = True
    try:
        timer.start()
        yield advance
    finally:
        timer.cancel()
        _describe_nested = None
        with writing:
            is_over = True
            bar.stop()
        _bar_lock.release()


@contextmanager
def describe_work(text: str) -> Iterator[None]:
    """Write `text` next to the bar inside the block, instead of what nested work does."""
    global _describe_nested
    tell, _describe_nested = _describe_nested, None
    if tell is not None:
        tell(text)
    try:
        yield
    finally:
        _describe_nested = tell


@contextmanager
def hide_progress() -> Iterator[None]:
    """Show no progress inside the block: another process does, on the same terminal."""
    with _bar_lock:
        yield
