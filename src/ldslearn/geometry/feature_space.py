"""Distances in the feature space of a kernel, and the Gaussian kernel of these distances."""

import numpy as np

from ldslearn._types import Floats

_ROUNDING = 1e-12  # relative; smaller squared distances are those of equal systems


def squared_feature_distances(cross: Floats, own: Floats, others: Floats) -> Floats:
    """Return k(x, x) + k(y, y) - 2 k(x, y) of all pairs, (len(own), len(others)).

    Differences within rounding errors of zero are zero, so that copies have the distance 0.

    Parameters
    ----------
    cross : (N, M) array
        Kernels of all pairs.
    own : (N,) array
        Kernels of the first systems with themselves.
    others : (M,) array
        Likewise of the second systems.
    """
    sums = own[:, None] + others
    squared = sums - 2 * cross
    # What is infinite or NaN stays so.
    least = np.minimum(_ROUNDING * np.abs(sums), np.finfo(np.float64).max)
    return np.where(squared <= least, 0.0, squared)


def median_feature_distance(gram: Floats) -> float:
    """Return the median distance of different systems; 1 if all are equal.

    Parameters
    ----------
    gram : (N, N) array
        Kernels of all pairs.
    """
    own = gram.diagonal()
    squared = squared_feature_distances(gram, own, own)
    positive = squared[np.triu_indices(len(gram), 1)]
    positive = positive[positive > 0]
    return float(np.sqrt(np.median(positive))) if len(positive) else 1.0


def gaussian_of_distances(
    cross: Floats, own: Floats, others: Floats, length_scale: float
) -> Floats:
    r"""Return :math:`\exp(-d(x, y)^2 / (2 \ell^2))` of all pairs, (len(own), len(others)).

    It is a kernel if k is one, with :math:`d` the distance in the feature space of k.

    Parameters
    ----------
    cross, own, others
        As in :func:`squared_feature_distances`.
    length_scale : float
    """
    return np.exp(squared_feature_distances(cross, own, others) / (-2 * length_scale**2))
