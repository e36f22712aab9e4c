"""Algorithm 1: alternate between codes and atoms. Neither step increases the objective."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldslearn._parallel import for_each_block
from ldslearn._types import Floats
from ldslearn.coding import sparse_code
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.samples import Samples
from ldslearn.dictionary.sweeps import Sweep
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
    _kernels: tuple[Floats, Floats] | None = None  # of the current atoms
    _buffers: list[Floats] = field(default_factory=list)  # reused, for the problems of each atom
    _sweeps: list[Sweep] | None = None  # one per term; none if atoms are better moved one by one
    is_on_workers: bool = False  # whether samples are on workers

    def compute_kernels(self, n_jobs: int | None = None) -> tuple[Floats, Floats]:
        """Return kernel matrices of the atoms, (J, J), and of samples and atoms, (N, J)."""
        if self._kernels is None:
            gram = self._sum_kernels(self.atoms, n_jobs)
            if self._sweeps:
                known = [
                    w * one.kernel() for one, w in zip(self._sweeps, self.weights, strict=True)
                ]
                self._kernels = gram, np.sum(known, axis=0)
            else:
                self._kernels = gram, self._sum_kernels(self.data, n_jobs)
        return self._kernels

    def _sum_kernels(self, first: list[Columns], n_jobs: int | None) -> Floats:
        terms = zip(first, self.atoms, self.weights, strict=True)
        return sum(w * x.kernel(atoms, n_jobs) for x, atoms, w in terms)  # type: ignore[return-value]

    @property
    def self_kernel(self) -> Floats:
        """Kernel of every sample with itself, (N,)."""
        return sum(  # type: ignore[return-value]
            w * data.self_kernel for w, data in zip(self.weights, self.data, strict=True)
        )

    def update_codes(self, n_jobs: int | None = None) -> float:
        """Find the best codes, and return the objective."""
        self.codes = self.find_codes(n_jobs)
        return self.objective(n_jobs)

    def find_codes(self, n_jobs: int | None = None) -> Floats:
        """Return the best codes, (N, J)."""
        return sparse_code(*self.compute_kernels(n_jobs), self.sparsity, n_jobs=n_jobs)

    def objective(self, n_jobs: int | None = None) -> float:
        """Objective of the current codes and atoms, Eq. (14)."""
        gram, cross = self.compute_kernels(n_jobs)
        Z = self.codes
        self.residuals = self.self_kernel + np.einsum("ij,ij->i", Z, Z @ gram - 2.0 * cross)
        return float(self.residuals.sum() + self.sparsity * np.abs(Z).sum())

    def improve_atoms(self, update: str) -> None:
        """Update one atom after the other; replace unused ones by the samples coded worst."""
        is_first = self._sweeps is None
        if self._sweeps is None:
            self._sweeps = self._make_sweeps(update)
        if self._sweeps:
            self._move_atoms(self._sweeps, 2 if is_first else 1)
            return
        worst_first = self.sort_worst_first()
        for r in range(len(self.atoms[0])):
            problems = self.make_problems(r)
            if not problems:
                self.replace(r, next(worst_first, None))
                continue
            for problem, atoms in zip(problems, self.atoms, strict=True):
                improved = UPDATES[update](problem, Atom(atoms.rows[r], atoms.eigenvalues[r]))
                atoms.rows[r], atoms.eigenvalues[r] = improved.rows, improved.eigenvalues
        self._kernels = None

    def _make_sweeps(self, update: str) -> list[Sweep]:
        """Return products with which all atoms are moved at a time; none if that takes longer."""
        samples = self.get_samples()
        if update != "joint" or not Sweep.is_worthwhile(samples, self.atoms, self.n_nonzero):
            return []
        return [Sweep(samples, i, atoms) for i, atoms in enumerate(self.atoms)]

    def _move_atoms(self, sweeps: list[Sweep], n_sweeps: int) -> None:
        """:meth:`improve_atoms` by sweeps; the second one knows where atoms come from."""
        codes, worst_first = self.get_codes(), self.sort_worst_first()
        for r in np.flatnonzero(~codes.any(axis=0)).tolist():
            self.replace(r, next(worst_first, None))
        for _ in range(n_sweeps):
            for sweep in sweeps:
                sweep.move_atoms(codes)
        self._kernels = None

    def get_samples(self) -> Samples:
        """Return the samples."""
        return Samples.of(self.data)

    def get_codes(self) -> Floats:
        """Return the codes of all samples, (N, J)."""
        return self.codes

    def make_problems(self, r: int) -> list[Any]:
        """Return the objective in atom r, one problem per term; none if no code uses it.

        They share memory with those of the last call, which become invalid.
        """
        Z = self.codes
        users, pairs = np.flatnonzero(Z[:, r]), Z.T @ Z[:, r]
        if len(users) == 0:
            return []
        others = np.flatnonzero(pairs)
        others = others[others != r]
        c = np.concatenate([pairs[others], -Z[users, r]])
        if not self._buffers:
            sets = len(self.atoms[0]) + len(self.data[0])
            self._buffers = [np.empty((sets, *atoms.rows.shape[1:])) for atoms in self.atoms]
        terms = zip(self.atoms, self.data, self._buffers, strict=True)
        return [
            AtomProblem(Columns.gather([(atoms, others), (data, users)], space), c)
            for atoms, data, space in terms
        ]

    @property
    def n_nonzero(self) -> int:
        """Entries of the codes that are not zero."""
        return int(np.count_nonzero(self.codes))

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.data[0])

    def sort_worst_first(self) -> Iterator[int]:
        """Yield samples by their residuals, the largest first."""
        return iter(np.argsort(-self.residuals, kind="stable").tolist())

    def replace(self, r: int, sample: int | None) -> None:
        """Replace atom r by a sample, if there is one."""
        if sample is not None:
            for atoms, data in zip(self.atoms, self.data, strict=True):
                atoms.put(r, data[[sample]].complete())
            self._forget(r)

    def _forget(self, r: int) -> None:
        """Forget products with an atom that was replaced."""
        self._kernels = None
        for sweep in self._sweeps or []:
            sweep.start_again(r)


def learn(
    groups: list[Group], update: str, max_iter: int, tol: float, n_jobs: int | None
) -> Iterator[tuple[float, float]]:
    """Yield the objective after the codes and after the atoms of every iteration.

    The last pair repeats the final objective. Learning stops when an iteration lowers the objective
    by less than the fraction `tol`. Groups are independent and run in parallel.
    """
    inner = n_jobs if len(groups) == 1 else None  # one group has all the threads

    def update_codes(group: Group) -> float:
        return group.update_codes(inner)

    def update_atoms(group: Group) -> float:
        group.improve_atoms(update)
        return group.objective(inner)

    def apply_to_groups(step: Callable[[Group], float]) -> float:
        values = np.empty(len(groups))

        def work(block: slice) -> None:
            for i in range(block.start, block.stop):
                values[i] = step(groups[i])

        # Groups that wait for workers wait in parallel.
        threads = len(groups) if groups[0].is_on_workers else n_jobs
        for_each_block(work, len(groups), n_jobs=threads, description="dictionary")
        return float(values.sum())

    previous = np.inf
    for _ in range(max_iter):  # Alg. 1, line 3 -> for t = 1 to MaxNumIters
        value = apply_to_groups(update_codes)  # line 4 -> learn the sparse codes Z
        if previous - value <= tol * abs(value):
            break
        previous = value
        yield value, apply_to_groups(update_atoms)  # lines 5 to 17 -> update every atom
    else:
        value = apply_to_groups(update_codes)
    yield value, value
