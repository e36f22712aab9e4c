"""Crop a video to the window whose pixels vary most over time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors

_ROUNDING = 1e-12  # of the sum of all variances: sums over equal windows differ by less


def find_motion(video: NDArray[Any], size: tuple[int, int]) -> tuple[int, int]:
    """Return top and left of the window whose pixels vary most over time.

    The window with the largest sum of variances of its pixels; of equal windows the first by rows.

    Parameters
    ----------
    video : (n_frames, height, width[, n_colours]) array
    size : (height, width)
        Of the window; at most that of the frames.
    """
    height, width = size
    if height > video.shape[1] or width > video.shape[2]:
        raise _errors.invalid(
            "the video", f"have frames of at least {height} x {width} pixels to crop",
            f"{video.shape[1]} x {video.shape[2]}", "Take smaller windows, or whole frames.",
        )  # fmt: skip
    variance = video.var(axis=0, dtype=np.float64)
    variance = variance.sum(axis=-1) if variance.ndim == 3 else variance
    total = np.pad(variance, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    sums = (
        total[height:, width:] - total[:-height, width:]
        - total[height:, :-width] + total[:-height, :-width]
    )  # fmt: skip
    largest = sums >= sums.max() - _ROUNDING * total[-1, -1]
    top, left = np.unravel_index(largest.argmax(), sums.shape)
    return int(top), int(left)


def crop_to_motion(video: NDArray[Any], size: tuple[int, int]) -> NDArray[Any]:
    """Return the window of a video whose pixels vary most over time; see :func:`find_motion`."""
    top, left = find_motion(video, size)
    return video[:, top : top + size[0], left : left + size[1]]
