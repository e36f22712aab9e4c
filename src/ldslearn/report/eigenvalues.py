"""Eigenvalues in the complex plane."""

from collections.abc import Mapping, Sequence

from ldslearn.report.axes import MINUS, format_number, make_linear_axis
from ldslearn.report.marks import draw_legend, draw_marker, format_svg, group_series

_SIDE, _MARGIN = 380.0, 34.0
_DOT = 0.7  # size relative to a usual mark: there are many
_BELOW = 1.6  # of the first of two groups, which stays visible below the second


def draw_eigenvalues(
    groups: Mapping[str, Sequence[complex]], title: str = "Eigenvalues in the complex plane"
) -> str:
    """Return eigenvalues and the unit circle as SVG. Those on it or outside are circled.

    Parameters
    ----------
    groups : mapping of str to sequence of complex
        One colour and mark per group, named in the legend.
    title : str
        For readers that cannot see it.
    """
    reach = max([1.0, *(abs(value) for values in groups.values() for value in values)]) * 1.06
    across = make_linear_axis([-reach, reach], _MARGIN, _SIDE - 8, tight=True)
    down = make_linear_axis([-reach, reach], _SIDE - _MARGIN, 8, tight=True)
    radius = across.place(1.0) - across.place(0.0)
    centre = across.place(0.0), down.place(0.0)
    parts = [
        f'<path class="grid" d="M{across.start:g},{centre[1]:.1f}H{across.end:g}'
        f'M{centre[0]:.1f},{down.start:g}V{down.end:g}"/>'
        f'<circle class="axis" cx="{centre[0]:.2f}" cy="{centre[1]:.2f}" r="{radius:.2f}" '
        f'fill="none"/>'
    ]
    for tick, word in zip(across.ticks, across.labels, strict=True):
        parts.append(
            f'<text class="tick" x="{across.place(tick):.1f}" y="{_SIDE - _MARGIN + 16:g}" '
            f'text-anchor="middle">{word}</text>'
        )
    for tick, word in zip(down.ticks, down.labels, strict=True):
        parts.append(
            f'<text class="tick" x="{_MARGIN - 5:g}" y="{down.place(tick) + 4:.1f}" '
            f'text-anchor="end">{word}{"i" if tick else ""}</text>'
        )
    for index, (name, values) in enumerate(groups.items()):
        marks, rings = [], []
        size = _DOT * (_BELOW if len(groups) == 2 and index == 0 else 1.0)
        for value in values:
            x, y = across.place(value.real), down.place(value.imag)
            tip = f"{name}: {_format_complex(value)}, modulus {abs(value):.3f}"
            marks.append(draw_marker(index, x, y, tip, size))
            if abs(value) >= 1:
                rings.append(f'<circle class="ring" cx="{x:.2f}" cy="{y:.2f}" r="6"/>')
        parts.append(group_series(index, [*rings, *marks]))
    names = [f"{name} ({_count_circled(values)})" for name, values in groups.items()]
    keys, below = draw_legend(names, _SIDE, _SIDE - 6)
    return format_svg(_SIDE, _SIDE - 6 + below, ['<g class="thin">', *parts, "</g>", keys], title)


def _count_circled(values: Sequence[complex]) -> str:
    count = sum(abs(value) >= 1 for value in values)
    return f"{count} of {len(values)} do not decay"


def _format_complex(value: complex) -> str:
    sign = MINUS if value.imag < 0 else "+"
    return f"{format_number(value.real)} {sign} {format_number(abs(value.imag))}i"
