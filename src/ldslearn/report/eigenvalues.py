"""Eigenvalues in the complex plane."""

from collections.abc import Mapping, Sequence

from ldslearn.report.axes import MINUS, linear_axis, number
from ldslearn.report.marks import group, legend, marker, svg

_SIDE, _MARGIN = 380.0, 34.0
_DOT = 0.7  # of a usual mark: there are many
_BELOW = 1.6  # of two groups the first, which the second may cover mark by mark


def eigenvalue_chart(
    groups: Mapping[str, Sequence[complex]], title: str = "Eigenvalues in the complex plane"
) -> str:
    """Return eigenvalues and the unit circle as SVG; those outside have a ring.

    Parameters
    ----------
    groups : mapping of str to sequence of complex
        Named below, each with its colour and shape.
    title : str
        For readers that cannot see it.
    """
    reach = max([1.0, *(abs(value) for values in groups.values() for value in values)]) * 1.06
    across = linear_axis([-reach, reach], _MARGIN, _SIDE - 8, tight=True)
    down = linear_axis([-reach, reach], _SIDE - _MARGIN, 8, tight=True)
    radius = across.place(1.0) - across.place(0.0)
    centre = across.place(0.0), down.place(0.0)
    parts = [
        f'<path class="grid" d="M{across.start:g},{centre[1]:.1f}H{across.end:g}'
        f'M{centre[0]:.1f},{down.start:g}V{down.end:g}"/>'
        f'<circle class="axis" cx="{centre[0]:.2f}" cy="{centre[1]:.2f}" r="{radius:.2f}" '
        f'fill="none"/>'
    ]
    for tick, word in zip(across.ticks, across.words, strict=True):
        parts.append(
            f'<text class="tick" x="{across.place(tick):.1f}" y="{_SIDE - _MARGIN + 16:g}" '
            f'text-anchor="middle">{word}</text>'
        )
    for tick, word in zip(down.ticks, down.words, strict=True):
        parts.append(
            f'<text class="tick" x="{_MARGIN - 5:g}" y="{down.place(tick) + 4:.1f}" '
            f'text-anchor="end">{word}{"i" if tick else ""}</text>'
        )
    for index, (name, values) in enumerate(groups.items()):
        marks, rings = [], []
        size = _DOT * (_BELOW if len(groups) == 2 and index == 0 else 1.0)
        for value in values:
            x, y = across.place(value.real), down.place(value.imag)
            words = f"{name}: {_complex(value)}, size {abs(value):.3f}"
            marks.append(marker(index, x, y, words, size))
            if abs(value) >= 1:
                rings.append(f'<circle class="ring" cx="{x:.2f}" cy="{y:.2f}" r="6"/>')
        parts.append(group(index, [*rings, *marks]))
    names = [f"{name} ({_outside(values)})" for name, values in groups.items()]
    keys, below = legend(names, _SIDE, _SIDE - 6, lambda index, x, y: marker(index, x + 22, y))
    return svg(_SIDE, _SIDE - 6 + below, ['<g class="thin">', *parts, "</g>", keys], title)


def _outside(values: Sequence[complex]) -> str:
    count = sum(abs(value) >= 1 for value in values)
    return f"{count} of {len(values)} not inside"


def _complex(value: complex) -> str:
    sign = MINUS if value.imag < 0 else "+"
    return f"{number(value.real)} {sign} {number(abs(value.imag))}i"
