"""Rules that distinguish time columns from channels: their names, and how their values rise."""

import re

import numpy as np

from ldslearn._types import Floats

_UNITS = {
    **dict.fromkeys(("ns", "nanos", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "µs", "μs", "usec", "micros", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600.0),
}
_NOT_ALONE = {"min", "mins", "h", "hr"}  # "min" alone may be a minimum
_TIMES = {
    "time", "times", "timestamp", "timestamps", "t", "ts", "date", "datetime", "clock", "epoch",
    "elapsed", "zeit", "uhrzeit", "zeitstempel", "datum", "tiempo", "fecha", "hora", "heure",
}  # fmt: skip
_COUNTERS = {"index", "idx", "frame", "frames", "sample", "samples", "row", "unnamed", "counter"}
_QUALIFIERS = {
    "unix", "utc", "gmt", "local", "system", "linux", "posix", "logging", "log", "since", "start",
    "sensor", "number", "num", "no", "nr", "id", "of", "day", "iso", "fine", "packet", "0",
}  # fmt: skip
_SHORT = {"t", "s", "h"}  # may also be a temperature or a distance
_WORD = re.compile(r"[A-Z]?[a-zµμ]+|[A-Z]+(?![a-z])|\d+")

_MOSTLY = 0.9  # of the steps of a clock go forward: it may be set back
_FEWEST = 8  # rows; fewer may rise evenly by chance
_EVEN = 0.95  # of the steps of a time column without a name are equal: others are gaps
_TOLERANCE = 0.01  # relative difference of equal steps
_EPOCH = 5e8, 5e9  # seconds since 1970: the years 1985 to 2128


def is_time_name(name: str) -> bool:
    """Whether a column's name says that it holds times or counts rows.

    Case, a unit (``time [ms]``, ``t_s``) and words such as ``unix`` or ``elapsed`` do not matter.
    A column without a name is an index, as spreadsheets and data frames write it.
    """
    words = _split_words(name)
    known = _TIMES | _COUNTERS | _QUALIFIERS | set(_UNITS)
    alone = _TIMES | _COUNTERS | (set(_UNITS) - _NOT_ALONE)
    return not name.strip() or (set(words) <= known and not alone.isdisjoint(words))


def is_counter_name(name: str) -> bool:
    """Whether a name says that a column counts rows and does not measure time."""
    words = set(_split_words(name))
    return not name.strip() or (words.isdisjoint(_TIMES) and not words.isdisjoint(_COUNTERS))


def find_unit_in_name(name: str) -> float | None:
    """Return the seconds in the unit that a column's name ends or starts with; None without."""
    words = _split_words(name)
    given = _UNITS.get(words[-1]) if words else None
    if given is None and words:
        given = _UNITS.get(words[0])  # seconds_elapsed
    return given


def find_epoch_unit(first: float, last: float) -> float | None:
    """Return the seconds in the unit of times since 1970, by their size; None for other numbers."""
    for unit in (1.0, 1e-3, 1e-6, 1e-9):
        if all(_EPOCH[0] <= value * unit <= _EPOCH[1] for value in (first, last)):
            return unit
    return None


def rises_like_time(name: str, values: Floats, quantum: float = 0.0) -> bool:
    """Whether the values of a column with a name of time rise: evenly if it is short ("t")."""
    if name.strip().lower() in _SHORT:
        return rises_evenly(values, quantum)
    return rises_mostly(values)


def rises_mostly(values: Floats) -> bool:
    """Whether nine of ten steps go forward or stay: those of a clock, or of a constant date."""
    return len(values) < 2 or float(np.mean(np.diff(values) >= 0)) >= _MOSTLY


def rises_strictly(values: Floats) -> bool:
    """Whether eight or more values all rise."""
    return len(values) >= _FEWEST and bool((np.diff(values) > 0).all())


def rises_evenly(values: Floats, quantum: float = 0.0) -> bool:
    """Whether values rise like those of a clock without a name.

    All steps go forward, and either 95 % of them are equal to within 1 % (others are gaps), or all
    values lie on one straight line to within `quantum`, their last written digit. Fewer than eight
    values may do so by chance, and do not count.
    """
    if not rises_strictly(values):
        return False
    steps = np.diff(values)
    usual = float(np.median(steps))
    if np.mean(np.abs(steps - usual) <= _TOLERANCE * usual) >= _EVEN:
        return True
    line = np.linspace(values[0], values[-1], len(values))
    return bool(np.abs(values - line).max() <= quantum)


def _split_words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]
