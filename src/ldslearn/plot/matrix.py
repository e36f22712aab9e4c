"""A kernel or distance matrix, class by class."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ldslearn._types import Indices
from ldslearn.diagnostics.similarity import find_colour_limits


def plot_matrix(matrix: NDArray[Any], labels: ArrayLike, ax: Axes, **style: Any) -> Axes:
    """Draw a square matrix with its rows and columns grouped by class.

    Colours span the 5th to the 95th percentile of the values off the diagonal.

    Parameters
    ----------
    matrix : (N, N) array
        Kernels or distances.
    labels : (N,) array
    ax : matplotlib.axes.Axes
    **style : dict
        Passed to ``ax.imshow``.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import make_lds_sequences
    >>> from ldslearn.geometry import projection_kernel
    >>> from ldslearn.plot import plot_matrix
    >>> X, y = make_lds_sequences(2, 3, random_state=0)
    >>> K = projection_kernel(LDSEncoder(4).fit_transform(X))
    >>> ax = plot_matrix(K, y, Figure().subplots())
    >>> ax.images[0].get_array().shape, ax.get_xticks().tolist()
    ((6, 6), [1.0, 4.0])
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
