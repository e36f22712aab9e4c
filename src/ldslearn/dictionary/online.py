"""Dictionaries from streams: one stochastic step per batch.

The joint update sets the columns of an atom to the polar factor of -S_k u_k, minus half the
gradient, called its pulls. Here they are averaged over all batches so far, weighted by rho_t, as
online dictionary learning does with its statistics (Mairal et al. 2010). The objective in each
eigenvalue is averaged likewise, at the nodes of a polynomial, whose minimum is the new eigenvalue.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.dictionary.algorithm import Group
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.eigenvalues import EigenvalueGrid, best_eigenvalues
from ldslearn.dictionary.problem import Atom, AtomProblem, evaluate_terms
from ldslearn.dictionary.updates import polar

_LIMIT = 0.99
# Chebyshev's nodes. Averages at them are part of saved dictionaries: they cannot change.
NODES = _LIMIT * np.sin(0.5 * np.pi * np.linspace(-1.0, 1.0, 65))
_DEGREE = len(NODES) - 1
_TO_COEFFICIENTS = np.linalg.inv(chebvander(NODES / _LIMIT, _DEGREE)).T
_GRID = EigenvalueGrid.of(_LIMIT)
_BATCHES_OF_A_FIT = 10  # that the atoms of a fit count for
_MAX_IDLE_BATCHES = 5  # an atom not used in this many batches is replaced
_FORGETTING = 0.6  # rho_t = t^-0.6: sums to infinity, its squares do not


@dataclass
class Memory:
    """Averages over batches, of one code.

    Attributes
    ----------
    pulls : list of (J, n, m) arrays
        -S_k u_k of every term.
    curves : list of (J, k, len(NODES)) arrays
        The objective in each eigenvalue, at the nodes.
    idle : (J,) array
        Batches since each atom was last used.
    n_batches : int
    learned : (J,) array of bool
        Atoms of a fit that no batch has used yet.
    """

    pulls: list[Floats]
    curves: list[Floats]
    idle: Indices
    n_batches: int
    learned: NDArray[np.bool_]

    @classmethod
    def of(cls, atoms: list[Columns], *, learned: bool) -> "Memory":
        """Return the memory of new atoms; learned atoms count as some batches."""
        return cls(
            [np.zeros_like(term.rows) for term in atoms],
            [np.zeros((*term.eigenvalues.shape, len(NODES))) for term in atoms],
            np.zeros(len(atoms[0]), dtype=int),
            _BATCHES_OF_A_FIT if learned else 0,
            np.full(len(atoms[0]), learned),
        )

    def forget(self, r: int) -> None:
        """Clear the averages of an atom."""
        for averages in (*self.pulls, *self.curves):
            averages[r] = 0.0
        self.idle[r], self.learned[r] = 0, False


def learn_batch(group: Group, memory: Memory, n_jobs: int | None) -> float:
    """Code a batch, update the atoms of `group`; return the objective per sample before that."""
    objective = group.update_codes(n_jobs) / len(group.codes)
    memory.n_batches += 1
    rho = memory.n_batches**-_FORGETTING
    worst_first = group.sort_worst_first()
    for r in range(group.codes.shape[1]):
        problems = group.make_problems(r)
        memory.idle[r] = 0 if problems else memory.idle[r] + 1
        if memory.idle[r] >= _MAX_IDLE_BATCHES:
            group.replace(r, next(worst_first, None))
            memory.forget(r)
            continue
        for term, atoms in enumerate(group.atoms):
            pull, curves = memory.pulls[term][r], memory.curves[term][r]
            pull *= 1.0 - rho
            curves *= 1.0 - rho
            if problems:
                own = Atom(atoms.rows[r], atoms.eigenvalues[r])
                strength = _add_to_averages(problems[term], own, rho, pull, curves)
                if memory.learned[r]:  # a fit is remembered as one sample, the atom itself
                    itself = AtomProblem(atoms[[r]], np.array([-strength]))
                    _add_to_averages(itself, own, 1.0 - rho, pull, curves)
            if pull.any():
                atoms.rows[r] = polar(pull)
                _update_eigenvalues(atoms, r, pull, curves)
        if problems:
            memory.learned[r] = False
    return objective


def _update_eigenvalues(atoms: Columns, r: int, pull: Floats, curves: Floats) -> None:
    """Minimise the curves of an atom; if theta < 0, change the signs of theta and one column."""
    known = np.flatnonzero(curves.any(axis=1))
    if not len(known):
        return
    coefficients = curves[known] @ _TO_COEFFICIENTS

    def evaluate(points: Floats) -> Floats:
        return np.einsum("knj,kj->kn", chebvander(points / _LIMIT, _DEGREE), coefficients)

    current = np.clip(atoms.eigenvalues[r, known], -_LIMIT, _LIMIT)
    best = best_eigenvalues(evaluate, current, _GRID)
    if atoms.kind == "skew":
        flipped = known[best < 0]
        curves[flipped] = curves[flipped, ::-1]
        atoms.rows[r, 2 * flipped + 1] *= -1.0
        pull[2 * flipped + 1] *= -1.0
        best = np.abs(best)
    atoms.eigenvalues[r, known] = best


def _add_to_averages(
    problem: AtomProblem, own: Atom, weight: float, pull: Floats, curves: Floats
) -> float:
    """Add a problem to the averages of its atom; return its half gradient's norm per column."""
    G = problem.products(own.rows)
    step = problem.half_gradient(problem.weigh(G, own.eigenvalues)[1])
    pull -= weight * step
    if len(curves):
        points = np.tile(NODES, (len(curves), 1))
        curves += weight * evaluate_terms(points, *problem.eigenvalue_terms(G))
    return float(np.linalg.norm(step) / np.sqrt(len(step)))
