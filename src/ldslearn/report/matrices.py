"""A matrix of pairs as a picture, class by class."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Bytes
from ldslearn.report.images import data_uri
from ldslearn.report.marks import name_text, shorten, svg, text_width
from ldslearn.report.page import figure

# Five colours of viridis: even steps of lightness, alike on light and dark pages.
_ANCHORS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
_LEVELS = 128
_SIDE = 340.0
_LONGEST = 18  # letters of a name beside the matrix
_LEAST = 10.0  # pixels that a name needs
_WIDE = 24.0  # pixels of a class that bears a thick line beside it


def matrix_picture(
    matrix: NDArray[Any],
    labels: Sequence[str],
    caption: str = "",
    *,
    title: str = "Matrix of pairs, class by class",
    side: float = _SIDE,
) -> str:
    """Return a square matrix as an image, rows and columns in the order of their classes.

    Colours span the pairs of different items: the diagonal, where an item meets itself, is cut off
    at their ends.

    Parameters
    ----------
    matrix : (N, N) array
        A kernel or distances.
    labels : sequence of str
        The class of each row.
    caption : str
        Words below; none gives the drawing alone.
    title : str
        For readers that cannot see it.
    side : float
        Pixels of the matrix on the page, without its names.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    n = len(labels)
    if n == 0 or matrix.shape != (n, n):
        raise _errors.invalid(
            "matrix", f"be square, a row for each of {n} labels", f"shape {matrix.shape}", ""
        )
    order = sorted(range(n), key=lambda i: labels[i])
    pairs = matrix[~np.eye(n, dtype=bool)] if n > 1 else matrix.ravel()
    low, high = float(np.nanmin(pairs)), float(np.nanmax(pairs))
    shares = (matrix[np.ix_(order, order)] - low) / ((high - low) or 1.0)
    pixels = np.rint(np.nan_to_num(shares.clip(0, 1)) * (_LEVELS - 1)).astype(np.uint8)
    names = sorted(set(labels))
    ordered = [labels[i] for i in order]
    edges = [*(ordered.index(name) for name in names), n]
    written = [
        name if (b - a) / n * side >= _LEAST else ""
        for name, a, b in zip(names, edges[:-1], edges[1:], strict=True)
    ]
    room = 14 + max(text_width(shorten(word, _LONGEST), 11) for word in written)
    parts = [
        f'<image class="pixels" x="{room:.1f}" y="{room:.1f}" width="{side:g}" height="{side:g}" '
        f'preserveAspectRatio="none" href="{data_uri(pixels, _palette())}"/>',
        *_classes(names, written, edges, room, side),
        _scale(low, high, room, side),
    ]
    drawing = svg(room + side + 4, room + side + 44, parts, title)
    return figure(drawing, caption) if caption else drawing


def _palette() -> Bytes:
    places = np.linspace(0, len(_ANCHORS) - 1, _LEVELS)
    channels = np.transpose(_ANCHORS)
    mixed = [np.interp(places, range(len(_ANCHORS)), channel) for channel in channels]
    return np.rint(np.transpose(mixed)).astype(np.uint8)


def _classes(
    names: Sequence[str], written: Sequence[str], edges: Sequence[int], room: float, side: float
) -> list[str]:
    """Names and strips along both sides, and white lines between classes."""
    n, end = edges[-1], room + side
    parts, cuts = [], ""
    for k, (name, word) in enumerate(zip(names, written, strict=True)):
        start, stop = (room + edge / n * side for edge in edges[k : k + 2])
        middle, long = (start + stop) / 2, stop - start
        parts.append(
            f'<g class="tick"><path class="strip{k % 2}" d="M{room - 7:.1f},{start:.1f}h5'
            f"v{long:.1f}h-5zM{start:.1f},{room - 7:.1f}v5h{long:.1f}v-5z"
            f'"><title>{escape(name)}: {edges[k + 1] - edges[k]} rows</title></path>'
        )
        if word:
            across = f'x="{room - 10:.1f}" y="{middle + 4:.1f}" text-anchor="end"'
            above = f'transform="translate({middle + 4:.1f},{room - 10:.1f}) rotate(-90)"'
            parts += [name_text(word, _LONGEST, where) for where in (across, above)]
        parts.append("</g>")
        if k:
            cuts += f"M{room:.1f},{start:.2f}H{end:.1f}M{start:.2f},{room:.1f}V{end:.1f}"
    thick = 1.0 if side / len(names) > _WIDE else 0.4
    return [*parts, f'<path class="cut" d="{cuts}" stroke-width="{thick}"/>'] if cuts else parts


def _scale(low: float, high: float, room: float, side: float) -> str:
    """The colours and what they stand for, below."""
    wide, top = min(220.0, side), room + side + 12
    colours = np.arange(_LEVELS, dtype=np.uint8)[None]
    return (
        f'<image x="{room:.1f}" y="{top:.1f}" width="{wide:g}" height="10" '
        f'preserveAspectRatio="none" href="{data_uri(colours, _palette())}"/>'
        f'<text class="tick" x="{room:.1f}" y="{top + 24:.1f}">{low:.3g}</text>'
        f'<text class="tick" x="{room + wide:.1f}" y="{top + 24:.1f}" text-anchor="end">'
        f"{high:.3g}</text>"
    )
