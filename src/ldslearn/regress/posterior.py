"""The variance of a Gaussian process at new systems."""

import numpy as np

from ldslearn._types import Floats
from ldslearn.classify.ridge_path import RidgePath


def posterior_factors(path: RidgePath, cross: Floats, own: Floats, penalties: Floats) -> Floats:
    r"""Return the variances of new targets, in units of the variance of the noise, (M, n_outputs).

    With centred kernels :math:`k_c` and the penalty :math:`a`, it is
    :math:`1 + \frac{1}{N} + \frac{1}{a} [k_c(x, x) - k_c(x, X) (K_c + a I)^{-1} k_c(X, x)]`:
    noise, unknown mean, unknown function.

    Parameters
    ----------
    path : RidgePath
        Of the training systems.
    cross : (M, N) array
        Kernels of new with training systems.
    own : (M,) array
        Kernels of new systems with themselves.
    penalties : (n_outputs,) array
    """
    total, means = path.row_means.mean(), cross.mean(axis=1)
    centred = cross - means[:, None] - path.row_means + total
    variances = np.maximum(own - 2 * means + total, 0.0)
    squared = np.square(centred @ path.vectors)  # (M, rank)
    explained = squared @ (1 / (path.values[:, None] + penalties))
    left = np.maximum(variances[:, None] - explained, 0.0)
    return 1 + 1 / len(path.vectors) + left / penalties
