"""Kernels and distances by name, and one dispatcher for names, functions and mixtures."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_real
from ldslearn._places import warn_once
from ldslearn._types import Floats
from ldslearn.geometry.alignment import alignment_distance
from ldslearn.geometry.binet_cauchy import binet_cauchy_kernel
from ldslearn.geometry.distances import martin_distance, projection_distance
from ldslearn.geometry.divergence import kl_divergence_rate
from ldslearn.geometry.finite_observability import finite_projection_kernel
from ldslearn.geometry.kernels import hybrid_kernel, martin_kernel, projection_kernel
from ldslearn.geometry.static_kernels import covariance_kernel, deviation_kernel, mean_kernel
from ldslearn.geometry.twofold import skew_kernel, symmetric_kernel, twofold_kernel
from ldslearn.models import LDS

Kernel = str | Callable[..., Floats] | Mapping[str, float]
# Kernel, weight and parameters. Saved models hold such tuples: they cannot change.
KernelTerm = tuple[str | Callable[..., Floats], float, dict[str, Any]]

# f(X, Y=None, *, n_jobs=None, **parameters) -> (len(X), len(Y)) array, as for distances
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
    "deviation": deviation_kernel,
    "binet_cauchy": binet_cauchy_kernel,
}
DISTANCES: dict[str, Callable[..., Floats]] = {
    "projection": projection_distance,
    "martin": martin_distance,
    "alignment": alignment_distance,
    "kl": kl_divergence_rate,
}


@warn_once
def pairwise_kernel(
    X: LDS,
    Y: LDS | None = None,
    kernel: Kernel = "projection",
    *,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Floats:
    r"""Return the kernel matrix of all pairs for a kernel given by name, function or mixture.

    Parameters
    ----------
    X, Y : LDS or LDSStore
        `Y` is `X` when None.
    kernel : str, callable or mapping of str to float, default="projection"
        A name of `KERNELS`; a function ``f(X, Y)`` of two batches; or weights of named kernels,
        such as ``{"projection": 0.7, "covariance": 0.1, "mean": 0.2}``.
    n_jobs : int or None, default=None
        Threads, as in joblib; not passed to functions of your own.
    **parameters : Any
        Passed to the named kernel or the function. For a mixture they are mappings by kernel,
        such as ``mean={"bandwidth": 2.0}``.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    A mixture is :math:`k = \sum_i w_i k_i`. For systems of several windows per sequence, every
    kernel is the mean over aligned windows.

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import pairwise_kernel
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> pairwise_kernel(X, kernel="finite", order=3).round(3)
    array([[1.   , 0.304],
           [0.304, 1.   ]])
    >>> pairwise_kernel(X, kernel={"symmetric": 0.5, "skew": 0.5}).round(3)
    array([[1.   , 0.265],
           [0.265, 1.   ]])
    """
    return sum_terms(parse_kernel(kernel, parameters), X, Y, n_jobs)


def parse_kernel(kernel: Kernel, parameters: Mapping[str, Any]) -> list[KernelTerm]:
    """Return (name or function, weight, parameters) of every term of a kernel, checked."""
    if not isinstance(parameters, Mapping):
        raise _errors.invalid_parameter("kernel_params", "be a mapping or None", parameters)
    if isinstance(kernel, str):
        return [(_check_kernel_name(kernel), 1.0, _check_parameters(kernel, parameters))]
    if callable(kernel):
        return [(kernel, 1.0, dict(parameters))]
    if not isinstance(kernel, Mapping) or not kernel:
        raise _errors.invalid_parameter(
            "kernel", "be a name, a function or a mapping of names to weights", kernel
        )
    for name, weight in kernel.items():
        check_real(f"the weight of {_check_kernel_name(name)!r}", weight, "be non-negative", low=0)
    if not any(kernel.values()):
        raise _errors.invalid_parameter("kernel", "have a weight above zero", kernel)
    for parameter, value in parameters.items():
        if parameter not in kernel or not isinstance(value, Mapping):
            owners = [name for name in kernel if parameter in _list_parameters(name)]
            example = f"{{{(owners or list(kernel))[0]!r}: {{{parameter!r}: ...}}}}"
            raise ValueError(
                f"parameters of a mixture must be given per kernel; got {parameter!r}. "
                f"Write {example}."
            )
    return [
        (name, float(w), _check_parameters(name, parameters.get(name, {})))
        for name, w in kernel.items()
    ]


def _list_parameters(name: str) -> list[str]:
    known = inspect.signature(KERNELS[name]).parameters
    return [parameter for parameter in known if parameter not in ("X", "Y", "n_jobs")]


def _check_parameters(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    known = _list_parameters(name)
    for parameter in parameters:
        if not known:
            raise ValueError(
                f"the {name!r} kernel must be given no parameters; got {parameter!r}. Leave it out."
            )
        if parameter not in known:
            raise _errors.invalid_parameter(
                f"parameters of the {name!r} kernel",
                f"be among {', '.join(map(repr, known))}",
                parameter,
            )
    return dict(parameters)


def sum_terms(terms: list[KernelTerm], X: LDS, Y: LDS | None, n_jobs: int | None) -> Floats:
    """Return the kernel matrix of a kernel given by its terms."""
    return sum(  # type: ignore[return-value]
        weight * evaluate_kernel(kernel, X, Y, n_jobs, parameters)
        for kernel, weight, parameters in terms
    )


def evaluate_kernel(
    kernel: str | Callable[..., Floats],
    X: LDS,
    Y: LDS | None,
    n_jobs: int | None,
    parameters: Mapping[str, Any],
) -> Floats:
    """Return the kernel matrix of one kernel, given by name or function."""
    if isinstance(kernel, str):
        return KERNELS[kernel](X, Y, n_jobs=n_jobs, **parameters)
    return _evaluate_function("kernel", kernel, X, Y, parameters)


def _evaluate_function(
    what: str, function: Callable[..., Any], X: LDS, Y: LDS | None, parameters: Mapping[str, Any]
) -> Floats:
    """Return the values of a user's function, checked. It receives X twice if Y is None."""
    other = X if Y is None else Y
    values, shape = np.asarray(function(X, other, **parameters)), (len(X), len(other))
    if values.shape != shape or values.dtype.kind not in "biuf":
        got = f"{values.dtype} of shape {values.shape}"
        raise _errors.invalid(what, f"return real numbers of shape {shape}", got, "")
    if not np.isfinite(values).all():
        raise _errors.invalid(what, "return finite numbers", "NaN or infinity", "")
    return values.astype(np.float64)


