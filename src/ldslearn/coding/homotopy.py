"""Compiled homotopy for the lasso on a Gram matrix: exact, one breakpoint at a time.

With c = k - K z the correlations of the residual, z minimises z'Kz - 2 z'k + sparsity |z|_1 when
c_j = bound sign(z_j) on the active atoms and |c_j| <= bound on the others; bound = sparsity / 2.
Start where a solution is known and move the problem linearly to the wanted one: the solution
moves linearly, too, until an atom reaches the bound and joins, or a coefficient reaches zero and
leaves. There are two such starts: z = 0 with the bound at max |k|, which is then lowered; and
any z at all, with k so altered that z is optimal, which is then altered back.
"""

import numpy as np
from numba import njit

from ldslearn.coding.cholesky import (
    OPTIONS,
    append_row,
    append_value,
    back_substitute,
    copy_to,
    grow_if_full,
    multiply_active,
    remove_row,
)

# Roles of an atom: free to join, active, waiting (it depends on the active ones; free again when
# one of them leaves), or barred by the caller.
FREE, ACTIVE, WAITING, BARRED = 0, 1, 2, 3
_ATTEMPTS = 4
_GOOD_ENOUGH = 1e-13  # KKT residual over max |k| at which no further attempt is made
_TRUSTED = 1e-9  # and above which the search has failed
_LARGEST_NUDGE = 1e-3


@njit(**OPTIONS)
def follow(K, start, change, slope, distance, role, nonnegative, max_steps, z, c, bounds, trace):  # type: ignore[no-untyped-def]
    """Move z from the solution of one problem to that of another.

    At time t the bound is ``start + slope t`` and k has changed by ``change t``, t from 0 to
    `distance`. Returns the number of steps taken.

    Parameters
    ----------
    K : (J, J) array
    start, slope, distance : float
    change : (J,) array
    role : (J,) int8 array
        FREE, ACTIVE where z is not zero, or BARRED.
    z, c : (J,) arrays
        Solution and correlations at the start; overwritten by those at the end.
    bounds, trace : (n,) and (n, J) arrays
        The bound and z of the first n breakpoints are written here, the start first.
    """
    n_atoms = len(K)
    active = np.empty(n_atoms, dtype=np.int64)
    signs, goal = np.empty(n_atoms), np.empty(n_atoms)
    w, g = np.empty(n_atoms), np.empty(n_atoms)
    L = np.empty((64, 64))
    n_active = np.int64(0)  # a plain 0 has another type: all below would be compiled twice
    steps, bound, nothing = 0, start, 1e-15 * distance
    for j in range(n_atoms):
        if role[j] == ACTIVE:
            L = grow_if_full(L, n_active)
            if append_row(K, active, n_active, L, j):
                active[n_active] = j
                signs[n_active] = np.sign(z[j])
                append_value(L, n_active, goal, change[j] - slope * signs[n_active])
                n_active += 1
            else:
                role[j] = WAITING
    while True:
        if steps < len(bounds):
            bounds[steps] = bound
            copy_to(trace[steps], z)
        if steps == max_steps or distance <= nothing:
            return steps
        steps += 1
        back_substitute(L, n_active, goal, w)
        multiply_active(K, active, n_active, w, g)
        t, event, sign = distance, np.int64(-1), 0.0
        for j in range(n_atoms):
            if role[j] == FREE:
                rate = change[j] - g[j] - slope
                if rate > 0.0 and bound - c[j] < t * rate:
                    t, event, sign = max(bound - c[j], 0.0) / rate, j, 1.0
                rate = g[j] - change[j] - slope
                if rate > 0.0 and bound + c[j] < t * rate and not nonnegative:
                    t, event, sign = max(bound + c[j], 0.0) / rate, j, -1.0
        for i in range(n_active):
            if w[i] * signs[i] < 0.0 and -z[active[i]] / w[i] <= t:
                t, event, sign = -z[active[i]] / w[i], i, 0.0
        for i in range(n_active):
            z[active[i]] += t * w[i]
        for j in range(n_atoms):
            c[j] += t * (change[j] - g[j])
        bound += slope * t
        distance -= t
        if event < 0:
            distance = 0.0
        elif sign == 0.0:
            z[active[event]] = 0.0
            role[active[event]] = FREE
            remove_row(L, n_active, goal, event)
            n_active -= 1
            for i in range(event, n_active):
                active[i], signs[i] = active[i + 1], signs[i + 1]
            for j in range(n_atoms):
                if role[j] == WAITING:
                    role[j] = FREE
        else:
            L = grow_if_full(L, n_active)
            if append_row(K, active, n_active, L, event):
                active[n_active], signs[n_active] = event, sign
                append_value(L, n_active, goal, change[event] - slope * sign)
                role[event] = ACTIVE
                n_active += 1
            else:
                role[event] = WAITING


