"""Changes of real Schur forms: to complex triangular ones, and to other coordinates.

T and D are those of :mod:`ldslearn.geometry.stein`.
"""

from contextlib import suppress

import numpy as np

from ldslearn._compiling import njit
from ldslearn._types import Floats
from ldslearn.geometry.stein import OPTIONS


@njit(**OPTIONS, no_rewrites=True)  # no expressions of arrays: nothing to rewrite
def triangularise(T, D):  # type: ignore[no-untyped-def]
    """Make quasi-triangular matrices triangular, T = D* S D.

    Parameters
    ----------
    T : (N, n, n) complex array
        Real Schur forms S; overwritten by T.
    D : (N, 3, n) complex array
        The entries above the diagonal of D, on it and below it: those of I, where no others are
        written.
    """
    n = T.shape[1]
    for i in range(len(T)):
        for k in range(n - 1):
            # A unit eigenvector (v, w) of the block [[p, q], [r, s]]: the longer of two formulas,
            # (q, value - p) and (value - s, r).
            p, q, r = T[i, k, k].real, T[i, k, k + 1].real, T[i, k + 1, k].real
            s = T[i, k + 1, k + 1].real
            if r == 0.0:
                continue
            scale = abs(p) + abs(q) + abs(r) + abs(s)
            if scale < 1e-100:  # their squares underflow
                p, q, r, s = p / scale, q / scale, r / scale, s / scale
            half = 0.5 * (p - s)
            square = half * half + q * r
            root = np.sqrt(abs(square))
            real, imaginary = (root, 0.0) if square >= 0.0 else (0.0, root)
            first, second = real - half, real + half  # value - p and value - s
            v, w = complex(second, imaginary), complex(r, 0.0)
            if first * first + q * q > second * second + r * r:
                v, w = complex(q, 0.0), complex(first, imaginary)
            length = np.sqrt(v.real * v.real + v.imag * v.imag + w.real * w.real + w.imag * w.imag)
            v = complex(v.real / length, v.imag / length)
            w = complex(w.real / length, w.imag / length)
            vc, wc = v.conjugate(), w.conjugate()
            D[i, 1, k], D[i, 2, k], D[i, 0, k + 1], D[i, 1, k + 1] = v, w, -wc, vc
            for a in range(k + 2):  # T D: columns k, k + 1
                x, y = T[i, a, k], T[i, a, k + 1]
                T[i, a, k], T[i, a, k + 1] = x * v + y * w, y * vc - x * wc
            for b in range(k, n):  # D* T: rows k, k + 1
                x, y = T[i, k, b], T[i, k + 1, b]
                T[i, k, b], T[i, k + 1, b] = x * vc + y * wc, y * v - x * w
            T[i, k + 1, k] = 0.0


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
