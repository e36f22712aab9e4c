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

from collections.abc import Iterator
from typing import Any

import numpy as np

from ldslearn._compiling import njit
from ldslearn._types import Floats

_BYTES_IN_CACHE = 2**17  # of solutions that are used at once

OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract"},  # fused multiply-add, and nothing else that changes results
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # callers in C would need it, and there are none
}


@njit(**OPTIONS, no_rewrites=True)  # no expressions of arrays: nothing to rewrite
def solve_lanes(S1, T2, D2, G, sizes, is_own, X, Y, norms, solved):  # type: ignore[no-untyped-def]
    """Solve X = S1' X T2 + G D2 for all lanes of every pair of a row and a group.

    Axes other than the lanes are joined to one, in the order given. Fewer axes and fewer loops take
    less time to compile.

    Parameters
    ----------
    S1 : (rows n1 n1,) array
        Real, quasi-upper triangular.
    T2 : (groups 2 n2 n2, lanes) array
        Upper triangular; real and imaginary parts.
    D2 : (groups 3 2 n2, lanes) array
        The entries above the diagonal of D, on it and below it; real and imaginary parts.
    G : (rows n1 groups n2, lanes) array
    sizes : (int, int, int, int, int)
        rows, n1, groups, n2 and lanes.
    is_own : bool
        The equations are those of each row with its own group: `groups` is 1.
    X : (n2 n1 + 1, 2 lanes) array
        Memory for X D2, column by column: real parts, then imaginary parts. The last row is that
        of a row without a partner, and is zero.
    Y : (n1 + 1, 2 lanes) array
        Memory for X T2 of the current column. Its last row is zero, too.
    norms : (rows groups, lanes) array, or one of no rows
        |X|_F^2 is added.
    solved : (rows groups n1 n2, lanes) array, or one of no rows
        The real solutions X are added.
    """
    rows, n1, groups, n2, lanes = sizes
    for pair in range(rows * groups):
        i, h = pair // groups, pair % groups
        g = i if is_own else h
        for p in range(2 * lanes):  # NaN after a pair without a solution
            X[n2 * n1, p] = Y[n1, p] = 0.0
        for b in range(n2):
            for a in range(n1):
                x = b * n1 + a
                for p in range(2 * lanes):
                    X[x, p] = Y[a, p] = 0.0
                for part in range(3):  # column b of D is zero but in rows b - 1, b and b + 1
                    q = b + part - 1
                    if q >= 0 and q < n2:
                        u = ((i * n1 + a) * groups + h) * n2 + q
                        d = (3 * g + part) * 2 * n2 + b
                        for p in range(lanes):
                            X[x, p] += G[u, p] * D2[d, p]
                            X[x, lanes + p] += G[u, p] * D2[d + n2, p]
            t = 2 * g * n2 * n2 + b  # entry (k, b) of T; the imaginary part is n2 n2 further on
            for k in range(b):
                for a in range(n1):
                    x = k * n1 + a
                    for p in range(lanes):
                        tr, ti = T2[t, p], T2[t + n2 * n2, p]
                        xr, xi = X[x, p], X[x, lanes + p]
                        Y[a, p] += xr * tr - xi * ti
                        Y[a, lanes + p] += xr * ti + xi * tr
                t += n2
            a = 0
            while a < n1:
                # Rows a and a + 1 at once, whether they are a block or two real eigenvalues. A row
                # is alone if it is the last, or if a block follows: the other is the row of zeros.
                s = (i * n1 + a) * n1 + a
                b11 = S1[s]
                b12 = b21 = b22 = 0.0
                x, width = b * n1 + a, 1
                a2, x2 = n1, n2 * n1
                if a + 1 < n1 and (a + 2 == n1 or S1[s + 2 * n1 + 1] == 0.0):
                    b12, b21, b22 = S1[s + n1], S1[s + 1], S1[s + n1 + 1]
                    width, a2, x2 = 2, a + 1, x + 1
                for c in range(width):
                    for row in range(a + width):
                        entry = S1[(i * n1 + row) * n1 + a + c]
                        for p in range(2 * lanes):
                            X[x + c, p] += entry * Y[row, p]
                # (I - z B)(x1, x2) = rhs with B the transposed block, by its adjugate; f and g are
                # the diagonal of I - z B, as 1 - z trace + z^2 det cancels twice for slow pairs
                others = b12 * b21
                for p in range(lanes):
                    o = lanes + p
                    zr, zi = T2[t, p], T2[t + n2 * n2, p]
                    fr, fi = 1.0 - zr * b11, -zi * b11
                    gr, gi = 1.0 - zr * b22, -zi * b22
                    er = fr * gr - fi * gi - (zr * zr - zi * zi) * others
                    ei = fr * gi + fi * gr - 2.0 * zr * zi * others
                    inverse = 1.0 / (er * er + ei * ei)
                    r1r, r1i = X[x, p], X[x, o]
                    r2r, r2i = X[x2, p], X[x2, o]
                    z1r, z1i = zr * r1r - zi * r1i, zr * r1i + zi * r1r
                    z2r, z2i = zr * r2r - zi * r2i, zr * r2i + zi * r2r
                    n1r, n1i = gr * r1r - gi * r1i + b12 * z2r, gr * r1i + gi * r1r + b12 * z2i
                    n2r, n2i = fr * r2r - fi * r2i + b21 * z1r, fr * r2i + fi * r2r + b21 * z1i
                    x1r, x1i = (n1r * er + n1i * ei) * inverse, (n1i * er - n1r * ei) * inverse
                    x2r, x2i = (n2r * er + n2i * ei) * inverse, (n2i * er - n2r * ei) * inverse
                    X[x, p], X[x, o] = x1r, x1i
                    X[x2, p], X[x2, o] = x2r, x2i
                    Y[a, p] += x1r * zr - x1i * zi
                    Y[a, o] += x1r * zi + x1i * zr
                    Y[a2, p] += x2r * zr - x2i * zi
                    Y[a2, o] += x2r * zi + x2i * zr
                a += width
        if len(norms) > 0:
            for x in range(n2 * n1):
                for p in range(lanes):
                    xr, xi = X[x, p], X[x, lanes + p]
                    norms[pair, p] += xr * xr + xi * xi
        if len(solved) > 0:
            for b in range(n2):  # column b of (X D2) D2* takes columns b - 1, b and b + 1 of X D2
                for part in range(3):
                    q = b + 1 - part
                    if q >= 0 and q < n2:
                        d = (3 * g + part) * 2 * n2 + q
                        for a in range(n1):
                            x, u = q * n1 + a, (pair * n1 + a) * n2 + b
                            for p in range(lanes):
                                solved[u, p] += X[x, p] * D2[d, p] + X[x, lanes + p] * D2[d + n2, p]


