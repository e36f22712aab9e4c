"""Kernels and distances of sequences of several windows: means over aligned windows."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.models import LDS
from ldslearn.models.blocks import as_batch

Pairwise = Callable[..., Floats]


def iterate_windows(
    function: Pairwise, X: LDS, Y: LDS | None = None, **settings: Any
) -> Iterator[Floats]:
    """Yield a kernel or distance of every window with the same window of the others, (N, M)."""
    first = as_batch(X)
    second = None if Y is None else as_batch(Y, "Y")
    if second is not None and first.windows != second.windows:
        raise _errors.invalid(
            "Y",
            f"have {first.windows} windows per sequence, as X has",
            second.windows,
            "Encode all sequences with the same windows.",
        )
    for k in range(first.windows):
        others = () if second is None else (second.window(k),)
        yield function(first.window(k), *others, **settings)


def running_mean(matrices: Iterable[Floats]) -> Floats:
    """Return the mean of an iterable of matrices; two are in memory at a time."""
    count, total = 0, np.empty(0)
    for count, matrix in enumerate(matrices, start=1):
        if count == 1:
            total = matrix.copy()
        else:
            total += matrix
    return total / count


def mean_over_windows(kernel: Pairwise) -> Pairwise:
    """Extend a kernel of single systems to the mean over aligned windows."""
    return _extend(kernel, running_mean)


def root_mean_over_windows(distance: Pairwise) -> Pairwise:
    """Extend a distance to the root of the mean square over aligned windows.

    So the projection distance stays sqrt(2 (n - K)), K the mean of the projection kernel.
    """
    return _extend(distance, lambda found: np.sqrt(running_mean(map(np.square, found))))


def _extend(function: Pairwise, average: Callable[[Iterator[Floats]], Floats]) -> Pairwise:
    """Extend a function of single systems by an average over aligned windows."""

    @wraps(function)
    def compute(X: LDS, Y: LDS | None = None, **settings: Any) -> Floats:
        if all(
            isinstance(batch, LDS) and batch.windows == 1 for batch in (X, X if Y is None else Y)
        ):
            return function(X, Y, **settings)
        return average(iterate_windows(function, X, Y, **settings))

    return compute
