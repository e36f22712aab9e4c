"""Sparse codes of one sample for every sparsity."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_real
from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats
from ldslearn.coding.checks import (
    CERTIFIED,
    check_gram,
    check_rows,
    describe_uncertified,
    kkt_violation,
)
from ldslearn.coding.homotopy import descend
from ldslearn.coding.solver import STEPS_PER_ATOM

_BREAKPOINTS_PER_ATOM = 2  # kept at first


@dataclass(frozen=True)
class SparsePath:
    """Codes of one sample for every sparsity: straight lines between breakpoints.

    Returned by :func:`sparse_path`.

    Attributes
    ----------
    sparsity : (n_breakpoints,) array
        Decreasing; the code is zero at the first and above it.
    codes : (n_breakpoints, n_atoms) array
        Codes at the breakpoints.

    References
    ----------
    .. [1] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, *Least angle regression*, Annals of
       Statistics 32 (2004) 407-499. doi:10.1214/009053604000000067

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.coding import sparse_path
    >>> path = sparse_path(np.eye(2), [1.0, 0.5])
    >>> path.interpolate(1.5).round(3)
    array([0.25, 0.  ])
    """

    sparsity: Floats
    codes: Floats

    __repr__ = summarize_fields

    def interpolate(self, sparsity: float) -> Floats:
        """Return the code for any sparsity that the path covers.

        Parameters
        ----------
        sparsity : float

        Returns
        -------
        (n_atoms,) array
        """
        low = float(self.sparsity[-1])
        check_real("sparsity", sparsity, f"be at least {low:g}, where the path ends", low=low)
        right = int(np.searchsorted(-self.sparsity, -sparsity))
        if right == 0:
            return np.zeros(self.codes.shape[1])
        above, below = self.sparsity[right - 1], self.sparsity[right]
        share = (above - sparsity) / (above - below)
        return (1.0 - share) * self.codes[right - 1] + share * self.codes[right]


def sparse_path(
    gram: Any, cross: Any, sparsity: float = 0.0, *, nonnegative: bool = False
) -> SparsePath:
    r"""Return the codes of a sample for all sparsities down to one, Equation (9) or (12).

    Parameters
    ----------
    gram : (n_atoms, n_atoms) array
        Kernel of the atoms with each other.
    cross : (n_atoms,) array
        Kernels of the sample with the atoms.
    sparsity : float, default=0.0
        Where the path ends.
    nonnegative : bool, default=False
        Only coefficients of at least 0.

    Returns
    -------
    SparsePath
        Breakpoints `sparsity` and `codes`; ``interpolate(sparsity)`` is the code in between.

    Notes
    -----
    The code minimises :math:`z^\top K z - 2 z^\top k + \lambda \|z\|_1`, as in
    :func:`ldslearn.sparse_code`, with `gram` :math:`K`, `cross` :math:`k` and `sparsity`
    :math:`\lambda`. It is piecewise linear in :math:`\lambda`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5. doi:10.48550/arXiv.1608.01059
    .. [2] M. R. Osborne, B. Presnell, B. A. Turlach, *A new approach to variable selection in least
       squares problems*, IMA Journal of Numerical Analysis 20 (2000) 389-403.
       doi:10.1093/imanum/20.3.389

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.coding import sparse_path
    >>> path = sparse_path(np.eye(2), [1.0, 0.5])
    >>> path.sparsity.round(3)
    array([2., 1., 0.])
    >>> path.codes.round(3)
    array([[0. , 0. ],
           [0.5, 0. ],
           [1. , 0.5]])
    """
    K = check_gram(gram)
    if np.ndim(cross) != 1:
        shape = f"shape {np.shape(cross)}"
        raise _errors.invalid("cross", f"have shape ({len(K)},)", shape, "Take one sample's row.")
    k = check_rows("cross", np.asarray(cross)[None], len(K))[0]
    check_real("sparsity", sparsity, "be a finite number of at least 0", low=0)
    path, residual = _follow_path(K, k, sparsity, nonnegative, nudge=0.0)
    if residual > CERTIFIED * np.abs(k).max():  # ties: see code_rows
        path, residual = _follow_path(K, k, sparsity, nonnegative, nudge=1e-9)
    if residual > CERTIFIED * np.abs(k).max():
        warnings.warn(describe_uncertified([0], residual), stacklevel=2)
    return path


def _follow_path(
    K: Floats, k: Floats, sparsity: float, nonnegative: bool, nudge: float
) -> tuple[SparsePath, float]:
    """The path, and the largest KKT residual on its breakpoints; infinite if it ends early."""
    excluded = np.zeros((1, len(K)), dtype=bool)
    room, limit = _BREAKPOINTS_PER_ATOM * len(K) + 16, STEPS_PER_ATOM * len(K) + 100
    perturbed = k * (1.0 + nudge * np.sin(np.arange(1.0, len(k) + 1.0)))
    settings = (0.5 * sparsity, excluded, bool(nonnegative), limit)
    while True:
        bounds, trace = np.empty(room), np.empty((room, len(K)))
        z, c = np.empty_like(k)[None], perturbed[None].copy()
        steps = descend(K, k[None], *settings, z, c, bounds, trace)
        if steps < room:
            break
        room = steps + 1
    bounds, trace = bounds[: steps + 1], trace[: steps + 1]
    if steps < limit:
        bounds[-1] = 0.5 * sparsity  # which rounding misses by 1e-15
    moved = np.append(np.diff(bounds) < 0, True)  # of a tie only the last step counts
    bounds, trace = bounds[moved], trace[moved].copy()
    residual = max(
        kkt_violation(k - K @ z, z, bound, excluded[0], bool(nonnegative))
        for bound, z in zip(bounds, trace, strict=True)
    )
    return SparsePath(2.0 * bounds, trace), residual if steps < limit else np.inf
