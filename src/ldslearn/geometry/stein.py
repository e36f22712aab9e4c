"""Compiled solver of the Stein equation X = A1' X A2 + G for one system against many at a time.

Both sides are real Schur forms: block upper triangular, with blocks of two rows and columns. X then
follows block by block by substitution. This is backward stable and needs no eigenvectors, so that
defective matrices are no problem. An odd order has a last row and column of zeros.

The second side holds LANES systems side by side, the system last in every array, so that each line
below is a vector instruction. The four entries of a block, of the second side and of X, lie next to
each other: compilers then know that they do not overlap. They are the last axis of two: a single
axis would need a sum of indices that might be negative as far as compilers know, which then load
every lane by itself.

The functions are compiled at their first call, and kept on disk. One compiled function serves all
kernels, distances and Gramians, as its compilation takes longest. Fewer axes and fewer loops take
less time to compile.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ldslearn._compiling import njit
from ldslearn._types import Floats

# Systems side by side. More make the vectorised loops longer, but also the tiles on the diagonal of
# a symmetric problem larger, of which half is not needed.
LANES = 16
_BYTES_IN_CACHE = 2**20  # of solutions that are used at once; few long calls suit threads

OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract"},  # fused multiply-add, and nothing else that changes results
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # callers in C would need it, and there are none
}


@njit(**OPTIONS, no_rewrites=True)  # no expressions of arrays: nothing to rewrite
def solve_lanes(S1, T2, G, sizes, X, Y, norms, solved):  # type: ignore[no-untyped-def]
    """Solve X = S1' X T2 + G for all lanes of every pair of a row and a group.

    Axes are joined as the brackets say. n1 and n2 count blocks.

    Parameters
    ----------
    S1 : ((rows, n1, n1, 4)) array
        Block upper triangular; the entries of a block row by row.
    T2 : ((groups, n2, n2), (4, lanes)) array
    G : ((rows, n1, 2, systems, n2, 2)) array
    sizes : (int, int, int, int)
        rows, n1, systems and n2. There are as many groups as hold all systems.
    X : ((n2, n1), (4, lanes)) array
        Memory for the solution, its columns first.
    Y : (n1, (4, lanes)) array
        Memory for the columns of X T2 that belong to one block.
    norms : ((rows, groups), lanes) array, or an empty one
        |X|_F^2 is added.
    solved : ((n1, 2, n2, 2), (rows, groups, lanes)) array, or an empty one
        The solutions X.
    """
    rows, n1, systems, n2 = sizes
    groups = -(-systems // LANES)
    one, two, three, four = LANES, 2 * LANES, 3 * LANES, 4 * LANES
    for pair in range(rows * groups):
        i, h = pair // groups, pair % groups
        for b in range(n2):
            for a in range(n1):
                x = b * n1 + a
                for p in range(LANES):
                    system = min(h * LANES + p, systems - 1)  # the last one is repeated
                    u = ((i * n1 + a) * 2 * systems + system) * 2 * n2 + 2 * b
                    v = u + systems * 2 * n2
                    X[x, p], X[x, one + p] = G[u], G[u + 1]
                    X[x, two + p], X[x, three + p] = G[v], G[v + 1]
                for p in range(four):
                    Y[a, p] = 0.0
            t = h * n2 * n2 + b
            for k in range(b):
                for a in range(n1):
                    x = k * n1 + a
                    for p in range(LANES):
                        t11, t12 = T2[t, p], T2[t, one + p]
                        t21, t22 = T2[t, two + p], T2[t, three + p]
                        x11, x12 = X[x, p], X[x, one + p]
                        x21, x22 = X[x, two + p], X[x, three + p]
                        Y[a, p] += x11 * t11 + x12 * t21
                        Y[a, one + p] += x11 * t12 + x12 * t22
                        Y[a, two + p] += x21 * t11 + x22 * t21
                        Y[a, three + p] += x21 * t12 + x22 * t22
                t += n2
            for a in range(n1):
                x = b * n1 + a
                s11 = s12 = s21 = s22 = 0.0
                for row in range(a + 1):
                    s = ((i * n1 + row) * n1 + a) * 4
                    s11, s12, s21, s22 = S1[s], S1[s + 1], S1[s + 2], S1[s + 3]
                    for p in range(LANES):
                        y11, y12 = Y[row, p], Y[row, one + p]
                        y21, y22 = Y[row, two + p], Y[row, three + p]
                        X[x, p] += s11 * y11 + s21 * y21
                        X[x, one + p] += s11 * y12 + s21 * y22
                        X[x, two + p] += s12 * y11 + s22 * y21
                        X[x, three + p] += s12 * y12 + s22 * y22
                # The block on the diagonal, now of S1 and T2: rows x1 and x2 of X solve
                # x1 P - s21 x2 T = r1 and x2 Q - s12 x1 T = r2 with P = I - s11 T and
                # Q = I - s22 T. P, Q and T commute, so that the determinant is
                # M = P Q - s12 s21 T^2, a matrix of two rows. I - T trace + T^2 det, which is the
                # same, cancels twice if both systems are slow.
                others = s12 * s21
                for p in range(LANES):
                    t11, t12 = T2[t, p], T2[t, one + p]
                    t21, t22 = T2[t, two + p], T2[t, three + p]
                    r11, r12, r21, r22 = X[x, p], X[x, one + p], X[x, two + p], X[x, three + p]
                    p11, p12, p21, p22 = 1.0 - s11 * t11, -s11 * t12, -s11 * t21, 1.0 - s11 * t22
                    q11, q12, q21, q22 = 1.0 - s22 * t11, -s22 * t12, -s22 * t21, 1.0 - s22 * t22
                    m11 = p11 * q11 + p12 * q21 - others * (t11 * t11 + t12 * t21)
                    m12 = p11 * q12 + p12 * q22 - others * (t11 * t12 + t12 * t22)
                    m21 = p21 * q11 + p22 * q21 - others * (t21 * t11 + t22 * t21)
                    m22 = p21 * q12 + p22 * q22 - others * (t21 * t12 + t22 * t22)
                    inverse = 1.0 / (m11 * m22 - m12 * m21)
                    u1 = r11 * q11 + r12 * q21 + s21 * (r21 * t11 + r22 * t21)
                    u2 = r11 * q12 + r12 * q22 + s21 * (r21 * t12 + r22 * t22)
                    v1 = r21 * p11 + r22 * p21 + s12 * (r11 * t11 + r12 * t21)
                    v2 = r21 * p12 + r22 * p22 + s12 * (r11 * t12 + r12 * t22)
                    x11, x12 = (u1 * m22 - u2 * m21) * inverse, (u2 * m11 - u1 * m12) * inverse
                    x21, x22 = (v1 * m22 - v2 * m21) * inverse, (v2 * m11 - v1 * m12) * inverse
                    X[x, p], X[x, one + p], X[x, two + p], X[x, three + p] = x11, x12, x21, x22
                    Y[a, p] += x11 * t11 + x12 * t21
                    Y[a, one + p] += x11 * t12 + x12 * t22
                    Y[a, two + p] += x21 * t11 + x22 * t21
                    Y[a, three + p] += x21 * t12 + x22 * t22
        if len(norms) > 0:
            for x in range(n1 * n2):
                for entry in range(0, four, LANES):
                    for p in range(LANES):
                        norms[pair, p] += X[x, entry + p] * X[x, entry + p]
        if len(solved) > 0:
            for b in range(n2):
                for a in range(n1):
                    x, u = b * n1 + a, 2 * (2 * a * n2 + b)
                    v = u + 2 * n2
                    for p in range(LANES):
                        q = pair * LANES + p
                        solved[u, q], solved[u + 1, q] = X[x, p], X[x, one + p]
                        solved[v, q], solved[v + 1, q] = X[x, two + p], X[x, three + p]


@njit(**OPTIONS, no_rewrites=True)
def log_abs_determinants(M, order, is_larger, factors, out):  # type: ignore[no-untyped-def]
    """Write log |det M| of many matrices by elimination, all at once.

    Each row is compared with the pivot row, and exchanged with it where its entry is larger. A
    search for the largest entry of all would exchange other rows in each matrix.

    Parameters
    ----------
    M : ((n, n), N) array
        Overwritten.
    order : int
        n, or n - 1 if a row and a column of zeros follow.
    is_larger : (N,) array of bool
    factors : (N,) array
        Memory for one row.
    out : (N,) array
        -inf for a singular matrix, NaN for one with NaN.
    """
    n = order + order % 2
    for k in range(order):
        pivot = k * n
        for row in range(pivot + n, order * n, n):
            for p in range(len(out)):
                a, b = M[pivot + k, p], M[row + k, p]
                is_larger[p] = abs(b) > abs(a)
                large, small = (b, a) if abs(b) > abs(a) else (a, b)
                factors[p] = small / large if large != 0.0 else small  # 0 or NaN
                M[pivot + k, p] = large
            for j in range(k + 1, order):
                for p in range(len(out)):
                    a, b = M[pivot + j, p], M[row + j, p]
                    upper, lower = (b, a) if is_larger[p] else (a, b)
                    M[pivot + j, p] = upper
                    M[row + j, p] = lower - factors[p] * upper
    for p in range(len(out)):  # few logarithms: of products that neither underflow nor overflow
        total, product = 0.0, 1.0
        for k in range(order):
            value = abs(M[k * n + k, p])
            if value > 1e-150 and value < 1e150:
                product *= value
                value = 1.0
                if product < 1e-150 or product > 1e150:
                    value, product = product, 1.0
            if value != 1.0:
                total += np.log(value)
        out[p] = total + np.log(product)


def _solve(
    S1: Floats, T2: Floats, G: Floats, norms: Floats | None = None, solved: Floats | None = None
) -> None:
    """Fill `norms`, (rows, groups * lanes), or `solved`, (2 n1, 2 n2, rows, groups, lanes)."""
    rows, order, systems, other_order = G.shape
    n1, n2 = order // 2, other_order // 2
    for out in (norms, solved):
        assert out is None or out.flags.c_contiguous  # a copy would be filled instead
    if norms is not None:
        norms[...] = 0.0
    nothing = np.empty((0, LANES))
    solve_lanes(
        S1.reshape(-1),
        T2.reshape(-1, 4 * LANES),
        G.reshape(-1),
        (rows, n1, systems, n2),
        np.empty((n2 * n1, 4 * LANES)),
        np.empty((n1, 4 * LANES)),
        nothing if norms is None else norms.reshape(-1, LANES),
        nothing if solved is None else solved.reshape(order * other_order, -1),
    )


def _solve_some_rows(S1: Floats, T2: Floats, G: Floats) -> Iterator[tuple[slice, Floats]]:
    """Yield some rows and their solutions, (2 n1, 2 n2, rows, groups, lanes), which stay in cache.

    The next solutions overwrite them.
    """
    rows, order, _, other_order = G.shape
    entries, groups = order * other_order, len(T2)
    size = min(rows, max(1, _BYTES_IN_CACHE // (8 * entries * groups * LANES)))
    memory = np.empty(entries * size * groups * LANES)
    for start in range(0, rows, size):
        some = slice(start, min(start + size, rows))
        shape = order, other_order, some.stop - start, groups, LANES
        solved = memory[: math.prod(shape)].reshape(shape)
        _solve(S1[some], T2, G[some], solved=solved)
        yield some, solved


def squared_norms(S1: Floats, T2: Floats, G: Floats, out: Floats) -> None:
    """Write |X|_F^2 of every pair to `out`, (rows, groups * lanes).

    S1, (rows, n1, n1, 4), and T2, (groups, n2, n2, 4, lanes), are as in :func:`solve_lanes`; G is
    (rows, 2 n1, systems, 2 n2). All are contiguous.
    """
    _solve(S1, T2, G, norms=out)


def solutions(S1: Floats, T2: Floats, G: Floats, out: Floats) -> None:
    """Write X of every pair to `out`, (rows, groups * lanes, orders of both sides)."""
    first, second = out.shape[2:]
    for some, solved in _solve_some_rows(S1, T2, G):
        found = np.moveaxis(solved[:first, :second], (0, 1), (-2, -1))
        out[some] = found.reshape(out[some].shape)


def own_solutions(S: Floats, T: Floats, G: Floats) -> Floats:
    """Return X of every system with itself, (N, 2 n1, 2 n1).

    S, (N, n1, n1, 4), and T, (groups, n1, n1, 4, lanes), are the same systems on either side; G is
    (N, 2 n1, 2 n1). All pairs of a group are solved, most of them with zeros for G: no other
    function needs to be compiled, and single systems without lanes would take longer.
    """
    X = np.empty_like(G)
    for start in range(0, len(S), LANES):
        some = slice(start, min(start + LANES, len(S)))
        own = np.arange(some.stop - start)
        right = np.zeros((len(own), G.shape[1], len(own), G.shape[2]))
        right[own, :, own] = G[some]
        solved = np.empty((*G.shape[1:], len(own), 1, LANES))
        _solve(S[some], T[start // LANES], right, solved=solved)
        X[some] = np.moveaxis(solved[:, :, own, 0, own], -1, 0)
    return X


def log_determinants(S1: Floats, T2: Floats, G: Floats, out: Floats, *, order: int) -> None:
    """Write log |det X| of every pair to `out`, (rows, groups * lanes); both have that order."""
    assert out.flags.c_contiguous  # a copy would be filled instead
    for some, solved in _solve_some_rows(S1, T2, G):
        found = out[some].reshape(-1)
        is_larger, factors = np.empty(len(found), dtype=np.bool_), np.empty(len(found))
        M = solved.reshape(-1, len(found))
        log_abs_determinants(M, order, is_larger, factors, found)
