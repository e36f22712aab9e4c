"""Gramians and principal angles of extended observability subspaces (Sec. 4.3)."""

import numpy as np

from ldslearn._places import warn_once
from ldslearn._types import Floats, Indices
from ldslearn.geometry.output_normal import output_normal_form
from ldslearn.geometry.pairs import check_pair, for_each_tile, output_normal_forms, solve_pairs
from ldslearn.geometry.stein import solutions
from ldslearn.models import LDS

_ANGLE_TILE = 16
_MOST_DOUBLINGS = 60


@warn_once
def gramian(X: LDS) -> Floats:
    r"""Return the observability Gramians, Equation (4).

    Parameters
    ----------
    X : LDS
        N systems of n states.

    Returns
    -------
    (N, n, n) array

    Notes
    -----
    :math:`W = \sum_{t \ge 0} (A^t)^\top C^\top C A^t`, the solution of the Stein equation
    :math:`W = A^\top W A + C^\top C`. A system that is not stable has no Gramian. If the batch
    allows unstable systems, the solution of the equation is returned instead, with a warning.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.3. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import gramian
    >>> gramian(LDS(A=[[0.5, 0.0], [0.0, 0.9]], C=[[1.0, 0.0], [0.0, 1.0]])).round(3)
    array([[[1.333, 0.   ],
            [0.   , 5.263]]])
    """
    return output_normal_form(check_pair(X, None)[0]).gramian.copy()


@warn_once
def cross_gramian(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    r"""Return the products of the observability matrices of all pairs, Equation (4).

    Parameters
    ----------
    X, Y : LDS
        Of the same channels; orders may differ. `Y` is `X` when None.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y), X.n_states, Y.n_states) array

    Notes
    -----
    :math:`O_1^\top O_2 = \sum_{t \ge 0} (A_1^t)^\top C_1^\top C_2 A_2^t`. Entry (i, i) of one
    batch is :func:`gramian`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.3. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import cross_gramian
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> cross_gramian(X)[:, :, 0, 0].round(3)
    array([[1.333, 1.091],
           [1.091, 5.263]])
    """
    first, second = check_pair(X, Y)
    solved = solve_pairs(
        solutions, first, second, n_jobs, "solving pairs", (first.n_states, second.n_states)
    )
    # V = O transform, so that O1'O2 = transform1^-T V1'V2 transform2^-1
    left = np.swapaxes(np.linalg.inv(output_normal_form(first).transform), 1, 2)
    return left[:, None] @ solved @ np.linalg.inv(output_normal_form(second).transform)


@warn_once
def principal_angles(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    r"""Return the principal angles between observability subspaces of all pairs, Equation (5).

    Parameters
    ----------
    X, Y : LDS
        Of the same channels; orders may differ. `Y` is `X` when None.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y), min(X.n_states, Y.n_states)) array
        Ascending, in :math:`[0, \pi/2]`.

    Notes
    -----
    Cosines are the singular values of :math:`V_1^\top V_2`, sines those of the part of :math:`V_2`
    outside the span of :math:`V_1`. Both come from one orthogonal decomposition of
    :math:`[V_1, V_2]`, and each angle is computed from the one that is accurate for it.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.3. doi:10.48550/arXiv.1608.01059
    .. [2] K. De Cock, B. De Moor, *Subspace angles between ARMA models*, Systems & Control Letters
       46 (2002) 265-270. doi:10.1016/S0167-6911(02)00135-4
    .. [3] Å. Björck, G. H. Golub, *Numerical methods for computing angles between linear
       subspaces*, Mathematics of Computation 27 (1973) 579-594.
       doi:10.1090/S0025-5718-1973-0348991-3

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import principal_angles
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> np.degrees(principal_angles(X)[:, :, 0]).round(1)
    array([[ 0. , 65.7],
           [65.7,  0. ]])
    """
    first, second = check_pair(X, Y)
    stable, other_stable = (one.stable for one in output_normal_forms(first, second, n_jobs))
    n_angles = min(first.n_states, second.n_states)
    angles = np.empty((len(first), len(second), n_angles))

    def compute(rows: slice, columns: slice) -> Floats:
        i, j = np.mgrid[rows, columns]
        found = np.zeros((*i.shape, n_angles))
        both = stable[i] & other_stable[j]
        found[both] = pair_angles(first, second, i[both], j[both])
        return found

    for_each_tile(
        compute,
        angles,
        tile=(_ANGLE_TILE, _ANGLE_TILE),
        symmetric=first is second,
        n_jobs=n_jobs,
        description="computing angles",
    )
    if not (stable.all() and other_stable.all()):  # a formal solution has no sines
        shape = first.n_states, second.n_states
        V = solve_pairs(solutions, first, second, n_jobs, "computing angles", shape)
        formal = ~(stable[:, None] & other_stable)
        cosines = np.linalg.svd(V[formal], compute_uv=False)
        angles[formal] = np.arccos(np.clip(cosines, 0.0, 1.0))
    return angles


def pair_angles(X: LDS, Y: LDS, i: Indices, j: Indices) -> Floats:
    """Return the angles of systems i[k] of X and j[k] of Y, (K, min(n1, n2)), ascending."""
    if not len(i):
        return np.empty((0, min(X.n_states, Y.n_states)))
    if X.n_states < Y.n_states:
        X, Y, i, j = Y, X, j, i
    R = _joint_factor(X, Y, i, j)
    n = X.n_states
    cosines = np.linalg.svd(R[:, :n, n:], compute_uv=False)
    sines = np.linalg.svd(R[:, n:, n:], compute_uv=False)[:, ::-1]
    cosines, sines = np.clip(cosines, 0.0, 1.0), np.clip(sines, 0.0, 1.0)
    return np.where(sines**2 < 0.5, np.arcsin(sines), np.arccos(cosines))


def _joint_factor(X: LDS, Y: LDS, i: Indices, j: Indices) -> Floats:
    """Return R with [V1, V2] = Q R of each pair, by doubling: R <- qr([R; R A^k]), k = 1, 2, 4, ...

    The Gramian is never formed, so that small sines keep their digits.
    """
    first, second = output_normal_form(X), output_normal_form(Y)
    n1 = X.n_states
    C = np.concatenate([first.measurement(X, i), second.measurement(Y, j)], axis=2)
    size = C.shape[2]
    R = np.zeros((len(i), size, size))
    R[:, : min(C.shape[1:])] = np.linalg.qr(C, mode="r")
    P1, P2 = first.S[i], second.S[j]
    for _ in range(_MOST_DOUBLINGS):
        later = np.concatenate([R[:, :, :n1] @ P1, R[:, :, n1:] @ P2], axis=2)
        if np.abs(later).max() < 1e-17:
            break
        R = np.asarray(np.linalg.qr(np.concatenate([R, later], axis=1), mode="r"))
        P1, P2 = P1 @ P1, P2 @ P2
    return R
