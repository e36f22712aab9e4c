"""Static kernels, which do not use A: of noise directions (Sec. 7), means and deviations."""

from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from ldslearn import _errors
from ldslearn._checks import check_positive
from ldslearn._types import Floats
from ldslearn.geometry.closed_form import plain_sums
from ldslearn.geometry.pairs import BatchBases, check_pair, field_missing, make_bases, sum_pairs
from ldslearn.geometry.tiles import compute_by_tiles
from ldslearn.geometry.window_means import (
    Pairwise,
    iterate_windows,
    mean_over_windows,
    running_mean,
)
from ldslearn.models import LDS


@compute_by_tiles
@mean_over_windows
def covariance_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return |H1'H2|_F^2 with H = C U_B, U_B the left singular vectors of B (Sec. 7, corrected)."""

    def make(systems: LDS) -> BatchBases:
        return BatchBases((len(systems), systems.n_noise), noise_directions(systems).__getitem__)

    return sum_pairs(plain_sums, *make_bases(make, X, Y), n_jobs, "covariance kernel")


def noise_directions(systems: LDS) -> Floats:
    """Return H = C U_B, (N, n_channels, n_noise); columns are orthonormal, or zero."""
    if systems.B is None:
        raise field_missing("the covariance kernel", "B")
    U, s, _ = np.linalg.svd(systems.B, full_matrices=False)
    return systems.C @ (U * (s > 1e-12 * s[:, :1])[:, None])  # zero noise has no direction


def mean_kernel(
    X: LDS,
    Y: LDS | None = None,
    *,
    shape: Literal["rbf", "cosine"] = "rbf",
    bandwidth: float | Literal["median"] = "median",
    n_jobs: int | None = None,
) -> Floats:
    """Return a kernel of the means, on which the observability subspace does not depend.

    Parameters
    ----------
    X, Y : LDS
    shape : "rbf" or "cosine"
        exp(-|mean1 - mean2|^2 / bandwidth), or the squared cosine of their angle.
    bandwidth : float or "median"
        Of "rbf". "median" is the median squared distance between the given means. Training and
        test systems need one number: compute it once.
    n_jobs : ignored
        The kernel is one matrix product.
    """
    if shape == "rbf":
        return radial_kernel(squared_mean_distance, X, Y, bandwidth)[0]
    if shape != "cosine":
        raise _errors.unknown_name("shape", shape, ("rbf", "cosine"))
    return running_mean(iterate_windows(_squared_cosines, X, Y))


def deviation_kernel(
    X: LDS,
    Y: LDS | None = None,
    *,
    bandwidth: float | Literal["median"] = "median",
    n_jobs: int | None = None,
) -> Floats:
    """Return exp(-|log deviation1 - log deviation2|^2 / bandwidth), of sizes of movements.

    Subspaces do not depend on them: the same movement at half the size has the same subspace.

    Parameters
    ----------
    X, Y : LDS
        With deviations.
    bandwidth : float or "median"
        As in :func:`mean_kernel`.
    n_jobs : ignored
    """
    return radial_kernel(squared_deviation_distance, X, Y, bandwidth)[0]


@compute_by_tiles
def squared_deviation_distance(
    X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None
) -> Floats:
    """Return |log deviation1 - log deviation2|^2 of all pairs; `n_jobs` is ignored."""
    first, second = check_pair(X, Y)
    if first.deviation is None or second.deviation is None:
        raise field_missing("the deviation kernel", "deviation")
    return cdist(np.log(first.deviation), np.log(second.deviation), "sqeuclidean")


@compute_by_tiles
def squared_mean_distance(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return |mean1 - mean2|^2 of all pairs; `n_jobs` is ignored."""
    return cdist(*_means(X, Y), "sqeuclidean")


@compute_by_tiles
def _squared_cosines(X: LDS, Y: LDS | None = None) -> Floats:
    first, second = _means(X, Y)
    return np.square(_normalise_rows(first) @ _normalise_rows(second).T)


def _means(X: LDS, Y: LDS | None) -> tuple[Floats, Floats]:
    first, second = check_pair(X, Y)
    if first.mean is None or second.mean is None:
        raise field_missing("the mean kernel", "mean")
    return first.mean, second.mean


def _normalise_rows(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def radial_kernel(
    distance: Pairwise,
    X: LDS,
    Y: LDS | None,
    bandwidth: float | Literal["median"],
    **settings: Any,
) -> tuple[Floats, float]:
    """Return the mean over windows of exp(-squared distance / bandwidth), and the bandwidth.

    There is one median for all windows, which needs all distances at once.
    """
    found = iterate_windows(distance, X, Y, **settings)
    if bandwidth == "median":
        squared = np.stack(list(found))
        width = resolve_bandwidth(bandwidth, squared)
        return np.exp(-squared / width).mean(axis=0), width
    width = resolve_bandwidth(bandwidth, np.empty(0))
    return running_mean(np.exp(-squared / width) for squared in found), width


def resolve_bandwidth(bandwidth: float | Literal["median"], squared_distances: Floats) -> float:
    """Return a bandwidth as a number; "median" is that of the positive squared distances."""
    if bandwidth == "median":
        positive = squared_distances[(squared_distances > 0) & np.isfinite(squared_distances)]
        return float(np.median(positive)) if positive.size else 1.0
    check_positive("bandwidth", bandwidth, "be positive or 'median'")
    return float(bandwidth)
