"""A table as a recording: its times become a rate, and even steps if they are asked for."""

import os
from collections.abc import Sequence

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.datasets.channels import TRAINING, other_columns
from ldslearn.datasets.formats.table import Table, read_table
from ldslearn.datasets.formats.time_checks import find_troubles, rate_of
from ldslearn.datasets.formats.time_columns import NONE
from ldslearn.datasets.recording import Recording
from ldslearn.sequences.resampling import resample

Path = str | os.PathLike[str]

_MOST_REPEATS = 0.1  # of the rows


def read_timed(
    path: Path,
    time: str | None,
    columns: Sequence[str] | None,
    rate: float | None,
    channels: Sequence[str] | None = None,
    like: str = TRAINING,
) -> Recording:
    """Return the sequence in a table, at `rate` if it is given.

    Parameters
    ----------
    path : path-like
    time, columns :
        As in :func:`~ldslearn.datasets.formats.table.read_table`.
    rate : float or None
    channels : sequence of str or None
        Known names of channels: a table that has them needs no column of time.
    like : str
        Whose channels they are, for messages.
    """
    try:
        table = read_table(path, time, columns)
    except ValueError:
        if channels is None or rate is not None or time in (None, NONE):
            raise
        table = read_table(path, NONE, columns)
        if table.names is None:
            names = [*time.split(","), *channels]
            raise other_columns(f"file {path}", names, like, None) from None
        if not set(channels) <= set(table.names):
            raise
    if table.clock is None:
        if rate is not None:
            raise unknown_rate(path, rate)
        return Recording([table.values], table.names, is_table=True)
    values = table.values if rate is None else _resample(path, table, rate)
    return Recording(
        [values],
        table.names,
        rate_of(table.clock),
        table.clock.reference,
        find_troubles(table.clock, table.lines),
        is_table=True,
        left_out=table.left_out,
    )


def _resample(path: Path, table: Table, rate: float) -> Floats:
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
            "Write times with more digits, or leave rate, --rate out.",
        )  # fmt: skip
    kept = np.concatenate([[True], steps > 0])  # the first of rows with one time
    return resample(table.values[:, kept], seconds[kept], rate)


def unknown_rate(path: Path, rate: float) -> ValueError:
    """Return the error about a file without times of its samples, where a rate is required."""
    return _errors.bad_file(
        path, f"say when its samples were taken for rate={rate:g}", "no times in seconds",
        "Name a column of time with its unit, as in 'time [ms]', or omit rate, --rate.",
    )  # fmt: skip
