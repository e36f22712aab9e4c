"""The number of clusters, by silhouettes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import silhouette_score

from ldslearn._types import Floats, Indices

Found = Any  # a clustering, whatever describes it


def choose_number(
    candidates: range,
    find_clusters: Callable[[int], tuple[Indices, Found]],
    distances: Floats,
    sample: Indices,
) -> tuple[int, Found, dict[int, float]]:
    """Return the number of clusters with the largest silhouette, its clustering, and all of them.

    Parameters
    ----------
    candidates : range
        Numbers of clusters, at least 2.
    find_clusters : callable
        ``find_clusters(number)`` returns the labels of all systems, and the clustering.
    distances : (n, n) array
        Distances of the systems that are compared.
    sample : (n,) array of int
        Indices of these systems.
    """
    silhouettes: dict[int, float] = {}
    best: tuple[int, Found] | None = None
    for number in candidates:
        labels, found = find_clusters(number)
        silhouettes[number] = measure_silhouette(distances, labels[sample])
        if best is None or silhouettes[number] > silhouettes[best[0]]:
            best = number, found
    assert best is not None
    return best[0], best[1], silhouettes


def measure_silhouette(distances: Floats, labels: Indices) -> float:
    """Return the mean silhouette of a clustering; 0 if it has one cluster, or only lone systems.

    Parameters
    ----------
    distances : (N, N) array
    labels : (N,) array
    """
    n_clusters = len(np.unique(labels))
    if not 1 < n_clusters < len(labels) or not distances.any():
        return 0.0
    return float(silhouette_score(distances, labels, metric="precomputed"))