@njit(**OPTIONS)
def kkt_violation(c, z, bound, barred, nonnegative):  # type: ignore[no-untyped-def]
    """Return the largest violation of the KKT conditions, in the units of c."""
    worst = 0.0
    for j in range(len(c)):
        if z[j] != 0.0:
            worst = max(worst, abs(c[j] - bound * np.sign(z[j])))
        elif not barred[j]:
            worst = max(worst, (c[j] if nonnegative else abs(c[j])) - bound)
    return worst


@njit(**OPTIONS)
def perturb(k, nudge):  # type: ignore[no-untyped-def]
    """Return k with every entry changed by a different fraction, up to `nudge`: no two tie."""
    out = np.empty(len(k))
    for j in range(len(k)):
        out[j] = k[j] * (1.0 + nudge * np.sin(j + 1.0))
    return out


@njit(**OPTIONS)
def largest_correlation(k, barred):  # type: ignore[no-untyped-def]
    """Return the largest |k_j| of atoms that are not barred."""
    largest = 0.0
    for j in range(len(k)):
        if not barred[j]:
            largest = max(largest, abs(k[j]))
    return largest


@njit(**OPTIONS)
def correct(K, k, bound, barred, nonnegative, max_steps, z):  # type: ignore[no-untyped-def]
    """Move any z to the solution, by altering k back from where z is one; return its residual.

    Errors of rounding and of degenerate steps are removed by starting again from the answer.
    """
    n_atoms = len(K)
    role = np.empty(n_atoms, dtype=np.int8)
    active, w = np.empty(n_atoms, dtype=np.int64), np.empty(n_atoms)
    c, change = np.empty(n_atoms), np.empty(n_atoms)
    best, smallest, largest = z.copy(), np.inf, largest_correlation(k, barred)
    for _ in range(_ATTEMPTS):
        n_active = np.int64(0)
        for j in range(n_atoms):
            if barred[j] or (nonnegative and z[j] < 0.0):
                z[j] = 0.0
            if z[j] != 0.0:
                active[n_active], w[n_active] = j, z[j]
                n_active += 1
        multiply_active(K, active, n_active, w, c)
        for j in range(n_atoms):
            c[j] = k[j] - c[j]
        residual = kkt_violation(c, z, bound, barred, nonnegative)
        if not residual < smallest:
            break
        copy_to(best, z)
        smallest = residual
        if residual <= _GOOD_ENOUGH * largest:
            break
        for j in range(n_atoms):
            role[j] = BARRED if barred[j] else (ACTIVE if z[j] != 0.0 else FREE)
            optimal = bound * np.sign(z[j])
            if z[j] == 0.0:
                optimal = min(c[j], bound) if nonnegative else max(min(c[j], bound), -bound)
            change[j] = c[j] - optimal
            c[j] = optimal
        follow(K, bound, change, 0.0, 1.0, role, nonnegative, max_steps, z, c, c[:0], K[:0])
    copy_to(z, best)
    return smallest


@njit(**OPTIONS)
def descend(K, k, bound, barred, nonnegative, max_steps, z, bounds, trace):  # type: ignore[no-untyped-def]
    """Fill z with the solution by lowering the bound from where it is zero; return the steps."""
    role = np.empty(len(k), dtype=np.int8)
    largest = bound
    for j in range(len(k)):
        role[j] = BARRED if barred[j] else FREE
        if not barred[j]:
            largest = max(largest, k[j] if nonnegative else abs(k[j]))
    z[:] = 0.0
    return follow(
        K, largest, np.zeros_like(k), -1.0, largest - bound, role, nonnegative, max_steps,
        z, k.copy(), bounds, trace,
    )  # fmt: skip


@njit(**OPTIONS)
def code_rows(K, cross, barred, bound, nonnegative, warm, max_steps, codes, residuals):  # type: ignore[no-untyped-def]
    """Fill `codes` and their KKT residuals for every row of `cross`.

    With `warm` the search starts at the codes given. `barred` has one row for all samples, or one
    per sample.
    """
    for i in range(len(cross)):
        k, z, out = cross[i], codes[i], barred[i % len(barred)]
        tolerance = _TRUSTED * largest_correlation(k, out)
        residuals[i] = np.inf
        if warm:
            residuals[i] = correct(K, k, bound, out, nonnegative, max_steps, z)
        nudge, attempt = 0.0, z.copy()
        while not residuals[i] <= tolerance and nudge < _LARGEST_NUDGE:
            # Ties between atoms can cause cycles: perturb k, and then correct.
            descend(K, perturb(k, nudge), bound, out, nonnegative, max_steps, attempt, k[:0], K[:0])
            residual = correct(K, k, bound, out, nonnegative, max_steps, attempt)
            if residual < residuals[i]:
                copy_to(z, attempt)
                residuals[i] = residual
            nudge = 100.0 * nudge if nudge else 1e-9
