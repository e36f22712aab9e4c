"""Frames of a video side by side."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ldslearn.video.tiling import tile_images


def plot_frames(video: NDArray[Any], ax: Axes, *, n_shown: int = 6, gap: int = 1) -> Axes:
    """Draw frames of a grey video in a row, evenly spaced in time.

    Parameters
    ----------
    video : (n_frames, height, width) array
        Grey values: 0 is black; white is 1, or the largest value of an integer type.
    ax : matplotlib.axes.Axes
    n_shown : int, default=6
        Number of frames.
    gap : int, default=1
        White pixels between them.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.datasets import make_dynamic_textures
    >>> from ldslearn.plot import plot_frames
    >>> videos, _ = make_dynamic_textures(["waves"], 1, size=16, random_state=0)
    >>> ax = plot_frames(videos[0], Figure().subplots(), n_shown=3)
    >>> ax.images[0].get_array().shape  # 3 frames of 16 x 16 pixels, and gaps
    (16, 50)
    """
    chosen = np.linspace(0, len(video) - 1, min(n_shown, len(video))).round().astype(int)
    white = np.iinfo(video.dtype).max if video.dtype.kind in "iu" else 1.0
    row = tile_images(video[None, chosen] / white, gap, 1.0)
    ax.imshow(row, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    return ax
