"""What is read of one item: sequences or videos, channel names, rate, and faults of its times."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.datasets.channels import TRAINING, find_channel_order, other_columns
from ldslearn.datasets.formats.csv_table import CsvTable, read_table
from ldslearn.datasets.formats.time_columns import NONE, Clock
from ldslearn.datasets.formats.time_faults import TimeFault, find_time_faults, sampling_rate
from ldslearn.datasets.items import is_table
from ldslearn.sequences.grid import (
    count_grid_points,
    estimate_step,
    is_in_future,
    merge_on_grid,
)
from ldslearn.sequences.resampling import resample

Path = str | os.PathLike[str]

_MOST_REPEATS = 0.1  # of the rows


@dataclass(frozen=True)
class Grid:
    """Even steps that the samples of a table were placed on, and what happened to them."""

    step: float
    n_merged: int
    n_missing: int
    in_seconds: bool


@dataclass(frozen=True)
class Recording:
    """One item as it was read.

    Attributes
    ----------
    parts : list of arrays
        Sequences (n_channels, n_timepoints), or videos (n_frames, height, width[, n_colours]).
    names : tuple of str or None
        Of the channels, where the file names them.
    rate : float or None
        Time points per second, where the file states it.
    time : str or None
        The time column.
    time_faults : tuple of TimeFault
        What is wrong with its times.
    is_table : bool
        Whether it is a table, which might have names.
    unused_times : tuple of str
        Further time columns, which are omitted.
    grid : Grid or None
        Where its samples were placed, if uneven times make gaps.
    """

    parts: list[NDArray[Any]]
    names: tuple[str, ...] | None = None
    rate: float | None = None
    time: str | None = None
    time_faults: tuple[TimeFault, ...] = ()
    is_table: bool = False
    unused_times: tuple[str, ...] = ()
    grid: Grid | None = None


def read_timed_table(
    path: Path,
    time: str | None,
    columns: Sequence[str] | None,
    rate: float | None,
    channels: Sequence[str] | None = None,
    reference_name: str = TRAINING,
    *,
    gaps: bool = False,
) -> Recording:
    """Return the sequence in a table, resampled if `rate` is given.

    Parameters
    ----------
    path : path-like
    time, columns :
        As in :func:`~ldslearn.datasets.formats.csv_table.read_table`.
    rate : float or None
    channels : sequence of str or None
        Names of channels that the table must have, to be put in this order. A table that has them
        needs no time column.
    reference_name : str
        Whose channels they are, for messages.
    gaps : bool, default=False
        Missing fields are NaN, and times place the samples on a grid instead of interpolating them.
    """
    try:
        table = read_table(path, time, columns, gaps=gaps)
    except ValueError:
        if channels is None or rate is not None or time in (None, NONE):
            raise
        table = read_table(path, NONE, columns, gaps=gaps)
        if table.names is None:
            expected = [*time.split(","), *channels]
            raise other_columns(f"file {path}", expected, reference_name, None) from None
        if not set(channels) <= set(table.names):
            raise
    clock = table.clock
    if clock is None and rate is not None:
        raise unknown_rate(path, rate)
    grid = None
    if gaps and clock is not None and len(table.lines) > 1:
        values, grid = _place(path, table, clock, rate)
    else:
        values = table.values if rate is None else _resample(path, table, rate)
    names, unused = table.names, table.unused_times
    if channels is not None:
        values = values[find_channel_order(names, channels, f"file {path}", reference_name)]
        unused += tuple(f"column {name!r}" for name in names or () if name not in channels)
        names = tuple(channels)
    return Recording(
        [values],
        names,
        1 / grid.step if grid is not None and grid.in_seconds else sampling_rate(clock),
        None if clock is None else clock.reference,
        () if clock is None or grid is not None else find_time_faults(clock, table.lines),
        is_table=True,
        unused_times=unused,
        grid=grid,
    )


def _resample(path: Path, table: CsvTable, rate: float) -> Floats:
    clock = table.clock
    if clock is None or clock.unit is None:
        raise unknown_rate(path, rate)
    seconds = clock.stamps.ticks * clock.unit
    steps = np.diff(seconds)
    if (steps < 0).any():
        line = table.lines[int(np.flatnonzero(steps < 0)[0]) + 1]
        raise _errors.bad_file(
            path, f"have times that rise for rate={rate:g}", f"an earlier time in line {line}",
            "Sort its rows.",
        )  # fmt: skip
    if np.mean(steps == 0) > _MOST_REPEATS:
        raise _errors.bad_file(
            path, f"have times that rise for rate={rate:g}",
            f"the same time as in the row before in {np.mean(steps == 0):.0%} of its rows",
            "Write times with more digits, or leave out rate (--rate).",
        )  # fmt: skip
    kept = np.concatenate([[True], steps > 0])  # the first of rows with one time
    return resample(table.values[:, kept], seconds[kept], rate)


def _place(path: Path, table: CsvTable, clock: Clock, rate: float | None) -> tuple[Floats, Grid]:
    """Return samples on a grid of steps ``1 / rate``, or of the usual step of the table."""
    if rate is not None and clock.unit is None:
        raise unknown_rate(path, rate)
    ticks, unit = clock.stamps.ticks, clock.unit or 1.0
    steps = np.diff(ticks)
    if (steps < 0).any():
        line = table.lines[int(np.flatnonzero(steps < 0)[0]) + 1]
        raise _errors.bad_file(
            path, "have times that rise, to find gaps", f"an earlier time in line {line}",
            "Sort its rows, or give --time none.",
        )  # fmt: skip
    if not (steps > 0).any():
        raise _errors.bad_file(
            path, "have times that rise, to find gaps", "one time in all lines",
            "Give --time none.",
        )  # fmt: skip
    first = clock.stamps.first * (unit if clock.stamps.kind == "number" else 1.0)
    if is_in_future(first, first + ticks[-1] * unit):
        raise _errors.bad_file(
            path, "have times that do not lie in the future",
            str(np.datetime64(round(first + ticks[-1] * unit), "s")),
            "Correct the clock of the recorder.",
        )  # fmt: skip
    step = 1 / rate if rate is not None else estimate_step([ticks]) * unit
    clocked = ticks * unit
    n_grid = count_grid_points(clocked, step, f"file {path}")
    values, n_merged = merge_on_grid(table.values, clocked / step, n_grid)
    n_missing = n_grid - len(clocked) + n_merged
    return values, Grid(step, n_merged, n_missing, clock.unit is not None)


def unknown_rate(path: Path, rate: float) -> ValueError:
    """Return the error about a file without times of its samples, where a rate is required."""
    remedy = (
        "Leave out rate (--rate). A model that was trained with gaps on tables with times needs "
        "times in new files, too."
    )
    if is_table(path):
        remedy = "Name a time column with its unit, as in 'time [ms]', or leave out rate (--rate)."
    return _errors.bad_file(
        path, f"say when its samples were taken for rate={rate:g}", "no times in seconds", remedy
    )
