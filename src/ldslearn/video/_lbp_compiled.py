"""Compiled counts of the binary patterns of every frame, on one plane at a time."""

from typing import Any

import numpy as np

from ldslearn._compiling import njit

_options: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract"},  # fused multiply-add, and nothing else that changes results
    "error_model": "numpy",
}


@njit(**_options)
def mark_brighter(centres, row, bit, codes):  # type: ignore[no-untyped-def]
    """Set `bit` where the neighbour in `row` is at least as bright as the centre."""
    for x in range(len(codes)):
        codes[x] |= np.int64(row[x] >= centres[x]) << bit


@njit(**_options)
def mark_brighter_between(centres, rows, weights, tolerance, bit, codes):  # type: ignore[no-untyped-def]
    """As `mark_brighter`, for neighbours between the pixels of four rows.

    The differences from the centre are interpolated, not the values: on a constant patch they are
    zero exactly, and an offset of all grey values cancels before anything is rounded.
    """
    a, b, c, d = rows
    wa, wb, wc, wd = weights[0], weights[1], weights[2], weights[3]
    for x in range(len(codes)):
        centre = centres[x]
        da, db, dc, dd = a[x] - centre, b[x] - centre, c[x] - centre, d[x] - centre
        difference = wa * da + wb * db + wc * dc + wd * dd
        size = wa * abs(da) + wb * abs(db) + wc * abs(dc) + wd * abs(dd)
        codes[x] |= np.int64(difference >= -tolerance * size) << bit


@njit(**_options)
def count_patterns(video, margins, corners, weights, tolerance, bins, counts):  # type: ignore[no-untyped-def]
    """Add one to `counts[t - margin, bin]` for every centre pixel of frame t.

    Parameters
    ----------
    video : (n_frames, height, width) array
    margins : (t, y, x)
        How far centres keep from the borders.
    corners : (n_neighbours, 4, 3) array
        Offsets (t, y, x) from the centre of the pixels that each neighbour lies between.
    weights : (n_neighbours, 4) array
        Of those pixels; the first is 1 for a neighbour that is a pixel.
    tolerance : float
        Of the comparisons, relative to the differences that are interpolated.
    bins : (2 ** n_neighbours,) array
        The bin of every code.
    counts : (n_frames - 2 * margin, n_bins) array
    """
    n_frames, height, width = video.shape
    margin_t, margin_y, margin_x = margins
    n = width - 2 * margin_x
    codes = np.empty(n, dtype=np.int64)
    for t in range(margin_t, n_frames - margin_t):
        for y in range(margin_y, height - margin_y):
            centres = video[t, y, margin_x : margin_x + n]
            for x in range(n):
                codes[x] = 0
            for p in range(len(corners)):
                first = _shift_row(video, t, y, margin_x, corners[p, 0], n)
                if weights[p, 0] == 1.0:
                    mark_brighter(centres, first, p, codes)
                else:
                    rows = (
                        first,
                        _shift_row(video, t, y, margin_x, corners[p, 1], n),
                        _shift_row(video, t, y, margin_x, corners[p, 2], n),
                        _shift_row(video, t, y, margin_x, corners[p, 3], n),
                    )
                    mark_brighter_between(centres, rows, weights[p], tolerance, p, codes)
            for x in range(n):
                counts[t - margin_t, bins[codes[x]]] += 1


@njit(**_options)
def _shift_row(video, t, y, x, offset, n):  # type: ignore[no-untyped-def]
    start = x + offset[2]
    return video[t + offset[0], y + offset[1], start : start + n]
