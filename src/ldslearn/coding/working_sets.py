"""Sparse codes over many atoms: solve on those that matter, and check all the others."""

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats
from ldslearn.coding.checks import kkt_violation
from ldslearn.coding.homotopy import code_rows

LARGE = 1000  # atoms: above, their Gram matrix leaves the caches of a core
_FIRST = 96  # atoms of the first working set
_GROWTH = 0.5  # of the working set per round, at most
_LARGEST_FRACTION = 0.2  # of all atoms; beyond, all are used: repeated starts would cost more
_MAX_ROUNDS = 20
_NEGLIGIBLE = 1e-13  # violation outside the working set, relative to max |k|
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
    KKT conditions. Those that do join the set, until none does. The matrix of a working set stays
    in cache, where every step of the homotopy would read rows of the whole matrix from memory.
    """
    for i, k in enumerate(cross):
        own = excluded[i % len(excluded)]
        row = slice(i, i + 1)
        if not _code_row(K, k, own, bound, nonnegative, warm, max_steps, codes[i], residuals[row]):
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
    warm: bool,
    max_steps: int,
    code: Floats,
    residual: Floats,
) -> bool:
    """Fill the code of one sample; False, with the code unchanged, if that needs all atoms."""
    sizes = k if nonnegative else np.abs(k)
    scores = np.where(excluded, -np.inf, sizes)
    least = np.partition(scores, -_FIRST)[-_FIRST]
    inside = (scores >= least) & ~excluded
    if warm:
        inside |= (code != 0) & ~excluded
    largest = float(np.where(excluded, 0.0, np.abs(k)).max())
    z = np.where(inside, code, 0.0) if warm else np.zeros_like(k)
    for rounds in range(_MAX_ROUNDS):
        chosen = np.flatnonzero(inside)
        if len(chosen) > _LARGEST_FRACTION * len(k):
            return False
        part, free = z[chosen][None], np.zeros((1, len(chosen)), dtype=bool)
        code_rows(
            K[np.ix_(chosen, chosen)], k[chosen][None], free, bound, nonnegative,
            warm or rounds > 0, max_steps, part, residual,
        )  # fmt: skip
        if not residual[0] <= _ACCEPTABLE * largest:
            return False
        z[chosen] = part[0]
        active = np.flatnonzero(z)
        c = k - z[active] @ K[active]
        violations = (c if nonnegative else np.abs(c)) - bound
        violations[inside | excluded] = -np.inf
        outside = np.flatnonzero(violations > _NEGLIGIBLE * largest)
        if not len(outside):
            code[:] = z
            residual[0] = kkt_violation(c, z, bound, excluded, nonnegative)
            return True
        most = max(16, int(_GROWTH * len(chosen)))
        if len(outside) > most:
            order = np.argsort(-violations[outside], kind="stable")
            outside = outside[order[:most]]
        inside[outside] = True
    return False
