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
    r"""Return the window of a video whose pixels vary most over time.

    Parameters
    ----------
    video : (n_frames, height, width[, n_colours]) array
    size : (int, int)
        Height and width of the window, at most those of the frames.

    Returns
    -------
    (n_frames, size[0], size[1][, n_colours]) array
        A view. Of equal windows the first by rows.

    Notes
    -----
    The window :math:`W` has the largest sum of variances over time of its pixels :math:`y_p`,

    .. math:: \max_W \sum_{p \in W} \operatorname{var}_t \, y_p(t).

    (Section 9.1 of [1]_ crops the UCLA set to its motion, and does not say by which rule.)

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.video import crop_to_motion
    >>> video = np.zeros((10, 8, 8))
    >>> video[:, 4:6, 2:5] = np.arange(10)[:, None, None]  # six pixels change
    >>> crop_to_motion(video, (2, 3))[-1]
    array([[9., 9., 9.],
           [9., 9., 9.]])
    """
    top, left = find_motion(video, size)
    return video[:, top : top + size[0], left : left + size[1]]
