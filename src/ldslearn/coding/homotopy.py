"""Compiled homotopy for the lasso on a Gram matrix: exact, one breakpoint at a time.

With c = k - K z the correlations of the residual, z minimises z'Kz - 2 z'k + sparsity |z|_1 when
c_j = bound sign(z_j) on the active atoms and |c_j| <= bound on the others; bound = sparsity / 2.
Start where a solution is known and move the problem linearly to the wanted one: the solution
moves linearly, too, until an atom reaches the bound and joins, or a coefficient reaches zero and
leaves. There are two such starts: z = 0 with the bound at max |k|, which is then lowered; and
any z, for a modified k for which z is optimal; k is then moved back to its true value.

One function is compiled, which follows the paths of many samples. Its parts are written out where
they are used, and it is given all memory that it needs: otherwise its compilation takes twice as
long. What is done between paths is NumPy, for all samples at once.
"""

import numpy as np
from numpy.typing import NDArray

from ldslearn._compiling import njit
from ldslearn._types import Floats, Indices
from ldslearn.coding.cholesky import DEPENDENT as NEGLIGIBLE_PIVOT
from ldslearn.coding.cholesky import OPTIONS

# Roles of an atom: free to join, active, linearly dependent on the active ones (free again when
# one of them leaves), or excluded by the caller.
FREE, ACTIVE, DEPENDENT, EXCLUDED = 0, 1, 2, 3
_MAX_PASSES = 4
_CONVERGED = 1e-13  # KKT residual, relative to max |k|: stop
_ACCEPTABLE = 1e-9  # a larger one is a failure
_PERTURBATIONS = (0.0, 1e-9, 1e-7, 1e-5)  # relative, of k, of one descent after another


