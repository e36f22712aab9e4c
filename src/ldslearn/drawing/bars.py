"""Horizontal bars with names and numbers."""

from collections.abc import Sequence
from html import escape

from ldslearn.drawing.marks import draw_name, estimate_width, format_svg, shorten

_STEP = 22  # pixels from one bar to the next
_CAP = 3.0  # half length of the ends of an error bar


def draw_bars(
    values: Sequence[float],
    names: Sequence[str],
    *,
    texts: Sequence[str] | None = None,
    spreads: Sequence[float] | None = None,
    longest: int = 24,
    width: float = 400,
    title: str = "Bars",
) -> str:
    """Return fractions as bars with their numbers.

    Parameters
    ----------
    values : sequence of float
        From 0 to 1, the length of a bar.
    names : sequence of str
        To the left of the bars.
    texts : sequence of str, optional
        To the right of the bars; default: the values in per cent.
    spreads : sequence of float, optional
        Half length of the error bar of each value.
    longest : int
        Characters of a name; longer names are shortened, with the whole name as tooltip.
    width : float
        Pixels.
    title : str
        For readers that cannot see it.
    """
    texts = [f"{100 * value:.1f}" for value in values] if texts is None else texts
    left = 14 + max((estimate_width(shorten(name, longest)) for name in names), default=0.0)
    right = max([50.0, *(estimate_width(text) + 14 for text in texts)])
    unit = max(width - left - right, 40.0)
    parts = []
    for i, (value, name, text) in enumerate(zip(values, names, texts, strict=True)):
        y = 4 + i * _STEP
        length = max(1.0, unit * value)
        end = length
        whisker = ""
        if spreads is not None and spreads[i] > 0:
            low, high = (
                left + unit * min(max(value + sign * spreads[i], 0.0), 1.0) for sign in (-1, 1)
            )
            middle, cap = y + (_STEP - 5) / 2, 2 * _CAP
            whisker = (
                f'<path class="spread" d="M{low:.1f},{middle:.1f}H{high:.1f}'
                f'M{low:.1f},{middle - _CAP:.1f}v{cap:g}M{high:.1f},{middle - _CAP:.1f}v{cap:g}"/>'
            )
            end = max(length, high - left)
        parts.append(
            draw_name(name, longest, f'x="{left - 8:.1f}" y="{y + 13}" text-anchor="end"')
            + f'<rect x="{left:.1f}" y="{y}" width="{length:.1f}" height="{_STEP - 5}" rx="2" '
            f'fill="var(--mark)" fill-opacity="0.75"/>{whisker}'
            f'<text x="{left + end + 6:.1f}" y="{y + 13}">{escape(text)}</text>'
        )
    return format_svg(left + unit + right, 8 + _STEP * len(values), parts, title)