@njit(**OPTIONS, no_rewrites=True)
def log_abs_determinants(M, n, work, out):  # type: ignore[no-untyped-def]
    """Write log |det M| of many matrices by elimination with row pivoting, all lanes at once.

    Parameters
    ----------
    M : (N n n, lanes) array
        Overwritten.
    n : int
    work : (2, lanes) array
        Memory for the pivots of a column and for their rows.
    out : (N, lanes) array
        -inf for a singular matrix, NaN for one with NaN.
    """
    lanes = M.shape[1]
    for s in range(len(out)):
        start = s * n * n
        for k in range(n):
            own = start + k * n  # row k
            for p in range(lanes):
                work[0, p], work[1, p] = abs(M[own + k, p]), own
            for i in range(k + 1, n):
                row = start + i * n
                for p in range(lanes):
                    value, largest = abs(M[row + k, p]), work[0, p]
                    work[0, p] = value if value > largest else largest
                    work[1, p] = row if value > largest else work[1, p]
            for p in range(lanes):
                pivot = int(work[1, p])
                if pivot != own:
                    for j in range(k, n):
                        M[own + j, p], M[pivot + j, p] = M[pivot + j, p], M[own + j, p]
                # A column of zeros is eliminated already.
                work[0, p] = M[own + k, p] if work[0, p] != 0.0 else 1.0
            for i in range(k + 1, n):
                row = start + i * n
                for p in range(lanes):
                    M[row + k, p] /= work[0, p]
                for j in range(k + 1, n):
                    for p in range(lanes):
                        M[row + j, p] -= M[row + k, p] * M[own + j, p]
        for p in range(lanes):  # few logarithms: of products that neither underflow nor overflow
            total, product = 0.0, 1.0
            for k in range(n):
                value = abs(M[start + k * n + k, p])
                if value > 1e-150 and value < 1e150:
                    product *= value
                    value = 1.0
                    if product < 1e-150 or product > 1e150:
                        value, product = product, 1.0
                if value != 1.0:
                    total += np.log(value)
            out[s, p] = total + np.log(product)


