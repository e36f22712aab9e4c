"""A sparse code, its path over the sparsity, and the residuals of classes."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ldslearn.coding import SparsePath
from ldslearn.plot.matrix import sort_by_class


def _choose_colors(classes: NDArray[Any]) -> dict[Any, str]:
    return {label: f"C{number % 10}" for number, label in enumerate(classes)}


def plot_code(code: NDArray[Any], labels: ArrayLike, ax: Axes) -> Axes:
    """Draw the coefficients of one code, class by class.

    Parameters
    ----------
    code : (n_atoms,) array
    labels : (n_atoms,) array
        Class of each atom.
    ax : matplotlib.axes.Axes

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.plot import plot_code
    >>> ax = plot_code(np.array([0.5, 0.0, -0.2]), ["walk", "run", "walk"], Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['run', 'walk']
    """
    order, classes, starts, ends = sort_by_class(labels)
    for (label, color), start, end in zip(
        _choose_colors(classes).items(), starts, ends, strict=True
    ):
        places = np.arange(start, end)
        values = np.asarray(code)[order[start:end]]
        used = values != 0
        ax.axvspan(start - 0.5, end - 0.5, color=color, alpha=0.08, linewidth=0)
        ax.vlines(places[used], 0, values[used], color=color, linewidth=2)
        ax.plot(places[used], values[used], "o", color=color, markersize=4, label=str(label))
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_xlim(-0.5, len(order) - 0.5)
    ax.set_xticks(0.5 * (starts + ends - 1), [str(label) for label in classes])
    ax.set(xlabel="training systems, class by class", ylabel="coefficient")
    return ax


def plot_residuals(residuals: NDArray[Any], classes: ArrayLike, ax: Axes) -> Axes:
    """Draw the residuals of one system as bars; the smallest is that of the prediction.

    Parameters
    ----------
    residuals : (n_classes,) array
        As ``SparseCodingClassifier.residuals_for`` returns them, Eq. (13) of [1]_.
    classes : (n_classes,) array
    ax : matplotlib.axes.Axes

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.plot import plot_residuals
    >>> ax = plot_residuals(np.array([3.0, 1.0]), ["run", "walk"], Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['run', 'walk (predicted)']
    """
    classes, residuals = np.asarray(classes), np.asarray(residuals)
    smallest = int(residuals.argmin())
    bars = ax.barh(np.arange(len(classes)), residuals, color=list(_choose_colors(classes).values()))
    bars[smallest].set(edgecolor="black", linewidth=2)
    names = [str(label) for label in classes]
    names[smallest] += " (predicted)"
    ax.set_yticks(np.arange(len(classes)), names)
    ax.invert_yaxis()
    ax.bar_label(bars, fmt="%.2f", padding=3)
    ax.set_xlim(0, 1.2 * residuals.max())
    ax.set_xlabel("residual $e_c$, Eq. (13)")
    return ax


def plot_path(path: SparsePath, labels: ArrayLike, ax: Axes) -> Axes:
    """Draw every coefficient against the sparsity, on a logarithmic axis.

    Parameters
    ----------
    path : SparsePath
        Of :func:`ldslearn.coding.sparse_path`.
    labels : (n_atoms,) array
        Class of each atom, for its colour.
    ax : matplotlib.axes.Axes

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.coding import sparse_path
    >>> from ldslearn.plot import plot_path
    >>> path = sparse_path(np.eye(3), np.array([1.0, 0.0, -0.5]), 0.01)
    >>> ax = plot_path(path, ["walk", "walk", "run"], Figure().subplots())
    >>> ax.get_xscale(), ax.get_legend_handles_labels()[1]
    ('log', ['run', 'walk'])
    """
    labels = np.asarray(labels)
    positive = path.sparsity > 0
    for label, color in _choose_colors(np.unique(labels)).items():
        used = np.flatnonzero((labels == label) & path.codes.any(axis=0))
        lines = ax.plot(
            path.sparsity[positive], path.codes[np.ix_(positive, used)], color=color, linewidth=1.2
        )
        if lines:
            lines[0].set_label(str(label))
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set(xlabel="sparsity (decreasing)", ylabel="coefficient")
    return ax
