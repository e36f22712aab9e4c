"""The exact similarity of systems: a kernel divided by the roots of its diagonal."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ldslearn._places import locate_systems
from ldslearn._types import Floats, Indices
from ldslearn.geometry.fitted_kernels import FittedKernel, ReferenceKernel
from ldslearn.geometry.registry import Kernel, KernelTerm, sum_terms
from ldslearn.models import LDS

OF_INDEX = " of the index"  # which systems an error is about


def fix_parameters(
    sample: LDS, kernel: Kernel, parameters: Mapping[str, Any] | None, n_jobs: int | None
) -> list[KernelTerm]:
    """Return the terms of a kernel, with every bandwidth "median" replaced by that of a sample."""
    with warnings.catch_warnings():  # similarities are those of the kernel as it is
        warnings.filterwarnings("ignore", "the kernel matrix is indefinite")
        return FittedKernel.fit(sample, kernel, parameters, n_jobs).parts


def join_terms(terms: list[KernelTerm]) -> tuple[Kernel, dict[str, Any]]:
    """Return the kernel and its parameters that :func:`parse_kernel` cuts into these terms."""
    if len(terms) == 1:
        name, _, parameters = terms[0]
        return name, parameters
    return (
        {str(name): weight for name, weight, _ in terms},
        {str(name): parameters for name, _, parameters in terms if parameters},
    )


@dataclass(frozen=True)
class Similarity:
    r"""The similarity :math:`k(q, x) / \sqrt{k(q, q) \, k(x, x)}` of queries and systems.

    Attributes
    ----------
    terms : list of (name or function, weight, parameters)
        Of the kernel.
    constant : float or None
        The kernel of any system with itself; None if it differs between systems.
    """

    terms: list[KernelTerm]
    constant: float | None

    @classmethod
    def of(cls, terms: list[KernelTerm], example: LDS) -> Self:
        """Return the similarity of systems like the example.

        Kernels by name have one value for all pairs of a system with itself, up to rounding.
        """
        is_constant = not example.allow_unstable and all(
            isinstance(name, str) and parameters.get("normalise", True)
            for name, _, parameters in terms
        )
        kernel = ReferenceKernel(example, terms, None)
        return cls(terms, float(kernel.diagonal(example)[0]) if is_constant else None)

    def scale_vectors(self, vectors: Floats, systems: LDS, n_jobs: int | None) -> Floats:
        """Return vectors of systems with inner products that approximate the similarity."""
        return vectors / np.sqrt(self.compute_selves(systems, n_jobs))[:, None]

    def compute_selves(self, systems: LDS, n_jobs: int | None) -> Floats:
        """Return the kernel of every system with itself, (len(systems),)."""
        if self.constant is not None:
            return np.full(len(systems), self.constant)
        return ReferenceKernel(systems[:1], self.terms, None).diagonal(systems, n_jobs)

    def compute(self, queries: LDS, systems: LDS, ids: Indices, n_jobs: int | None) -> Floats:
        """Return the similarities, (len(queries), len(systems)); errors name systems by ids."""
        with np.errstate(divide="ignore", invalid="ignore"):
            with locate_systems(other=(OF_INDEX, ids.tolist())):
                K = sum_terms(self.terms, queries, systems, n_jobs)
            selves = self.compute_selves(queries, n_jobs), self.compute_selves(systems, n_jobs)
            similarities = K / np.sqrt(np.outer(*selves))
        if not np.isfinite(similarities).all():
            row, column = np.argwhere(~np.isfinite(similarities))[0]
            raise ValueError(
                f"similarities must be finite; got {similarities[row, column]} for system "
                f"{ids[column]} of the index. The kernel of every system with itself must be "
                f"positive: choose another kernel, or remove([{ids[column]}])."
            )
        return similarities


def choose_best(ids: Indices, similarities: Floats, k: int) -> tuple[Indices, Floats]:
    """Return the ids of the k largest similarities and their values; of equals the first ids."""
    if len(ids) > k:  # all that tie with the k-th, and no others
        kth = np.partition(similarities, len(ids) - k)[len(ids) - k]
        kept = np.flatnonzero(similarities >= kth)
        ids, similarities = ids[kept], similarities[kept]
    order = np.lexsort((ids, -similarities))[:k]
    return ids[order], similarities[order]
