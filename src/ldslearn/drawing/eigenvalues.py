"""Eigenvalues in the complex plane."""

from collections.abc import Mapping, Sequence

from ldslearn.drawing.axes import MINUS, Axis, format_number, make_linear_axis
from ldslearn.drawing.marks import (
    COLOURS,
    choose_colour,
    draw_legend,
    draw_marker,
    format_svg,
    group_series,
)

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
    across, down, parts = _draw_plane([v for values in groups.values() for v in values], _SIDE)
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


def draw_spectra(
    spectra: Sequence[Sequence[complex]],
    limit: float = 1.0,
    side: float = 240.0,
    title: str = "Eigenvalues in the complex plane",
) -> str:
    """Return eigenvalues of systems and the unit circle as SVG, in few bytes per eigenvalue.

    Parameters
    ----------
    spectra : sequence of sequences of complex
        One colour per system; eight colours in turn.
    limit : float
        Eigenvalues of this modulus or a larger one are circled.
    side : float
        Pixels.
    title : str
        For readers that cannot see it.
    """
    across, down, parts = _draw_plane([v for values in spectra for v in values], side)
    dots: dict[int, str] = {}  # by colour
    circled = ""
    for index, values in enumerate(spectra):
        colour = index % len(COLOURS)
        for value in values:
            x, y = across.place(value.real), down.place(value.imag)
            dots[colour] = dots.get(colour, "") + f"M{x:.1f},{y:.1f}h0"  # round ends: a disc
            if abs(value) >= limit:
                circled += f"M{x - 5:.1f},{y:.1f}a5,5 0 1,0 10,0a5,5 0 1,0 -10,0"
    for colour, path in dots.items():
        parts.append(f'<path class="dots" d="{path}" style="color:{choose_colour(colour)}"/>')
    if circled:
        parts.append(f'<path class="ring" d="{circled}"/>')
    return format_svg(side, side, parts, title)


def _draw_plane(values: Sequence[complex], side: float) -> tuple[Axis, Axis, list[str]]:
    """Return the axes of a plane that holds all values, and the unit circle with ticks."""
    reach = max([1.0, *(abs(value) for value in values)]) * 1.06
    across = make_linear_axis([-reach, reach], _MARGIN, side - 8, tight=True)
    down = make_linear_axis([-reach, reach], side - _MARGIN, 8, tight=True)
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
            f'<text class="tick" x="{across.place(tick):.1f}" y="{side - _MARGIN + 16:g}" '
            f'text-anchor="middle">{word}</text>'
        )
    for tick, word in zip(down.ticks, down.labels, strict=True):
        parts.append(
            f'<text class="tick" x="{_MARGIN - 5:g}" y="{down.place(tick) + 4:.1f}" '
            f'text-anchor="end">{word}{"i" if tick else ""}</text>'
        )
    return across, down, parts


def _count_circled(values: Sequence[complex]) -> str:
    count = sum(abs(value) >= 1 for value in values)
    return f"{count} of {len(values)} do not decay"


def _format_complex(value: complex) -> str:
    sign = MINUS if value.imag < 0 else "+"
    return f"{format_number(value.real)} {sign} {format_number(abs(value.imag))}i"
