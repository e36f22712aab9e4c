"""Fill the gaps of an observation matrix by a matrix of low rank."""

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats
from ldslearn.models.identification import principal_factors

_ROUNDS = 3


def complete_low_rank(Y: Floats, missing: NDArray[np.bool_], n_states: int, center: bool) -> Floats:
    """Replace the missing entries of Y by those of a rank-n approximation; return the row means.

    Starting from a guess, directions and missing entries are updated in turn (orthogonal
    iteration). Rows that are missing throughout become zero.

    Parameters
    ----------
    Y : (m, tau) array
        With guesses at the missing entries; overwritten, and centred if `center`.
    missing : (m, tau) array
    n_states : int
    center : bool

    Returns
    -------
    (m,) array
        Means that were removed; zero unless `center`.
    """
    mean = np.zeros(len(Y))
    absent = missing.all(axis=1)
    Y[absent] = 0.0
    if center:
        mean = Y.mean(axis=1)
        Y -= mean[:, None]
    if not missing.any() or n_states >= len(Y):  # of full rank: every guess is its approximation
        return mean
    U = principal_factors(Y, n_states).U
    for _ in range(_ROUNDS):
        states = U.T @ Y
        np.copyto(Y, U @ states, where=missing)
        Y[absent] = 0.0
        if center:
            shift = Y.mean(axis=1)
            Y -= shift[:, None]
            mean += shift
        U = np.linalg.qr(Y @ states.T)[0]
    return mean
