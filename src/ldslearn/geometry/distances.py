"""Distances between observability subspaces, each ``f(X, Y=None) -> (len(X), len(Y))``."""

from collections.abc import Callable

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
    """Return the Martin distances sqrt(-log prod_k cos^2 angle_k) of all pairs, Eq. (6).

    Parameters
    ----------
    X, Y : LDS
        Of the same channels and order. Y is X when None.
    n_jobs : int or None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array
        Infinite where one subspace has a direction orthogonal to the other.
    """
    return np.sqrt(squared_martin_distance(X, Y, n_jobs=n_jobs))


@compute_by_tiles
def squared_martin_distance(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return -2 log |det V1'V2| of all pairs, the square of :func:`martin_distance`."""
    first, second = check_pair(X, Y, same_order_for="the Martin distance")
    logs = solve_pairs(log_determinants, first, second, n_jobs, "Martin distance")
    return _refine_small(
        -2.0 * logs, first, second, lambda sines: -np.log1p(-np.minimum(sines, 1.0))
    )


@compute_by_tiles
@root_mean_over_windows
def projection_distance(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return |V1V1' - V2V2'|_F = sqrt(2 sum_k sin^2 angle_k) of all pairs, Corollary 2.

    Parameters
    ----------
    X, Y : LDS
        Of the same channels; for orders n1 and n2 it is sqrt(n1 + n2 - 2 K). Y is X when None.
    n_jobs : int or None
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
