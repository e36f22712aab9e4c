"""Silhouettes of several numbers of clusters."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes


def plot_silhouettes(silhouettes: Mapping[int, float], ax: Axes, **style: Any) -> Axes:
    """Draw the mean silhouette of each number of clusters, with a ring around the largest.

    Parameters
    ----------
    silhouettes : mapping of int to float
        ``silhouettes_`` of an :class:`~ldslearn.LDSKMeans` with ``n_clusters="auto"``.
    ax : matplotlib.axes.Axes
    **style : dict
        Passed to ``ax.plot``.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.plot import plot_silhouettes
    >>> ax = plot_silhouettes({2: 0.3, 3: 0.6, 4: 0.5}, Figure().subplots())
    >>> ax.get_lines()[1].get_xdata().tolist()
    [3]
    """
    numbers = sorted(silhouettes)
    values = [silhouettes[number] for number in numbers]
    best = max(numbers, key=lambda number: silhouettes[number])
    ax.plot(numbers, values, **{"marker": "o", "color": "C0", **style})
    ax.plot([best], [silhouettes[best]], "o", ms=13, mfc="none", mec="C3", label=f"chosen: {best}")
    ax.set(xlabel="number of clusters", ylabel="mean silhouette", xticks=numbers)
    ax.legend(frameon=False)
    return ax
