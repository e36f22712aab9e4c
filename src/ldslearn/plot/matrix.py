"""A kernel or distance matrix, class by class."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ldslearn.diagnostics.similarity import find_colour_limits


def plot_matrix(matrix: NDArray[Any], labels: ArrayLike, ax: Axes, **style: Any) -> Axes:
    """Draw a square matrix of pairs with its rows and columns grouped by class.

    Colours span the limits of :func:`~ldslearn.diagnostics.similarity.find_colour_limits`.

    Parameters
    ----------
    matrix : (N, N) array
    labels : (N,) array
    ax : matplotlib Axes
    **style
        Passed to ``ax.imshow``.
    """
    low, high = find_colour_limits(matrix)
    style = {"vmin": low, "vmax": high, **style}
    labels = np.asarray(labels)
    order = np.argsort(labels, kind="stable")
    classes, starts = np.unique(labels[order], return_index=True)
    ends = np.append(starts[1:], len(labels))
    image = ax.imshow(matrix[np.ix_(order, order)], interpolation="nearest", **style)
    for start in starts[1:]:
        ax.axhline(start - 0.5, color="white", linewidth=0.8)
        ax.axvline(start - 0.5, color="white", linewidth=0.8)
    middles = 0.5 * (starts + ends - 1)
    ax.set_xticks(middles, classes, rotation=30, ha="right")
    ax.set_yticks(middles, classes)
    ax.figure.colorbar(image, ax=ax, shrink=0.8, extend="both")
    return ax
