"""Eigenvalues, and the function of soft normalisation (Fig. 2 of the paper)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from numpy.typing import NDArray

from ldslearn.models.lds import LDS, as_systems


def plot_eigenvalues(systems: LDS, ax: Axes, **style: Any) -> Axes:
    """Draw the eigenvalues of a batch in the complex plane, with the unit circle.

    Those on the circle or outside do not decay. They are circled.

    Parameters
    ----------
    systems : LDS
    ax : matplotlib.axes.Axes
    **style : dict
        Passed to ``ax.scatter``, for example ``color=`` or ``label=``.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import make_lds_sequences
    >>> from ldslearn.plot import plot_eigenvalues
    >>> X, _ = make_lds_sequences(2, 3, random_state=0)
    >>> ax = plot_eigenvalues(LDSEncoder(4).fit_transform(X), Figure().subplots())
    >>> len(ax.collections[0].get_offsets())  # 6 systems of 4 states
    24
    """
    eigenvalues = np.linalg.eigvals(as_systems(systems).A).ravel()
    outside, has_earlier = np.abs(eigenvalues) >= 1, ax.has_data()
    style = {"s": 14, "alpha": 0.6, "linewidths": 0, **style}
    ax.add_patch(Circle((0, 0), 1, fill=False, color="0.4", linewidth=1))
    ax.scatter(eigenvalues.real, eigenvalues.imag, **style)
    if outside.any():
        ax.scatter(
            eigenvalues.real[outside], eigenvalues.imag[outside],
            s=60, facecolors="none", edgecolors="tab:red", linewidths=1.2,
            label=f"{outside.sum()} do not decay",
        )  # fmt: skip
    if outside.any() or "label" in style or ax.get_legend() is not None:
        ax.legend(loc="upper left", frameon=False)
    earlier = max(ax.get_xlim()) if has_earlier else 0.0
    reach = max(1.1, earlier, 1.1 * float(np.abs(eigenvalues).max(initial=0.0)))
    ax.set(
        xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal",
        xlabel="real part", ylabel="imaginary part",
    )  # fmt: skip
    return ax


def plot_soft_normalisation(
    ax: Axes, scales: Sequence[float] = (1.0, 2.5, 4.0), values: NDArray[Any] | None = None
) -> Axes:
    r"""Draw soft normalisation, Equation (2), for some scales.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    scales : sequence of float, default=(1.0, 2.5, 4.0)
    values : array, optional
        Singular values to mark along the lower edge.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Notes
    -----
    A singular value :math:`s` of the transition matrix becomes, with the scale :math:`a`,

    .. math:: \frac{2}{1 + e^{-a s}} - 1 = \tanh \frac{a s}{2} < 1.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.plot import plot_soft_normalisation
    >>> ax = plot_soft_normalisation(Figure().subplots(), scales=[2.5])
    >>> s, normalised = ax.get_lines()[0].get_data()
    >>> round(float(s[-1]), 2), round(float(normalised[-1]), 2)
    (2.0, 0.99)
    """
    top = 2.0 if values is None else max(2.0, 1.05 * float(np.max(values)))
    s = np.linspace(0, top, 200)
    for scale in scales:
        ax.plot(s, np.tanh(0.5 * scale * s), label=f"a = {scale:g}")
    ax.plot([0, 1, top], [0, 1, 1], color="0.4", linestyle=":", label="hard limit")
    if values is not None:
        ax.plot(np.ravel(values), np.zeros(np.size(values)), "|", color="0.2", markersize=8)
    ax.set(
        xlim=(0, top), ylim=(0, 1.05), xlabel="singular value", ylabel="normalised singular value"
    )
    ax.legend(loc="lower right", frameon=False)
    return ax
