"""Compiled products and factors of many small square matrices at once.

The last axis of every array counts systems, so that one instruction serves several of them. Results
are written to memory that is given.
"""

from typing import Any

import numpy as np

from ldslearn._compiling import njit

OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract", "reassoc"},  # sums in any order, so that they vectorise
    "error_model": "numpy",
}


@njit(**OPTIONS)
def multiply(X, Y, out):  # type: ignore[no-untyped-def]
    """Write X Y."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(n):
            for s in range(n_systems):
                out[i, j, s] = X[i, 0, s] * Y[0, j, s]
            for k in range(1, n):
                for s in range(n_systems):
                    out[i, j, s] += X[i, k, s] * Y[k, j, s]


@njit(**OPTIONS)
def multiply_lower(X, L, out):  # type: ignore[no-untyped-def]
    """Write X L, for a lower triangular L."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(n):
            for s in range(n_systems):
                out[i, j, s] = X[i, j, s] * L[j, j, s]
            for k in range(j + 1, n):
                for s in range(n_systems):
                    out[i, j, s] += X[i, k, s] * L[k, j, s]


@njit(**OPTIONS)
def multiply_transposed(X, Y, out):  # type: ignore[no-untyped-def]
    """Write X' Y."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(n):
            for s in range(n_systems):
                out[i, j, s] = X[0, i, s] * Y[0, j, s]
            for k in range(1, n):
                for s in range(n_systems):
                    out[i, j, s] += X[k, i, s] * Y[k, j, s]


@njit(**OPTIONS)
def add_transposed_product(X, Y, out):  # type: ignore[no-untyped-def]
    """Add X' Y."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(n):
            for k in range(n):
                for s in range(n_systems):
                    out[i, j, s] += X[k, i, s] * Y[k, j, s]


@njit(**OPTIONS)
def complement_product(X, Y, out):  # type: ignore[no-untyped-def]
    """Write I - X Y'."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(n):
            for s in range(n_systems):
                out[i, j, s] = 1.0 if i == j else 0.0
            for k in range(n):
                for s in range(n_systems):
                    out[i, j, s] -= X[i, k, s] * Y[j, k, s]


@njit(**OPTIONS)
def square(X, out):  # type: ignore[no-untyped-def]
    """Write X X'."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(i + 1):
            for s in range(n_systems):
                out[i, j, s] = X[i, 0, s] * X[j, 0, s]
            for k in range(1, n):
                for s in range(n_systems):
                    out[i, j, s] += X[i, k, s] * X[j, k, s]
            for s in range(n_systems):
                out[j, i, s] = out[i, j, s]


@njit(**OPTIONS)
def multiply_vector(X, y, out):  # type: ignore[no-untyped-def]
    """Write X y."""
    n, _, n_systems = X.shape
    for i in range(n):
        for s in range(n_systems):
            out[i, s] = X[i, 0, s] * y[0, s]
        for k in range(1, n):
            for s in range(n_systems):
                out[i, s] += X[i, k, s] * y[k, s]


@njit(**OPTIONS)
def factor_sum(X, Y, K):  # type: ignore[no-untyped-def]
    """Write the lower triangular K with K K' = I + X' Y, which is symmetric and positive."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(i + 1):
            for s in range(n_systems):
                K[i, j, s] = 1.0 if i == j else 0.0
            for k in range(n):
                for s in range(n_systems):
                    K[i, j, s] += X[k, i, s] * Y[k, j, s]
            for k in range(j):
                for s in range(n_systems):
                    K[i, j, s] -= K[i, k, s] * K[j, k, s]
            if i == j:
                for s in range(n_systems):  # a pivot is at least 1, but for rounding
                    K[i, j, s] = np.sqrt(max(K[i, j, s], 1.0))
            else:
                for s in range(n_systems):
                    K[i, j, s] /= K[j, j, s]


@njit(**OPTIONS)
def divide_right(X, K, out):  # type: ignore[no-untyped-def]
    """Write X K'^-1, for a lower triangular K."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(n):
            for s in range(n_systems):
                out[i, j, s] = X[i, j, s]
            for k in range(j):
                for s in range(n_systems):
                    out[i, j, s] -= out[i, k, s] * K[j, k, s]
            for s in range(n_systems):
                out[i, j, s] /= K[j, j, s]


@njit(**OPTIONS)
def divide_right_lower(X, K):  # type: ignore[no-untyped-def]
    """Replace X by X K^-1, for a lower triangular K."""
    n, _, n_systems = X.shape
    for i in range(n):
        for j in range(n - 1, -1, -1):
            for k in range(j + 1, n):
                for s in range(n_systems):
                    X[i, j, s] -= X[i, k, s] * K[k, j, s]
            for s in range(n_systems):
                X[i, j, s] /= K[j, j, s]


@njit(**OPTIONS)
def triangularize(M, v, sums, lengths):  # type: ignore[no-untyped-def]
    """Rotate the rows of (2 n, n) matrices to their triangular factors R, in the first n rows.

    The lower half is upper triangular, and is so used: column j has rows j to n + j.
    """
    _, n, n_systems = M.shape
    for j in range(n):
        for s in range(n_systems):
            lengths[s] = 0.0
        for i in range(j, n + j + 1):
            for s in range(n_systems):
                v[i, s] = M[i, j, s]
                lengths[s] += v[i, s] * v[i, s]
        for s in range(n_systems):
            length = np.sqrt(lengths[s])
            length = -length if v[j, s] > 0.0 else length
            v[j, s] -= length
            # 2 / |v|^2; a column of zeros stays as it is.
            lengths[s] = -1.0 / (length * v[j, s]) if length != 0.0 else 0.0
        for c in range(j, n):
            for s in range(n_systems):
                sums[s] = v[j, s] * M[j, c, s]
            for i in range(j + 1, n + j + 1):
                for s in range(n_systems):
                    sums[s] += v[i, s] * M[i, c, s]
            for s in range(n_systems):
                sums[s] *= lengths[s]
            for i in range(j, n + j + 1):
                for s in range(n_systems):
                    M[i, c, s] -= v[i, s] * sums[s]
