"""Compiled solver of the Stein equation X = A1' X A2 + G for one system against many at a time.

Both sides are given in Schur form, so that X follows column by column by substitution. This is
backward stable and needs no eigenvectors, so that defective matrices are no problem. The first side
is real and quasi-triangular (blocks of one or two rows). The second is triangular and complex,
T = D* S D with S its real Schur form and D unitary, made of the same one- or two-row blocks. The
second side holds many systems side by side, the system last in every array ("lanes"), so that each
line below is a vector instruction.

The functions are compiled at their first call, and kept on disk. One compiled function serves all
kernels, distances and Gramians, as its compilation takes longest. Its arrays are contiguous:
compilers take several times as long to optimise loops over strides that they do not know.
"""

from typing import Any

import numpy as np

from ldslearn._compiling import njit
from ldslearn._types import Floats

OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract"},  # fused multiply-add, and nothing else that changes results
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # callers in C would need it, and there are none
}


@njit(**OPTIONS)
def solve_lanes(S1, T2, D2, G, is_own, norms, solved):  # type: ignore[no-untyped-def]
    """Solve X = S1' X T2 + G D2 for all lanes of every pair of a row and a group.

    Parameters
    ----------
    S1 : (rows, n1, n1) array
        Real, quasi-upper triangular.
    T2 : (groups, 2, n2, n2, lanes) array
        Upper triangular; real and imaginary parts.
    D2 : (groups, 3, 2, n2, lanes) array
        The diagonal of D, the entries above it and below it; real and imaginary parts.
    G : (rows, n1, groups, n2, lanes) array
    is_own : bool
        The equations are those of each row with its own group: `groups` of G is 1.
    norms : (rows, groups * lanes) array, or one of no rows
        Filled with |X|_F^2.
    solved : (rows, groups * lanes, n1, n2) array, or one of no rows
        Filled with the real solutions X.
    """
    rows, n1, groups, n2, lanes = G.shape
    X = np.empty((2, n2, n1, lanes))  # X D2, column by column
    Y = np.empty((2, n1, lanes))  # X T2 of the current column
    for pair in range(rows * groups):
        i, h = pair // groups, pair % groups
        g = i if is_own else h
        for b in range(n2):
            for a in range(n1):
                for p in range(lanes):
                    Y[0, a, p] = Y[1, a, p] = 0.0
            for k in range(b):
                for a in range(n1):
                    for p in range(lanes):
                        tr, ti = T2[g, 0, k, b, p], T2[g, 1, k, b, p]
                        xr, xi = X[0, k, a, p], X[1, k, a, p]
                        Y[0, a, p] += xr * tr - xi * ti
                        Y[1, a, p] += xr * ti + xi * tr
            a = 0
            while a < n1:
                width = 2 if a + 1 < n1 and S1[i, a + 1, a] != 0.0 else 1
                for c in range(a, a + width):
                    for p in range(lanes):
                        X[0, b, c, p] = G[i, c, h, b, p] * D2[g, 0, 0, b, p]
                        X[1, b, c, p] = G[i, c, h, b, p] * D2[g, 0, 1, b, p]
                    for part in range(1, 3):  # D is tridiagonal
                        q = b - 1 if part == 1 else b + 1
                        if q >= 0 and q < n2:
                            for p in range(lanes):
                                X[0, b, c, p] += G[i, c, h, q, p] * D2[g, part, 0, b, p]
                                X[1, b, c, p] += G[i, c, h, q, p] * D2[g, part, 1, b, p]
                    for row in range(a + width):
                        s = S1[i, row, c]
                        for p in range(lanes):
                            X[0, b, c, p] += s * Y[0, row, p]
                            X[1, b, c, p] += s * Y[1, row, p]
                if width == 1:
                    s = S1[i, a, a]
                    for p in range(lanes):
                        zr, zi = T2[g, 0, b, b, p], T2[g, 1, b, b, p]
                        er, ei = 1.0 - s * zr, -s * zi  # x = rhs / (1 - s z)
                        inverse = 1.0 / (er * er + ei * ei)
                        rr, ri = X[0, b, a, p], X[1, b, a, p]
                        xr, xi = (rr * er + ri * ei) * inverse, (ri * er - rr * ei) * inverse
                        X[0, b, a, p], X[1, b, a, p] = xr, xi
                        Y[0, a, p] += xr * zr - xi * zi
                        Y[1, a, p] += xr * zi + xi * zr
                else:
                    # (I - z B)(x1, x2) = rhs with B the transposed block, by its adjugate; f and g
                    # are the diagonal of I - z B, as 1 - z trace + z^2 det cancels twice for slow
                    # pairs
                    b11, b12 = S1[i, a, a], S1[i, a + 1, a]
                    b21, b22 = S1[i, a, a + 1], S1[i, a + 1, a + 1]
                    others = b12 * b21
                    for p in range(lanes):
                        zr, zi = T2[g, 0, b, b, p], T2[g, 1, b, b, p]
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
        start = h * lanes
        if len(norms) > 0:
            for p in range(lanes):
                norms[i, start + p] = 0.0
            for b in range(n2):
                for a in range(n1):
                    for p in range(lanes):
                        xr, xi = X[0, b, a, p], X[1, b, a, p]
                        norms[i, start + p] += xr * xr + xi * xi
        if len(solved) > 0:
            for b in range(n2):  # column b of (X D2) D2* takes columns b - 1, b and b + 1 of X D2
                for a in range(n1):
                    for p in range(lanes):
                        real = X[0, b, a, p] * D2[g, 0, 0, b, p] + X[1, b, a, p] * D2[g, 0, 1, b, p]
                        for part in range(1, 3):
                            q = b - 1 if part == 2 else b + 1
                            if q >= 0 and q < n2:
                                real += X[0, q, a, p] * D2[g, part, 0, q, p]
                                real += X[1, q, a, p] * D2[g, part, 1, q, p]
                        solved[i, start + p, a, b] = real


