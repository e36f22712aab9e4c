"""Algorithm 1 on samples in blocks: codes stay with their block, only sums are returned."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ldslearn._types import Floats, Indices
from ldslearn.dictionary.algorithm import Group
from ldslearn.dictionary.block_problem import BlockProblem
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import AtomProblem
from ldslearn.dictionary.samples import (
    Samples,
    StoredColumns,
    fetch_problems,
    hold_problems,
    open_columns,
)


class CodeSums(NamedTuple):
    """The sums of one block that the objective and the problems of the atoms need.

    Attributes
    ----------
    residual : float
    penalty : float
        Sum of |z|.
    pairs : (J, J) array
        Z'Z.
    users : (J,) int array
        Samples that use each atom.
    positive : (J,) array
        Sum of -z over codes below zero: the positive weights of an atom's problem.
    worst : list of (float, int)
        Residual and index in the block of the samples coded worst, as many as atoms.
    """

    residual: float
    penalty: float
    pairs: Floats
    users: Indices
    positive: Floats
    worst: list[tuple[float, int]]


class BlockGroup(Group):
    """A :class:`Group` whose samples are in blocks.

    Per iteration atoms and their kernel matrix are sent to the blocks, and sums are returned.
    """

    def __init__(
        self, samples: Samples, atoms: list[Columns], weights: list[float], sparsity: float
    ) -> None:
        super().__init__([], atoms, weights, sparsity)
        self.samples, self.engine = samples, samples.engine
        self.is_on_workers = bool(samples.engine.n_workers)
        self._cross: list[Any] = []
        self._codes: list[Any] = []
        self._sums: list[CodeSums] = []

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def n_nonzero(self) -> int:
        """Entries of the codes that are not zero."""
        return int(sum(sums.users.sum() for sums in self._sums))

    def compute_kernels(self, n_jobs: int | None = None) -> tuple[Floats, Any]:
        """Return the kernel matrix of the atoms, and handles of those of samples and atoms."""
        if self._kernels is None:
            gram = self._sum_kernels(self.atoms, n_jobs)
            blocks = [(block,) for block in self.samples.blocks]
            self._cross = self.engine.submit(
                compute_cross, blocks, self.atoms, self.weights, n_jobs
            )
            self._kernels = gram, np.empty(0)
        return self._kernels[0], self._cross

    def update_codes(self, n_jobs: int | None = None) -> float:
        """Find the best codes, and return the objective."""
        gram, cross = self.compute_kernels(n_jobs)
        self._codes = self.engine.submit(
            compute_codes, [(one,) for one in cross], gram, self.sparsity, n_jobs
        )
        return self.objective(n_jobs)

    def objective(self, n_jobs: int | None = None) -> float:
        """Objective of the current codes and atoms, Eq. (14)."""
        gram, cross = self.compute_kernels(n_jobs)
        blocks = list(zip(self.samples.blocks, cross, self._codes, strict=True))
        self._sums = list(self.engine.map(sum_codes, blocks, gram, self.weights))
        residual = sum(sums.residual for sums in self._sums)
        return float(residual + self.sparsity * sum(sums.penalty for sums in self._sums))

    def make_problems(self, r: int) -> list[Any]:
        """Return the objective in atom r, one problem per term; none if no code uses it."""
        used = [index for index, sums in enumerate(self._sums) if sums.users[r]]
        if not used:
            return []
        pairs = np.sum([sums.pairs[:, r] for sums in self._sums], axis=0)
        others = np.flatnonzero(pairs)
        others = others[others != r]
        blocks = [(self.samples.blocks[index], self._codes[index], r) for index in used]
        n_users = sum(int(sums.users[r]) for sums in self._sums)
        fetched = fetch_problems(self.samples, make_user_problems, blocks, n_users)
        if fetched and not len(others):
            return list(fetched)
        if fetched:
            return [
                AtomProblem.concatenate([AtomProblem(atoms[others], pairs[others]), users])
                for atoms, users in zip(self.atoms, fetched, strict=True)
            ]
        parts = hold_problems(self.samples, make_user_problems, blocks, n_users)
        positive = float(sum(sums.positive[r] for sums in self._sums))
        return [
            BlockProblem(
                AtomProblem(atoms[others], pairs[others]) if len(others) else None,
                parts, term, atoms.kind, positive, self.engine,
            )
            for term, atoms in enumerate(self.atoms)
        ]  # fmt: skip

    def sort_worst_first(self) -> Iterator[int]:
        """Yield samples by their residuals, the largest first, as many per block as atoms."""
        starts = np.cumsum([0, *self.samples.sizes])
        found = [
            (-residual, int(start) + place)
            for start, sums in zip(starts, self._sums, strict=False)
            for residual, place in sums.worst
        ]
        return iter([sample for _, sample in sorted(found)])

    def replace(self, r: int, sample: int | None) -> None:
        """Replace atom r by a sample, if there is one."""
        if sample is not None:
            for atoms, x in zip(self.atoms, self.samples.take([sample]), strict=True):
                atoms.put(r, x.complete())
            self._forget(r)

    def get_samples(self) -> Samples:
        """Return the samples."""
        return self.samples

    def get_codes(self) -> Floats:
        """Return the codes of all samples, (N, J)."""
        return np.concatenate(list(self.engine.map(np.asarray, [(one,) for one in self._codes])))


def compute_cross(
    terms: StoredColumns, atoms: list[Columns], weights: list[float], n_jobs: int | None
) -> Floats:
    """Return the kernels of the samples of a block and the atoms."""
    return Group(open_columns(terms), atoms, weights, 0.0).compute_kernels(n_jobs)[1]


def compute_codes(cross: Floats, gram: Floats, sparsity: float, n_jobs: int | None) -> Floats:
    """Return the best codes of the samples of a block."""
    group = Group([], [], [], sparsity, _kernels=(gram, cross))
    return group.find_codes(n_jobs)


def sum_codes(
    terms: StoredColumns,
    cross: Floats,
    codes: Floats,
    gram: Floats,
    weights: list[float],
) -> CodeSums:
    """Return the sums of one block."""
    group = Group(open_columns(terms), [], weights, 0.0, codes, _kernels=(gram, cross))
    residual = group.objective()
    worst = np.argsort(-group.residuals, kind="stable")[: codes.shape[1]].tolist()
    return CodeSums(
        residual,
        float(np.abs(codes).sum()),
        codes.T @ codes,
        np.count_nonzero(codes, axis=0),
        np.maximum(-codes, 0.0).sum(axis=0),
        [(float(group.residuals[i]), i) for i in worst],
    )


def make_user_problems(terms: StoredColumns, codes: Floats, r: int) -> list[AtomProblem]:
    """Return the problem of the samples of a block that use an atom, one per term."""
    users = np.flatnonzero(codes[:, r])
    return [AtomProblem(data[users], -codes[users, r]) for data in open_columns(terms)]
