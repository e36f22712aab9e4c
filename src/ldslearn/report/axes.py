"""Axes: round numbers to mark, and where a value lies between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isclose, log10

MINUS = "\N{MINUS SIGN}"
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Axis:
    """A range of values laid out on pixels.

    Attributes
    ----------
    low, high : float
        Values at the ends; powers of ten if `log`.
    start, end : float
        Pixels of the ends.
    ticks : tuple of float
    words : tuple of str
        What is written at the ticks.
    log : bool
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    words: tuple[str, ...]
    log: bool = False

    def place(self, value: float) -> float:
        """Return the pixel of a value; values off the axis lie at its nearer end."""
        at = self.low if self.log and value <= 0 else log10(value) if self.log else value
        share = (min(max(at, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def linear_axis(
    values: Sequence[float],
    start: float,
    end: float,
    *,
    percent: bool = False,
    wanted: int = 5,
    tight: bool = False,
) -> Axis:
    """Return an axis of round numbers; shares as per cent; a tight one ends with the values."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if isclose(low, high, rel_tol=1e-9, abs_tol=1e-300):
        around = abs(low) * 0.1 or 0.5
        low, high = low - around, high + around
        if percent:
            low, high = max(0.0, low), min(1.0, high)
        tight = False
    step = _step((high - low) / wanted)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if tight:
        pad = 0.04 * (high - low)
        first, last = ceil((low - pad) / step), floor((high + pad) / step)
    ticks = tuple(step * k for k in range(first, last + 1))
    words = tuple(_written(tick, step, percent) for tick in ticks)
    if tight:
        return Axis(low - pad, high + pad, start, end, ticks, words)
    return Axis(ticks[0], ticks[-1], start, end, ticks, words)


def log_axis(values: Sequence[float], start: float, end: float, *, percent: bool = False) -> Axis:
    """Return an axis of powers of ten, with 2 and 5 between where there are few."""
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    if last - first > 2:
        every = ceil((last - first) / 7)
        powers = range(first, last + 1, every)
        words = None if percent or -4 < first <= last < 5 else [_power(k) for k in powers]
        ticks = [10.0**k for k in powers]
        return _logarithmic(float(first), float(last), start, end, ticks, percent, words)
    ticks = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
    below = max((t for t in ticks if t <= low * (1 + 1e-9)), default=low)
    above = min((t for t in [*ticks, 10.0 ** (last + 1)] if t >= high * (1 - 1e-9)), default=high)
    if isclose(below, above):
        below, above = below / 2, above * 2
    inside = [t for t in ticks if below * (1 - 1e-9) <= t <= above * (1 + 1e-9)]
    return _logarithmic(log10(below), log10(above), start, end, inside, percent)


def _logarithmic(
    low: float,
    high: float,
    start: float,
    end: float,
    ticks: Sequence[float],
    percent: bool,
    words: Sequence[str] | None = None,
) -> Axis:
    times, unit = (100, " %") if percent else (1, "")
    words = words or [number(times * tick) + unit for tick in ticks]
    return Axis(low, high, start, end, tuple(ticks), tuple(words), log=True)


def number(value: float) -> str:
    """Return a value as people write it: four figures, no exponent where none is needed."""
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.3g}"
    text = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", MINUS)


def _step(rough: float) -> float:
    power = 10.0 ** floor(log10(rough))
    return next(power * m for m in _ROUND if power * m >= rough * (1 - 1e-9))


def _written(value: float, step: float, percent: bool) -> str:
    times, unit = 1.0, ""
    if percent:
        times, unit = 100.0, " %"
    elif 1e4 <= step < 1e9:
        times, unit = (1e-6, " M") if step >= 1e6 else (1e-3, " k")
    value, step = times * value, times * step
    if not 1e-4 <= step < 1e6:
        return f"{value:.3g}{unit}"
    decimals = next(d for d in range(7) if isclose(round(step, d), step, rel_tol=1e-6))
    return f"{round(value, decimals) + 0.0:.{decimals}f}{unit if value or percent else ''}".replace(
        "-", MINUS
    )


def _power(exponent: int) -> str:
    return f"10{str(exponent).translate(_RAISED)}"