@warn_once
def pairwise_distance(
    X: LDS,
    Y: LDS | None = None,
    distance: str | Callable[..., Floats] = "projection",
    *,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Floats:
    r"""Return the distances of all pairs for a distance given by name or function.

    Parameters
    ----------
    X, Y : LDS or LDSStore
        `Y` is `X` when None.
    distance : str or callable, default="projection"
        A name of `DISTANCES`, or a function ``f(X, Y)`` of two batches.
    n_jobs : int or None, default=None
        Threads, as in joblib; not passed to functions of your own.
    **parameters : Any
        Passed to the named distance or the function.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    For systems of :math:`W` windows per sequence, every distance is the root of the mean square
    over aligned windows, :math:`d^2 = \frac{1}{W} \sum_w d_w^2` ("kl", a divergence: the mean).

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import pairwise_distance
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> pairwise_distance(X, distance="martin").round(3)
    array([[0.   , 1.332],
           [1.332, 0.   ]])
    """
    if callable(distance):
        return _evaluate_function("distance", distance, X, Y, parameters)
    if distance not in DISTANCES:
        raise _errors.unknown_name("distance", distance, DISTANCES)
    return DISTANCES[distance](X, Y, n_jobs=n_jobs, **parameters)


def _check_kernel_name(name: str) -> str:
    if name not in KERNELS:
        raise _errors.unknown_name("kernel", name, KERNELS)
    return name