@njit(**OPTIONS, no_rewrites=True)  # no expressions of arrays: nothing to rewrite
def follow_paths(  # type: ignore[no-untyped-def]
    K, k, starts, slope, end_times, changes, roles, nonnegative, max_steps, codes, correlations,
    bounds, path, active, signs, y, w, g, L,
):  # fmt: skip
    """Move codes from the solution of one problem to that of another, sample by sample.

    At time t the bound is ``start + slope t`` and k has changed by ``change t``, t from 0 to the
    end time. Returns the number of steps taken by the last sample.

    Parameters
    ----------
    K : (J, J) array
    k : (N, J) array
        Kernels with the atoms at the end.
    starts, end_times : (N,) arrays
    slope : float
    changes : (N, J) array
    roles : (N, J) int8 array
        FREE, ACTIVE where the code is not zero, or EXCLUDED.
    nonnegative : bool
    max_steps : int
    codes, correlations : (N, J) arrays
        Solution and correlations at the start. Overwritten by the solution at the end, and by
        k - K z, computed anew from it.
    bounds, path : (n,) and (n, J) arrays
        The bound and z of the breakpoints are written here, the start first. Without room for all
        of them, the last row is that of the end.
    active, signs, y, w, g, L : (J,) arrays, the first of int64, and a (J, J) array
        Memory: active atoms and their signs, L L' = K[active, active], L y = right-hand side,
        L' w = y, and K[:, active] w.
    """
    n_atoms, last, steps = len(K), len(bounds) - 1, 0
    for s in range(len(codes)):
        z, c = codes[s], correlations[s]
        change, role = changes[s], roles[s]
        bound, time_left = starts[s], end_times[s]
        steps = n_active = 0
        negligible = 1e-15 * time_left
        has_left = False  # an active atom, since the last step
        n_seen = 0  # atoms that were looked at, whether they are active at the start
        while True:
            event, sign = -1, 0.0
            while n_seen < n_atoms and event < 0:  # they join before the first step
                if role[n_seen] == ACTIVE:
                    event, sign = n_seen, 1.0 if z[n_seen] > 0.0 else -1.0
                n_seen += 1
            if event < 0:
                kept = steps if steps < last else last
                bounds[kept] = bound
                is_over = steps == max_steps or time_left <= negligible
                sign_of_k = -1.0 if is_over else 0.0
                for j in range(n_atoms):
                    path[kept, j] = z[j]
                    g[j] = sign_of_k * k[s, j]
                if is_over:
                    n_active = 0  # dependent atoms count, too
                    for j in range(n_atoms):
                        if nonnegative and z[j] < 0.0:
                            z[j] = 0.0
                        if z[j] != 0.0:
                            active[n_active], w[n_active] = j, z[j]
                            n_active += 1
                else:
                    for i in range(n_active):
                        w[i] = y[i]
                    for i in range(n_active - 1, -1, -1):
                        rate = w[i] / L[i, i]
                        w[i] = rate
                        for j in range(i):
                            w[j] -= rate * L[i, j]
                n_fours = n_active & -4
                for i in range(0, n_fours, 4):  # four atoms per pass over g
                    w0, a0 = w[i], active[i]
                    w1, a1 = w[i + 1], active[i + 1]
                    w2, a2 = w[i + 2], active[i + 2]
                    w3, a3 = w[i + 3], active[i + 3]
                    for j in range(n_atoms):
                        g[j] += (w0 * K[a0, j] + w1 * K[a1, j]) + (w2 * K[a2, j] + w3 * K[a3, j])
                for i in range(n_fours, n_active):
                    w0, a0 = w[i], active[i]
                    for j in range(n_atoms):
                        g[j] += w0 * K[a0, j]
                if is_over:
                    break
                steps += 1
                t = time_left
                # The next atom to reach the bound.
                for j in range(n_atoms):
                    if has_left and role[j] == DEPENDENT:
                        role[j] = FREE
                    if role[j] == FREE:
                        rate = change[j] - g[j] - slope
                        if rate > 0.0 and bound - c[j] < t * rate:
                            t, event, sign = (bound - c[j]) / rate, j, 1.0
                        rate = g[j] - change[j] - slope
                        if rate > 0.0 and bound + c[j] < t * rate and not nonnegative:
                            t, event, sign = (bound + c[j]) / rate, j, -1.0
                        if t < 0.0:
                            t = 0.0
                has_left = False
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
            elif sign == 0.0:  # an atom leaves; rotations make L triangular again
                z[active[event]] = 0.0
                role[active[event]] = FREE
                n_active -= 1
                for i in range(event, n_active):
                    active[i], signs[i] = active[i + 1], signs[i + 1]
                    for j in range(i + 2):
                        L[i, j] = L[i + 1, j]
                for i in range(event, n_active):
                    root = np.sqrt(L[i, i] * L[i, i] + L[i, i + 1] * L[i, i + 1])
                    cosine, sine = L[i, i] / root, L[i, i + 1] / root
                    L[i, i] = root
                    for row in range(i + 1, n_active):
                        first, second = L[row, i], L[row, i + 1]
                        L[row, i] = cosine * first + sine * second
                        L[row, i + 1] = cosine * second - sine * first
                    first, second = y[i], y[i + 1]
                    y[i] = cosine * first + sine * second
                    y[i + 1] = cosine * second - sine * first
                has_left = True
            else:  # an atom joins, unless it depends on the active ones
                pivot, value = K[event, event], change[event] - slope * sign
                for i in range(n_active):
                    entry = K[event, active[i]]
                    for j in range(i):
                        entry -= L[i, j] * L[n_active, j]
                    entry /= L[i, i]
                    L[n_active, i] = entry
                    pivot -= entry * entry
                    value -= entry * y[i]
                role[event] = DEPENDENT
                if pivot > NEGLIGIBLE_PIVOT * (n_active + 1) * K[event, event]:
                    root = np.sqrt(pivot)
                    L[n_active, n_active], y[n_active] = root, value / root
                    active[n_active], signs[n_active], role[event] = event, sign, ACTIVE
                    n_active += 1
        for j in range(n_atoms):
            c[j] = -g[j]
    return steps


def _start_paths(
    K: Floats,
    k: Floats,
    starts: Floats,
    slope: float,
    end_times: Floats,
    changes: Floats,
    roles: NDArray[np.int8],
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    c: Floats,
    bounds: Floats | None = None,
    path: Floats | None = None,
) -> int:
    """Follow paths in new memory; see :func:`follow_paths`."""
    n_atoms = len(K)
    bounds = np.empty(1) if bounds is None else bounds
    path = np.empty((1, n_atoms)) if path is None else path
    vectors = (np.empty(n_atoms) for _ in range(4))
    memory = (np.empty(n_atoms, dtype=np.int64), *vectors, np.empty((n_atoms, n_atoms)))
    steps = follow_paths(
        K, k, starts, slope, end_times, changes, roles, nonnegative, max_steps, z, c, bounds, path,
        *memory,
    )  # fmt: skip
    return int(steps)


