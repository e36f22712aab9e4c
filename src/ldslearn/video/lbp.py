"""Histograms of local binary patterns on three orthogonal planes (LBP-TOP), as in Sec. 9.1."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldslearn import _checks, _errors
from ldslearn._types import Floats
from ldslearn.video._lbp_compiled import count_patterns

# The two axes of each plane, as axes of a video (t, y, x): the first carries the cosine.
PLANES = {"XY": (2, 1), "XT": (2, 0), "YT": (1, 0)}
MOST_NEIGHBOURS = 16  # the table of codes has 2^P entries
# Far above rounding, and far below the weight of a grey level between four pixels.
TOLERANCE = 1e-10


def lbp_top(
    video: ArrayLike,
    *,
    n_neighbours: int | tuple[int, int, int] = 8,
    radii: int | tuple[int, int, int] = (1, 1, 1),
    uniform: bool = True,
    window: int = 8,
    step: int = 2,
) -> Floats:
    r"""Return a video as the sequence of its LBP-TOP histograms over sub-videos.

    LBP-TOP are local binary patterns on three orthogonal planes [1]_.

    Parameters
    ----------
    video : (n_frames, height, width) array
        Grey values, integers or floats.
    n_neighbours : int or (int, int, int), default=8
        Neighbours per pixel, P, at most 16; three numbers are for the planes XY, XT and YT.
    radii : int or (int, int, int), default=(1, 1, 1)
        r_x, r_y, r_t in pixels and frames.
    uniform : bool, default=True
        Codes with at most two changes between 0 and 1 around the circle have a bin each, in
        ascending order, and all others share the last: P (P - 1) + 3 bins. If False, all 2^P codes
        have a bin each.
    window : int, default=8
        Frames of a sub-video.
    step : int, default=2
        Frames from the start of one sub-video to the start of the next. Frames at the end that do
        not fill a sub-video are omitted.

    Returns
    -------
    (n_bins, (n_frames - window) // step + 1) array
        The histograms of XY, XT and YT one below the other, each with sum 1; n_bins is 177 by
        default.

    Notes
    -----
    On each of the planes XY, XT and YT through a pixel, P neighbours lie on an ellipse around it,
    neighbour :math:`p` at the angle :math:`\varphi_p = 2 \pi p / P`. On XY it is at
    :math:`(x + r_x \cos \varphi_p, \, y + r_y \sin \varphi_p)`, on XT at
    :math:`(x + r_x \cos \varphi_p, \, t + r_t \sin \varphi_p)`, on YT at
    :math:`(y + r_y \cos \varphi_p, \, t + r_t \sin \varphi_p)`. A pixel with the grey value
    :math:`g`, whose neighbours have :math:`g_p`, has the code

    .. math:: \sum_{p=0}^{P-1} 2^p \, [g_p \ge g].

    A histogram counts the codes of a sub-video. It counts only pixels whose neighbours on all
    planes lie inside the sub-video, r_t to window - r_t - 1 in time.

    Neighbours between pixels are interpolated linearly from the four around them. So that rounding
    decides no tie, such a neighbour counts as darker only if it is so by more than 1e-10 of the
    (weighted) differences between those four and the centre. Neighbours on pixels are compared
    exactly.

    Another first neighbour or sense of rotation, as in other programs, permutes the bins of a plane
    if P is a multiple of 4, and changes nothing else.

    References
    ----------
    .. [1] G. Zhao and M. Pietikäinen, "Dynamic texture recognition using local binary patterns with
       an application to facial expressions", IEEE TPAMI 29(6), 2007.

    Examples
    --------
    >>> from ldslearn.datasets import make_dynamic_textures
    >>> from ldslearn.video import lbp_top
    >>> videos, _ = make_dynamic_textures(["foliage"], 1, size=16, n_frames=20, random_state=0)
    >>> histograms = lbp_top(videos[0])
    >>> histograms.shape
    (177, 7)
    >>> histograms[:59].sum(axis=0).round(6).tolist()  # of the plane XY, 59 bins
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    counts_of_neighbours = _as_three("n_neighbours", n_neighbours, least=2)
    if max(counts_of_neighbours) > MOST_NEIGHBOURS:
        rule = f"be at most {MOST_NEIGHBOURS}"
        raise _errors.invalid_parameter("n_neighbours", rule, n_neighbours)
    radius_x, radius_y, radius_t = _as_three("radii", radii, least=1)
    margins = (radius_t, radius_y, radius_x)
    _checks.check_whole("window", window, least=2 * radius_t + 1)
    _checks.check_whole("step", step)
    frames = _check_video(video, margins, window)

    starts = np.arange(0, len(frames) - window + 1, step)
    ends = starts + window - 2 * radius_t
    histograms = []
    for axes, P in zip(PLANES.values(), counts_of_neighbours, strict=True):
        corners, weights = _locate_neighbours(P, axes, margins)
        bins, n_bins = _assign_bins(P, uniform)
        # A first row of zeros: differences of the cumulated rows are the counts between them.
        counts = np.zeros((len(frames) - 2 * radius_t + 1, n_bins), dtype=np.int64)
        count_patterns(frames, margins, corners, weights, TOLERANCE, bins, counts[1:])
        np.cumsum(counts, axis=0, out=counts)
        totals = (counts[ends] - counts[starts]).T
        histograms.append(totals / totals.sum(axis=0))
    return np.concatenate(histograms)


def _check_video(video: ArrayLike, margins: tuple[int, int, int], window: int) -> Floats:
    """Return the video as contiguous doubles, or raise."""
    _checks.check_unmasked("video", video)
    frames = np.asarray(video)
    if frames.ndim != 3:
        raise _errors.invalid(
            "video",
            "have shape (n_frames, height, width)",
            f"shape {frames.shape}",
            "Make colours grey first, for example by video.mean(axis=3)." * (frames.ndim == 4),
        )
    if frames.dtype.kind not in "biuf":
        raise _errors.InputTypeError(f"video must hold real numbers; got dtype {frames.dtype}.")
    n_frames, *size = frames.shape
    _, radius_y, radius_x = margins
    if size[0] <= 2 * radius_y or size[1] <= 2 * radius_x:
        raise _errors.invalid(
            "frames of video",
            f"be at least {2 * radius_y + 1} high and {2 * radius_x + 1} wide for radii of "
            f"{radius_y} in y and {radius_x} in x",
            f"{size[0]} x {size[1]}",
            "Lower radii.",
        )
    if n_frames < window:
        raise _errors.invalid(
            "video",
            f"have at least {window} frames, as many as window",
            n_frames,
            "Lower window, or leave the video out.",
        )
    values = np.ascontiguousarray(frames, dtype=np.float64)
    if not np.isfinite(values).all():
        wrong = np.count_nonzero(~np.isfinite(values))
        raise _errors.invalid(
            "video",
            "be finite",
            f"{wrong} NaN or infinite of {values.size} values",
            "Interpolate or drop them first.",
        )
    return values


def _as_three(name: str, value: Any, least: int) -> tuple[int, int, int]:
    """Return one whole number as three, or three as they are."""
    values = tuple(value) if isinstance(value, Iterable) else (value,) * 3
    if len(values) != 3:
        raise _errors.invalid_parameter(name, "be one integer or three", value)
    for each in values:
        _checks.check_whole(name, each, least)
    first, second, third = (int(each) for each in values)
    return first, second, third


def _locate_neighbours(
    n_neighbours: int, axes: tuple[int, int], radii: tuple[int, int, int]
) -> tuple[NDArray[np.int64], Floats]:
    """Return the four pixels around each neighbour, as offsets (t, y, x), and their weights.

    Returns
    -------
    corners : (n_neighbours, 4, 3) array
    weights : (n_neighbours, 4) array
    """
    angles = 2 * np.pi * np.arange(n_neighbours) / n_neighbours
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    # cos(pi / 2) is 6e-17: rounding puts a neighbour that is a pixel exactly on it.
    places = np.round(circle * [radii[axis] for axis in axes], 12)
    lower = np.floor(places)
    fraction = places - lower
    corners = np.zeros((n_neighbours, 4, 3), dtype=np.int64)
    weights = np.ones((n_neighbours, 4))
    for corner, upper in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
        for k, axis in enumerate(axes):
            # A fraction of 0 keeps to the lower pixel: the upper may lie outside of the video.
            corners[:, corner, axis] = lower[:, k] + upper[k] * (fraction[:, k] > 0)
            weights[:, corner] *= fraction[:, k] if upper[k] else 1 - fraction[:, k]
    return corners, weights


def _assign_bins(n_neighbours: int, uniform: bool) -> tuple[NDArray[np.int64], int]:
    """Return the bin of every code, (2 ** n_neighbours,), and the number of bins."""
    codes = np.arange(2**n_neighbours)
    if not uniform:
        return codes, len(codes)
    bits = codes[:, None] >> np.arange(n_neighbours) & 1
    changes = (bits != np.roll(bits, 1, axis=1)).sum(axis=1)
    kept = changes <= 2
    n_kept = int(kept.sum())  # P (P - 1) + 2
    return np.where(kept, np.cumsum(kept) - 1, n_kept), n_kept + 1
