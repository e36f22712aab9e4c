"""Which systems of a caller's batch errors and warnings are about, however work is cut into blocks.

A function that looks at some systems counts them from 0, and knows nothing of blocks. Who cuts a
batch into blocks says where a block begins (:func:`locate_systems`), and the function that the user
calls gives one warning for all of them (:func:`warn_once`).
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from ldslearn import _errors

Place = tuple[str, int]  # of which batch ("" for the first, else " of Y"), and the index there
Notes = dict[str, set[Place]]  # templates of warnings, and the systems that they are about
Function = TypeVar("Function", bound=Callable[..., Any])

_notes: ContextVar[Notes | None] = ContextVar("notes", default=None)


def note(template: str, indices: Iterable[int]) -> None:
    """Warn of some systems, ``{systems}`` in the template, when the user's call is done."""
    merge({template: {("", int(index)) for index in indices}})


def merge(found: Notes) -> None:
    """Add notes to those of the call at hand; without one, warn at once."""
    notes = _notes.get()
    if notes is None:
        _warn(found, stacklevel=3)
        return
    for template, places in found.items():
        notes.setdefault(template, set()).update(places)


@contextmanager
def collect_notes() -> Iterator[Notes]:
    """Yield the notes of what is done inside the block."""
    notes: Notes = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


@contextmanager
def locate_systems(
    first: int | Sequence[int] = 0, batch: str = "", *, other: Place = (" of Y", 0)
) -> Iterator[None]:
    """Say where the systems are that are numbered from 0 inside the block.

    Parameters
    ----------
    first : int or sequence of int
        Index of the first system, or of all of them.
    batch : str
        The batch they are counted in, such as " of Y"; "" for the first one that the user gave.
    other : (str, int)
        Batch and index of the first system of Y.
    """
    begins = {"": (batch, first), " of Y": other}

    def move(place: Place) -> Place:
        name, start = begins.get(place[0], (place[0], 0))
        return name, start + place[1] if isinstance(start, int) else int(start[place[1]])

    try:
        with collect_notes() as notes:
            yield
    except _errors.SystemsError as error:
        raise error.move(move) from error.__cause__
    merge({template: set(map(move, places)) for template, places in notes.items()})


@contextmanager
def name_systems(**batches: Any) -> Iterator[None]:
    """Give systems of stores their file names in errors: ``name_systems(X=store, Y=None)``."""
    try:
        yield
    except _errors.SystemsError as error:
        batch: Any = batches.get("Y" if error.batch == " of Y" else "X")
        names = batch.read_texts("names") if hasattr(batch, "read_texts") else None
        if names is None or error.batch not in ("", " of Y"):
            raise
        raise error.add_names(names) from error.__cause__


def warn_once(function: Function) -> Function:
    """Let a function give one warning per template, however many blocks it works on."""

    @wraps(function)
    def run(*arguments: Any, **settings: Any) -> Any:
        if _notes.get() is not None:
            return function(*arguments, **settings)
        with collect_notes() as notes:
            result = function(*arguments, **settings)
        _warn(notes, stacklevel=3)
        return result

    return run  # type: ignore[return-value]


def _warn(notes: Notes, stacklevel: int) -> None:
    for template, places in notes.items():
        who = _errors.format_systems(sorted(places))
        warnings.warn(template.replace("{systems}", who), stacklevel=stacklevel)
