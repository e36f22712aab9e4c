"""Compiled Cholesky factor of a growing set of atoms, L L' = K[active, active].

Below the rows of L an extra row may be carried along: y with L y = right-hand side.
"""

from typing import Any

import numpy as np

from ldslearn._compiling import njit

OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract", "reassoc"},  # sums in any order, so that they vectorise
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # callers in C would need it, and there are none
}
# Of functions that only compiled functions call. Entries for Python would double the time of their
# compilation.
INNER: dict[str, Any] = {
    **OPTIONS,
    "cache": False,
    "no_cpython_wrapper": True,
}

# An atom whose squared distance from the span of the active ones is below this fraction of its
# squared length, times their number, is a combination of them to rounding.
DEPENDENT = 1e-14


@njit(**INNER)
def append_row(K, active, n_active, L, atom, y, value):  # type: ignore[no-untyped-def]
    """Write an atom's row of the factor to ``L[n_active]``; False if it depends on the others.

    y is extended by one entry, for one more right-hand side `value`.
    """
    pivot = K[atom, atom]
    for i in range(n_active):
        entry = K[atom, active[i]]
        for j in range(i):
            entry -= L[i, j] * L[n_active, j]
        entry /= L[i, i]
        L[n_active, i] = entry
        pivot -= entry * entry
        value -= entry * y[i]
    is_independent = pivot > DEPENDENT * (n_active + 1) * K[atom, atom]
    if is_independent:
        L[n_active, n_active] = np.sqrt(pivot)
        y[n_active] = value / L[n_active, n_active]
    return is_independent


@njit(**INNER)
def back_substitute(L, n_active, y, w):  # type: ignore[no-untyped-def]
    """Fill w with the solution of L' w = y."""
    for i in range(n_active):
        w[i] = y[i]
    for i in range(n_active - 1, -1, -1):
        value = w[i] / L[i, i]
        w[i] = value
        for j in range(i):
            w[j] -= value * L[i, j]


@njit(**INNER)
def multiply_active(K, active, n_active, w, out):  # type: ignore[no-untyped-def]
    """Fill `out` with K[:, active] w, four atoms per pass."""
    for j in range(len(out)):
        out[j] = 0.0
    i = 0
    while i + 4 <= n_active:
        w0, w1, w2, w3 = w[i], w[i + 1], w[i + 2], w[i + 3]
        r0, r1, r2, r3 = K[active[i]], K[active[i + 1]], K[active[i + 2]], K[active[i + 3]]
        for j in range(len(out)):
            out[j] += (w0 * r0[j] + w1 * r1[j]) + (w2 * r2[j] + w3 * r3[j])
        i += 4
    while i < n_active:
        w0, r0 = w[i], K[active[i]]
        for j in range(len(out)):
            out[j] += w0 * r0[j]
        i += 1


@njit(**INNER)
def grow_if_full(L, n_active):  # type: ignore[no-untyped-def]
    """Return L, or a larger copy when it is full."""
    larger = L
    if n_active == len(L):
        larger = np.empty((2 * len(L), 2 * len(L)))
        for i in range(len(L)):
            for j in range(len(L)):
                larger[i, j] = L[i, j]
    return larger
