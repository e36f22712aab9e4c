"""Compiled solver of the Stein equation X = A1' X A2 + G for one system against many at a time.

Both sides are given in Schur form, so that X follows column by column by substitution. This is
backward stable and needs no eigenvectors, so that defective matrices are no problem. The first side
is real and quasi-triangular (blocks of one or two rows). The second is triangular and complex,
T = D* S D with S its real Schur form and D unitary, made of the same one- or two-row blocks. The
second side holds many systems side by side, the system last in every array ("lanes"), so that each
line below is a vector instruction.

The functions are compiled at their first call, and kept on disk.
"""

from typing import Any

import numpy as np
from numba import njit

OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract"},  # fused multiply-add, and nothing else that changes results
    "error_model": "numpy",
}


@njit(**OPTIONS)
def solve_lanes(S1, T2, D2, G, X, Y):  # type: ignore[no-untyped-def]
    """Solve X = S1' X T2 + G D2 for all lanes at once.

    Parameters
    ----------
    S1 : (n1, n1) array
        Real, quasi-upper triangular.
    T2 : (2, n2, n2, lanes) array
        Upper triangular; real and imaginary parts.
    D2 : (3, 2, n2, lanes) array
        The diagonal of D, the entries above it and below it; real and imaginary parts.
    G : (n1, n2, lanes) array
    X : (2, n2, n1, lanes) array
        Filled with X D2, column by column.
    Y : (2, n1, lanes) array
        Workspace; holds (X T2) of the current column.
    """
    n1, n2, lanes = G.shape
    for b in range(n2):
        Y[:] = 0.0
        for k in range(b):
            for a in range(n1):
                for p in range(lanes):
                    Y[0, a, p] += X[0, k, a, p] * T2[0, k, b, p] - X[1, k, a, p] * T2[1, k, b, p]
                    Y[1, a, p] += X[0, k, a, p] * T2[1, k, b, p] + X[1, k, a, p] * T2[0, k, b, p]
        a = 0
        while a < n1:
            width = 2 if a + 1 < n1 and S1[a + 1, a] != 0.0 else 1
            for c in range(a, a + width):
                for p in range(lanes):
                    X[0, b, c, p] = G[c, b, p] * D2[0, 0, b, p]
                    X[1, b, c, p] = G[c, b, p] * D2[0, 1, b, p]
                if b > 0:
                    for p in range(lanes):
                        X[0, b, c, p] += G[c, b - 1, p] * D2[1, 0, b, p]
                        X[1, b, c, p] += G[c, b - 1, p] * D2[1, 1, b, p]
                if b + 1 < n2:
                    for p in range(lanes):
                        X[0, b, c, p] += G[c, b + 1, p] * D2[2, 0, b, p]
                        X[1, b, c, p] += G[c, b + 1, p] * D2[2, 1, b, p]
                for row in range(a + width):
                    s = S1[row, c]
                    for p in range(lanes):
                        X[0, b, c, p] += s * Y[0, row, p]
                        X[1, b, c, p] += s * Y[1, row, p]
            if width == 1:
                s = S1[a, a]
                for p in range(lanes):
                    zr, zi = T2[0, b, b, p], T2[1, b, b, p]
                    er, ei = 1.0 - s * zr, -s * zi  # x = rhs / (1 - s z)
                    inverse = 1.0 / (er * er + ei * ei)
                    rr, ri = X[0, b, a, p], X[1, b, a, p]
                    xr, xi = (rr * er + ri * ei) * inverse, (ri * er - rr * ei) * inverse
                    X[0, b, a, p], X[1, b, a, p] = xr, xi
                    Y[0, a, p] += xr * zr - xi * zi
                    Y[1, a, p] += xr * zi + xi * zr
            else:
                # (I - z B)(x1, x2) = rhs with B the transposed block, by its adjugate; f and g are
                # the diagonal of I - z B, as 1 - z trace + z^2 det cancels twice for slow pairs
                b11, b12, b21, b22 = S1[a, a], S1[a + 1, a], S1[a, a + 1], S1[a + 1, a + 1]
                others = b12 * b21
                for p in range(lanes):
                    zr, zi = T2[0, b, b, p], T2[1, b, b, p]
                    fr, fi = 1.0 - zr * b11, -zi * b11
                    gr, gi = 1.0 - zr * b22, -zi * b22
                    er = fr * gr - fi * gi - (zr * zr - zi * zi) * others
                    ei = fr * gi + fi * gr - 2.0 * zr * zi * others
                    inverse = 1.0 / (er * er + ei * ei)
                    r1r, r1i = X[0, b, a, p], X[1, b, a, p]
                    r2r, r2i = X[0, b, a + 1, p], X[1, b, a + 1, p]
                    z1r, z1i = zr * r1r - zi * r1i, zr * r1i + zi * r1r
                    z2r, z2i = zr * r2r - zi * r2i, zr * r2i + zi * r2r
                    n1r, n1i = gr * r1r - gi * r1i + b12 * z2r, gr * r1i + gi * r1r + b12 * z2i
                    n2r, n2i = fr * r2r - fi * r2i + b21 * z1r, fr * r2i + fi * r2r + b21 * z1i
                    x1r, x1i = (n1r * er + n1i * ei) * inverse, (n1i * er - n1r * ei) * inverse
                    x2r, x2i = (n2r * er + n2i * ei) * inverse, (n2i * er - n2r * ei) * inverse
                    X[0, b, a, p], X[1, b, a, p] = x1r, x1i
                    X[0, b, a + 1, p], X[1, b, a + 1, p] = x2r, x2i
                    Y[0, a, p] += x1r * zr - x1i * zi
                    Y[1, a, p] += x1r * zi + x1i * zr
                    Y[0, a + 1, p] += x2r * zr - x2i * zi
                    Y[1, a + 1, p] += x2r * zi + x2i * zr
            a += width


