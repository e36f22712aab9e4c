"""Axes: ticks at round numbers, and the pixel of a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isclose, log10

MINUS = "\N{MINUS SIGN}"
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Axis:
    """A range of values mapped to pixels.

    Attributes
    ----------
    low, high : float
        Values at the ends; powers of ten if `log`.
    start, end : float
        Pixels of the ends.
    ticks : tuple of float
    labels : tuple of str
        Texts of the ticks.
    log : bool
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    log: bool = False

    def place(self, value: float) -> float:
        """Return the pixel of a value. A value off the axis has that of the nearer end."""
        position = self.low if self.log and value <= 0 else log10(value) if self.log else value
        fraction = (min(max(position, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + fraction * (self.end - self.start)


def make_linear_axis(
    values: Sequence[float],
    start: float,
    end: float,
    *,
    percent: bool = False,
    wanted: int = 5,
    tight: bool = False,
) -> Axis:
    """Return an axis with ticks at round numbers.

    `percent` labels fractions as per cent. A `tight` axis ends just beyond the values, others end
    at ticks.
    """
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if isclose(low, high, rel_tol=1e-9, abs_tol=1e-300):
        around = abs(low) * 0.1 or 0.5
        low, high = low - around, high + around
        if percent:
            low, high = max(0.0, low), min(1.0, high)
        tight = False
    step = _choose_step((high - low) / wanted)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if tight:
        pad = 0.04 * (high - low)
        first, last = ceil((low - pad) / step), floor((high + pad) / step)
    ticks = tuple(step * k for k in range(first, last + 1))
    labels = tuple(_format_tick(tick, step, percent) for tick in ticks)
    if tight:
        return Axis(low - pad, high + pad, start, end, ticks, labels)
    return Axis(ticks[0], ticks[-1], start, end, ticks, labels)


def make_log_axis(
    values: Sequence[float], start: float, end: float, *, percent: bool = False
) -> Axis:
    """Return a logarithmic axis: ticks at powers of ten, and at 2 and 5 where these are few."""
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    if last - first > 2:
        every = ceil((last - first) / 7)
        powers = range(first, last + 1, every)
        labels = None if percent or -4 < first <= last < 5 else [_format_power(k) for k in powers]
        ticks = [10.0**k for k in powers]
        return _label_log_axis(float(first), float(last), start, end, ticks, percent, labels)
    ticks = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
    below = max((t for t in ticks if t <= low * (1 + 1e-9)), default=low)
    above = min((t for t in [*ticks, 10.0 ** (last + 1)] if t >= high * (1 - 1e-9)), default=high)
    if isclose(below, above):
        below, above = below / 2, above * 2
    inside = [t for t in ticks if below * (1 - 1e-9) <= t <= above * (1 + 1e-9)]
    return _label_log_axis(log10(below), log10(above), start, end, inside, percent)


def _label_log_axis(
    low: float,
    high: float,
    start: float,
    end: float,
    ticks: Sequence[float],
    percent: bool,
    labels: Sequence[str] | None = None,
) -> Axis:
    times, unit = (100, " %") if percent else (1, "")
    labels = labels or [format_number(times * tick) + unit for tick in ticks]
    return Axis(low, high, start, end, tuple(ticks), tuple(labels), log=True)


def format_number(value: float) -> str:
    """Return a value with four significant digits, without an exponent if possible."""
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.3g}"
    text = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", MINUS)


def _choose_step(rough: float) -> float:
    power = 10.0 ** floor(log10(rough))
    return next(power * m for m in _ROUND if power * m >= rough * (1 - 1e-9))


def _format_tick(value: float, step: float, percent: bool) -> str:
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


def _format_power(exponent: int) -> str:
    return f"10{str(exponent).translate(_RAISED)}"