@njit(**OPTIONS)
def log_abs_determinants(M, out):  # type: ignore[no-untyped-def]
    """Write log |det M| of a stack of matrices by elimination with row pivoting.

    Parameters
    ----------
    M : (N, n, n) array
        Overwritten.
    out : (N,) array
    """
    n = M.shape[1]
    for s in range(len(M)):
        total = 0.0
        for k in range(n):
            pivot = k
            for i in range(k + 1, n):
                if abs(M[s, i, k]) > abs(M[s, pivot, k]):
                    pivot = i
            if M[s, pivot, k] == 0.0:
                total = -np.inf
                break
            if pivot != k:
                for j in range(k, n):
                    M[s, k, j], M[s, pivot, j] = M[s, pivot, j], M[s, k, j]
            total += np.log(abs(M[s, k, k]))
            for i in range(k + 1, n):
                factor = M[s, i, k] / M[s, k, k]
                for j in range(k + 1, n):
                    M[s, i, j] -= factor * M[s, k, j]
        out[s] = total


_NO_NORMS, _NO_SOLUTIONS = np.empty((0, 0)), np.empty((0, 0, 0, 0))


def squared_norms(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write |X|_F^2 of every pair to `out`, (rows, groups * lanes); see :func:`solve_lanes`."""
    solve_lanes(S1, T2, D2, G, False, out, _NO_SOLUTIONS)


def solutions(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write X of every pair to `out`, (rows, groups * lanes, n1, n2)."""
    solve_lanes(S1, T2, D2, G, False, _NO_NORMS, out)


def own_solutions(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write X of every system with itself to `out`, (N, n, n).

    T2, (N, 2, n, n), and D2, (N, 3, 2, n), are S1 made triangular; G is (N, n, n).
    """
    solve_lanes(
        S1, T2[..., None], D2[..., None], G[:, :, None, :, None], True, _NO_NORMS, out[:, None]
    )


def log_determinants(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write log |det X| of every pair to `out`, (rows, groups * lanes); n1 = n2."""
    X = np.empty((1, out.shape[1], G.shape[1], G.shape[3]))
    for i in range(len(out)):  # row by row, so that X stays in the cache
        solutions(S1[i : i + 1], T2, D2, G[i : i + 1], X)
        log_abs_determinants(X[0], out[i])
