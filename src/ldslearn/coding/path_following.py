"""Compiled path of the lasso on a tableau, one breakpoint at a time, for working sets of atoms.

It is that of :mod:`~ldslearn.coding.homotopy` at a fixed bound, on another representation. An atom
that joins or leaves is an outer product of vectors of all atoms of the set, and many of them are
applied by a product of matrices: long codes are found several times faster. A Cholesky factor has
more digits where atoms are almost dependent; codes that lack them are found by it.
"""

import numpy as np
from numpy.typing import NDArray

from ldslearn._compiling import njit
from ldslearn._types import Floats
from ldslearn.coding.cholesky import DEPENDENT as NEGLIGIBLE_PIVOT
from ldslearn.coding.cholesky import OPTIONS
from ldslearn.coding.homotopy import ACTIVE, DEPENDENT, FREE
from ldslearn.coding.tableau import Tableau

# Roles of an atom are those of the homotopy, ACTIVE times the sign of its coefficient; or the atom
# joins again at once, JOINING times that sign.
JOINING = 4
FEW_ROWS = 64  # of a tableau, before they are applied to its matrix
_NEGLIGIBLE_TIME = 1e-15
# Entries of a tableau, relative to the length of an atom. If they are so large when it leaves,
# errors of rounding of that size stay. Two steps in another order may avoid that, or a new tableau.
_LARGE_ENTRY = 1e4
_INACCURATE = 1e8


@njit(**OPTIONS, no_rewrites=True)  # no expressions of arrays: nothing to rewrite
def take_steps(  # type: ignore[no-untyped-def]
    time_left, steps_left, bound, nonnegative, z, c, rates, roles, matrix, lengths, rows, row_signs,
    active, column, previous,
):  # fmt: skip
    """Move along a path to its end, or until the memory for rows is full.

    Returns the time and the number of steps left, and the number of rows: -1 if the tableau became
    inaccurate.

    Parameters
    ----------
    time_left : float
    steps_left : int
    bound, nonnegative, z, c, rates, roles
        See :func:`follow_on_tableau`.
    matrix, lengths : (J, J) and (J,) arrays
        See :class:`~ldslearn.coding.tableau.Tableau`.
    rows, row_signs : (n, J) and (n,) arrays
        The rows of the tableau and their signs are written here.
    active, column, previous : (J,) arrays, the first of int64
        Memory: active atoms, a column of the tableau, and the rates before the last event.
    """
    n_atoms = len(matrix)
    n_rows = n_active = 0
    for j in range(n_atoms):
        if abs(roles[j]) == ACTIVE:
            active[n_active] = j
            n_active += 1
    n_seen = 0  # atoms that were looked at, whether they are to join
    latest = -1  # atom that joined in the last step
    again = -1  # atom that is to leave before another one joins again
    while True:
        event, sign, again = again, 0, -1
        is_full = n_rows == len(rows)
        while n_seen < n_atoms and event < 0 and not is_full:
            if abs(roles[n_seen]) == JOINING:
                event, sign = n_seen, 1 if roles[n_seen] > 0 else -1
            n_seen += 1
        if event < 0:
            if is_full or steps_left == 0 or time_left <= _NEGLIGIBLE_TIME:
                break
            steps_left -= 1
            t = time_left
            # The next atom to reach the bound.
            for j in range(n_atoms):
                if abs(c[j] + t * rates[j]) >= bound and roles[j] == FREE:
                    if rates[j] > 0.0 and bound - c[j] < t * rates[j]:
                        t, event, sign = (bound - c[j]) / rates[j], j, 1
                    if rates[j] < 0.0 and bound + c[j] < -t * rates[j] and not nonnegative:
                        t, event, sign = (bound + c[j]) / -rates[j], j, -1
                    if t < 0.0:
                        t = 0.0
            # The next coefficient to reach zero.
            for i in range(n_active):
                j = active[i]
                if rates[j] * roles[j] < 0.0 and -z[j] * lengths[j] / rates[j] <= t:
                    t, event, sign = -z[j] * lengths[j] / rates[j], j, 0
            # Move to that event.
            for i in range(n_active):
                z[active[i]] += t * rates[active[i]] / lengths[active[i]]
            for j in range(n_atoms):
                c[j] += t * rates[j]
            time_left -= t
            if event < 0:
                time_left = 0.0
                break
        # The column of that atom.
        for j in range(event):
            column[j] = matrix[j, event]
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
        if sign == 0:
            pivot, row_sign = pivot - 2.0 * length, -1.0
            z[event], c[event] = 0.0, bound * roles[event]
            for j in range(n_atoms):
                if roles[j] == DEPENDENT:
                    roles[j] = FREE
            if -pivot > _INACCURATE * length and latest < 0:
                roles[event], n_rows = FREE, -1
                break
            if -pivot > _LARGE_ENTRY * length and latest >= 0:
                # One of two atoms that hardly differ replaces the other: in this order.
                for j in range(n_atoms):
                    rates[j] = previous[j]
                roles[latest] *= JOINING
                n_active -= 1
                n_rows -= 1
                n_seen, again, latest = 0, event, -1
                continue
        elif pivot <= NEGLIGIBLE_PIVOT * (n_active + 1) * length:
            roles[event] = DEPENDENT
            continue
        factor, scale = rates[event] / pivot, 1.0 / np.sqrt(row_sign * pivot)
        for j in range(n_atoms):
            previous[j] = rates[j]
            rates[j] -= factor * column[j]
            rows[n_rows, j] = scale * column[j]
        rows[n_rows, event] -= scale * length
        row_signs[n_rows] = row_sign
        n_rows += 1
        if sign == 0:
            rates[event] = -length * factor
            latest = -1
            n_active -= 1
            for i in range(n_active):
                if active[i] == event:
                    active[i] = active[n_active]
        else:
            rates[event] = length * factor
            latest = active[n_active] = event
            n_active += 1
        roles[event] = sign
    return time_left, steps_left, n_rows


def follow_on_tableau(
    tableau: Tableau,
    bound: float,
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    c: Floats,
    rates: Floats,
    roles: NDArray[np.int8],
) -> bool:
    """Move a code from the solution of one problem to that of another, in a unit of time.

    All arrays are overwritten by those at the end. Returns False if the tableau became inaccurate.

    Parameters
    ----------
    tableau : Tableau
        That of the active atoms. It is moved, too.
    bound : float
    nonnegative : bool
    max_steps : int
    z, c : (J,) arrays
        The code, and its correlations k - K z where it is zero.
    rates : (J,) array
        Their changes in a unit of time: of z, times the length of the atom, where an atom is
        active, and of the correlations elsewhere. Without active atoms, the change of k.
    roles : (J,) int8 array
    """
    n_atoms, n_rows = len(z), FEW_ROWS
    rows, signs = np.empty((FEW_ROWS, n_atoms)), np.empty(FEW_ROWS)
    memory = np.empty(n_atoms, dtype=np.int64), np.empty(n_atoms), np.empty(n_atoms)
    bound, time_left, steps_left = float(bound), 1.0, max_steps
    while n_rows == FEW_ROWS:
        tableau.absorb_rows()
        time_left, steps_left, n_rows = take_steps(
            time_left, steps_left, bound, nonnegative, z, c, rates, roles, tableau.matrix,
            tableau.lengths, rows, signs, *memory,
        )  # fmt: skip
        tableau.rows, tableau.signs = rows[:n_rows], signs[:n_rows]
    return bool(n_rows >= 0)
