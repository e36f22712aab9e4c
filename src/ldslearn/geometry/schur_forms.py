"""Compiled changes of real Schur forms: to complex triangular ones, and to a Gramian of I.

T, D and lanes are those of :mod:`ldslearn.geometry.stein`.
"""

import numpy as np

from ldslearn._compiling import njit
from ldslearn.geometry.stein import OPTIONS


@njit(**OPTIONS)
def triangularise(S, T, D):  # type: ignore[no-untyped-def]
    """Make real quasi-triangular matrices S triangular, T = D* S D.

    Parameters
    ----------
    S : (N, n, n) array
    T : (N, 2, n, n) array
        Filled with real and imaginary parts.
    D : (N, 3, 2, n) array
        Filled with the tridiagonal rows of D, real and imaginary parts.
    """
    n = S.shape[1]
    for i in range(len(S)):
        for a in range(n):
            for b in range(n):
                T[i, 0, a, b], T[i, 1, a, b] = S[i, a, b], 0.0
            for part in range(3):
                D[i, part, 0, a] = D[i, part, 1, a] = 0.0
            D[i, 0, 0, a] = 1.0
        for k in range(n - 1):
            if S[i, k + 1, k] == 0.0:
                continue
            # A unit eigenvector (v, w) of the block [[p, q], [r, s]]: the longer of two formulas,
            # (q, value - p) and (value - s, r). Complex numbers take longer to compile.
            p, q, r, s = S[i, k, k], S[i, k, k + 1], S[i, k + 1, k], S[i, k + 1, k + 1]
            largest = max(max(abs(p), abs(q)), max(abs(r), abs(s)))
            if largest < 1e-100:  # whose squares underflow
                p, q, r, s = p / largest, q / largest, r / largest, s / largest
            half = 0.5 * (p - s)
            square = half * half + q * r
            root = np.sqrt(abs(square))
            real, imaginary = (root, 0.0) if square >= 0.0 else (0.0, root)
            first, second = real - half, real + half  # value - p and value - s
            if first * first + q * q > second * second + r * r:
                vr, vi, wr, wi = q, 0.0, first, imaginary
            else:
                vr, vi, wr, wi = second, imaginary, r, 0.0
            length = np.sqrt(vr * vr + vi * vi + wr * wr + wi * wi)
            vr, vi, wr, wi = vr / length, vi / length, wr / length, wi / length
            # D = [[v, -w*], [w, v*]]
            D[i, 0, 0, k], D[i, 0, 1, k] = vr, vi
            D[i, 2, 0, k], D[i, 2, 1, k] = wr, wi
            D[i, 1, 0, k + 1], D[i, 1, 1, k + 1] = -wr, wi
            D[i, 0, 0, k + 1], D[i, 0, 1, k + 1] = vr, -vi
            for a in range(k + 2):  # T D: columns k, k + 1
                xr, xi, yr, yi = T[i, 0, a, k], T[i, 1, a, k], T[i, 0, a, k + 1], T[i, 1, a, k + 1]
                T[i, 0, a, k] = xr * vr - xi * vi + yr * wr - yi * wi
                T[i, 1, a, k] = xr * vi + xi * vr + yr * wi + yi * wr
                T[i, 0, a, k + 1] = yr * vr + yi * vi - xr * wr - xi * wi
                T[i, 1, a, k + 1] = yi * vr - yr * vi + xr * wi - xi * wr
            for b in range(k, n):  # D* T: rows k, k + 1
                xr, xi, yr, yi = T[i, 0, k, b], T[i, 1, k, b], T[i, 0, k + 1, b], T[i, 1, k + 1, b]
                T[i, 0, k, b] = xr * vr + xi * vi + yr * wr + yi * wi
                T[i, 1, k, b] = xi * vr - xr * vi + yi * wr - yr * wi
                T[i, 0, k + 1, b] = yr * vr - yi * vi - xr * wr + xi * wi
                T[i, 1, k + 1, b] = yr * vi + yi * vr - xr * wi - xi * wr
            T[i, 0, k + 1, k] = T[i, 1, k + 1, k] = 0.0


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
    R, RS = np.empty((n, n)), np.empty((n, n))
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
            for a in range(b + 1, n):
                F[i, a, b] = 0.0
            F[i, b, b] = 1.0 / R[b, b]
            for a in range(b - 1, -1, -1):
                value = 0.0
                for k in range(a + 1, b + 1):
                    value += R[a, k] * F[i, k, b]
                F[i, a, b] = -value / R[a, a]
        for a in range(n):  # S keeps its pattern: column b ends in row b, or b + 1 within a block
            for b in range(n):
                value = 0.0
                for k in range(a, b + 2 if b + 2 < n else n):
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
