"""Kernels of systems with themselves, in closed form where they have one."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ldslearn._places import locate_systems
from ldslearn._types import Floats
from ldslearn.geometry.registry import KernelTerm, sum_terms
from ldslearn.geometry.static_kernels import noise_directions
from ldslearn.models.lds import LDS

_BLOCK = 8  # systems; a call costs more than the pairs that are not needed


def sum_diagonals(terms: list[KernelTerm], X: LDS, n_jobs: int | None) -> Floats:
    """Return a kernel, given by its terms, of every system with itself, (len(X),).

    Subspaces of stable systems have the kernel n_states with themselves, and Gaussian kernels are
    1. No pair is computed for these.
    """
    found, others = np.zeros(len(X)), []
    for term in terms:
        kernel, weight, settings = term
        own = _find_own(kernel, settings, X)
        if own is None:
            others.append(term)
        else:
            found += weight * own
    for start in range(0, len(X) if others else 0, _BLOCK):
        block = X[start : start + _BLOCK]
        with locate_systems(start):
            found[start : start + len(block)] += sum_terms(others, block, block, n_jobs).diagonal()
    return found


def _find_own(
    kernel: str | Callable[..., Floats], settings: Mapping[str, Any], X: LDS
) -> Floats | float | None:
    """Return the kernels of systems with themselves, or None if there is no closed form."""
    if callable(kernel):
        return None
    if kernel in ("mean", "deviation"):
        return 1.0 if settings.get("shape", "rbf") == "rbf" else None
    if kernel == "covariance":
        return _count_noise_directions(X)
    if X.allow_unstable:
        return None
    if kernel == "martin":
        return 1.0
    if kernel in ("projection", "finite", "symmetric", "skew", "twofold"):
        return float(X.n_states)
    if kernel == "hybrid":
        mix = float(settings.get("mix", 0.5))
        return mix * X.n_states + (1 - mix) * _count_noise_directions(X)
    return None


def _count_noise_directions(X: LDS) -> Floats:
    """Return the number of noise directions that are not zero, the mean over windows, (len(X),)."""
    counts = [np.square(noise_directions(X.window(k))).sum(axis=(1, 2)) for k in range(X.windows)]
    return np.mean(counts, axis=0)
