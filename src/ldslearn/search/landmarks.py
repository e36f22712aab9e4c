"""Systems that stand for a large collection: drawn, or nearest to the centres of k-means."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ldslearn._types import Indices
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.geometry.registry import Kernel
from ldslearn.models import LDS
from ldslearn.search.nystroem import whiten

_ITERATIONS = 20  # of k-means; more of them move no landmark of the collections that were tried


def choose_random(n_systems: int, n_landmarks: int, random_state: np.random.RandomState) -> Indices:
    """Return the sorted indices of systems drawn without replacement, at most all of them."""
    count = min(n_systems, n_landmarks)
    return np.sort(random_state.choice(n_systems, count, replace=False))


def choose_central(
    pool: LDS,
    n_landmarks: int,
    kernel: Kernel,
    parameters: Mapping[str, Any] | None,
    random_state: np.random.RandomState,
    n_jobs: int | None,
) -> Indices:
    """Return the sorted indices of systems nearest to the centres of k-means.

    k-means runs on the vectors of all systems that as many drawn landmarks give. Copies of one
    system count once, so that there may be fewer than `n_landmarks`.
    """
    drawn = choose_random(len(pool), n_landmarks, random_state)
    if len(drawn) == len(pool):
        return drawn
    fitted = FittedKernel.fit(pool[drawn], kernel, parameters, n_jobs, clip=False)
    vectors = fitted.cross(pool, n_jobs) @ whiten(fitted.gram).components
    means = KMeans(len(drawn), n_init=1, max_iter=_ITERATIONS, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different systems than centres
        distances = means.fit_transform(vectors)
    return np.unique(distances.argmin(axis=0))
