"""Parse time stamps: numbers in any unit, ISO dates, and times of day."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from ldslearn._types import Floats
from ldslearn.datasets.formats.text_lines import bad_line, parse_number, quote

_DATE = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}")
_DATED = re.compile(rf"({_DATE.pattern})(?:[T ]+(\S.*))?", re.IGNORECASE)
_OF_DAY = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?")
_START = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Stamps:
    """The times of the rows of a table.

    Attributes
    ----------
    first : float
        The first time as written; for dates, in seconds since 1970.
    ticks : (n_rows,) array
        Time since the first row, in the unit of the column.
    quantum : float
        The last written digit, in ticks.
    kind : "number", "date", "day" or "time of day"
        "day" is a date without a time.
    """

    first: float
    ticks: Floats
    quantum: float
    kind: str


def is_stamp(field: str) -> bool:
    """Whether a text is a date or a time of day, and not a number."""
    return bool(_DATED.fullmatch(field) or _OF_DAY.fullmatch(field))


def parse_stamps(
    path: str | os.PathLike[str], lines: Sequence[int], fields: Sequence[str], column: str
) -> Stamps:
    """Return the times in a column of a table, or raise for the first field that is none.

    Parameters
    ----------
    path : path-like
    lines : sequence of int
        The line of each field, for messages.
    fields : sequence of str
        Numbers, ISO dates (``2024-05-31``, ``2024-05-31T14:30:00.25Z``, a space for the T), or
        times of day.
    column : str
        What messages call the column.
    """
    kind = _find_kind(fields[0])
    values: list[float] = []
    first: int | float | datetime | None = None
    for number, field in zip(lines, fields, strict=True):
        value = _parse(field, kind)
        if value is None:
            raise bad_line(
                path, number, f"hold numbers or ISO dates (2024-05-31T14:30:00.25) in {column}",
                quote(field) if field else "an empty field",
                "Write it so, or leave out the column: --columns names those to read.",
            )  # fmt: skip
        first = value if first is None else first
        apart = value - first  # type: ignore[operator]  # of one kind; exact for whole numbers
        values.append(apart / timedelta(seconds=1) if isinstance(apart, timedelta) else apart)
    assert first is not None
    start = (first - _START).total_seconds() if isinstance(first, datetime) else float(first)
    decimals = max(len(field.partition(".")[2]) for field in fields) if kind == "number" else 6
    exact = kind == "number" and any("e" in field.lower() for field in fields)
    return Stamps(start, np.array(values, dtype=float), 0.0 if exact else 10.0**-decimals, kind)


def _find_kind(field: str) -> str:
    if parse_number(field) is not None:
        return "number"
    if _OF_DAY.fullmatch(field):
        return "time of day"
    return "day" if _DATE.fullmatch(field) else "date"


def _parse(field: str, kind: str) -> int | float | datetime | None:
    if kind == "number":
        if field.isascii() and field.isdecimal():
            return int(field) if len(field) < 30 else None
        value = parse_number(field)
        return value if value is not None and np.isfinite(value) else None
    if kind == "time of day":
        match = _OF_DAY.fullmatch(field)
        if match is None:
            return None
        return 3600 * int(match[1]) + 60 * int(match[2]) + float(match[3] or 0)
    return _parse_date(field)


def _parse_date(field: str) -> datetime | None:
    match = _DATED.fullmatch(field)
    if not match:
        return None
    day = "-".join(f"{int(part):02}" for part in re.split("[-/]", match[1]))
    clock = match[2] or "00:00"
    clock = f"0{clock}" if clock[1:2] == ":" else clock
    clock = re.sub(r"(\.\d{6})\d+", r"\1", clock)  # datetime keeps microseconds
    try:
        found = datetime.fromisoformat(f"{day}T{clock.replace(' ', '')}")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
