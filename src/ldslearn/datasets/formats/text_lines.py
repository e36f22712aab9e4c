"""Read text files line by line: comments, the delimiter, and numbers with the line in errors."""

import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._files import check_size, open_file
from ldslearn._types import Floats

LINE_LIMIT = 2**26  # bytes; the longest lines of the UEA archive have 2**22
_GROWTH = 4  # "0," becomes eight bytes
_SHOWN = 40


def read_lines(
    path: str | os.PathLike[str], comment: str, limit: int = LINE_LIMIT
) -> Iterator[tuple[int, str]]:
    """Yield number and stripped text of each line that is neither empty nor a comment.

    Parameters
    ----------
    path : path-like
        A UTF-8 text; comments may be in any encoding.
    comment : str
        The character comments start with.
    limit : int
        Bytes of the longest line that is read.
    """
    with open_file(path) as file:
        check_size(path, _GROWTH * os.fstat(file.fileno()).st_size)
        number = 0
        while line := file.readline(limit + 1):
            number += 1
            if len(line) > limit:
                raise bad_line(
                    path, number, "be a text of lines", f"more than {limit} bytes without a break"
                )
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            line = line.strip()
            if not line or line.startswith(comment.encode()):
                continue
            if b"\r" in line:
                raise bad_line(
                    path, number, "end lines in a line feed", "carriage returns alone",
                    "Convert it: tr '\\r' '\\n'.",
                )  # fmt: skip
            try:
                yield number, line.decode("utf-8")
            except UnicodeDecodeError:
                raise bad_line(
                    path, number, "be a UTF-8 text", "other bytes", "Convert it to UTF-8."
                ) from None


def bad_line(
    path: str | os.PathLike[str], number: int, rule: str, reason: str, remedy: str = ""
) -> ValueError:
    """Return the error about a line of a text file that breaks a rule."""
    return _errors.bad_file(path, rule, f"{reason} in line {number}", remedy)


def choose_delimiter(line: str, candidates: str) -> str | None:
    """Return the first of some delimiters that a line holds; None if it holds none of them."""
    return next((mark for mark in candidates if mark in line), None)


def parse_numbers(
    path: str | os.PathLike[str],
    number: int,
    fields: Sequence[str],
    columns: Sequence[str] | None = None,
    *,
    gaps: bool = False,
) -> Floats:
    """Return the fields of a line as finite numbers, or raise for the first that is none.

    Parameters
    ----------
    path : path-like
    number : int
        Of the line, for messages.
    fields : sequence of str
    columns : sequence of str, optional
        What messages call the column of each field.
    gaps : bool, default=False
        Return NaN for fields that are empty or mark a missing value.

    Returns
    -------
    (len(fields),) array
    """
    values = np.empty(len(fields))
    for i, field in enumerate(fields):
        value = parse_number(field)
        if gaps and (is_missing(field.strip()) or (value is not None and math.isnan(value))):
            values[i] = math.nan
            continue
        if value is None or not math.isfinite(value):
            column = None if columns is None else columns[i]
            raise _bad_number(path, number, field.strip(), value, column)
        values[i] = value
    return values


def parse_channels(
    path: str | os.PathLike[str], number: int, channels: list[list[str]], *, gaps: bool = False
) -> Floats:
    """Return the (n_channels, n_timepoints) numbers of a line; all channels have one length."""
    if len({len(channel) for channel in channels}) != 1:
        rule = "give all channels of a sequence one length"
        got = f"{min(map(len, channels))} to {max(map(len, channels))}"
        raise bad_line(path, number, rule, got)
    n_timepoints = len(channels[0])
    return np.stack(
        [
            parse_numbers(path, number, channel, _TimePoints(row, n_timepoints), gaps=gaps)
            for row, channel in enumerate(channels)
        ]
    )


class _TimePoints(Sequence[str]):
    """What messages call the fields of a channel; made only for a message."""

    def __init__(self, channel: int, length: int) -> None:
        self.channel, self.length = channel, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: Any) -> Any:
        return f"channel {self.channel + 1}, time point {index + 1}"


def parse_number(field: str) -> float | None:
    """Return the number in a field, without Python's underscores; None if there is none."""
    try:
        return None if "_" in field else float(field)
    except ValueError:
        return None


def is_missing(field: str) -> bool:
    """Whether a field marks a missing value."""
    return field.lower() in ("", "?", "na", "nan", "n/a", "null")


def quote(text: str) -> str:
    """Return a text in quotes for messages, shortened when long."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def _bad_number(
    path: str | os.PathLike[str], number: int, field: str, value: float | None, column: str | None
) -> ValueError:
    if is_missing(field) or value is not None:
        infinite = value is not None and math.isinf(value)
        place = f"line {number}" if column is None else f"line {number}, {column}"
        return _errors.bad_file(
            path,
            "have no missing or infinite values",
            f"{quote(field) if field else 'an empty field'} in {place}",
            "Correct it, or drop the line."
            if infinite
            else "To read it as a gap give gaps=True (Python), --missing smooth (command line); "
            "otherwise fill or interpolate it first.",
        )
    if column is None:
        remedy = "Put a number there, or remove the line or the column."
        return bad_line(path, number, "hold numbers", quote(field), remedy)
    remedy = "Put a number there, or choose columns of numbers with columns=, --columns."
    return _errors.bad_file(
        path, "hold numbers", f"{quote(field)} in line {number}, {column}", remedy
    )
