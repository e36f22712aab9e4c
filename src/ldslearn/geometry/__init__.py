"""Distances and kernels between all pairs of systems (Sec. 4.3, 5, 6.2 and 7)."""

from ldslearn.geometry import registry
from ldslearn.geometry.alignment import alignment_distance
from ldslearn.geometry.binet_cauchy import binet_cauchy_kernel
from ldslearn.geometry.distances import martin_distance, projection_distance
from ldslearn.geometry.divergence import kl_divergence_rate
from ldslearn.geometry.finite_observability import finite_projection_kernel
from ldslearn.geometry.kernels import hybrid_kernel, martin_kernel, projection_kernel
from ldslearn.geometry.registry import pairwise_distance, pairwise_kernel
from ldslearn.geometry.static_kernels import covariance_kernel, deviation_kernel, mean_kernel
from ldslearn.geometry.subspaces import cross_gramian, gramian, principal_angles
from ldslearn.geometry.twofold import skew_kernel, symmetric_kernel, twofold_kernel

#: Functions by the names that `kernel=` of :func:`pairwise_kernel` and of estimators takes. Each is
#: ``f(X, Y=None, *, n_jobs=None, **parameters)`` and returns a ``(len(X), len(Y))`` array.
KERNELS = registry.KERNELS

#: Functions by the names that `distance=` of :func:`pairwise_distance` and of estimators takes,
#: with the same arguments and shape as those of `KERNELS`.
DISTANCES = registry.DISTANCES

__all__ = [
    "DISTANCES",
    "KERNELS",
    "alignment_distance",
    "binet_cauchy_kernel",
    "covariance_kernel",
    "cross_gramian",
    "deviation_kernel",
    "finite_projection_kernel",
    "gramian",
    "hybrid_kernel",
    "kl_divergence_rate",
    "martin_distance",
    "martin_kernel",
    "mean_kernel",
    "pairwise_distance",
    "pairwise_kernel",
    "principal_angles",
    "projection_distance",
    "projection_kernel",
    "skew_kernel",
    "symmetric_kernel",
    "twofold_kernel",
]
