"""Indices of systems in errors and warnings, translated from blocks to the batch of the user.

A function that works on a block counts its systems from 0. Code that cuts a batch into blocks
states where each begins (:func:`locate_systems`). The function that the user calls gives one
warning for all blocks (:func:`warn_once`).
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from ldslearn import _errors

Place = tuple[str, int]  # the batch ("" for the first one, else " of Y"), and the index in it
Notes = dict[str, set[Place]]  # systems by the template of a warning about them
Function = TypeVar("Function", bound=Callable[..., Any])

_notes: ContextVar[Notes | None] = ContextVar("notes", default=None)


def note(template: str, indices: Iterable[int]) -> None:
    """Warn of some systems, ``{systems}`` in the template, at the end of the user's call."""
    merge_notes({template: {("", int(index)) for index in indices}})


def merge_notes(found: Notes) -> None:
    """Add notes to those of the current call; outside of a call, warn at once."""
    notes = _notes.get()
    if notes is None:
        _warn_of_notes(found, stacklevel=3)
        return
    for template, places in found.items():
        notes.setdefault(template, set()).update(places)


@contextmanager
def collect_notes() -> Iterator[Notes]:
    """Yield the notes that are made inside the block."""
    notes: Notes = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


@contextmanager
def locate_systems(
    first: int | Sequence[int] = 0,
    batch: str = "",
    *,
    other: tuple[str, int | Sequence[int]] = (" of Y", 0),
) -> Iterator[None]:
    """Translate indices of systems, which are counted from 0 inside the block.

    Parameters
    ----------
    first : int or sequence of int
        Index of the first system in its batch, or the indices of all.
    batch : str
        The batch, such as " of Y"; "" for the first argument of the user.
    other : (str, int or sequence of int)
        The same of the systems of Y.
    """
    begins: dict[str, tuple[str, int | Sequence[int]]] = {"": (batch, first), " of Y": other}

    def move(place: Place) -> Place:
        name, start = begins.get(place[0], (place[0], 0))
        return name, start + place[1] if isinstance(start, int) else int(start[place[1]])

    try:
        with collect_notes() as notes:
            yield
    except _errors.SystemsError as error:
        raise error.move(move) from error.__cause__
    merge_notes({template: set(map(move, places)) for template, places in notes.items()})


@contextmanager
def name_systems(**batches: Any) -> Iterator[None]:
    """Add file names to errors about systems of stores: ``name_systems(X=store, Y=None)``."""
    try:
        yield
    except _errors.SystemsError as error:
        batch: Any = batches.get("Y" if error.batch == " of Y" else "X")
        names = batch.read_texts("names") if hasattr(batch, "read_texts") else None
        if names is None or error.batch not in ("", " of Y"):
            raise
        raise error.add_names(names) from error.__cause__


def warn_once(function: Function) -> Function:
    """Make a function give one warning per template, whatever the number of blocks."""

    @wraps(function)
    def run(*arguments: Any, **settings: Any) -> Any:
        if _notes.get() is not None:
            return function(*arguments, **settings)
        with collect_notes() as notes:
            result = function(*arguments, **settings)
        _warn_of_notes(notes, stacklevel=3)
        return result

    return run  # type: ignore[return-value]


def _warn_of_notes(notes: Notes, stacklevel: int) -> None:
    for template, places in notes.items():
        who = _errors.format_systems(sorted(places))
        warnings.warn(template.replace("{systems}", who), stacklevel=stacklevel)
