"""The mean distance to the nearest systems."""

import numpy as np

from ldslearn._types import Floats


def mean_nearest(distances: Floats, n_neighbors: int) -> Floats:
    """Return the mean of the smallest distances of every row, (N,).

    Parameters
    ----------
    distances : (N, M) array
    n_neighbors : int
        At most M.
    """
    nearest = np.partition(distances, n_neighbors - 1, axis=1)[:, :n_neighbors]
    return nearest.mean(axis=1)


def mean_nearest_others(distances: Floats, n_neighbors: int) -> Floats:
    """Return the mean distance of every system to its nearest others, (N,).

    Parameters
    ----------
    distances : (N, N) array
    n_neighbors : int
        At most N - 1.
    """
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    return mean_nearest(others, n_neighbors)
