"""Kernels and distances by name, and one dispatcher for names, functions and mixtures."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_real
from ldslearn.geometry.alternatives import (
    alignment_distance,
    binet_cauchy_kernel,
    kl_divergence_rate,
)
from ldslearn.geometry.distances import martin_distance, projection_distance
from ldslearn.geometry.kernels import (
    finite_projection_kernel,
    hybrid_kernel,
    martin_kernel,
    projection_kernel,
)
from ldslearn.geometry.static import covariance_kernel, mean_kernel
from ldslearn.geometry.twofold import skew_kernel, symmetric_kernel, twofold_kernel
from ldslearn.models import LDS

Floats = NDArray[np.float64]
Kernel = str | Callable[..., Floats] | Mapping[str, float]

KERNELS: dict[str, Callable[..., Floats]] = {
    "projection": projection_kernel,
    "martin": martin_kernel,
    "finite": finite_projection_kernel,
    "symmetric": symmetric_kernel,
    "skew": skew_kernel,
    "twofold": twofold_kernel,
    "covariance": covariance_kernel,
    "hybrid": hybrid_kernel,
    "mean": mean_kernel,
    "binet_cauchy": binet_cauchy_kernel,
}
DISTANCES: dict[str, Callable[..., Floats]] = {
    "projection": projection_distance,
    "martin": martin_distance,
    "alignment": alignment_distance,
    "kl": kl_divergence_rate,
}


def pairwise_kernel(
    X: LDS,
    Y: LDS | None = None,
    kernel: Kernel = "projection",
    *,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Floats:
    """Return the kernel matrix of all pairs for a kernel given by name, function or mixture.

    Parameters
    ----------
    X, Y : LDS
        Y is X when None.
    kernel : str, callable or mapping of str to float
        A name of ``KERNELS``; a function ``f(X, Y)``; or weights of named kernels, such as
        ``{"projection": 0.7, "covariance": 0.1, "mean": 0.2}``.
    n_jobs : int or None
        Threads; not passed to functions of your own.
    **parameters
        Passed to the named kernel or the function; a mixture takes none.

    Returns
    -------
    (len(X), len(Y)) array
    """
    if isinstance(kernel, str):
        return _named(kernel)(X, Y, n_jobs=n_jobs, **parameters)
    if callable(kernel):
        return np.asarray(kernel(X, Y, **parameters), dtype=np.float64)
    if not isinstance(kernel, Mapping) or not kernel:
        raise _errors.invalid_parameter(
            "kernel", "be a name, a function or a mapping of names to weights", kernel
        )
    if parameters:
        raise _errors.invalid_parameter(
            "parameters", "be empty for a mixture of kernels", sorted(parameters)
        )
    for name, weight in kernel.items():
        _named(name)
        check_real(f"the weight of {name!r}", weight, "be non-negative", low=0)
    return sum(  # type: ignore[return-value]
        weight * _named(name)(X, Y, n_jobs=n_jobs) for name, weight in kernel.items()
    )


def pairwise_distance(
    X: LDS,
    Y: LDS | None = None,
    distance: str = "projection",
    *,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Floats:
    """Return the distances of all pairs for a distance of ``DISTANCES`` given by name."""
    if distance not in DISTANCES:
        raise _errors.unknown_name("distance", distance, DISTANCES)
    return DISTANCES[distance](X, Y, n_jobs=n_jobs, **parameters)


def _named(name: str) -> Callable[..., Floats]:
    if name not in KERNELS:
        raise _errors.unknown_name("kernel", name, KERNELS)
    return KERNELS[name]
