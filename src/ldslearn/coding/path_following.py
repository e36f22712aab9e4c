"""Compiled path of the lasso on a tableau, one breakpoint at a time, for working sets of atoms.

It is that of :mod:`~ldslearn.coding.homotopy`, on another representation. An atom that joins or
leaves is an outer product of vectors of all atoms of the set, and many of them are applied by a
product of matrices: long codes are found several times faster. A Cholesky factor has more digits
where atoms are almost dependent; codes that lack them are found by it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldslearn._compiling import njit
from ldslearn._types import Floats, Indices
from ldslearn.coding.cholesky import DEPENDENT as NEGLIGIBLE_PIVOT
from ldslearn.coding.cholesky import OPTIONS
from ldslearn.coding.tableau import Tableau

# Roles of an atom: active with a coefficient of one sign (1 or -1), free to join, linearly
# dependent on the active ones (free again when one of them leaves), or to join again at once
# (JOINING or -JOINING).
FREE, DEPENDENT, JOINING = 0, 2, 4
FEW_ROWS = 64  # of a tableau, before they are applied to its matrix
# Entries of a tableau, relative to the length of an atom. If they are so large when it leaves,
# errors of rounding of that size stay. Two steps in another order may avoid that, or a new tableau.
_LARGE_ENTRY = 1e4
_INACCURATE = 1e8


class Paths(NamedTuple):
    """Paths of N samples from the solution of one problem to that of another.

    All arrays are overwritten by those at the end.

    Attributes
    ----------
    bounds, times : (N,) arrays
        Bound, and time left: in a unit of time the bound changes by the slope.
    steps : (N,) int64 array
        Number of breakpoints so far.
    codes, correlations : (N, J) arrays
        z, and k - K z where z is zero.
    rates : (N, J) arrays
        Their changes in a unit of time: of z, times the length of the atom, where an atom is
        active, and of the correlations elsewhere. Without active atoms, the change of k.
    roles : (N, J) int8 array
    """

    bounds: Floats
    times: Floats
    steps: Indices
    codes: Floats
    correlations: Floats
    rates: Floats
    roles: NDArray[np.int8]

    @classmethod
    def at(
        cls, bound: float, z: Floats, c: Floats, rates: Floats, roles: NDArray[np.int8]
    ) -> "Paths":
        """Return paths of one unit of time at a bound."""
        n = len(z)
        steps = np.zeros(n, dtype=np.int64)
        return cls(np.full(n, float(bound)), np.ones(n), steps, z, c, rates, roles)


@njit(**OPTIONS, no_rewrites=True)  # no expressions of arrays: nothing to rewrite
def follow_on_tableau(  # type: ignore[no-untyped-def]
    first, last, slope, nonnegative, max_steps, bounds, times, n_steps, codes, correlations, rates,
    roles, matrix, lengths, is_copy, rows, row_signs, n_rows, active, column, previous,
):  # fmt: skip
    """Follow some paths. Returns `last`, or the sample with difficulties, and its number of rows.

    A path stops when there is no room for another row, and can go on when they are applied; or
    because the tableau became inaccurate, with -1 for the number of rows.

    Parameters
    ----------
    first, last : int
        Samples.
    slope : float
    nonnegative : bool
    max_steps : int
    bounds, times, n_steps, codes, correlations, rates, roles : arrays
        See :class:`Paths`.
    matrix, lengths, is_copy, rows, row_signs, n_rows
        See :class:`~ldslearn.coding.tableau.Tableau`; for the first sample. Those after it have
        the same matrix and no rows.
    active, column, previous : (J,) arrays, the first of int64
        Memory.
    """
    n_atoms = len(matrix)
    for s in range(first, last):
        z, c, rate, role = codes[s], correlations[s], rates[s], roles[s]
        bound, time_left, steps = bounds[s], times[s], n_steps[s]
        negligible = 1e-15 * time_left
        n_active = 0
        for j in range(n_atoms):
            if role[j] * role[j] == 1:
                active[n_active] = j
                n_active += 1
        n_seen = 0  # atoms that were looked at, whether they are to join
        latest = -1  # atom that joined in the last step
        again = -1  # atom that is to leave before another one joins again
        while True:
            event, sign, again = again, 0, -1
            is_full = n_rows == len(rows)
            while n_seen < n_atoms and event < 0 and not is_full:
                if role[n_seen] * role[n_seen] == JOINING * JOINING:
                    event, sign = n_seen, 1 if role[n_seen] > 0 else -1
                n_seen += 1
            if event < 0:
                is_over = steps == max_steps or time_left <= negligible
                if is_over or is_full:
                    break
                steps += 1
                t = time_left
                # The next atom to reach the bound.
                for j in range(n_atoms):
                    if abs(c[j] + t * rate[j]) >= bound + slope * t and role[j] == FREE:
                        speed = rate[j] - slope
                        if speed > 0.0 and bound - c[j] < t * speed:
                            t, event, sign = (bound - c[j]) / speed, j, 1
                        speed = -rate[j] - slope
                        if speed > 0.0 and bound + c[j] < t * speed and not nonnegative:
                            t, event, sign = (bound + c[j]) / speed, j, -1
                        if t < 0.0:
                            t = 0.0
                # The next coefficient to reach zero.
                for i in range(n_active):
                    j = active[i]
                    if rate[j] * role[j] < 0.0 and -z[j] * lengths[j] / rate[j] <= t:
                        t, event, sign = -z[j] * lengths[j] / rate[j], j, 0
                # Move to that event.
                for i in range(n_active):
                    z[active[i]] += t * rate[active[i]] / lengths[active[i]]
                for j in range(n_atoms):
                    c[j] += t * rate[j]
                bound += slope * t
                time_left -= t
                if event < 0:
                    time_left = 0.0
                    continue
            # The column of that atom.
            for j in range(event):
                column[j] = matrix[j, event] if is_copy else matrix[event, j]
            for j in range(event, n_atoms):
                column[j] = matrix[event, j]
            n_fours = n_rows & -4
            for i in range(0, n_fours, 4):  # four rows per pass
                w0, w1 = row_signs[i] * rows[i, event], row_signs[i + 1] * rows[i + 1, event]
                w2 = row_signs[i + 2] * rows[i + 2, event]
                w3 = row_signs[i + 3] * rows[i + 3, event]
                for j in range(n_atoms):
                    column[j] -= (w0 * rows[i, j] + w1 * rows[i + 1, j]) + (
                        w2 * rows[i + 2, j] + w3 * rows[i + 3, j]
                    )
            for i in range(n_fours, n_rows):
                w0 = row_signs[i] * rows[i, event]
                for j in range(n_atoms):
                    column[j] -= w0 * rows[i, j]
            # Apply the event.
            length, pivot, row_sign = lengths[event], column[event], 1.0
            held = slope * sign  # rate of the correlation while the atom is active
            if sign == 0:
                pivot, row_sign = pivot - 2.0 * length, -1.0
                z[event], c[event] = 0.0, bound * role[event]
                for j in range(n_atoms):
                    if role[j] == DEPENDENT:
                        role[j] = FREE
                if -pivot > _INACCURATE * length and latest < 0:
                    role[event], n_rows = FREE, -1
                    break
                if -pivot > _LARGE_ENTRY * length and latest >= 0:
                    # One of two atoms that hardly differ replaces the other: in this order.
                    for j in range(n_atoms):
                        rate[j] = previous[j]
                    role[latest] *= JOINING
                    n_active, n_rows, n_seen, again, latest = n_active - 1, n_rows - 1, 0, event, -1
                    continue
            elif pivot <= NEGLIGIBLE_PIVOT * (n_active + 1) * length:
                role[event] = DEPENDENT
                continue
            factor, scale = (rate[event] - held) / pivot, 1.0 / np.sqrt(row_sign * pivot)
            for j in range(n_atoms):
                previous[j] = rate[j]
                rate[j] -= factor * column[j]
                rows[n_rows, j] = scale * column[j]
            rows[n_rows, event] -= scale * length
            row_signs[n_rows] = row_sign
            n_rows += 1
            if sign == 0:
                rate[event] = slope * role[event] - length * factor
                latest = -1
                n_active -= 1
                for i in range(n_active):
                    if active[i] == event:
                        active[i] = active[n_active]
            else:
                rate[event] = length * factor
                latest = active[n_active] = event
                n_active += 1
            role[event] = sign
        bounds[s], times[s], n_steps[s] = bound, time_left, steps
        if not is_over:
            return s, n_rows
        if s + 1 < last:
            n_rows = 0
    return last, n_rows


def follow_one(
    sample: int,
    slope: float,
    nonnegative: bool,
    max_steps: int,
    paths: Paths,
    tableau: Tableau,
) -> bool:
    """Follow a path from a tableau, which is moved, too; False if that became inaccurate."""
    n_atoms = len(tableau.matrix)
    memory = np.empty(n_atoms, dtype=np.int64), np.empty(n_atoms), np.empty(n_atoms)
    while True:
        room = FEW_ROWS if tableau.is_copy else len(tableau.rows)
        done, tableau.n_rows = follow_on_tableau(
            sample, sample + 1, slope, nonnegative, max_steps, *paths, *tableau.parts(room),
            *memory,
        )  # fmt: skip
        if done > sample or tableau.n_rows < 0:
            return bool(tableau.n_rows >= 0)
        tableau.absorb_rows()