def descend(
    K: Floats,
    k: Floats,
    bound: float,
    excluded: NDArray[np.bool_],
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    c: Floats,
    bounds: Floats | None = None,
    path: Floats | None = None,
) -> int:
    """Fill z with solutions by lowering the bound from where they are zero.

    c are the k of the paths, whose last solutions z are; they become k - K z. Returns the steps of
    the last sample.
    """
    sizes = c if nonnegative else np.abs(c)
    starts = np.where(excluded, bound, sizes).max(axis=1, initial=bound)
    roles = np.where(excluded, EXCLUDED, FREE).astype(np.int8)
    z[:] = 0.0
    return _start_paths(
        K, k, starts, -1.0, starts - bound, np.zeros_like(k), roles, nonnegative, max_steps, z, c,
        bounds, path,
    )  # fmt: skip


def code_rows(
    K: Floats,
    cross: Floats,
    excluded: NDArray[np.bool_],
    bound: float,
    nonnegative: bool,
    warm: bool,
    max_steps: int,
    codes: Floats,
    residuals: Floats,
) -> None:
    """Fill `codes` and their KKT residuals for every row of `cross`.

    With `warm` the search starts at the codes given. `excluded` has one row for all samples, or one
    per sample.

    A solution is found by paths in turn: a descent, unless there are codes to start at, and then
    corrections. Ties between atoms can cause cycles: the next descent is for a perturbed k.
    """
    excluded = np.broadcast_to(excluded, cross.shape)
    largest = np.where(excluded, 0.0, np.abs(cross)).max(axis=1, initial=0.0)
    residuals[:] = np.inf
    rows = np.arange(len(cross))
    for perturbation in (None, *_PERTURBATIONS) if warm else _PERTURBATIONS:
        k, out, z, c = cross[rows], excluded[rows], codes[rows], cross[rows]
        if perturbation is None:
            z[out | (z < 0.0) if nonnegative else out] = 0.0
            for i, one in enumerate(z):
                active = np.flatnonzero(one)
                c[i] -= one[active] @ K[active]
        else:
            if perturbation:
                c *= 1.0 + perturbation * np.sin(np.arange(1.0, len(K) + 1.0))
            descend(K, k, bound, out, nonnegative, max_steps, z, c)
        _correct(K, k, out, bound, nonnegative, max_steps, z, c, largest, rows, codes, residuals)
        rows = rows[~(residuals[rows] <= _ACCEPTABLE * largest[rows])]
        if not len(rows):
            break


def _correct(
    K: Floats,
    k: Floats,
    excluded: NDArray[np.bool_],
    bound: float,
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    c: Floats,
    largest: Floats,
    rows: Indices,
    codes: Floats,
    residuals: Floats,
) -> None:
    """Write z to some rows of `codes` where it is better, and again after corrections.

    A correction starts from the modified problem that z solves, and removes the errors of rounding
    and of degenerate steps of the previous path.
    """
    smallest = np.full(len(rows), np.inf)
    for n_passes in range(_MAX_PASSES):
        is_active = z != 0.0
        sizes = c if nonnegative else np.abs(c)
        violations = np.where(excluded, 0.0, sizes - bound)  # as kkt_violation
        violations[is_active] = np.abs(c - bound * np.sign(z))[is_active]
        found = violations.max(axis=1, initial=0.0)
        better = found < residuals[rows]
        residuals[rows[better]], codes[rows[better]] = found[better], z[better]
        left = (found < smallest) & (found > _CONVERGED * largest[rows])
        if n_passes == _MAX_PASSES - 1 or not left.any():
            break
        rows, k, excluded, is_active, z, c, smallest = (
            part[left] for part in (rows, k, excluded, is_active, z, c, found)
        )
        optimal = np.clip(c, -np.inf if nonnegative else -bound, bound)
        optimal = np.where(is_active, bound * np.sign(z), optimal)
        roles = np.where(is_active, ACTIVE, np.where(excluded, EXCLUDED, FREE)).astype(np.int8)
        times = np.ones(len(rows))
        _start_paths(
            K, k, bound * times, 0.0, times, c - optimal, roles, nonnegative, max_steps, z, optimal
        )
        c = optimal
