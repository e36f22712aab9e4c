"""The exact similarity of systems: a kernel divided by the roots of its diagonal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ldslearn import _errors
from ldslearn._places import locate_systems
from ldslearn._types import Floats, Indices
from ldslearn.geometry.fitted_kernels import FittedKernel, ReferenceKernel
from ldslearn.geometry.registry import Kernel, KernelTerm, sum_terms
from ldslearn.models import LDS

OF_INDEX = " of the index"  # which systems an error is about
_ROUNDING = 1e-12  # similarities are at most 1


def fix_parameters(
    sample: LDS, kernel: Kernel, parameters: Mapping[str, Any] | None, n_jobs: int | None
) -> list[KernelTerm]:
    """Return the terms of a kernel, with every bandwidth "median" replaced by that of a sample."""
    return FittedKernel.fit(sample, kernel, parameters, n_jobs, clip=False).parts


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

    def compute_selves(self, systems: LDS, n_jobs: int | None) -> Floats:
        """Return the kernel of every system with itself, (len(systems),), all positive."""
        if self.constant is None:
            selves = ReferenceKernel(systems[:1], self.terms, None).diagonal(systems, n_jobs)
        else:
            selves = np.full(len(systems), self.constant)
        bad = np.flatnonzero(~((selves > 0) & np.isfinite(selves)))
        if len(bad):
            raise _errors.SystemsError(
                "the kernel of a system with itself must be positive and finite; got "
                f"{selves[bad[0]]:g} for {{systems}}. Leave it out, or choose another kernel.",
                bad,
            )
        return selves

    def compute(self, queries: LDS, systems: LDS, ids: Indices, n_jobs: int | None) -> Floats:
        """Return the similarities, (len(queries), len(systems)); errors name systems by ids."""
        with locate_systems(other=(OF_INDEX, ids.tolist())):
            K = sum_terms(self.terms, queries, systems, n_jobs)
        with locate_systems(ids.tolist(), OF_INDEX):
            selves = self.compute_selves(systems, n_jobs)
        return K / np.sqrt(np.outer(self.compute_selves(queries, n_jobs), selves))


def choose_best(ids: Indices, similarities: Floats, k: int) -> tuple[Indices, Floats]:
    """Return the ids of the k largest similarities and their values; of equals the first ids.

    Values within `_ROUNDING` of the largest of them are equal: the last bits of a kernel depend on
    the systems that it is computed with.
    """
    if len(ids) > k:  # all that may tie with the k-th, and few others
        kth = np.partition(similarities, len(ids) - k)[len(ids) - k]
        kept = np.flatnonzero(similarities >= kth - _ROUNDING)
        ids, similarities = ids[kept], similarities[kept]
    order = np.argsort(-similarities, kind="stable")
    ids, similarities = ids[order], similarities[order]
    start = 0
    while start < min(k, len(ids)):
        end = np.searchsorted(-similarities, _ROUNDING - similarities[start], side="right")
        order[start:end] = start + np.argsort(ids[start:end], kind="stable")
        start = int(end)
    order = order[:k]
    return ids[order], np.minimum.accumulate(similarities[order])
