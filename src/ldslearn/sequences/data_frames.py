"""Sequences in data frames of pandas or polars.

Neither library is imported: a frame is recognised by its attributes.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.sequences.time_recognition import is_time_name, rises_like_time

_OWNERS = {
    "id", "caseid", "instance", "instanceid", "instances", "sequence", "sequenceid", "seriesid",
    "sampleid", "recording", "recordingid",
}  # fmt: skip
_LONG = {"dimid", "kind", "dimension", "variable"}  # columns that name the channel of a row


def is_data_frame(value: Any) -> bool:
    """Whether a value is a table with named columns, as those of pandas and polars are."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy") and hasattr(value, "shape")


def sequences_from_data_frame(frame: Any, name: str) -> list[NDArray[Any]]:
    """Return the sequences in a frame, or raise with the way to get them.

    Parameters
    ----------
    frame : data frame
        Nested, as in sktime: one row per sequence, one column per channel, and in each cell the
        values over time. Or with two levels of index, sequence and time, and one column per
        channel. Or with a column ``id`` that names the sequence of a row, perhaps a time column,
        and one column per channel.
    name : str
        What messages call it.
    """
    if _is_nested(frame):
        return [_stack_cells(name, row, frame[row : row + 1]) for row in range(len(frame))]
    index: Any = getattr(frame, "index", None)
    names = [str(column) for column in frame.columns]
    if getattr(index, "nlevels", 1) == 2:
        owners = np.asarray(index.get_level_values(0))
        ticks = np.asarray(index.get_level_values(1))
        return _split_rows("index", owners, ticks, _stack_columns(frame, names, name))
    plain = ["".join(c for c in column.lower() if c.isalnum()) for column in names]
    if getattr(index, "nlevels", 1) == 1 and not _LONG.isdisjoint(plain) and "value" in plain:
        raise not_a_collection(name, "a data frame with one value per row", _suggest_pivot(names))
    owner = [column for column, word in zip(names, plain, strict=True) if word in _OWNERS]
    if len(owner) != 1 or getattr(index, "nlevels", 1) != 1:
        raise _ambiguous_frame(name, tuple(frame.shape), names)
    channels = [column for column in names if column != owner[0]]
    times = [column for column in channels if is_time_name(column)]
    channels = [column for column in channels if column not in times]
    if not channels:
        raise _ambiguous_frame(name, tuple(frame.shape), names)
    time = np.asarray(frame[times[0]]) if times else None
    owners = np.asarray(frame[owner[0]])
    return _split_rows(f"column {owner[0]!r}", owners, time, _stack_columns(frame, channels, name))


def sequence_from_data_frame(frame: Any) -> NDArray[Any]:
    """Return one sequence in a frame: rows are time points, columns are channels or times."""
    if len(set(frame.columns)) < len(frame.columns):  # names do not identify columns
        columns = list(np.asarray(frame).T)
    else:
        columns = [np.asarray(frame[column]) for column in frame.columns]
    pairs = zip(map(str, frame.columns), columns, strict=True)
    kept = [values for name, values in pairs if not _is_time(name, values)]
    return np.stack(kept) if kept else np.empty((0, len(frame)))


def _is_nested(frame: Any) -> bool:
    """Whether each cell of a frame holds values over time instead of one value."""
    if not len(frame) or not frame.shape[1]:
        return False
    first = np.empty(frame.shape[1], dtype=object)
    first[:] = list(_list_cells(frame[0:1]))
    return all(not isinstance(cell, str | bytes) and np.ndim(cell) == 1 for cell in first)


def _list_cells(row: Any) -> list[Any]:
    """The cells of a frame of one row."""
    if hasattr(row, "iloc"):
        return [row.iloc[0, column] for column in range(row.shape[1])]
    return list(row.row(0))


def _stack_cells(name: str, number: int, row: Any) -> NDArray[Any]:
    channels = [np.asarray(cell) for cell in _list_cells(row)]
    lengths = sorted({len(channel) for channel in channels})
    if len(lengths) > 1:
        raise _errors.invalid(
            f"sequence {number}", "have as many time points in each channel",
            f"{lengths[0]} to {lengths[-1]} in row {number} of {name}",
            "Interpolate or cut the channels to one length.",
        )  # fmt: skip
    return np.stack(channels)


def _stack_columns(frame: Any, names: list[str], whole: str) -> NDArray[Any]:
    """(n_rows, n_channels) values of some columns, whose names may not be texts."""
    by_name = {str(column): column for column in frame.columns}
    columns = {name: np.asarray(frame[by_name[name]]) for name in names}
    for name, values in columns.items():
        if values.dtype.kind not in "fiub":
            raise not_a_collection(
                whole, f"a data frame whose column {name!r} holds no numbers",
                f"Drop it: X.drop(columns={name!r}).",
            )  # fmt: skip
    return np.column_stack(list(columns.values()))


def _split_rows(
    column: str, owners: NDArray[Any], time: NDArray[Any] | None, values: NDArray[Any]
) -> list[NDArray[Any]]:
    """The rows of each owner, by time, as sequences; owners in order of their first row."""
    _, first, inverse = np.unique(owners, return_index=True, return_inverse=True)
    if (np.diff(first) < 0).any():
        warnings.warn(
            (
                f"sequences of a data frame are in the order in which their {column} first "
                "appears, which is not sorted here. Labels must be in that order, too: "
                "X.sort_values(...) first if they are sorted."
            ),
            stacklevel=6,
        )
    sequences = []
    for number in np.argsort(first):
        rows = np.flatnonzero(inverse == number)
        if time is not None:
            rows = rows[np.argsort(time[rows], kind="stable")]
        sequences.append(values[rows].T)
    return sequences


def _is_time(name: str, values: NDArray[Any]) -> bool:
    if not is_time_name(name):
        return False
    if values.dtype.kind not in "fiu":
        return True
    return rises_like_time(name, values.astype(np.float64))


def _suggest_pivot(names: list[str]) -> str:
    plain = {"".join(c for c in one.lower() if c.isalnum()): one for one in names}
    owner = next((plain[word] for word in plain if word in _OWNERS), names[0])
    channel = next(plain[word] for word in plain if word in _LONG)
    time = next((one for one in names if one not in (owner, channel, plain["value"])), "time")
    return (
        f"Pass X.pivot(index=[{owner!r}, {time!r}], columns={channel!r}, "
        f"values={plain['value']!r})."
    )


def _ambiguous_frame(
    name: str, shape: tuple[int, ...], columns: Sequence[str]
) -> _errors.InputTypeError:
    """Return the error about a data frame that does not name the sequence of a row."""
    shown = ", ".join(columns[:5]) + (", ..." if len(columns) > 5 else "")
    return not_a_collection(
        name,
        f"a data frame of shape {shape} with the columns {shown}",
        "It must say which sequence a row belongs to, by a column 'id' or two levels of index "
        f"(sequence, time). For one sequence with a row per time point pass [{name}]; for "
        f"single-channel sequences in rows pass {name}.to_numpy()[:, None, :].",
    )


def not_a_collection(name: str, got: str, remedy: str) -> _errors.InputTypeError:
    """Return the error about what is neither a list of arrays nor a 3-D array."""
    message = (
        f"{name} must be a list of (n_channels, n_timepoints) arrays or one "
        f"(n_sequences, n_channels, n_timepoints) array; got {got}. {remedy}"
    )
    return _errors.InputTypeError(message.rstrip())
