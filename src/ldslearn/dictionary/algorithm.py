"""Algorithm 1: codes and atoms in turn, every half step no worse than the one before."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldslearn._parallel import for_each_block
from ldslearn._types import Floats
from ldslearn.coding import sparse_code
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.updates import improve_by_columns, improve_jointly

UPDATES = {"joint": improve_jointly, "column": improve_by_columns}


@dataclass
class Group:
    """Terms of a kernel that share one code, k = sum_b weight_b k_b.

    Attributes
    ----------
    data, atoms : lists of Columns
        Of all samples and of all atoms, one entry per term.
    weights : list of float
    sparsity : float
    codes : (N, J) array
    residuals : (N,) array
        Of every sample, without the penalty.
    """

    data: list[Columns]
    atoms: list[Columns]
    weights: list[float]
    sparsity: float
    codes: Floats = field(default_factory=lambda: np.empty((0, 0)))
    residuals: Floats = field(default_factory=lambda: np.empty(0))
    _kernels: tuple[Floats, Floats] | None = None  # of the atoms as they are
    _space: list[Floats] = field(default_factory=list)  # for the columns of one atom's problems

    def kernels(self, n_jobs: int | None = None) -> tuple[Floats, Floats]:
        """Kernel matrices of the atoms, (J, J), and of samples and atoms, (N, J)."""
        if self._kernels is None:
            self._kernels = self._sum(self.atoms, n_jobs), self._sum(self.data, n_jobs)
        return self._kernels

    def _sum(self, first: list[Columns], n_jobs: int | None) -> Floats:
        terms = zip(first, self.atoms, self.weights, strict=True)
        return sum(w * x.kernel(atoms, n_jobs) for x, atoms, w in terms)  # type: ignore[return-value]

    @property
    def own(self) -> Floats:
        """Kernel of every sample with itself, (N,)."""
        return sum(  # type: ignore[return-value]
            w * data.own for w, data in zip(self.weights, self.data, strict=True)
        )

    def code(self, n_jobs: int | None = None) -> float:
        """Find the best codes, and return the objective."""
        self.codes = self.best_codes(n_jobs)
        return self.objective(n_jobs)

    def best_codes(self, n_jobs: int | None = None) -> Floats:
        """Return the best codes, (N, J)."""
        return sparse_code(*self.kernels(n_jobs), self.sparsity, n_jobs=n_jobs)

    def objective(self, n_jobs: int | None = None) -> float:
        """Objective of the codes and atoms at hand, Eq. (14)."""
        gram, cross = self.kernels(n_jobs)
        Z = self.codes
        self.residuals = self.own + np.einsum("ij,ij->i", Z, Z @ gram - 2.0 * cross)
        return float(self.residuals.sum() + self.sparsity * np.abs(Z).sum())

    def improve_atoms(self, update: str) -> None:
        """Update one atom after the other; unused ones become the samples coded worst."""
        worst_first = self.sort_worst_first()
        for r in range(len(self.atoms[0])):
            problems = self.problems(r)
            if not problems:
                self.replace(r, next(worst_first, None))
            for problem, atoms in zip(problems, self.atoms, strict=bool(problems)):
                better = UPDATES[update](problem, Atom(atoms.rows[r], atoms.eigenvalues[r]))
                atoms.rows[r], atoms.eigenvalues[r] = better.rows, better.eigenvalues
        self._kernels = None

    def problems(self, r: int) -> list[Any]:
        """The objective in atom r, one per term; none if no code uses it.

        They share memory with those of the last call, which are not to be used any more.
        """
        Z = self.codes
        users, pairs = np.flatnonzero(Z[:, r]), Z.T @ Z[:, r]
        if len(users) == 0:
            return []
        others = np.flatnonzero(pairs)
        others = others[others != r]
        c = np.concatenate([pairs[others], -Z[users, r]])
        if not self._space:
            sets = len(self.atoms[0]) + len(self.data[0])
            self._space = [np.empty((sets, *atoms.rows.shape[1:])) for atoms in self.atoms]
        terms = zip(self.atoms, self.data, self._space, strict=True)
        return [
            AtomProblem(Columns.gather([(atoms, others), (data, users)], space), c)
            for atoms, data, space in terms
        ]

    is_elsewhere = False  # whether samples are on workers

    @property
    def n_codes(self) -> int:
        """Entries of the codes that are not zero."""
        return int(np.count_nonzero(self.codes))

    def __len__(self) -> int:
        """Samples."""
        return len(self.data[0])

    def sort_worst_first(self) -> Iterator[int]:
        """Samples by what their codes leave over."""
        return iter(np.argsort(-self.residuals, kind="stable").tolist())

    def replace(self, r: int, sample: int | None) -> None:
        """Make a sample atom r; nothing without one."""
        if sample is not None:
            for atoms, data in zip(self.atoms, self.data, strict=True):
                atoms.put(r, data[[sample]].completed())
            self._kernels = None


def learn(
    groups: list[Group], update: str, max_iter: int, tol: float, n_jobs: int | None
) -> Iterator[tuple[float, float]]:
    """Yield the objective after the codes and after the atoms of every iteration.

    Ends with a pair of equal numbers, the codes of the last atoms. Stops when an iteration
    lowers the objective by less than `tol` of it. Groups have nothing in common and run side by
    side.
    """

    def step(of_codes: bool) -> float:
        values = np.empty(len(groups))
        inner = n_jobs if len(groups) == 1 else None  # one group has all the threads

        def work(block: slice) -> None:
            for i in range(block.start, block.stop):
                if of_codes:
                    values[i] = groups[i].code(inner)
                else:
                    groups[i].improve_atoms(update)
                    values[i] = groups[i].objective(inner)

        # Groups that wait for workers wait side by side.
        threads = len(groups) if groups[0].is_elsewhere else n_jobs
        for_each_block(work, len(groups), n_jobs=threads, description="dictionary")
        return float(values.sum())

    previous = np.inf
    for _ in range(max_iter):  # Alg. 1, line 3 -> for t = 1 to MaxNumIters
        value = step(of_codes=True)  # line 4 -> learn the sparse codes Z
        if previous - value <= tol * abs(value):
            break
        previous = value
        yield value, step(of_codes=False)  # lines 5 to 17 -> update every atom
    else:
        value = step(of_codes=True)
    yield value, value