@njit(**OPTIONS)
def undo_rotation(X, D2, out):  # type: ignore[no-untyped-def]
    """Write the real solutions, (X D2) D2*, to `out`, (lanes, n1, n2)."""
    n2, n1, lanes = X.shape[1:]
    for b in range(n2):  # column b of X is held by columns b - 1, b and b + 1 of X D2
        for a in range(n1):
            for p in range(lanes):
                real = X[0, b, a, p] * D2[0, 0, b, p] + X[1, b, a, p] * D2[0, 1, b, p]
                if b > 0:
                    real += X[0, b - 1, a, p] * D2[2, 0, b - 1, p]
                    real += X[1, b - 1, a, p] * D2[2, 1, b - 1, p]
                if b + 1 < n2:
                    real += X[0, b + 1, a, p] * D2[1, 0, b + 1, p]
                    real += X[1, b + 1, a, p] * D2[1, 1, b + 1, p]
                out[p, a, b] = real


@njit(**OPTIONS)
def log_abs_determinant(M):  # type: ignore[no-untyped-def]
    """Return log |det M| by elimination with row pivoting; M is overwritten."""
    n = M.shape[0]
    total = 0.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(M[i, k]) > abs(M[pivot, k]):
                pivot = i
        if M[pivot, k] == 0.0:
            return -np.inf
        if pivot != k:
            for j in range(k, n):
                M[k, j], M[pivot, j] = M[pivot, j], M[k, j]
        total += np.log(abs(M[k, k]))
        for i in range(k + 1, n):
            factor = M[i, k] / M[k, k]
            for j in range(k + 1, n):
                M[i, j] -= factor * M[k, j]
    return total


@njit(**OPTIONS)
def squared_norms(S1, T2, D2, G, out):  # type: ignore[no-untyped-def]
    """Write |X|_F^2 of every pair to `out`.

    Parameters
    ----------
    S1 : (rows, n1, n1) array
    T2 : (groups, 2, n2, n2, lanes) array
    D2 : (groups, 3, 2, n2, lanes) array
    G : (rows, n1, groups, n2, lanes) array
    out : (rows, groups * lanes) array
    """
    rows, n1, groups, n2, lanes = G.shape
    X, Y = np.empty((2, n2, n1, lanes)), np.empty((2, n1, lanes))
    for i in range(rows):
        for g in range(groups):
            solve_lanes(S1[i], T2[g], D2[g], G[i, :, g], X, Y)
            total = out[i, g * lanes : (g + 1) * lanes]
            total[:] = 0.0
            for part in range(2):
                for b in range(n2):
                    for a in range(n1):
                        for p in range(lanes):
                            total[p] += X[part, b, a, p] * X[part, b, a, p]


@njit(**OPTIONS)
def log_determinants(S1, T2, D2, G, out):  # type: ignore[no-untyped-def]
    """Write log |det X| of every pair to `out`; shapes as in :func:`squared_norms`, n1 = n2."""
    rows, n1, groups, n2, lanes = G.shape
    X, Y = np.empty((2, n2, n1, lanes)), np.empty((2, n1, lanes))
    M = np.empty((lanes, n1, n2))
    for i in range(rows):
        for g in range(groups):
            solve_lanes(S1[i], T2[g], D2[g], G[i, :, g], X, Y)
            undo_rotation(X, D2[g], M)
            for p in range(lanes):
                out[i, g * lanes + p] = log_abs_determinant(M[p])


@njit(**OPTIONS)
def solutions(S1, T2, D2, G, out):  # type: ignore[no-untyped-def]
    """Write X of every pair to `out`, (rows, groups * lanes, n1, n2)."""
    rows, n1, groups, n2, lanes = G.shape
    X, Y = np.empty((2, n2, n1, lanes)), np.empty((2, n1, lanes))
    for i in range(rows):
        for g in range(groups):
            solve_lanes(S1[i], T2[g], D2[g], G[i, :, g], X, Y)
            undo_rotation(X, D2[g], out[i, g * lanes : (g + 1) * lanes])
