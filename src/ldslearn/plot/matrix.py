"""A kernel or distance matrix, class by class."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ldslearn._types import Indices
from ldslearn.diagnostics.similarity import find_colour_limits


def plot_matrix(matrix: NDArray[Any], labels: ArrayLike, ax: Axes, **style: Any) -> Axes:
    """Draw a square matrix with its rows and columns grouped by class.

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
    order, classes, starts, ends = sort_by_class(labels)
    image = ax.imshow(matrix[np.ix_(order, order)], interpolation="nearest", **style)
    for start in starts[1:]:
        ax.axhline(start - 0.5, color="white", linewidth=0.8)
        ax.axvline(start - 0.5, color="white", linewidth=0.8)
    middles = 0.5 * (starts + ends - 1)
    ax.set_xticks(middles, classes, rotation=30, ha="right")
    ax.set_yticks(middles, classes)
    ax.figure.colorbar(image, ax=ax, shrink=0.8, extend="both")
    return ax


def sort_by_class(
    labels: ArrayLike,
) -> tuple[Indices, NDArray[Any], Indices, Indices]:
    """Return the order of items by class, the classes, and where each starts and ends."""
    labels = np.asarray(labels)
    order = np.argsort(labels, kind="stable")
    classes, starts = np.unique(labels[order], return_index=True)
    return order, classes, starts, np.append(starts[1:], len(labels))
