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
Part = tuple[str | Callable[..., Floats], float, dict[str, Any]]

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
        Passed to the named kernel or the function; of a mixture, parameters of its parts by name,
        such as ``mean={"bandwidth": 2.0}``.

    Returns
    -------
    (len(X), len(Y)) array
    """
    return sum(  # type: ignore[return-value]
        weight * evaluate_part(part, X, Y, n_jobs, settings)
        for part, weight, settings in kernel_parts(kernel, parameters)
    )


def kernel_parts(kernel: Kernel, parameters: Mapping[str, Any]) -> list[Part]:
    """Return (name or function, weight, parameters) of every part of a kernel, checked."""
    if isinstance(kernel, str):
        return [(_known(kernel), 1.0, dict(parameters))]
    if callable(kernel):
        return [(kernel, 1.0, dict(parameters))]
    if not isinstance(kernel, Mapping) or not kernel:
        raise _errors.invalid_parameter(
            "kernel", "be a name, a function or a mapping of names to weights", kernel
        )
    strangers = sorted(set(parameters) - set(kernel))
    if strangers or not all(isinstance(settings, Mapping) for settings in parameters.values()):
        raise _errors.mixture_parameters(strangers or sorted(parameters), kernel)
    for name, weight in kernel.items():
        check_real(f"the weight of {_known(name)!r}", weight, "be non-negative", low=0)
    return [(name, float(w), dict(parameters.get(name, {}))) for name, w in kernel.items()]


def evaluate_part(
    part: str | Callable[..., Floats],
    X: LDS,
    Y: LDS | None,
    n_jobs: int | None,
    settings: Mapping[str, Any],
) -> Floats:
    """Return the kernel matrix of one part of a kernel."""
    if isinstance(part, str):
        return KERNELS[part](X, Y, n_jobs=n_jobs, **settings)
    return _checked("kernel", part(X, Y, **settings), X, Y)


def _checked(what: str, values: Any, X: LDS, Y: LDS | None) -> Floats:
    matrix, shape = np.asarray(values, dtype=np.float64), (len(X), len(X if Y is None else Y))
    if matrix.shape != shape:
        raise _errors.invalid_parameter(what, f"return an array of shape {shape}", matrix.shape)
    return matrix


def pairwise_distance(
    X: LDS,
    Y: LDS | None = None,
    distance: str | Callable[..., Floats] = "projection",
    *,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Floats:
    """Return the distances of all pairs for a name of ``DISTANCES`` or a function ``f(X, Y)``."""
    if callable(distance):
        return _checked("distance", distance(X, Y, **parameters), X, Y)
    if distance not in DISTANCES:
        raise _errors.unknown_name("distance", distance, DISTANCES)
    return DISTANCES[distance](X, Y, n_jobs=n_jobs, **parameters)


def _known(name: str) -> str:
    if name not in KERNELS:
        raise _errors.unknown_name("kernel", name, KERNELS)
    return name
