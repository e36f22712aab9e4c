"""Compiled orthogonal matching pursuit on a Gram matrix."""

import numpy as np

from ldslearn._compiling import njit
from ldslearn.coding.cholesky import (
    OPTIONS,
    append_row,
    back_substitute,
    grow_if_full,
    multiply_active,
)


@njit(**OPTIONS)
def pursue_rows(K, cross, excluded, n_nonzero, codes, residuals):  # type: ignore[no-untyped-def]
    """Fill `codes` with at most `n_nonzero` coefficients per row, one atom after another.

    The next atom is the one whose angle to the residual is smallest; coefficients are those of
    least squares on the atoms chosen. Stops early where the residual is orthogonal to all atoms.
    `residuals` are the largest correlations left on chosen atoms.
    """
    n_atoms = len(K)
    active = np.empty(n_atoms, dtype=np.int64)
    c, w, y = np.empty(n_atoms), np.empty(n_atoms), np.empty(n_atoms)
    L = np.empty((min(n_nonzero, n_atoms), min(n_nonzero, n_atoms)))
    for i in range(len(cross)):
        k, n_active = cross[i], 0
        out = excluded[i % len(excluded)].copy()
        negligible = 1e-14 * np.abs(k).max()
        for j in range(n_atoms):
            c[j] = k[j]
        while n_active < n_nonzero:
            best, best_score = -1, 0.0
            for j in range(n_atoms):
                if not out[j] and K[j, j] > 0.0 and abs(c[j]) > negligible:
                    score = c[j] * c[j] / K[j, j]
                    if score > best_score:
                        best, best_score = j, score
            if best < 0:
                break
            out[best] = True
            L = grow_if_full(L, n_active)
            if append_row(K, active, n_active, L, best, y, k[best]):
                active[n_active] = best
                n_active += 1
                back_substitute(L, n_active, y, w)
                multiply_active(K, active, n_active, w, c)
                for j in range(n_atoms):
                    c[j] = k[j] - c[j]
        codes[i] = 0.0
        residuals[i] = 0.0
        for a in range(n_active):
            codes[i, active[a]] = w[a]
            residuals[i] = max(residuals[i], abs(c[active[a]]))
