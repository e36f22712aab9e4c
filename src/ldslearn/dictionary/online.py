"""Dictionaries from streams: one stochastic step a batch.

The joint update sets the columns of an atom to the polar factor of its pulls -S_k u_k. Here the
pulls are averaged over all batches so far, weighted by rho_t, as online dictionary learning does
with its statistics (Mairal et al. 2010). The objective in each eigenvalue is averaged likewise, on
a grid.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ldslearn.dictionary.algorithm import Group
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.updates import LIMIT, AtomProblem, polar

Floats = NDArray[np.float64]

GRID = LIMIT * np.sin(0.5 * np.pi * np.linspace(-1.0, 1.0, 65))
_BATCHES_OF_A_FIT = 10  # what atoms of a fit count for
_PATIENCE = 5  # batches without use after which an atom is replaced
_FORGETTING = 0.6  # rho_t = t^-0.6: sums to infinity, its squares do not


@dataclass
class Memory:
    """Averages over batches, of one code.

    Attributes
    ----------
    pulls : list of (J, n, m) arrays
        -S_k u_k of every term.
    curves : list of (J, k, len(GRID)) arrays
        The objective in each eigenvalue.
    idle : (J,) array
        Batches since each atom was last used.
    n_batches : int
    """

    pulls: list[Floats]
    curves: list[Floats]
    idle: NDArray[np.intp]
    n_batches: int = field(default=0)

    @classmethod
    def of(cls, atoms: list[Columns], *, learned: bool) -> "Memory":
        """Return the memory of new atoms; learned ones are as if some batches had been seen."""
        return cls(
            [np.zeros_like(term.rows) for term in atoms],
            [np.zeros((*term.eigenvalues.shape, len(GRID))) for term in atoms],
            np.zeros(len(atoms[0]), dtype=int),
            _BATCHES_OF_A_FIT if learned else 0,
        )


def learn_batch(group: Group, memory: Memory, n_jobs: int | None) -> float:
    """Code a batch, move the atoms of `group`, and return its objective a sample, before that."""
    objective = group.code(n_jobs) / len(group.data[0])
    memory.n_batches += 1
    rho = memory.n_batches**-_FORGETTING
    Z = group.codes
    pairs = Z.T @ Z
    worst_first = iter(np.argsort(-group.residuals, kind="stable"))
    for r in range(Z.shape[1]):
        users, others = np.flatnonzero(Z[:, r]), np.flatnonzero(pairs[r])
        others = others[others != r]
        memory.idle[r] = 0 if len(users) else memory.idle[r] + 1
        replaced = next(worst_first, None) if memory.idle[r] >= _PATIENCE else None
        c = np.concatenate([pairs[r, others], -Z[users, r]]) / len(Z)
        for term, (atoms, data) in enumerate(zip(group.atoms, group.data, strict=True)):
            pull, curves = memory.pulls[term][r], memory.curves[term][r]
            if replaced is not None:
                atoms.rows[r] = data.rows[replaced]
                atoms.eigenvalues[r] = data.eigenvalues[replaced]
                pull[:], curves[:], memory.idle[r] = 0.0, 0.0, 0
                continue
            pull *= 1.0 - rho
            curves *= 1.0 - rho
            if len(users):
                around = Columns.concatenate([atoms[others], data[users]])
                problem = AtomProblem(around, c)
                _remember(problem, atoms.rows[r], atoms.eigenvalues[r], rho, pull, curves)
            if pull.any():
                atoms.rows[r] = polar(pull)
                for k in range(len(curves)):
                    atoms.eigenvalues[r, k] = GRID[curves[k].argmin()]
    return objective


def _remember(
    problem: AtomProblem, rows: Floats, own: Floats, rho: float, pull: Floats, curves: Floats
) -> None:
    from ldslearn.dictionary import terms

    G = problem.products(rows)
    _, H = problem.weigh(G, own)
    step = -problem.pull(H)
    if not pull.any() and rho < 1.0:  # learned atoms pull towards themselves
        pull += (1.0 - rho) * np.linalg.norm(step) / np.linalg.norm(rows) * rows
    pull += rho * step
    values = np.empty(len(GRID))
    for k in range(len(curves)):
        terms.values_on_grid(GRID, *problem.eigenvalue_terms(G, k), values)
        curves[k] += rho * values
