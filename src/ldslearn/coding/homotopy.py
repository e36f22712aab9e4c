"""Compiled homotopy for the lasso on a Gram matrix: exact, one breakpoint at a time.

With c = k - K z the correlations of the residual, z minimises z'Kz - 2 z'k + sparsity |z|_1 when
c_j = bound sign(z_j) on the active atoms and |c_j| <= bound on the others; bound = sparsity / 2.
Start where a solution is known and move the problem linearly to the wanted one: the solution
moves linearly, too, until an atom reaches the bound and joins, or a coefficient reaches zero and
leaves. There are two such starts: z = 0 with the bound at max |k|, which is then lowered; and
any z, for a modified k for which z is optimal; k is then moved back to its true value.
"""

import numpy as np

from ldslearn._compiling import njit
from ldslearn.coding.cholesky import (
    OPTIONS,
    append_row,
    back_substitute,
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


@njit(**OPTIONS, inline="always")
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
    n_seen = 0  # atoms that were looked at, whether they are active at the start
    while True:
        event, sign = np.int64(-1), 0.0
        while n_seen < n_atoms and event < 0:  # they join before the first step
            if role[n_seen] == ACTIVE:
                event, sign = np.int64(n_seen), np.sign(z[n_seen])
            n_seen += 1
        if event < 0:
            if steps < len(bounds):
                bounds[steps] = bound
                for j in range(n_atoms):
                    path[steps, j] = z[j]
            if steps == max_steps or time_left <= negligible:
                break
            steps += 1
            back_substitute(L, n_active, goal, w)
            multiply_active(K, active, n_active, w, g)
            t = time_left
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
            # Move to that event.
            for i in range(n_active):
                z[active[i]] += t * w[i]
            for j in range(n_atoms):
                c[j] += t * (change[j] - g[j])
            bound += slope * t
            time_left -= t
        # Apply the event.
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
            if append_row(K, active, n_active, L, event, goal, change[event] - slope * sign):
                active[n_active], signs[n_active] = event, sign
                role[event] = ACTIVE
                n_active += 1
            else:
                role[event] = DEPENDENT
    return steps


@njit(**OPTIONS)
def descend(K, k, bound, excluded, nonnegative, max_steps, z, bounds, path):  # type: ignore[no-untyped-def]
    """Fill z with the solution by lowering the bound from where it is zero; return the steps."""
    role, c, change = np.empty(len(k), dtype=np.int8), np.empty(len(k)), np.empty(len(k))
    largest = bound
    for j in range(len(k)):
        z[j], c[j], change[j], role[j] = 0.0, k[j], 0.0, EXCLUDED
        if not excluded[j]:
            role[j] = FREE
            largest = max(largest, k[j] if nonnegative else abs(k[j]))
    return follow_path(
        K, largest, change, -1.0, largest - bound, role, nonnegative, max_steps, z, c, bounds, path
    )


@njit(**OPTIONS)
def code_rows(K, cross, excluded, bound, nonnegative, warm, max_steps, codes, residuals):  # type: ignore[no-untyped-def]
    """Fill `codes` and their KKT residuals for every row of `cross`.

    With `warm` the search starts at the codes given. `excluded` has one row for all samples, or one
    per sample.

    A solution is found by paths in turn: a descent, unless there are codes to start at, and then
    corrections. A correction starts from the modified problem that z solves, and removes the errors
    of rounding and of degenerate steps of the previous path. Ties between atoms can cause cycles:
    the next descent is for a perturbed k. One call of `follow_path` serves all, which is inlined,
    and takes long to compile.
    """
    n_atoms = len(K)
    role = np.empty(n_atoms, dtype=np.int8)
    z, c, change = np.empty(n_atoms), np.empty(n_atoms), np.empty(n_atoms)
    no_bounds, no_path = residuals[:0], K[:0]
    for i in range(len(cross)):
        one = i % len(excluded)
        residuals[i], smallest, largest = np.inf, np.inf, 0.0
        for j in range(n_atoms):
            z[j] = codes[i, j]
            if not excluded[one, j]:
                largest = max(largest, abs(cross[i, j]))
        size, n_passes, descends = 0.0, 0, not warm
        while True:
            if descends:  # from z = 0, with every entry of k changed by another fraction
                start, slope, smallest, n_passes, descends = bound, -1.0, np.inf, 0, False
                for j in range(n_atoms):
                    z[j], change[j], role[j] = 0.0, 0.0, EXCLUDED
                    c[j] = cross[i, j] * (1.0 + size * np.sin(j + 1.0))
                    if not excluded[one, j]:
                        role[j] = FREE
                        start = max(start, c[j] if nonnegative else abs(c[j]))
                end_time = start - bound
                size = 100.0 * size if size > 0.0 else 1e-9
            else:
                for j in range(n_atoms):
                    c[j] = cross[i, j]
                for j in range(n_atoms):  # c = k - K z
                    factor = z[j]
                    if excluded[one, j] or (nonnegative and factor < 0.0):
                        z[j] = factor = 0.0
                    if factor != 0.0:
                        for a in range(n_atoms):
                            c[a] -= factor * K[j, a]
                residual = 0.0
                for j in range(n_atoms):  # as kkt_violation
                    violation = 0.0
                    if z[j] != 0.0:
                        violation = abs(c[j] - bound * np.sign(z[j]))
                    elif not excluded[one, j]:
                        violation = (c[j] if nonnegative else abs(c[j])) - bound
                    residual = max(residual, violation)
                if residual < residuals[i]:
                    residuals[i] = residual
                    for j in range(n_atoms):
                        codes[i, j] = z[j]
                improves = residual < smallest
                n_passes += 1
                if not improves or residual <= _CONVERGED * largest or n_passes == _MAX_PASSES:
                    if residuals[i] <= _ACCEPTABLE * largest or size >= _LARGEST_PERTURBATION:
                        break
                    descends = True
                    continue
                start, slope, end_time, smallest = bound, 0.0, 1.0, residual
                for j in range(n_atoms):
                    role[j], optimal = ACTIVE, bound * np.sign(z[j])
                    if z[j] == 0.0:
                        role[j] = EXCLUDED if excluded[one, j] else FREE
                        optimal = min(c[j], bound)
                        if not nonnegative:
                            optimal = max(optimal, -bound)
                    change[j] = c[j] - optimal
                    c[j] = optimal
            follow_path(
                K, start, change, slope, end_time, role, nonnegative, max_steps, z, c,
                no_bounds, no_path,
            )  # fmt: skip
