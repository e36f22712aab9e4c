"""The alignment distance, which the paper cites (Sec. 2)."""

from typing import Any

import numpy as np

from ldslearn._checks import as_random_state, check_real, check_whole
from ldslearn._types import Floats
from ldslearn.geometry.pairs import check_pair, for_each_tile
from ldslearn.geometry.window_means import root_mean_over_windows
from ldslearn.models import LDS

_TILE = 8


@root_mean_over_windows
def alignment_distance(
    X: LDS,
    Y: LDS | None = None,
    *,
    weight: float = 1.0,
    n_starts: int = 10,
    max_iter: int = 200,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Floats:
    r"""Return the alignment distances of all pairs: the differences in the best common coordinates.

    Parameters
    ----------
    X, Y : LDS
        Of the same channels and order. `Y` is `X` when None.
    weight : float, default=1.0
        Weight :math:`w` of the transition matrices relative to the measurement matrices.
    n_starts : int, default=10
        Starting points per pair.
    max_iter : int, default=200
        Steps from each starting point.
    random_state : int, RandomState, Generator or None, default=0
        Random seed of the starting points.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    The minimum over orthogonal matrices :math:`P`

    .. math:: d^2 = \min_P \; w \|A_1 - P^\top A_2 P\|_F^2 + \|C_1 - C_2 P\|_F^2.

    Monotone steps start at :math:`P = \mathrm{polar}(C_2^\top C_1)` and at random orthogonal
    matrices. The result is the best of some local minima, and hence an upper bound.

    References
    ----------
    .. [1] B. Afsari, R. Chaudhry, A. Ravichandran, R. Vidal, *Group action induced distances for
       averaging and clustering linear dynamical systems with applications to the analysis of
       dynamic scenes*, CVPR 2012.

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import alignment_distance
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> alignment_distance(X).round(3)
    array([[0.  , 0.98],
           [0.98, 0.  ]])
    """
    check_real("weight", weight, "be non-negative", low=0)
    check_whole("max_iter", max_iter)
    check_whole("n_starts", n_starts)
    first, second = check_pair(X, Y, same_order_for="the alignment distance")
    n = first.n_states
    starts = _polar(as_random_state(random_state).standard_normal((n_starts - 1, n, n)))
    distances = np.empty((len(first), len(second)))
    for_each_tile(
        lambda rows, columns: _align(first[rows], second[columns], weight, starts, max_iter),
        distances,
        tile=(_TILE, _TILE),
        symmetric=first is second,
        n_jobs=n_jobs,
        description="aligning systems",
    )
    return distances


def _align(X: LDS, Y: LDS, weight: float, starts: Floats, max_iter: int) -> Floats:
    """Return the distances of all pairs, the best over all starting points."""
    A1, A2 = X.A[:, None], Y.A[None]
    A1t, A2t = A1.swapaxes(-1, -2), A2.swapaxes(-1, -2)
    overlap = np.swapaxes(Y.C, 1, 2)[None] @ X.C[:, None]  # C2'C1
    # With the shift, the gain is convex on all matrices, and polar(gradient + shift P) ascends.
    shift = 2 * weight * np.linalg.norm(A1, 2, axis=(-2, -1)) * np.linalg.norm(A2, 2, axis=(-2, -1))
    best = np.full(overlap.shape[:2], np.inf)
    for start in (_polar(overlap), *starts):
        P = np.broadcast_to(start, overlap.shape)
        for _ in range(max_iter):
            gradient = weight * (A2 @ P @ A1t + A2t @ P @ A1) + overlap
            step = _polar(gradient + shift[..., None, None] * P)
            moved = np.abs(step - P).max()
            P = step
            if moved < 1e-12:
                break
        squared = weight * np.square(A1 - P.swapaxes(-1, -2) @ A2 @ P).sum(axis=(-2, -1))
        squared = squared + np.square(X.C[:, None] - Y.C[None] @ P).sum(axis=(-2, -1))
        best = np.minimum(best, squared)
    return np.sqrt(best)


def _polar(M: Floats) -> Floats:
    U, _, Vt = np.linalg.svd(M)
    return U @ Vt
