"""Compiled changes of real Schur forms: to complex triangular ones, and to a Gramian of I.

T, D and lanes are those of :mod:`ldslearn.geometry.stein`.
"""

import numpy as np
from numba import njit

from ldslearn.geometry.stein import OPTIONS, solve_lanes, undo_rotation


@njit(**OPTIONS)
def triangularise(S, T, D):  # type: ignore[no-untyped-def]
    """Make a real quasi-triangular S triangular, T = D* S D.

    Parameters
    ----------
    S : (n, n) array
    T : (2, n, n) array
        Filled with real and imaginary parts.
    D : (3, 2, n) array
        Filled with the tridiagonal rows of D, real and imaginary parts.
    """
    n = S.shape[0]
    for i in range(n):  # T[0] = S compiles for five seconds
        for j in range(n):
            T[0, i, j], T[1, i, j] = S[i, j], 0.0
    D[:] = 0.0
    D[0, 0] = 1.0
    for k in range(n - 1):
        if S[k + 1, k] == 0.0:
            continue
        # A unit eigenvector (v1, v2) of the block [[p, q], [r, s]]: the longer of two formulas.
        p, q, r, s = S[k, k], S[k, k + 1], S[k + 1, k], S[k + 1, k + 1]
        largest = max(abs(p), abs(q), abs(r), abs(s))
        if largest < 1e-100:  # whose squares underflow
            p, q, r, s = p / largest, q / largest, r / largest, s / largest
        half = 0.5 * (p - s)
        root = np.sqrt(complex(half * half + q * r, 0.0))
        value = 0.5 * (p + s) + root
        if abs(value - p) ** 2 + q * q > abs(value - s) ** 2 + r * r:
            v1, v2 = complex(q, 0.0), value - p
        else:
            v1, v2 = value - s, complex(r, 0.0)
        length = np.sqrt(abs(v1) ** 2 + abs(v2) ** 2)
        v1, v2 = v1 / length, v2 / length
        # D = [[v1, -v2*], [v2, v1*]]
        D[0, 0, k], D[0, 1, k] = v1.real, v1.imag
        D[2, 0, k], D[2, 1, k] = v2.real, v2.imag
        D[1, 0, k + 1], D[1, 1, k + 1] = -v2.real, v2.imag
        D[0, 0, k + 1], D[0, 1, k + 1] = v1.real, -v1.imag
        for i in range(k + 2):  # T D: columns k, k + 1
            x, y = complex(T[0, i, k], T[1, i, k]), complex(T[0, i, k + 1], T[1, i, k + 1])
            first, second = x * v1 + y * v2, -x * v2.conjugate() + y * v1.conjugate()
            T[0, i, k], T[1, i, k] = first.real, first.imag
            T[0, i, k + 1], T[1, i, k + 1] = second.real, second.imag
        for j in range(k, n):  # D* T: rows k, k + 1
            x, y = complex(T[0, k, j], T[1, k, j]), complex(T[0, k + 1, j], T[1, k + 1, j])
            first, second = v1.conjugate() * x + v2.conjugate() * y, -v2 * x + v1 * y
            T[0, k, j], T[1, k, j] = first.real, first.imag
            T[0, k + 1, j], T[1, k + 1, j] = second.real, second.imag
        T[0, k + 1, k] = T[1, k + 1, k] = 0.0


@njit(**OPTIONS)
def triangularise_all(S, T, D):  # type: ignore[no-untyped-def]
    """:func:`triangularise` for a batch."""
    for i in range(S.shape[0]):
        triangularise(S[i], T[i], D[i])


@njit(**OPTIONS)
def gramians(S, T, D, G, W):  # type: ignore[no-untyped-def]
    """Fill W, (N, n, n), with the solutions of W = S'WS + G; T and D are S made triangular."""
    n = S.shape[1]
    X, Y = np.empty((2, n, n, 1)), np.empty((2, n, 1))
    for i in range(S.shape[0]):
        lane = D[i].reshape((3, 2, n, 1))
        right = G[i].copy().reshape((n, 1, n, 1))[:, 0]  # strided as in the functions above
        solve_lanes(S[i], T[i].reshape((2, n, n, 1)), lane, right, X, Y)
        undo_rotation(X, lane, W[i : i + 1])
        for a in range(n):
            for b in range(a):
                W[i, a, b] = W[i, b, a] = 0.5 * (W[i, a, b] + W[i, b, a])


@njit(**OPTIONS)
def normalise(S, W, F):  # type: ignore[no-untyped-def]
    """Change Schur coordinates to those in which the Gramian is I, for a batch.

    With W = R'R the Gramian, R S R^-1 is quasi-triangular like S.

    Parameters
    ----------
    S : (N, n, n) array
        Real Schur forms; overwritten by R S R^-1.
    W : (N, n, n) array
        Their Gramians.
    F : (N, n, n) array
        Filled with R^-1.

    """
    n = S.shape[1]
    R, RS = np.zeros((n, n)), np.empty((n, n))
    for i in range(S.shape[0]):
        for a in range(n):  # Cholesky
            for b in range(a, n):
                value = W[i, a, b]
                for k in range(a):
                    value -= R[k, a] * R[k, b]
                if b == a:
                    R[a, a] = np.sqrt(value)
                else:
                    R[a, b] = value / R[a, a]
        for b in range(n):  # R F = I
            F[i, :, b] = 0.0
            F[i, b, b] = 1.0 / R[b, b]
            for a in range(b - 1, -1, -1):
                value = 0.0
                for k in range(a + 1, b + 1):
                    value += R[a, k] * F[i, k, b]
                F[i, a, b] = -value / R[a, a]
        for a in range(n):  # S keeps its pattern: column b ends in row b, or b + 1 within a block
            for b in range(n):
                value = 0.0
                for k in range(a, min(b + 2, n)):
                    value += R[a, k] * S[i, k, b]
                RS[a, b] = value
        for a in range(n):
            for b in range(n):
                if a > b + 1 or (a == b + 1 and S[i, a, b] == 0.0):
                    S[i, a, b] = 0.0
                else:
                    value = 0.0
                    for k in range(b + 1):
                        value += RS[a, k] * F[i, k, b]
                    S[i, a, b] = value
