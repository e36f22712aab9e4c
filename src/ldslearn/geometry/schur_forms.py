"""Changes of real Schur forms: to complex triangular ones, and to other coordinates.

T and D are those of :mod:`ldslearn.geometry.stein`.
"""

from contextlib import suppress

import numpy as np

from ldslearn._types import Complexes, Floats


def triangularise(S: Floats) -> tuple[Complexes, Complexes]:
    """Return T and D with T = D* S D, complex and triangular, D unitary.

    Parameters
    ----------
    S : (N, n, n) array
        Real Schur forms: quasi-triangular. D has blocks where S does.
    """
    i, k = np.nonzero(np.diagonal(S, -1, axis1=1, axis2=2))
    blocks = np.array([S[i, k, k], S[i, k, k + 1], S[i, k + 1, k], S[i, k + 1, k + 1]])
    p, q, r, s = blocks / np.abs(blocks).max(axis=0)  # scaled, as squares could underflow
    half = 0.5 * (p - s)
    root = np.sqrt((half * half + q * r).astype(np.complex128))
    # An eigenvector (v, w) of the block [[p, q], [r, s]]: the longer of two formulas,
    # (value - s, r) and (q, value - p).
    first, second = np.array([root + half, r]), np.array([q, root - half])
    lengths = np.linalg.norm([first, second], axis=1)
    v, w = np.where(lengths[0] >= lengths[1], first, second) / lengths.max(axis=0)
    D = np.zeros(S.shape, dtype=np.complex128)
    D[:] = np.eye(S.shape[1])
    D[i, k, k], D[i, k + 1, k], D[i, k, k + 1], D[i, k + 1, k + 1] = v, w, -w.conj(), v.conj()
    return np.triu(np.swapaxes(D.conj(), 1, 2) @ S @ D), D


def change_coordinates(S: Floats, R: Floats) -> tuple[Floats, Floats]:
    """Return R S R^-1, quasi-triangular like S, and R^-1.

    Parameters
    ----------
    S : (N, n, n) array
        Real Schur forms.
    R : (N, n, n) array
        Upper triangular and regular.
    """
    F: Floats = np.asarray(np.linalg.inv(R), dtype=np.float64)
    is_kept = (S != 0.0) | np.triu(np.ones(S.shape[1:], dtype=bool))
    return np.where(is_kept, R @ S @ F, 0.0), F


def normalise(S: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Return S and R^-1 in coordinates in which the Gramian is I, R S R^-1 with W = R'R.

    Parameters
    ----------
    S : (N, n, n) array
        Real Schur forms.
    W : (N, n, n) array
        Their Gramians. Where one is not positive definite, results are NaN.
    """
    try:
        L = np.linalg.cholesky(W)
    except np.linalg.LinAlgError:
        L = np.full_like(W, np.nan)
        for i, gramian in enumerate(W):
            with suppress(np.linalg.LinAlgError):
                L[i] = np.linalg.cholesky(gramian)
    return change_coordinates(S, np.swapaxes(L, 1, 2))