def _solve(
    S1: Floats,
    T2: Floats,
    D2: Floats,
    G: Floats,
    is_own: bool = False,
    norms: Floats | None = None,
    solved: Floats | None = None,
) -> None:
    """Fill `norms`, (rows, groups * lanes), or `solved`, (rows, groups, n1, n2, lanes)."""
    _, n1, _, n2, lanes = G.shape
    X, Y = np.empty((n2 * n1 + 1, 2 * lanes)), np.empty((n1 + 1, 2 * lanes))
    for out in (norms, solved):
        if out is not None:
            assert out.flags.c_contiguous  # a copy would be filled instead
            out[...] = 0.0
    nothing = np.empty((0, lanes))
    solve_lanes(
        S1.reshape(-1),
        *(side.reshape(-1, lanes) for side in (T2, D2, G)),
        G.shape,
        is_own,
        X,
        Y,
        *(nothing if out is None else out.reshape(-1, lanes) for out in (norms, solved)),
    )


def _solve_some_rows(
    S1: Floats, T2: Floats, D2: Floats, G: Floats
) -> Iterator[tuple[slice, Floats]]:
    """Yield some rows and their solutions, (rows, groups, n1, n2, lanes), which stay in cache.

    The next solutions overwrite them.
    """
    rows, n1, groups, n2, lanes = G.shape
    size = min(rows, max(1, _BYTES_IN_CACHE // (8 * n1 * groups * n2 * lanes)))
    memory = np.empty((size, groups, n1, n2, lanes))
    for start in range(0, rows, size):
        some = slice(start, min(start + size, rows))
        solved = memory[: some.stop - start]
        _solve(S1[some], T2, D2, G[some], solved=solved)
        yield some, solved


def squared_norms(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write |X|_F^2 of every pair to `out`, (rows, groups * lanes).

    S1 is (rows, n1, n1), T2 (groups, 2, n2, n2, lanes), D2 (groups, 3, 2, n2, lanes) and G
    (rows, n1, groups, n2, lanes), all contiguous; see :func:`solve_lanes`.
    """
    _solve(S1, T2, D2, G, norms=out)


def solutions(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write X of every pair to `out`, (rows, groups * lanes, n1, n2)."""
    for some, solved in _solve_some_rows(S1, T2, D2, G):
        out[some] = np.moveaxis(solved, -1, 2).reshape(out[some].shape)


def own_solutions(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write X of every system with itself to `out`, (N, n, n).

    T2, (N, 2, n, n), and D2, (N, 3, 2, n), are S1 made triangular; G is (N, n, n).
    """
    _solve(S1, T2, D2, G[:, :, None, :, None], is_own=True, solved=out)


def log_determinants(S1: Floats, T2: Floats, D2: Floats, G: Floats, out: Floats) -> None:
    """Write log |det X| of every pair to `out`, (rows, groups * lanes); n1 = n2."""
    assert out.flags.c_contiguous  # a copy would be filled instead
    n, lanes = G.shape[3:]
    work = np.empty((2, lanes))
    for some, solved in _solve_some_rows(S1, T2, D2, G):
        log_abs_determinants(solved.reshape(-1, lanes), n, work, out[some].reshape(-1, lanes))
