"""Sparse codes over many atoms: solve on those that matter, and check all the others."""

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.coding.checks import kkt_violation
from ldslearn.coding.homotopy import clip_correlations, code_rows, correlate
from ldslearn.coding.path_following import DEPENDENT, FEW_ROWS, FREE, Paths, follow_one
from ldslearn.coding.tableau import Tableau, start_tableau

LARGE = 1000  # atoms: above, their Gram matrix leaves the caches of a core
_FIRST = 96  # atoms of the first working set
_GROWTH = 0.5  # of the working set per round, at most
_MAX_ROUNDS = 40
_NEGLIGIBLE = 1e-13  # violation, relative to max |k|
_ACCEPTABLE = 1e-9


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
    the next, and so does the tableau of the active atoms.
    """
    for i, k in enumerate(cross):
        own = excluded[i % len(excluded)]
        row = slice(i, i + 1)
        largest = np.abs(k[~own]).max(initial=0.0)
        for start in (codes[i], np.zeros_like(k)) if warm else (np.zeros_like(k),):
            z, residual = _code_row(K, k, own, bound, nonnegative, max_steps, start)
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
    start: Floats,
) -> tuple[Floats, float]:
    """Return the code of one sample and its residual, which is large if there were difficulties."""
    z = np.where(excluded | (nonnegative & (start < 0.0)), 0.0, start)
    inside = excluded | (z != 0.0)
    chosen = np.flatnonzero(z)
    roles = np.sign(z[chosen]).astype(np.int8)
    tableau = _build_tableau(K, chosen, roles)
    negligible = _NEGLIGIBLE * float(np.abs(k[~excluded]).max(initial=0.0))
    residual = before = np.inf
    for _ in range(_MAX_ROUNDS):
        if tableau is None:
            return z, np.inf
        c = correlate(K, k[None], z[None])[0]
        residual = kkt_violation(c, z, bound, excluded, nonnegative)
        violations = np.where(inside, 0.0, (c if nonnegative else np.abs(c)) - bound)
        new = np.flatnonzero(violations > negligible)
        if residual <= negligible or (not len(new) and residual >= before):
            break
        before = np.inf if len(new) else residual
        most = max(_FIRST, int(_GROWTH * len(chosen)))
        if len(new) > most:
            new = new[np.argpartition(-violations[new], most)[:most]]
        if len(new):
            rows = K[new]
            tableau.append(rows[:, chosen].T, rows[:, new], roles * roles == 1)
            chosen = np.append(chosen, new)
            roles = np.append(roles, np.zeros(len(new), dtype=np.int8))
            inside[new] = True
        part = z[chosen]
        optimal, changes = clip_correlations(c[chosen], part, bound, nonnegative)
        roles[roles == DEPENDENT] = FREE
        rates = tableau.solve(changes, roles != FREE)
        paths = Paths.at(bound, part[None], optimal[None], rates[None], roles[None])
        is_accurate = follow_one(0, 0.0, nonnegative, max_steps, paths, tableau)
        z[chosen] = np.maximum(part, 0.0) if nonnegative else part
        if is_accurate:
            tableau.absorb_rows()
        else:
            tableau = _build_tableau(K, chosen, roles)
    return z, residual


def _build_tableau(K: Floats, chosen: Indices, roles: NDArray[np.int8]) -> Tableau | None:
    """Return the tableau of chosen atoms, without rows; None if active ones are dependent."""
    active, none = np.flatnonzero(roles * roles == 1), np.zeros(len(chosen))
    tableau = start_tableau(K[np.ix_(chosen, chosen)], active, none, FEW_ROWS)
    if tableau is not None:
        tableau.absorb_rows()
        tableau.rows, tableau.signs = tableau.rows[:FEW_ROWS], tableau.signs[:FEW_ROWS]
    return tableau
