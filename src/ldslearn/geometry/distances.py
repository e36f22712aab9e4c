"""Distances between observability subspaces, each ``f(X, Y=None) -> (len(X), len(Y))``."""

from collections.abc import Callable
from functools import partial

import numpy as np

from ldslearn._types import Floats
from ldslearn.geometry.output_normal import output_normal_form
from ldslearn.geometry.pairs import check_pair, solve_pairs
from ldslearn.geometry.stein import log_determinants, squared_norms
from ldslearn.geometry.subspaces import pair_angles
from ldslearn.geometry.tiles import compute_by_tiles
from ldslearn.geometry.window_means import root_mean_over_windows
from ldslearn.models import LDS

# Below this squared distance the cancellation in n - K and log det costs more than half the digits.
_NEAR = 1e-6


@compute_by_tiles
@root_mean_over_windows
def martin_distance(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    r"""Return the Martin distances of all pairs, Equation (6).

    Parameters
    ----------
    X, Y : LDS or LDSStore
        Of the same channels and order. `Y` is `X` when None.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array
        Infinite where one subspace has a direction orthogonal to the other.

    Notes
    -----
    With the principal angles :math:`\alpha_k` between the observability subspaces, whose
    orthonormal bases are :math:`V_1` and :math:`V_2`,

    .. math:: d^2 = -\log \prod_k \cos^2 \alpha_k = -2 \log |\det V_1^\top V_2|.

    It is not a metric: the triangle inequality does not hold.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.3. doi:10.48550/arXiv.1608.01059
    .. [2] R. J. Martin, *A metric for ARMA processes*, IEEE Transactions on Signal Processing 48
       (2000) 1164-1170. doi:10.1109/78.827549

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import martin_distance
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> martin_distance(X).round(3)
    array([[0.   , 1.332],
           [1.332, 0.   ]])
    """
    return np.sqrt(squared_martin_distance(X, Y, n_jobs=n_jobs))


@compute_by_tiles
def squared_martin_distance(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return -2 log |det V1'V2| of all pairs, the square of :func:`martin_distance`."""
    first, second = check_pair(X, Y, same_order_for="the Martin distance")
    reduction = partial(log_determinants, order=first.n_states)
    logs = solve_pairs(reduction, first, second, n_jobs, "Martin distance")
    return _refine_small(
        -2.0 * logs, first, second, lambda sines: -np.log1p(-np.minimum(sines, 1.0))
    )


@compute_by_tiles
@root_mean_over_windows
def projection_distance(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    r"""Return the projection distances of all pairs, Corollary 2.

    Parameters
    ----------
    X, Y : LDS or LDSStore
        Of the same channels; orders may differ. `Y` is `X` when None.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    With the principal angles :math:`\alpha_k` between the observability subspaces, whose
    orthonormal bases are :math:`V_1` and :math:`V_2`,

    .. math:: d^2 = \| V_1 V_1^\top - V_2 V_2^\top \|_F^2 = 2 \sum_k \sin^2 \alpha_k.

    For orders :math:`n_1 \neq n_2` it is :math:`d^2 = n_1 + n_2 - 2k`, where :math:`k` is
    :func:`projection_kernel`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import projection_distance
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> projection_distance(X).round(3)
    array([[0.   , 1.289],
           [1.289, 0.   ]])
    """
    first, second = check_pair(X, Y)
    K = solve_pairs(squared_norms, first, second, n_jobs, "projection distance")
    squared = first.n_states + second.n_states - 2.0 * K
    if first.n_states != second.n_states:
        return np.sqrt(np.maximum(squared, 0.0))
    return np.sqrt(_refine_small(squared, first, second, lambda sines: 2.0 * sines))


def _refine_small(squared: Floats, X: LDS, Y: LDS, summand: Callable[[Floats], Floats]) -> Floats:
    """Return `squared` with small entries computed anew, as sums over squared sines."""
    squared = np.maximum(squared, 0.0)
    if X is Y:
        np.fill_diagonal(squared, 0.0)
    near = squared < _NEAR
    if X.allow_unstable or Y.allow_unstable:  # a formal solution has no sines
        near &= output_normal_form(X).stable[:, None] & output_normal_form(Y).stable
    if X is Y:
        near = np.triu(near, 1)
    rows, columns = np.nonzero(near)
    for start in range(0, len(rows), 256):
        i, j = rows[start : start + 256], columns[start : start + 256]
        squared[i, j] = summand(np.sin(pair_angles(X, Y, i, j)) ** 2).sum(axis=-1)
        if X is Y:
            squared[j, i] = squared[i, j]
    return squared
