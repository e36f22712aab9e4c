"""A kernel together with the systems that it compares others with."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ldslearn import _errors
from ldslearn._places import locate_systems, warn_once
from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats, Indices
from ldslearn.geometry.definiteness import POLICIES, apply_policy
from ldslearn.geometry.diagonals import sum_diagonals
from ldslearn.geometry.distances import squared_martin_distance
from ldslearn.geometry.registry import Kernel, KernelTerm, evaluate_kernel, parse_kernel, sum_terms
from ldslearn.geometry.static_kernels import (
    radial_kernel,
    squared_deviation_distance,
    squared_mean_distance,
)
from ldslearn.models.lds import LDS, as_systems

# Kernels exp(-squared distance / bandwidth), and the default bandwidth.
_RADIAL: dict[str, tuple[Callable[..., Floats], Any]] = {
    "martin": (squared_martin_distance, 200.0),
    "mean": (squared_mean_distance, "median"),
    "deviation": (squared_deviation_distance, "median"),
}
_BYTES_PER_ROW_BLOCK = 2**26  # of a block of rows of the kernel matrix of queries
TRAINING = " of the training systems"


@dataclass(frozen=True)
class ReferenceKernel:
    """A kernel and the systems that it compares others with: all that predictions need.

    Attributes
    ----------
    systems : LDS
    parts : list of (name or function, weight, parameters)
        With every ``bandwidth="median"`` replaced by the number found among the training systems,
        so that matrices of training and of new systems belong together.
    projector : (N, n_columns) array or None
        Of the positive part of an indefinite kernel; see :func:`positive_part`.
    """

    systems: LDS
    parts: list[KernelTerm]
    projector: Floats | None

    __repr__ = summarize_fields

    def cross(self, X: LDS, n_jobs: int | None = None) -> Floats:
        """Return the kernels of other systems with these, (len(X), N)."""
        with locate_systems(other=(TRAINING, 0)):
            K = sum_terms(self.parts, X, self.systems, n_jobs)
        return K if self.projector is None else K @ self.projector

    def blocks(self, X: LDS) -> Iterator[slice]:
        """Cut other systems into blocks whose kernels with these take little memory."""
        return cut_rows(len(X), len(self.systems))

    def apply_by_rows(self, compute: Callable[[LDS], Floats], X: LDS) -> Floats:
        """Return the rows that a function computes of other systems, block by block."""
        rows = []
        for block in self.blocks(X):
            with locate_systems(block.start):
                rows.append(compute(X[block]))
        return np.concatenate(rows)

    def diagonal(self, X: LDS, n_jobs: int | None = None) -> Floats:
        """Return the kernel of every system with itself, (len(X),)."""
        return sum_diagonals(self.parts, X, n_jobs)

    def check(self, X: Any) -> LDS:
        """Return X if it can be compared with the systems, of the same channels and order."""
        return check_same_layout(X, self.systems, "the model was fitted with")


@dataclass(frozen=True)
class FittedKernel(ReferenceKernel):
    """A kernel, the systems it refers to, and their kernel matrix.

    Attributes
    ----------
    systems, parts, projector
        As in :class:`ReferenceKernel`.
    gram : (N, N) array
    """

    gram: Floats

    __repr__ = summarize_fields

    @classmethod
    @warn_once
    def fit(
        cls,
        systems: LDS,
        kernel: Kernel,
        parameters: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        *,
        clip: bool = True,
    ) -> Self:
        """Compute the kernel matrix of the systems, and fix the parameters of the kernel.

        Of an indefinite matrix (the Martin kernel, or a function of your own) the positive part is
        used with a warning, unless its parameter `psd` says otherwise, or `clip` is False: then
        the matrix stays as it is.
        """
        _check_memory(len(systems))
        gram, parts, policy = np.zeros((len(systems), len(systems))), [], "ignore"
        for part, weight, settings in parse_kernel(kernel, parameters or {}):
            if part == "martin":
                policy = settings.get("psd", "clip")
                if policy not in POLICIES:
                    raise _errors.unknown_name("psd", policy, POLICIES)
                settings = {**settings, "psd": "ignore"}
            elif callable(part):
                policy = "clip"
            K, fixed = _fit_part(part, systems, settings, n_jobs)
            if callable(part) and (gap := np.abs(K - K.T).max()) > 1e-8 * np.abs(K).max():
                raise ValueError(
                    "kernel must be symmetric, k(x, y) = k(y, x); got a matrix with |K - K'| "
                    f"= {float(gap):.3g}."
                )
            gram += weight * K
            parts.append((part, weight, fixed))
        if not clip and policy == "clip":
            policy = "ignore"
        positive = apply_policy(gram, policy, stacklevel=4)
        if positive is None:
            return cls(systems, parts, None, gram)
        return cls(systems, parts, positive.projector, positive.gram)

    def restrict(self, columns: Indices) -> ReferenceKernel:
        """Return the kernel with some of the systems, in their order, without the kernel matrix.

        An indefinite kernel keeps all systems: its positive part depends on each of them.
        """
        if self.projector is not None:
            projector = np.ascontiguousarray(self.projector[:, columns])
            return ReferenceKernel(self.systems, self.parts, projector)
        systems = self.systems if len(columns) == len(self.systems) else self.systems[columns]
        return ReferenceKernel(systems, self.parts, None)


def check_same_layout(X: Any, systems: LDS, whose: str) -> LDS:
    """Return X if it is a batch of systems of the same channels, delays and order as `systems`."""
    batch = as_systems(X, "X", at_least_one=True)
    for what in ("n_channels", "delays", "n_states", "windows"):
        got, expected = getattr(batch, what), getattr(systems, what)
        if got != expected:
            raise systems_not_as_fitted(what, got, expected, whose)
    return batch


def cut_rows(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut the rows of a matrix into blocks that take little memory."""
    size = max(1, _BYTES_PER_ROW_BLOCK // (8 * n_columns))
    return (slice(start, start + size) for start in range(0, n_rows, size))


def _fit_part(
    part: str | Callable[..., Floats], X: LDS, settings: dict[str, Any], n_jobs: int | None
) -> tuple[Floats, dict[str, Any]]:
    """Return the kernel matrix of X, and the parameters with "median" replaced by a number."""
    if find_bandwidth(part, settings) != "median":
        return evaluate_kernel(part, X, None, n_jobs, settings), settings
    distance = _RADIAL[str(part)][0]
    K, bandwidth = radial_kernel(distance, X, None, "median", n_jobs=n_jobs)
    return K, {**settings, "bandwidth": bandwidth}


def find_bandwidth(part: str | Callable[..., Floats], settings: Mapping[str, Any]) -> Any:
    """Return the bandwidth of a part of a kernel, a number or "median"; None if it has none."""
    if part not in _RADIAL or settings.get("shape", "rbf") != "rbf":
        return None
    return settings.get("bandwidth", _RADIAL[str(part)][1])


def _check_memory(n_systems: int) -> None:
    """Raise if a kernel matrix and its copy do not fit in memory."""
    if n_systems > 10_000 and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if 2 * 8 * n_systems**2 > memory:
            raise MemoryError(
                f"the kernel matrix of {n_systems} systems must fit in memory twice; one copy "
                f"takes {8 * n_systems**2 / 2**30:.1f} GiB, and this machine has "
                f"{memory / 2**30:.1f} GiB. Fit on fewer systems, such as a sample of every "
                "class."
            )


def systems_not_as_fitted(what: str, got: int, expected: int, whose: str) -> ValueError:
    """Return the error about systems of another size than those of the training set."""
    return ValueError(
        f"X must have {what}={expected}, as {whose}; got {got}. "
        "Encode training and new sequences with the same LDSEncoder, for example in one Pipeline."
    )
