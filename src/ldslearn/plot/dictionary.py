"""Learning curves, and atoms as images."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.video.tiling import tile_images


def plot_objective(histories: Mapping[str, Sequence[float]], ax: Axes) -> Axes:
    """Draw the objective against iterations, one line per name, as in Figure 11.

    Parameters
    ----------
    histories : mapping of str to sequence of float
        Such as ``{"k-means": first.objective_, "random": second.objective_}``.
    ax : matplotlib.axes.Axes

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.3. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.plot import plot_objective
    >>> histories = {"k-means": [9.0, 7.5, 7.0], "random": [12.0, 8.0]}
    >>> ax = plot_objective(histories, Figure().subplots())
    >>> [len(line.get_xdata()) for line in ax.get_lines()]
    [3, 2]
    """
    for number, (name, values) in enumerate(histories.items()):
        marker = "osD^v"[number % 5]
        ax.plot(np.arange(len(values)), values, f"{marker}-", markersize=4, label=name)
    ax.set(xlabel="iteration", ylabel="objective")
    ax.legend(frameon=False)
    return ax


def plot_columns(
    basis: NDArray[Any], spatial: tuple[int, int], ax: Axes, *, gap: int = 1, n_shown: int = 8
) -> Axes:
    """Draw measurement columns as images, one row per atom, as in Figure 13.

    Parameters
    ----------
    basis : (n_atoms, n_channels, n_states) array
        Such as ``atoms_.symmetric.measurement`` or ``atoms_.skew.basis``.
    spatial : (int, int)
        Height and width of a frame; their product is the number of channels drawn.
    ax : matplotlib.axes.Axes
    gap : int, default=1
        Pixels between images.
    n_shown : int, default=8
        Largest number of atoms and of columns drawn.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.3. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.plot import plot_columns
    >>> basis = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 16, 2)))[0]
    >>> ax = plot_columns(basis, (4, 4), Figure().subplots())
    >>> ax.images[0].get_array().shape  # 3 rows and 2 columns of 4 x 4 pixels, and gaps
    (14, 9)
    """
    height, width = spatial
    if basis.ndim != 3 or height * width > basis.shape[1]:
        raise _errors.invalid(
            "basis",
            f"have shape (n_atoms, at least {height * width} channels, n_states)",
            f"shape {basis.shape}",
            "spatial is (height, width) of a frame.",
        )
    images = basis[:n_shown, : height * width, :n_shown]
    largest = np.abs(images).max(axis=1, keepdims=True)
    images = images / np.where(largest > 0, largest, 1.0)
    n_atoms, _, n_states = images.shape
    tiles = images.swapaxes(1, 2).reshape(n_atoms, n_states, height, width)
    sheet = tile_images(tiles, gap, np.nan)
    ax.imshow(sheet, cmap="RdBu_r", vmin=-1, vmax=1, interpolation="nearest")
    ax.set_xticks(np.arange(n_states) * (width + gap) + width / 2, np.arange(n_states) + 1)
    ax.set_yticks(np.arange(n_atoms) * (height + gap) + height / 2, np.arange(n_atoms) + 1)
    ax.tick_params(length=0)
    ax.set(xlabel="column", ylabel="atom")
    for side in ax.spines.values():
        side.set_visible(False)
    return ax
