"""Batches of orthonormal columns with eigenvalues: systems and atoms as the objective needs them.

Three kinds have one kernel, k = sum_ab E(l_a, m_b) |u_a* w_b|^2 with E of Table 2: symmetric parts
(real eigenvalues), skew parts (planes with eigenvalues +-i theta), and plain subspaces (all
eigenvalues zero, E = 1), such as noise directions and finite observability matrices.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats, Indices
from ldslearn.geometry.closed_form import plain_sums, skew_sums, symmetric_sums
from ldslearn.geometry.pairs import BatchBases, sum_pairs
from ldslearn.models import SkewForm, SymmetricForm

Kind = Literal["symmetric", "skew", "plain"]

_SUMS = {"symmetric": symmetric_sums, "skew": skew_sums, "plain": plain_sums}


@dataclass(frozen=True, eq=False)
class Columns:
    """N sets of n orthonormal columns of length m.

    Attributes
    ----------
    kind : "symmetric", "skew" or "plain"
    rows : (N, n, m) array
        The columns, each a contiguous row.
    eigenvalues : (N, k) array
        Of "symmetric" (k = n), theta of "skew" (k = n // 2), none of "plain" (k = 0).
    """

    kind: Kind
    rows: Floats
    eigenvalues: Floats

    __repr__ = summarize_fields

    @classmethod
    def of(cls, form: SymmetricForm | SkewForm | Floats) -> Self:
        """Return the columns of canonical forms, or of plain (N, m, n) bases."""
        if isinstance(form, SymmetricForm):
            return cls("symmetric", _as_rows(form.measurement), form.eigenvalues.copy())
        if isinstance(form, SkewForm):
            return cls("skew", _as_rows(form.basis), form.theta.copy())
        return cls("plain", _as_rows(form), np.empty((len(form), 0)))

    def as_form(self, delays: int = 1) -> SymmetricForm | SkewForm | Floats:
        """Return the input of :meth:`of`, eigenvalues descending."""
        order = np.argsort(-self.eigenvalues, axis=1, kind="stable")
        values = np.take_along_axis(self.eigenvalues, order, axis=1)
        if self.kind == "skew":
            planes = np.stack([2 * order, 2 * order + 1], axis=2).reshape(len(self), -1)
            lone = np.arange(planes.shape[1], self.n_columns)
            order = np.concatenate([planes, np.tile(lone, (len(self), 1))], axis=1)
        rows = self.rows
        if self.kind != "plain":
            rows = np.take_along_axis(rows, order[:, :, None], axis=1)
        basis = np.swapaxes(rows, 1, 2).copy()
        if self.kind == "symmetric":
            return SymmetricForm(values, basis, delays)
        return SkewForm(values, basis, delays) if self.kind == "skew" else basis

    def complete(self) -> Self:
        """Return a copy in which columns of zeros are replaced to complete an orthonormal set.

        Samples may have columns of zeros (a vanishing noise has no direction). Atoms may not: an
        update would change their norm.
        """
        filled = self.copy()
        for rows in filled.rows:
            empty = np.flatnonzero(np.einsum("ij,ij->i", rows, rows) < 0.5)
            if len(empty):
                rest = np.delete(rows, empty, axis=0)
                basis = np.linalg.qr(np.concatenate([rest, np.eye(rows.shape[1])]).T)[0]
                rows[empty] = basis.T[len(rest) : len(rest) + len(empty)]
        return filled

    def put(self, index: int, other: Self) -> None:
        """Overwrite one set by the first of another batch."""
        self.rows[index], self.eigenvalues[index] = other.rows[0], other.eigenvalues[0]

    def __len__(self) -> int:
        return len(self.rows)

    def __sizeof__(self) -> int:
        """Bytes, by which a cluster decides what not to move."""
        return object.__sizeof__(self) + self.rows.nbytes + self.eigenvalues.nbytes

    def __getitem__(self, key: Any) -> Self:
        return replace(self, rows=self.rows[key], eigenvalues=self.eigenvalues[key])

    def copy(self) -> Self:
        """Return a deep copy."""
        return replace(self, rows=self.rows.copy(), eigenvalues=self.eigenvalues.copy())

    @property
    def n_columns(self) -> int:
        """Columns per set."""
        return self.rows.shape[1]

    @property
    def self_kernel(self) -> Floats:
        """Kernel of every set with itself, (N,): the number of its columns that are not zero."""
        return np.einsum("ijk,ijk->i", self.rows, self.rows)

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return several batches of one kind as one."""
        return cls(
            batches[0].kind,
            np.concatenate([batch.rows for batch in batches]),
            np.concatenate([batch.eigenvalues for batch in batches]),
        )

    @classmethod
    def gather(cls, parts: Sequence[tuple[Self, Indices]], space: Floats) -> Self:
        """Return chosen sets of several batches, their rows copied to the beginning of `space`.

        Writing to memory that is in use is several times faster than to new memory.
        """
        start = 0
        for batch, chosen in parts:
            stop = start + len(chosen)
            # "clip" lets NumPy copy straight to `out`; no index is out of bounds.
            np.take(batch.rows, chosen, axis=0, out=space[start:stop], mode="clip")
            start = stop
        eigenvalues = np.concatenate([batch.eigenvalues[chosen] for batch, chosen in parts])
        return cls(parts[0][0].kind, space[:start], eigenvalues)

    def kernel(self, other: Self, n_jobs: int | None = None) -> Floats:
        """Return the kernels of all pairs, (len(self), len(other))."""
        bases = self._make_bases()
        return sum_pairs(
            _SUMS[self.kind],
            bases,
            bases if other is self else other._make_bases(),
            n_jobs,
            "kernels of atoms",
        )

    def _make_bases(self) -> BatchBases:
        def basis(block: slice) -> Floats:
            return np.swapaxes(self.rows[block], 1, 2)

        return BatchBases((len(self), self.n_columns), basis, self.eigenvalues)


def sum_products(first: Columns, second: Columns, G: Floats, out: Floats) -> None:
    """Fill `out` (len(first), len(second)) with kernels from products of columns.

    G is (len(first), n1, len(second), n2).
    """
    _SUMS[first.kind](first.eigenvalues, second.eigenvalues, G, out)


def _as_rows(basis: Floats) -> Floats:
    return np.ascontiguousarray(np.swapaxes(basis, 1, 2))
