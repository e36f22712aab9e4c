"""Recognise the time columns of a table: by their names, or because their values rise evenly."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ldslearn import _errors
from ldslearn.datasets.formats.timestamps import Stamps, parse_stamps
from ldslearn.sequences.time_recognition import (
    find_epoch_unit,
    find_unit_in_name,
    is_counter_name,
    is_time_name,
    rises_evenly,
    rises_like_time,
    rises_mostly,
    rises_strictly,
)

Path = str | os.PathLike[str]
NONE = "none"  # the table has no time column


@dataclass(frozen=True)
class Clock:
    """The times of a table, and where they are.

    Attributes
    ----------
    columns : tuple of int
        One, or that of the date and that of the time of day.
    reference : str
        The names of the columns, or their numbers from 1, as users give them.
    stamps : Stamps
    unit : float or None
        Seconds per tick; None where it is unknown.
    """

    columns: tuple[int, ...]
    reference: str
    stamps: Stamps
    unit: float | None


@dataclass(frozen=True)
class TimeColumns:
    """The time columns that were recognised in a table.

    Attributes
    ----------
    clock : Clock or None
    no_channels : set of int
        Columns that are not channels: times, dates, and counters of rows.
    doubt : str or None
        Why a column that may be time is a channel nevertheless.
    """

    clock: Clock | None
    no_channels: frozenset[int]
    doubt: str | None = None


@dataclass(frozen=True)
class CandidateColumns:
    """Columns of a table that may be times, as texts.

    Attributes
    ----------
    path : path-like
    names : list of str or None
        Of all columns of the table.
    lines : list of int
        The line of each row.
    columns : dict of int to list of str
        The fields of each candidate.
    """

    path: Path
    names: Sequence[str] | None
    lines: Sequence[int]
    columns: Mapping[int, Sequence[str]]

    def name(self, column: int) -> str:
        """Return the name of a column for messages."""
        return name_column(self.names, column)

    def parse(self, *columns: int) -> Stamps:
        """Return the times in a column, or in two: a date and a time of day."""
        called = " and ".join(map(self.name, columns))
        parts = [self.columns[column] for column in columns]
        fields = [" ".join(row) for row in zip(*parts, strict=True)]
        return parse_stamps(self.path, self.lines, fields, called)

    def make_clock(self, *columns: int) -> Clock:
        """Return the times in columns, with their unit."""
        stamps = self.parse(*columns)
        names = [self.names[column] if self.names else "" for column in columns]
        numbered = [str(column + 1) for column in columns]
        reference = ",".join(name or number for name, number in zip(names, numbered, strict=True))
        return Clock(columns, reference, stamps, find_unit(names[-1], stamps))


def name_column(names: Sequence[str] | None, column: int) -> str:
    """Return ``column 'ax'``, or ``column 2`` without a name."""
    return f"column {names[column]!r}" if names and names[column] else f"column {column + 1}"


def find_time(candidates: CandidateColumns, n_columns: int, *, strict: bool) -> TimeColumns:
    """Return the time columns of a table, where the user names none.

    A column is time by its name if its values are dates or hardly ever fall. The first column is
    time without a name if it holds dates, seconds since 1970, or rises evenly. A table keeps one
    channel at least. Without `strict` a column that cannot be parsed is not time.
    """
    names = candidates.names or ()
    named = [i for i in candidates.columns if names and is_time_name(names[i])]
    found: dict[int, Stamps] = {}
    for column in candidates.columns:
        try:
            found[column] = candidates.parse(column)
        except ValueError:
            if strict and column in named:
                raise
    no_channels = {
        i
        for i, stamps in found.items()
        if stamps.kind != "number"
        or (i in named and rises_like_time(names[i], stamps.ticks, stamps.quantum))
    }
    doubt = None
    for column in named:
        if column in found and column not in no_channels and n_columns > 1:
            doubt = f"{candidates.name(column)} has a name of time, but does not rise"
    first = found.get(0)
    if first is not None and not no_channels and n_columns > 1:
        ticks = first.ticks
        since_1970 = find_epoch_unit(first.first, first.first + ticks[-1]) and rises_mostly(ticks)
        if (since_1970 and ticks[-1] > 0) or rises_evenly(ticks, first.quantum):
            no_channels, doubt = {0}, None
        elif doubt is None and rises_strictly(ticks):
            doubt = f"{candidates.name(0)} rises throughout, but not evenly"
    if len(no_channels) == n_columns:
        raise _errors.bad_file(
            candidates.path, "have a channel beside its time columns",
            f"{' and '.join(map(candidates.name, sorted(no_channels)))} alone",
            f"To read them as channels give --time {NONE}.",
        )  # fmt: skip
    clock = _choose_clock(candidates, {i: found[i] for i in sorted(no_channels)})
    return TimeColumns(clock, frozenset(no_channels), doubt)


def _choose_clock(candidates: CandidateColumns, times: Mapping[int, Stamps]) -> Clock | None:
    """The most precise of rising columns: a date and a time of day, else one with a unit."""
    days = [i for i, stamps in times.items() if stamps.kind == "day"]
    of_day = [i for i, stamps in times.items() if stamps.kind == "time of day"]
    if days and of_day:
        return candidates.make_clock(days[0], of_day[0])
    rising = [i for i, stamps in times.items() if np.any(np.diff(stamps.ticks) > 0)]
    clocks = [candidates.make_clock(i) for i in rising]
    clocks.sort(key=lambda clock: (clock.unit is None, clock.stamps.kind == "day"))
    return clocks[0] if clocks else None


def find_unit(name: str, stamps: Stamps) -> float | None:
    """Return seconds per tick, by a column's name or the size of its values; None if unknown."""
    if stamps.kind != "number":
        return 1.0
    if is_counter_name(name) and name.strip():
        return None
    given = find_unit_in_name(name) or find_epoch_unit(
        stamps.first, stamps.first + stamps.ticks[-1]
    )
    whole = stamps.quantum == 1.0  # 0, 1, 2, ... may count rows or seconds
    return given or (None if whole else 1.0)
