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
    """Return the observability Gramians O'O = sum_t (A^t)'C'C A^t, Eq. (4), (N, n, n)."""
    return output_normal_form(check_pair(X, None)[0]).gramian.copy()


@warn_once
def cross_gramian(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return O1'O2 = sum_t (A1^t)'C1'C2 A2^t of all pairs, Eq. (4).

    Parameters
    ----------
    X, Y : LDS
        Of the same channels; orders may differ. Y is X when None.
    n_jobs : int or None

    Returns
    -------
    (len(X), len(Y), X.n_states, Y.n_states) array
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
    """Return the principal angles between observability subspaces, Eq. (5), ascending.

    Cosines are the singular values of V1'V2, sines those of the part of V2 outside the span of V1;
    both come from one orthogonal decomposition of [V1, V2], and each angle is computed from the one
    that is accurate for it. Angles near 0 and near pi/2 keep their digits.

    Parameters
    ----------
    X, Y : LDS
        Of the same channels; orders may differ. Y is X when None.
    n_jobs : int or None

    Returns
    -------
    (len(X), len(Y), min(X.n_states, Y.n_states)) array, in [0, pi/2]
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
