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
    r"""Return the kernels of the noise directions of all pairs (Section 7, corrected).

    Parameters
    ----------
    X, Y : LDS or LDSStore
        With `B`, of the same channels. `Y` is `X` when None.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    :math:`k = \| H_1^\top H_2 \|_F^2` with :math:`H = C U_B`, where :math:`U_B` are the left
    singular vectors of :math:`B`. The paper's formula for :math:`H` has shapes that do not match.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 7. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import covariance_kernel
    >>> A, C = np.zeros((2, 2, 2)), np.stack([np.eye(2), np.eye(2)])
    >>> X = LDS(A, C, B=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> covariance_kernel(X).round(3)
    array([[1.  , 0.36],
           [0.36, 1.  ]])
    """

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
    r"""Return the kernels of the means of all pairs.

    Parameters
    ----------
    X, Y : LDS or LDSStore
        With `mean`, of the same channels. `Y` is `X` when None.
    shape : "rbf" or "cosine", default="rbf"
        Gaussian kernel, or squared cosine of the angle between the means.
    bandwidth : float or "median", default="median"
        Of "rbf". "median" is the median squared distance between the given means. Training and
        test systems need one number: compute it once.
    n_jobs : ignored
        The kernel is one matrix product.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    For means :math:`\mu`, "rbf" is :math:`\exp(-\|\mu_1 - \mu_2\|^2 / b)` with `bandwidth`
    :math:`b`. Observability subspaces do not depend on the means. Where static patterns differ
    between classes, add this kernel to that of the subspaces.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import mean_kernel
    >>> A, C = np.zeros((2, 1, 1)), [[[1.0], [0.0]], [[1.0], [0.0]]]
    >>> X = LDS(A, C, mean=[[0.0, 0.0], [3.0, 4.0]])
    >>> mean_kernel(X, bandwidth=25.0).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
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
    r"""Return the kernels of the standard deviations of all pairs.

    Parameters
    ----------
    X, Y : LDS or LDSStore
        With `deviation`, of the same channels. `Y` is `X` when None.
    bandwidth : float or "median", default="median"
        As in :func:`mean_kernel`.
    n_jobs : ignored

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    :math:`k = \exp(-\|\log s_1 - \log s_2\|^2 / b)` for standard deviations :math:`s` of the
    channels and `bandwidth` :math:`b`. Subspaces do not depend on them: the same movement at half
    the size has the same subspace.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import deviation_kernel
    >>> A, C = np.zeros((2, 1, 1)), [[[1.0], [0.0]], [[1.0], [0.0]]]
    >>> X = LDS(A, C, deviation=[[1.0, 1.0], [1.0, 2.0]])
    >>> deviation_kernel(X, bandwidth=1.0).round(3)
    array([[1.   , 0.619],
           [0.619, 1.   ]])
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
