"""Line charts with marks and error bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite

from ldslearn import _errors
from ldslearn._reprs import summarize_fields
from ldslearn.drawing.axes import Axis, format_number, make_linear_axis, make_log_axis
from ldslearn.drawing.marks import (
    draw_legend,
    draw_marker,
    estimate_width,
    format_dash,
    format_svg,
    group_series,
    shorten,
)

_TOP, _RIGHT, _CAP = 12.0, 14.0, 3.0
_Point = tuple[float, float, float]  # x, y and the spread


@dataclass(frozen=True)
class Series:
    """A named line.

    Attributes
    ----------
    name : str
    x : sequence of float
    y : sequence of float or None
        None is a gap.
    spread : sequence of float, optional
        Half length of the error bar of each value.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    spread: Sequence[float] | None = None

    __repr__ = summarize_fields

    def __post_init__(self) -> None:
        lengths = [len(self.x), len(self.y)] + ([] if self.spread is None else [len(self.spread)])
        if len(set(lengths)) > 1:
            raise _errors.invalid(
                f"series {self.name!r}", "have as many x as y, and as spreads", lengths, ""
            )


def draw_lines(
    series: Sequence[Series],
    x_label: str,
    y_label: str,
    *,
    percent: bool = False,
    log_y: bool = False,
    title: str = "Chart",
    width: int = 480,
    height: int = 320,
) -> str:
    """Return lines as SVG, distinguished by colour, marks and dashes, with a legend below.

    Parameters
    ----------
    series : sequence of Series
    x_label, y_label : str
    percent : bool, default=False
        Whether y are fractions, to be labelled as per cent.
    log_y : bool, default=False
        Values that are not positive are gaps.
    title : str
        For readers that cannot see it.
    width, height : int
        Pixels, without the legend.
    """
    points = [_select_points(one, log_y) for one in series]
    shown = [point for one in points for point in one if point is not None]
    ys = [y + sign * spread for _, y, spread in shown for sign in (-1, 0, 1)]
    if percent:
        ys = [min(max(y, 0.0), 1.0) for y in ys]
    if log_y:
        ys = [y for y in ys if y > 0]
    bottom = height - 46.0
    if log_y:
        down = make_log_axis(ys, bottom, _TOP, percent=percent)
    else:
        down = make_linear_axis(ys, bottom, _TOP, percent=percent)
    left = 34 + max(estimate_width(word) for word in down.labels)
    across = make_linear_axis([x for x, _, _ in shown], left, width - _RIGHT, tight=True, wanted=6)
    parts = _draw_axes(across, down, x_label, y_label, width, height)
    for index, (one, found) in enumerate(zip(series, points, strict=True)):
        tips = [_format_tip(one.name, x_label, point, percent) if point else "" for point in found]
        parts.append(group_series(index, _draw_line(index, found, tips, across, down)))
    if not shown:
        parts.append(
            f'<text class="faint" x="{(left + width) / 2:.1f}" y="{height / 2:.1f}" '
            f'text-anchor="middle">no values</text>'
        )
    keys, below = draw_legend([one.name for one in series], width, height, _draw_sample)
    return format_svg(width, height + below, [*parts, keys], title)


def _select_points(one: Series, log_y: bool) -> list[_Point | None]:
    """Return the points of a series; None is a gap."""
    spreads = one.spread if one.spread is not None else [0.0] * len(one.x)
    return [
        None
        if y is None or not isfinite(y) or not isfinite(x) or (log_y and y <= 0)
        else (float(x), float(y), float(spread) if isfinite(spread) else 0.0)
        for x, y, spread in zip(one.x, one.y, spreads, strict=True)
    ]


def _draw_axes(
    across: Axis, down: Axis, x_label: str, y_label: str, width: float, height: float
) -> list[str]:
    parts = []
    for tick, word in zip(down.ticks, down.labels, strict=True):
        y = down.place(tick)
        parts.append(
            f'<path class="grid" d="M{across.start:.1f},{y:.1f}H{across.end:.1f}"/>'
            f'<text class="tick" x="{across.start - 7:.1f}" y="{y + 4:.1f}" '
            f'text-anchor="end">{word}</text>'
        )
    room = 0.0
    for tick, word in zip(across.ticks, across.labels, strict=True):
        x, half = across.place(tick), estimate_width(word) / 2
        parts.append(f'<path class="axis" d="M{x:.1f},{down.start:.1f}v4"/>')
        if x - half >= room:
            room = x + half + 6
            parts.append(
                f'<text class="tick" x="{x:.1f}" y="{down.start + 17:.1f}" '
                f'text-anchor="middle">{word}</text>'
            )
    middle = (across.start + across.end) / 2
    centre = (down.start + down.end) / 2
    parts.append(
        f'<path class="axis" fill="none" d="M{across.start:.1f},{down.end:.1f}'
        f'V{down.start:.1f}H{across.end:.1f}"/>'
        f'<text x="{middle:.1f}" y="{height - 10:.1f}" text-anchor="middle">'
        f"{escape(shorten(x_label, int(width / 7)))}</text>"
        f'<text transform="translate(14,{centre:.1f}) rotate(-90)" text-anchor="middle">'
        f"{escape(shorten(y_label, int(height / 7)))}</text>"
    )
    return parts


def _draw_line(
    index: int, points: Sequence[_Point | None], tips: Sequence[str], across: Axis, down: Axis
) -> list[str]:
    runs: list[list[str]] = [[]]
    spreads, marks = [], []
    for point, tip in zip(points, tips, strict=True):
        if point is None:
            runs.append([])
            continue
        x, y, spread = point
        right, middle = across.place(x), down.place(y)
        runs[-1].append(f"{right:.2f},{middle:.2f}")
        marks.append(draw_marker(index, right, middle, tip))
        if spread > 0:
            high, low, cap = down.place(y + spread), down.place(y - spread), right - _CAP
            spreads.append(
                f'<path class="spread" d="M{right:.2f},{high:.2f}V{low:.2f}'
                f'M{cap:.2f},{high:.2f}h{2 * _CAP:g}M{cap:.2f},{low:.2f}h{2 * _CAP:g}"/>'
            )
    lines = [
        f'<polyline class="line" points="{" ".join(run)}"{format_dash(index)}/>'
        for run in runs
        if len(run) > 1
    ]
    return lines + spreads + marks


def _format_tip(name: str, x_label: str, point: _Point, percent: bool) -> str:
    x, y, spread = point
    value = f"{100 * y:.1f}" if percent else format_number(y)
    if spread > 0:
        value += " ± " + (f"{100 * spread:.1f}" if percent else format_number(spread))
    return f"{name}; {x_label} {format_number(x)}: {value}{' %' if percent else ''}"


def _draw_sample(index: int, x: float, y: float) -> str:
    line = f'<path class="line" d="M{x:.1f},{y:.1f}h28"{format_dash(index)}/>'
    return line + draw_marker(index, x + 14, y)
