"""Which columns of a table are times: as asked for, by their names, or by how they rise."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ldslearn import _errors
from ldslearn.datasets.formats.timestamps import Stamps, parse_stamps
from ldslearn.sequences.clocks import (
    epoch_unit,
    hardly_falls,
    is_counter_name,
    is_short_name,
    is_time_name,
    rises_evenly,
    rises_strictly,
    unit_of,
)

Path = str | os.PathLike[str]
NONE = "none"  # no column of time


@dataclass(frozen=True)
class Clock:
    """The times of a table, and where they are.

    Attributes
    ----------
    columns : tuple of int
        One, or that of the date and that of the time of day.
    reference : str
        What names it again: the names of the columns, or their numbers from 1.
    stamps : Stamps
    unit : float or None
        Seconds per tick; None where nothing tells.
    """

    columns: tuple[int, ...]
    reference: str
    stamps: Stamps
    unit: float | None


@dataclass(frozen=True)
class Found:
    """What was found out about the columns of a table that may be times.

    Attributes
    ----------
    clock : Clock or None
    no_channels : set of int
        Columns that are no channels: times, dates, and counters of rows.
    doubt : str or None
        Why a column that may be time is a channel nevertheless.
    """

    clock: Clock | None
    no_channels: frozenset[int]
    doubt: str | None = None


@dataclass(frozen=True)
class Texts:
    """Columns of a table before they are numbers.

    Attributes
    ----------
    path : path-like
    names : list of str or None
        Of all columns of the table.
    lines : list of int
        The line of each row.
    columns : dict of int to list of str
        The fields of those that may be times.
    """

    path: Path
    names: Sequence[str] | None
    lines: Sequence[int]
    columns: Mapping[int, Sequence[str]]

    def call(self, column: int) -> str:
        """What messages call a column."""
        return name_column(self.names, column)

    def stamps(self, *columns: int) -> Stamps:
        """The times in a column, or in that of the date and that of the time of day."""
        called = " and ".join(map(self.call, columns))
        parts = [self.columns[column] for column in columns]
        fields = [" ".join(row) for row in zip(*parts, strict=True)]
        return parse_stamps(self.path, self.lines, fields, called)

    def clock(self, *columns: int) -> Clock:
        """The times in columns, with their unit."""
        stamps = self.stamps(*columns)
        names = [self.names[column] if self.names else "" for column in columns]
        numbered = [str(column + 1) for column in columns]
        reference = ",".join(name or number for name, number in zip(names, numbered, strict=True))
        return Clock(columns, reference, stamps, find_unit(names[-1], stamps))


def name_column(names: Sequence[str] | None, column: int) -> str:
    """``column 'ax'``, or ``column 2`` without a name."""
    return f"column {names[column]!r}" if names and names[column] else f"column {column + 1}"


def take_time(texts: Texts, columns: Sequence[int]) -> Found:
    """The times in the columns that were asked for."""
    return Found(texts.clock(*columns), frozenset(columns))


def find_time(texts: Texts, n_columns: int, *, strict: bool) -> Found:
    """The times in a table of which nothing is known but its columns that may be times.

    A column is time by its name if its values are dates or hardly ever fall, and the first column
    is time without a name if it holds dates, seconds since 1970, or rises evenly. A table keeps one
    column at least. Without `strict` a column that cannot be read is no time.
    """
    named = [i for i in texts.columns if texts.names and is_time_name(texts.names[i])]
    found: dict[int, Stamps] = {}
    for column in texts.columns:
        try:
            found[column] = texts.stamps(column)
        except ValueError:
            if strict and column in named:
                raise
    no_channels = {i for i in named if i in found and _is_no_channel(texts, i, found[i])}
    no_channels |= {i for i, stamps in found.items() if stamps.kind != "number"}
    doubt = None
    for column in named:
        if column in found and column not in no_channels and n_columns > 1:
            doubt = f"{texts.call(column)} has a name of time, but does not rise"
    first = found.get(0)
    if first is not None and not no_channels and n_columns > 1:
        ticks = first.ticks
        since_1970 = epoch_unit(first.first, first.first + ticks[-1]) and hardly_falls(ticks)
        if (since_1970 and ticks[-1] > 0) or rises_evenly(ticks, first.quantum):
            no_channels, doubt = {0}, None
        elif doubt is None and rises_strictly(ticks):
            doubt = f"{texts.call(0)} rises throughout, but not evenly"
    if len(no_channels) == n_columns:
        raise _errors.bad_file(
            texts.path, "have a channel beside its columns of time",
            f"{' and '.join(map(texts.call, sorted(no_channels)))} alone",
            f"To read them as channels give --time {NONE}.",
        )  # fmt: skip
    clock = _best(texts, {i: found[i] for i in sorted(no_channels)})
    return Found(clock, frozenset(no_channels), doubt)


def _is_no_channel(texts: Texts, column: int, stamps: Stamps) -> bool:
    assert texts.names is not None
    if stamps.kind == "number" and is_short_name(texts.names[column]):
        return rises_evenly(stamps.ticks, stamps.quantum)
    return stamps.kind != "number" or hardly_falls(stamps.ticks)


def _best(texts: Texts, candidates: Mapping[int, Stamps]) -> Clock | None:
    """The column that tells time best: with a date, with a unit, whatever rises."""
    days = [i for i, stamps in candidates.items() if stamps.kind == "day"]
    of_day = [i for i, stamps in candidates.items() if stamps.kind == "time of day"]
    if days and of_day:
        return texts.clock(days[0], of_day[0])
    rising = [i for i, stamps in candidates.items() if np.any(np.diff(stamps.ticks) > 0)]
    clocks = [texts.clock(i) for i in rising]
    clocks.sort(key=lambda clock: (clock.unit is None, clock.stamps.kind == "day"))
    return clocks[0] if clocks else None


def find_unit(name: str, stamps: Stamps) -> float | None:
    """Seconds per tick, by a column's name or the size of its values; None where nothing tells."""
    if stamps.kind != "number":
        return 1.0
    if is_counter_name(name) and name.strip():
        return None
    given = unit_of(name) or epoch_unit(stamps.first, stamps.first + stamps.ticks[-1])
    whole = stamps.quantum == 1.0  # 0, 1, 2, ... counts rows, or the seconds; nothing tells
    return given or (None if whole else 1.0)
