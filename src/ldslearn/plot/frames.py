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
    ax : matplotlib Axes
    n_shown : int
        Number of frames.
    gap : int
        White pixels between them.
    """
    chosen = np.linspace(0, len(video) - 1, min(n_shown, len(video))).round().astype(int)
    white = np.iinfo(video.dtype).max if video.dtype.kind in "iu" else 1.0
    row = tile_images(video[None, chosen] / white, gap, 1.0)
    ax.imshow(row, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    return ax
