"""Compiled products and factors of small square matrices, written to memory that is given."""

from typing import Any

import numpy as np
from numba import njit

OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract", "reassoc"},  # sums in any order, so that they vectorise
    "error_model": "numpy",
}


@njit(**OPTIONS)
def multiply(X, Y, out):  # type: ignore[no-untyped-def]
    """Write X Y."""
    n = len(X)
    for i in range(n):
        for j in range(n):
            out[i, j] = 0.0
        for k in range(n):
            factor = X[i, k]
            for j in range(n):
                out[i, j] += factor * Y[k, j]


@njit(**OPTIONS)
def multiply_transposed(X, Y, out):  # type: ignore[no-untyped-def]
    """Write X' Y."""
    n = len(X)
    for i in range(n):
        for j in range(n):
            out[i, j] = 0.0
    for k in range(n):
        for i in range(n):
            factor = X[k, i]
            for j in range(n):
                out[i, j] += factor * Y[k, j]


@njit(**OPTIONS)
def square(X, out):  # type: ignore[no-untyped-def]
    """Write X X'."""
    n = len(X)
    for i in range(n):
        for j in range(i + 1):
            value = 0.0
            for k in range(n):
                value += X[i, k] * X[j, k]
            out[i, j] = out[j, i] = value


@njit(**OPTIONS)
def multiply_vector(X, y, out):  # type: ignore[no-untyped-def]
    """Write X y."""
    for i in range(len(X)):
        value = 0.0
        for k in range(len(X)):
            value += X[i, k] * y[k]
        out[i] = value


@njit(**OPTIONS)
def factor_sum(X, Y, K):  # type: ignore[no-untyped-def]
    """Write the lower triangular K with K K' = I + X' Y, which is symmetric and positive."""
    n = len(X)
    for i in range(n):
        for j in range(i + 1):
            K[i, j] = 1.0 if i == j else 0.0
    for k in range(n):
        for i in range(n):
            factor = X[k, i]
            for j in range(i + 1):
                K[i, j] += factor * Y[k, j]
    for i in range(n):
        for j in range(i + 1):
            value = K[i, j]
            for k in range(j):
                value -= K[i, k] * K[j, k]
            # A pivot is at least 1, but for rounding.
            K[i, j] = np.sqrt(max(value, 1.0)) if i == j else value / K[j, j]


@njit(**OPTIONS)
def divide_right(X, K, out):  # type: ignore[no-untyped-def]
    """Write X K'^-1, for a lower triangular K; `out` may be X."""
    n = len(X)
    for i in range(n):
        for j in range(n):
            value = X[i, j]
            for k in range(j):
                value -= out[i, k] * K[j, k]
            out[i, j] = value / K[j, j]


@njit(**OPTIONS)
def triangularize(M, v, s):  # type: ignore[no-untyped-def]
    """Rotate the rows of a (2 n, n) matrix to its triangular factor R, in its first n rows.

    The lower half is upper triangular, and is so used: column j has rows j to n + j.
    """
    n = M.shape[1]
    for j in range(n):
        length = 0.0
        for i in range(j, n + j + 1):
            v[i] = M[i, j]
            length += v[i] * v[i]
        length = np.sqrt(length)
        if length > 0.0:
            if v[j] > 0.0:
                length = -length
            v[j] -= length
            scale = -1.0 / (length * v[j])  # 2 / |v|^2
            for c in range(j, n):
                s[c] = 0.0
            for i in range(j, n + j + 1):
                factor = v[i] * scale
                for c in range(j, n):
                    s[c] += factor * M[i, c]
            for i in range(j, n + j + 1):
                factor = v[i]
                for c in range(j, n):
                    M[i, c] -= factor * s[c]
