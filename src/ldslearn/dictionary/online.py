"""Dictionaries from streams: one stochastic step a batch.

The joint update sets the columns of an atom to the polar factor of its pulls -S_k u_k. Here the
pulls are averaged over all batches so far, weighted by rho_t, as online dictionary learning does
with its statistics (Mairal et al. 2010). The objective in each eigenvalue is averaged likewise, on
a grid.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.dictionary.algorithm import Group
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.updates import Atom, AtomProblem, polar

# Averages on this grid are part of saved dictionaries: other points would be other averages.
GRID = 0.99 * np.sin(0.5 * np.pi * np.linspace(-1.0, 1.0, 65))
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
    learned : (J,) array of bool
        Atoms of a fit of which no batch has been seen yet.
    """

    pulls: list[Floats]
    curves: list[Floats]
    idle: Indices
    n_batches: int
    learned: NDArray[np.bool_]

    @classmethod
    def of(cls, atoms: list[Columns], *, learned: bool) -> "Memory":
        """Return the memory of new atoms; learned ones are as if some batches had been seen."""
        return cls(
            [np.zeros_like(term.rows) for term in atoms],
            [np.zeros((*term.eigenvalues.shape, len(GRID))) for term in atoms],
            np.zeros(len(atoms[0]), dtype=int),
            _BATCHES_OF_A_FIT if learned else 0,
            np.full(len(atoms[0]), learned),
        )

    def forget(self, r: int) -> None:
        """Clear what is known of an atom."""
        for averages in (*self.pulls, *self.curves):
            averages[r] = 0.0
        self.idle[r], self.learned[r] = 0, False


def learn_batch(group: Group, memory: Memory, n_jobs: int | None) -> float:
    """Code a batch, move the atoms of `group`, and return its objective a sample, before that."""
    objective = group.code(n_jobs) / len(group.codes)
    memory.n_batches += 1
    rho = memory.n_batches**-_FORGETTING
    worst_first = group.worst_first()
    for r in range(group.codes.shape[1]):
        problems = group.problems(r)
        memory.idle[r] = 0 if problems else memory.idle[r] + 1
        if memory.idle[r] >= _PATIENCE:
            group.replace(r, next(worst_first, None))
            memory.forget(r)
            continue
        for term, atoms in enumerate(group.atoms):
            pull, curves = memory.pulls[term][r], memory.curves[term][r]
            pull *= 1.0 - rho
            curves *= 1.0 - rho
            if problems:
                own = Atom(atoms.rows[r], atoms.eigenvalues[r])
                strength = _remember(problems[term], own, rho, pull, curves)
                if memory.learned[r]:  # a fit is remembered as one sample, the atom itself
                    itself = AtomProblem(atoms[[r]], np.array([-strength]))
                    _remember(itself, own, 1.0 - rho, pull, curves)
            if pull.any():
                atoms.rows[r] = polar(pull)
                for k in np.flatnonzero(curves.any(axis=1)).tolist():
                    _follow(atoms, r, k, pull, curves)
        if problems:
            memory.learned[r] = False
    return objective


def _follow(atoms: Columns, r: int, k: int, pull: Floats, curves: Floats) -> None:
    """Move one eigenvalue to the floor of its curve; turn a plane over rather than below zero."""
    best = float(GRID[curves[k].argmin()])
    if atoms.kind == "skew" and best < 0:
        best, curves[k] = -best, curves[k, ::-1].copy()
        atoms.rows[r, 2 * k + 1] *= -1.0
        pull[2 * k + 1] *= -1.0
    atoms.eigenvalues[r, k] = best


def _remember(problem: AtomProblem, own: Atom, share: float, pull: Floats, curves: Floats) -> float:
    """Add a share of what a problem says of an atom to its averages; return its pull a column."""
    from ldslearn.dictionary import terms

    G = problem.products(own.rows)
    _, H = problem.weigh(G, own.eigenvalues)
    step = problem.pull(H)
    pull -= share * step
    values = np.empty(len(GRID))
    for k in range(len(curves)):
        terms.values_on_grid(GRID, *problem.eigenvalue_terms(G, k), values)
        curves[k] += share * values
    return float(np.linalg.norm(step) / np.sqrt(len(step)))
