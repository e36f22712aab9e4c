"""A kernel or distance matrix as an image, class by class."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Bytes
from ldslearn.diagnostics.similarity import find_colour_limits
from ldslearn.drawing.marks import draw_name, estimate_width, format_svg, shorten
from ldslearn.report.images import encode_data_uri

# Five colours of viridis: even steps of lightness, readable on light and dark pages.
_ANCHORS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
_LEVELS = 128
_SIDE = 340.0
_LONGEST = 18  # characters of a name beside the matrix
_LEAST = 10.0  # pixels that a name needs
_WIDE = 24.0  # pixels per class from which the lines between classes are thick


def draw_matrix(matrix: NDArray[Any], labels: Sequence[str], values: str = "kernel") -> str:
    """Return a square matrix as an image, rows and columns in the order of their classes.

    Colours span the limits of :func:`~ldslearn.diagnostics.similarity.find_colour_limits`. Values
    beyond them, such as those of the diagonal, have the colours of the ends.

    Parameters
    ----------
    matrix : (N, N) array
        A kernel or distances.
    labels : sequence of str
        The class of each row.
    values : str
        Name of the values, below the colour bar.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    n = len(labels)
    if n == 0 or matrix.shape != (n, n):
        raise _errors.invalid(
            "matrix", f"be square, a row for each of {n} labels", f"shape {matrix.shape}", ""
        )
    order = sorted(range(n), key=lambda i: labels[i])
    low, high = find_colour_limits(matrix)
    fractions = (matrix[np.ix_(order, order)] - low) / ((high - low) or 1.0)
    pixels = np.rint(np.nan_to_num(fractions.clip(0, 1)) * (_LEVELS - 1)).astype(np.uint8)
    names = sorted(set(labels))
    ordered = [labels[i] for i in order]
    edges = [*(ordered.index(name) for name in names), n]
    written = [
        name if (b - a) / n * _SIDE >= _LEAST else ""
        for name, a, b in zip(names, edges[:-1], edges[1:], strict=True)
    ]
    room = 14 + max(estimate_width(shorten(word, _LONGEST), 11) for word in written)
    parts = [
        f'<image class="pixels" x="{room:.1f}" y="{room:.1f}" width="{_SIDE:g}" height="{_SIDE:g}" '
        f'preserveAspectRatio="none" href="{encode_data_uri(pixels, _make_palette())}"/>',
        *_draw_classes(names, written, edges, room),
        _draw_colour_bar(low, high, values, room),
    ]
    title = f"Matrix of the {values}, class by class"
    return format_svg(room + _SIDE + 4, room + _SIDE + 44, parts, title)


def _make_palette() -> Bytes:
    places = np.linspace(0, len(_ANCHORS) - 1, _LEVELS)
    channels = np.transpose(_ANCHORS)
    mixed = [np.interp(places, range(len(_ANCHORS)), channel) for channel in channels]
    return np.rint(np.transpose(mixed)).astype(np.uint8)


def _draw_classes(
    names: Sequence[str], written: Sequence[str], edges: Sequence[int], room: float
) -> list[str]:
    """Return names and strips along both sides, and white lines between classes."""
    n, end = edges[-1], room + _SIDE
    parts, cuts = [], ""
    for k, (name, word) in enumerate(zip(names, written, strict=True)):
        start, stop = (room + edge / n * _SIDE for edge in edges[k : k + 2])
        middle, long = (start + stop) / 2, stop - start
        parts.append(
            f'<g class="tick"><path class="strip{k % 2}" d="M{room - 7:.1f},{start:.1f}h5'
            f"v{long:.1f}h-5zM{start:.1f},{room - 7:.1f}v5h{long:.1f}v-5z"
            f'"><title>{escape(name)}: {edges[k + 1] - edges[k]} rows</title></path>'
        )
        if word:
            across = f'x="{room - 10:.1f}" y="{middle + 4:.1f}" text-anchor="end"'
            above = f'transform="translate({middle + 4:.1f},{room - 10:.1f}) rotate(-90)"'
            parts += [draw_name(word, _LONGEST, where) for where in (across, above)]
        parts.append("</g>")
        if k:
            cuts += f"M{room:.1f},{start:.2f}H{end:.1f}M{start:.2f},{room:.1f}V{end:.1f}"
    thick = 1.0 if _SIDE / len(names) > _WIDE else 0.4
    return [*parts, f'<path class="cut" d="{cuts}" stroke-width="{thick}"/>'] if cuts else parts


def _draw_colour_bar(low: float, high: float, values: str, room: float) -> str:
    """Return the colours and their values, below the matrix."""
    top = room + _SIDE + 12
    colours = np.arange(_LEVELS, dtype=np.uint8)[None]
    return (
        f'<image x="{room:.1f}" y="{top:.1f}" width="{_SIDE:g}" height="10" '
        f'preserveAspectRatio="none" href="{encode_data_uri(colours, _make_palette())}"/>'
        f'<text class="tick" x="{room:.1f}" y="{top + 24:.1f}">≤ {low:.3g}</text>'
        f'<text class="tick" x="{room + _SIDE / 2:.1f}" y="{top + 24:.1f}" text-anchor="middle">'
        f"{escape(values)}</text>"
        f'<text class="tick" x="{room + _SIDE:.1f}" y="{top + 24:.1f}" text-anchor="end">'
        f"≥ {high:.3g}</text>"
    )
