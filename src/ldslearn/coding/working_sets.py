"""Sparse codes over many atoms: solve on those that matter, and check all the others."""

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.coding.checks import kkt_violation
from ldslearn.coding.homotopy import ACTIVE, DEPENDENT, FREE, code_rows
from ldslearn.coding.path_following import follow_on_tableau
from ldslearn.coding.tableau import start_tableau

LARGE = 1000  # atoms: above, their Gram matrix leaves the caches of a core
_FIRST = 96  # atoms of the first working set
_LEAST = 48  # that may join per round
_GROWTH = 0.25  # of the working set per round, at most
_MAX_ROUNDS = 40
_NEGLIGIBLE = 1e-13  # violation outside the working set, relative to max |k|
_CONVERGED = 1e-12  # residual, relative to max |k|: stop
_ACCEPTABLE = 1e-9  # a larger one is a failure


def code_rows_by_working_sets(
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
    """Fill `codes` and their KKT residuals as :func:`~ldslearn.coding.homotopy.code_rows` does.

    A code over the atoms of a working set solves the whole problem if no other atom violates the
    KKT conditions. Those that do join the set, until none does. The code moves on from one set to
    the next, and so does the tableau of the active atoms. Where that fails, as it may if atoms are
    almost dependent, the code is found over all of them.
    """
    for i, k in enumerate(cross):
        own = excluded[i % len(excluded)]
        row = slice(i, i + 1)
        largest = float(np.where(own, 0.0, np.abs(k)).max())
        starts = [np.zeros_like(k)]
        if warm:
            starts.insert(0, np.where(own | (nonnegative & (codes[i] < 0.0)), 0.0, codes[i]))
        for z in starts:
            residual = _code_row(K, k, own, bound, nonnegative, max_steps, z, largest)
            if residual <= _ACCEPTABLE * largest:
                codes[i], residuals[i] = z, residual
                break
        else:
            code_rows(
                K, cross[row], own[None], bound, nonnegative, warm, max_steps, codes[row],
                residuals[row],
            )  # fmt: skip


def _code_row(
    K: Floats,
    k: Floats,
    excluded: NDArray[np.bool_],
    bound: float,
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    largest: float,
) -> float:
    """Improve the code of one sample; return its residual, which is large after difficulties."""
    inside, chosen = excluded.copy(), np.flatnonzero(z)
    inside[chosen] = True
    roles = np.sign(z[chosen]).astype(np.int8)
    tableau, residual = None, np.inf
    for _ in range(_MAX_ROUNDS):
        active = np.flatnonzero(z)
        c = k - z[active] @ K[active]
        sizes = c if nonnegative else np.abs(c)
        new = np.flatnonzero((sizes > bound + _NEGLIGIBLE * largest) & ~inside)
        if not len(new):
            before, residual = residual, kkt_violation(c, z, bound, excluded, nonnegative)
            if residual <= _CONVERGED * largest or residual >= before:
                break
            tableau = None
        is_active = np.abs(roles) == ACTIVE
        if tableau is None:  # at the start, or inaccurate
            tableau = start_tableau(_take(K, chosen, chosen), np.flatnonzero(is_active))
            if tableau is None:  # active atoms are dependent
                return np.inf
        tableau.absorb_rows()
        most = max(_LEAST, int(_GROWTH * len(chosen))) if len(chosen) else _FIRST
        if len(new) > most:
            new = np.sort(new[np.argpartition(-sizes[new], most)[:most]])
        if len(new):
            n_old, chosen = len(chosen), np.append(chosen, new)
            columns = _take(K, chosen, new)
            tableau.append(columns[:n_old], columns[n_old:], is_active)
            roles = np.append(roles, np.full(len(new), FREE, dtype=np.int8))
            inside[new] = True
        part = z[chosen]
        # The correlations for which the code is optimal, and what they differ by.
        optimal = np.clip(c[chosen], -np.inf if nonnegative else -bound, bound)
        optimal = np.where(part != 0.0, bound * np.sign(part), optimal)
        changes = c[chosen] - optimal
        roles[roles == DEPENDENT] = FREE
        rates = tableau.solve(changes, np.abs(roles) == ACTIVE)
        if not follow_on_tableau(
            tableau, bound, nonnegative, max_steps, part, optimal, rates, roles
        ):
            tableau = None
        z[chosen] = np.maximum(part, 0.0) if nonnegative else part
    return residual


def _take(K: Floats, rows: Indices, columns: Indices) -> Floats:
    """Return a part of a matrix, in half the time of ``K[np.ix_(rows, columns)]``."""
    return K.take(len(K) * rows[:, None] + columns)
