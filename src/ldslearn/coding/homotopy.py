"""Compiled homotopy for the lasso on a Gram matrix: exact, one breakpoint at a time.

With c = k - K z the correlations of the residual, z minimises z'Kz - 2 z'k + sparsity |z|_1 when
c_j = bound sign(z_j) on the active atoms and |c_j| <= bound on the others; bound = sparsity / 2.
Start where a solution is known and move the problem linearly to the wanted one: the solution
moves linearly, too, until an atom reaches the bound and joins, or a coefficient reaches zero and
leaves. There are two such starts: z = 0 with the bound at max |k|, which is then lowered; and
any z, for a modified k for which z is optimal; k is then moved back to its true value.
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

# Roles of an atom: free to join, active, linearly dependent on the active ones (free again when
# one of them leaves), or excluded by the caller.
FREE, ACTIVE, DEPENDENT, EXCLUDED = 0, 1, 2, 3
_MAX_PASSES = 4
_CONVERGED = 1e-13  # KKT residual, relative to max |k|: stop
_ACCEPTABLE = 1e-9  # a larger one is a failure
_LARGEST_PERTURBATION = 1e-3  # relative, of k


@njit(**OPTIONS)
def follow_path(  # type: ignore[no-untyped-def]
    K, start, change, slope, end_time, role, nonnegative, max_steps, z, c, bounds, path
):
    """Move z from the solution of one problem to that of another.

    At time t the bound is ``start + slope t`` and k has changed by ``change t``, t from 0 to
    `end_time`. Returns the number of steps taken.

    Parameters
    ----------
    K : (J, J) array
    start, slope, end_time : float
    change : (J,) array
    role : (J,) int8 array
        FREE, ACTIVE where z is not zero, or EXCLUDED.
    z, c : (J,) arrays
        Solution and correlations at the start; overwritten by those at the end.
    bounds, path : (n,) and (n, J) arrays
        The bound and z of the first n breakpoints are written here, the start first.
    """
    n_atoms = len(K)
    active = np.empty(n_atoms, dtype=np.int64)
    signs, goal = np.empty(n_atoms), np.empty(n_atoms)
    w, g = np.empty(n_atoms), np.empty(n_atoms)
    L = np.empty((64, 64))
    n_active = np.int64(0)  # a plain 0 has another type: all below would be compiled twice
    steps, bound, time_left, negligible = 0, start, end_time, 1e-15 * end_time
    for j in range(n_atoms):
        if role[j] == ACTIVE:
            L = grow_if_full(L, n_active)
            if append_row(K, active, n_active, L, j):
                active[n_active] = j
                signs[n_active] = np.sign(z[j])
                append_value(L, n_active, goal, change[j] - slope * signs[n_active])
                n_active += 1
            else:
                role[j] = DEPENDENT
    while True:
        if steps < len(bounds):
            bounds[steps] = bound
            copy_to(path[steps], z)
        if steps == max_steps or time_left <= negligible:
            return steps
        steps += 1
        back_substitute(L, n_active, goal, w)
        multiply_active(K, active, n_active, w, g)
        t, event, sign = time_left, np.int64(-1), 0.0
        # The next atom to reach the bound.
        for j in range(n_atoms):
            if role[j] == FREE:
                rate = change[j] - g[j] - slope
                if rate > 0.0 and bound - c[j] < t * rate:
                    t, event, sign = max(bound - c[j], 0.0) / rate, j, 1.0
                rate = g[j] - change[j] - slope
                if rate > 0.0 and bound + c[j] < t * rate and not nonnegative:
                    t, event, sign = max(bound + c[j], 0.0) / rate, j, -1.0
        # The next coefficient to reach zero.
        for i in range(n_active):
            if w[i] * signs[i] < 0.0 and -z[active[i]] / w[i] <= t:
                t, event, sign = -z[active[i]] / w[i], i, 0.0
        # Move to that event, and apply it.
        for i in range(n_active):
            z[active[i]] += t * w[i]
        for j in range(n_atoms):
            c[j] += t * (change[j] - g[j])
        bound += slope * t
        time_left -= t
        if event < 0:
            time_left = 0.0
        elif sign == 0.0:
            z[active[event]] = 0.0
            role[active[event]] = FREE
            remove_row(L, n_active, goal, event)
            n_active -= 1
            for i in range(event, n_active):
                active[i], signs[i] = active[i + 1], signs[i + 1]
            for j in range(n_atoms):
                if role[j] == DEPENDENT:
                    role[j] = FREE
        else:
            L = grow_if_full(L, n_active)
            if append_row(K, active, n_active, L, event):
                active[n_active], signs[n_active] = event, sign
                append_value(L, n_active, goal, change[event] - slope * sign)
                role[event] = ACTIVE
                n_active += 1
            else:
                role[event] = DEPENDENT


@njit(**OPTIONS)
def kkt_violation(c, z, bound, excluded, nonnegative):  # type: ignore[no-untyped-def]
    """Return the largest violation of the KKT conditions, in the units of c."""
    worst = 0.0
    for j in range(len(c)):
        if z[j] != 0.0:
            worst = max(worst, abs(c[j] - bound * np.sign(z[j])))
        elif not excluded[j]:
            worst = max(worst, (c[j] if nonnegative else abs(c[j])) - bound)
    return worst


@njit(**OPTIONS)
def perturb(k, size):  # type: ignore[no-untyped-def]
    """Return k, every entry changed by another fraction up to `size`, to break ties of atoms."""
    perturbed = np.empty(len(k))
    for j in range(len(k)):
        perturbed[j] = k[j] * (1.0 + size * np.sin(j + 1.0))
    return perturbed


@njit(**OPTIONS)
def largest_correlation(k, excluded):  # type: ignore[no-untyped-def]
    """Return the largest |k_j| of atoms that are not excluded."""
    largest = 0.0
    for j in range(len(k)):
        if not excluded[j]:
            largest = max(largest, abs(k[j]))
    return largest


@njit(**OPTIONS)
def correct(K, k, bound, excluded, nonnegative, max_steps, z):  # type: ignore[no-untyped-def]
    """Improve z to the exact solution; return the KKT residual.

    Each pass starts from the modified problem that z solves, and removes the errors of rounding
    and of degenerate steps of the previous pass.
    """
    n_atoms = len(K)
    role = np.empty(n_atoms, dtype=np.int8)
    active, w = np.empty(n_atoms, dtype=np.int64), np.empty(n_atoms)
    c, change = np.empty(n_atoms), np.empty(n_atoms)
    best, smallest, largest = z.copy(), np.inf, largest_correlation(k, excluded)
    for _ in range(_MAX_PASSES):
        n_active = np.int64(0)
        for j in range(n_atoms):
            if excluded[j] or (nonnegative and z[j] < 0.0):
                z[j] = 0.0
            if z[j] != 0.0:
                active[n_active], w[n_active] = j, z[j]
                n_active += 1
        multiply_active(K, active, n_active, w, c)
        for j in range(n_atoms):
            c[j] = k[j] - c[j]
        residual = kkt_violation(c, z, bound, excluded, nonnegative)
        if not residual < smallest:
            break
        copy_to(best, z)
        smallest = residual
        if residual <= _CONVERGED * largest:
            break
        for j in range(n_atoms):
            role[j] = EXCLUDED if excluded[j] else (ACTIVE if z[j] != 0.0 else FREE)
            optimal = bound * np.sign(z[j])
            if z[j] == 0.0:
                optimal = min(c[j], bound) if nonnegative else max(min(c[j], bound), -bound)
            change[j] = c[j] - optimal
            c[j] = optimal
        follow_path(K, bound, change, 0.0, 1.0, role, nonnegative, max_steps, z, c, c[:0], K[:0])
    copy_to(z, best)
    return smallest


@njit(**OPTIONS)
def descend(K, k, bound, excluded, nonnegative, max_steps, z, bounds, path):  # type: ignore[no-untyped-def]
    """Fill z with the solution by lowering the bound from where it is zero; return the steps."""
    role = np.empty(len(k), dtype=np.int8)
    largest = bound
    for j in range(len(k)):
        role[j] = EXCLUDED if excluded[j] else FREE
        if not excluded[j]:
            largest = max(largest, k[j] if nonnegative else abs(k[j]))
    z[:] = 0.0
    return follow_path(
        K, largest, np.zeros_like(k), -1.0, largest - bound, role, nonnegative, max_steps,
        z, k.copy(), bounds, path,
    )  # fmt: skip


@njit(**OPTIONS)
def code_rows(K, cross, excluded, bound, nonnegative, warm, max_steps, codes, residuals):  # type: ignore[no-untyped-def]
    """Fill `codes` and their KKT residuals for every row of `cross`.

    With `warm` the search starts at the codes given. `excluded` has one row for all samples, or one
    per sample.
    """
    for i in range(len(cross)):
        k, z, own = cross[i], codes[i], excluded[i % len(excluded)]
        tolerance = _ACCEPTABLE * largest_correlation(k, own)
        residuals[i] = np.inf
        if warm:
            residuals[i] = correct(K, k, bound, own, nonnegative, max_steps, z)
        size, attempt = 0.0, z.copy()
        while not residuals[i] <= tolerance and size < _LARGEST_PERTURBATION:
            # Ties between atoms can cause cycles: perturb k, and then correct.
            descend(K, perturb(k, size), bound, own, nonnegative, max_steps, attempt, k[:0], K[:0])
            residual = correct(K, k, bound, own, nonnegative, max_steps, attempt)
            if residual < residuals[i]:
                copy_to(z, attempt)
                residuals[i] = residual
            size = 100.0 * size if size else 1e-9
