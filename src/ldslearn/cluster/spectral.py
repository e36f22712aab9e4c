"""Spectral clustering on a kernel matrix, with new systems."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.cluster import KMeans

from ldslearn import _errors
from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats, Indices
from ldslearn.geometry.fitted_kernels import FittedKernel, ReferenceKernel
from ldslearn.models import LDS

_ROUNDING = 1e-10  # relative; smaller eigenvalues are zero, and kernels as little below zero, too
_N_INIT = 10  # runs of k-means in a few dimensions, which take no time


@dataclass(frozen=True)
class SpectralMap:
    r"""Coordinates of systems by a random walk among them.

    Attributes
    ----------
    values : (n_components,) array
        Largest eigenvalues of :math:`P = D^{-1} W`, with the kernels :math:`W` and their sums
        :math:`D`.
    coordinates : (N, n_components) array
        Their right eigenvectors :math:`\psi`, of the training systems.

    Notes
    -----
    New systems are mapped by :math:`\psi(x) = \frac{1}{\lambda} \sum_i p(x, x_i) \psi_i` with
    :math:`p(x, x_i) = k(x, x_i) / \sum_j k(x, x_j)`, which gives training systems their own
    coordinates.
    """

    values: Floats
    coordinates: Floats

    __repr__ = summarize_fields

    @classmethod
    def decompose(cls, K: Floats, n_components: int) -> "SpectralMap":
        """Return the map of the training systems.

        Parameters
        ----------
        K : (N, N) array
            Kernels, at least 0.
        n_components : int
            Largest number of coordinates.
        """
        if K.min() < -_ROUNDING * np.abs(K).max():
            raise _errors.invalid(
                "kernel", "be non-negative for method='spectral'", f"{float(K.min()):.3g}",
                "Use 'projection' or another kernel of squares.",
            )  # fmt: skip
        degrees = K.sum(axis=0)
        roots = np.sqrt(degrees)
        N = len(K)
        values, vectors = linalg.eigh(
            K / np.outer(roots, roots), subset_by_index=[max(N - n_components, 0), N - 1]
        )
        kept = np.flatnonzero(values > _ROUNDING)[::-1]
        # The signs of eigenvectors differ between libraries.
        signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
        vectors = vectors * signs
        return cls(values[kept], np.sqrt(degrees.sum()) * vectors[:, kept] / roots[:, None])

    def extend(self, cross: Floats) -> Floats:
        """Return the coordinates of new systems, (M, n_components).

        Parameters
        ----------
        cross : (M, N) array
            Kernels of new with training systems.
        """
        steps = np.maximum(cross, 0.0)
        # A system without any similarity is at the origin.
        sums = np.maximum(steps.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return (steps / sums) @ self.coordinates / self.values


# The kernel, values and coordinates of the map, centroids of the clusters. Saved models hold it.
SpectralClusters = tuple[ReferenceKernel, Floats, Floats, Floats]


def find_spectral_clusters(
    kernel: FittedKernel, n_clusters: int, random: np.random.RandomState
) -> tuple[Indices, Floats, SpectralClusters]:
    """Return labels, (N,), distances to the centroids, (N, n_clusters), and the clusters."""
    found = SpectralMap.decompose(kernel.gram, n_clusters)
    means: Any = KMeans(n_clusters, n_init=_N_INIT, random_state=random).fit(found.coordinates)
    reference = kernel.restrict(np.arange(len(kernel.systems)))
    clusters = (reference, found.values, found.coordinates, means.cluster_centers_)
    distances = _measure_distances(found.coordinates, means.cluster_centers_)
    return distances.argmin(axis=1), distances, clusters


def measure_spectral_distances(
    clusters: SpectralClusters, systems: LDS, n_jobs: int | None
) -> Floats:
    """Return the distances of new systems and centroids, as coordinates, (M, n_clusters)."""
    kernel, values, coordinates, centroids = clusters
    found = SpectralMap(values, coordinates)
    return kernel.apply_by_rows(
        lambda some: _measure_distances(found.extend(kernel.cross(some, n_jobs)), centroids),
        systems,
    )


def _measure_distances(coordinates: Floats, centroids: Floats) -> Floats:
    return np.sqrt(np.square(coordinates[:, None] - centroids).sum(axis=2))
