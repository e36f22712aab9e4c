"""One sequence to one system (Sec. 4.1): principal components, then least squares on the states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats
from ldslearn.sequences.delays import lagged_copies

# A Gram matrix squares the singular values: those below 1e-8 of the largest are lost in rounding,
# and a direction is off by about eps (s_1 / s_n)^2; the least-squares fit divides that by what the
# states before the last keep of it. Beyond this ratio of squares the SVD takes over, which keeps
# the agreement with it near 1e-10.
GRAM_RATIO = 1e5
ENOUGH_KEPT = 1e-2
_TIED = 1e-9  # relative difference of entries whose order rounding decides


@dataclass(frozen=True)
class Factors:
    """Leading part of the singular value decomposition of an observation matrix."""

    U: Floats  # (m, n), orthonormal columns
    s: Floats  # (n,), descending
    Vt: Floats  # (n, tau), orthonormal rows up to `rank`, zero below
    rank: int
    residual: float  # squared Frobenius norm of what the factors leave out

    @property
    def states(self) -> Floats:
        """X = S V', shape (n, tau)."""
        return self.s[:, None] * self.Vt


def allocate_workspace(sequences: Sequence[NDArray[Any]], delays: int) -> Floats:
    """Return room for the observation matrix of any one of the sequences.

    Threads that each allocate fresh megabytes per sequence spend their time on page faults.
    """
    sizes = (Y.shape[0] * delays * (Y.shape[1] - delays + 1) for Y in sequences)
    return np.empty(max(sizes))


def observation_matrix(
    sequence: NDArray[Any], delays: int, center: bool, room: Floats
) -> tuple[Floats, Floats]:
    """Return the float64 observation matrix Y' of Sec. 4.1 and the mean that was removed.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
    delays : int
    center : bool
    room : 1-D array
        Memory that Y is written to, from :func:`allocate_workspace`.

    Returns
    -------
    Y : (n_channels * delays, n_timepoints - delays + 1) array
    mean : (n_channels * delays,) array, zero unless `center`
    """
    copies = lagged_copies(sequence, delays)
    stacked = room[: copies.size].reshape(copies.shape)
    np.copyto(stacked, copies)
    Y = stacked.reshape(-1, copies.shape[2])
    if not center:
        return Y, np.zeros(len(Y))
    mean = Y @ np.full(Y.shape[1], 1.0 / Y.shape[1])
    Y -= mean[:, None]
    return Y, mean


def floored_deviations(variances: Floats, size: float | Floats) -> Floats:
    """Return standard deviations of rows, no smaller than a hundredth of `size`.

    `size` is the deviation of all channels of the sequence. It keeps the logarithms of rows at rest
    finite.
    """
    floor = np.maximum(0.01 * size, np.finfo(np.float64).tiny ** 0.25)
    return np.asarray(np.sqrt(variances + floor**2))


def residual_variances(Y: Floats, factors: Factors) -> Floats:
    """Return the mean square of what the factors leave out of each row of Y, (m,)."""
    left = np.einsum("ij,ij->i", Y, Y) - np.square(factors.U * factors.s).sum(axis=1)
    left = np.maximum(left, 0.0)  # of rounding
    total = float(left.sum())
    return left * (factors.residual / (total * Y.shape[1])) if total > 0 else left


def squared_norm(Y: Floats) -> float:
    """Return the squared Frobenius norm, infinite if it overflows."""
    with np.errstate(over="ignore"):
        return float(np.vdot(Y, Y))


def is_extreme(Y: Floats, energy: float) -> bool:
    """Whether squares of the entries of Y overflow, or underflow though they are not zero."""
    return bool(not energy < 1e300 or (energy < 1e-290 and np.any(Y)))


def is_constant(Y: Floats, mean: Floats, energy: float) -> bool:
    """Whether every row holds nothing but the rounding of the mean that was removed."""
    rounding = max(8.0, np.sqrt(Y.shape[1])) * np.finfo(np.float64).eps
    most = rounding**2 * Y.shape[1] * mean**2
    if energy > most.sum():  # as a rule; no need to look at each row
        return False
    return bool((np.square(Y).sum(axis=1) <= most).all())


def _gram(Y: Floats) -> Floats:
    """Return the smaller of Y'Y and YY'."""
    return Y.T @ Y if is_tall(Y) else Y @ Y.T


def is_tall(Y: Floats) -> bool:
    """Whether there are more rows than columns."""
    return Y.shape[0] > Y.shape[1]


def principal_factors(Y: Floats, n_states: int, U: Floats | None = None) -> Factors:
    """Return the leading `n_states` singular triplets of Y, (m, tau).

    The smaller of Y'Y and YY' is decomposed, in O(m tau min(m, tau)), unless the spectrum is too
    steep for it. Signs are such that the largest excursion of every state is positive. Given `U`,
    (m, n_states), the left vectors are written there.
    """
    if U is None:
        U = np.empty((len(Y), n_states))
    eigenvalues, vectors = np.linalg.eigh(_gram(Y))
    leading = eigenvalues[: -n_states - 1 : -1]
    if leading[-1] * GRAM_RATIO <= leading[0]:
        return _exact_factors(Y, n_states, U)
    s = np.sqrt(leading)
    vectors = vectors[:, : -n_states - 1 : -1]
    Vt = vectors.T.copy() if is_tall(Y) else (vectors.T @ Y) / s[:, None]
    if leading[-1] * GRAM_RATIO * _last_sample_complement(Vt) <= leading[0]:
        return _exact_factors(Y, n_states, U)
    signs = largest_entry_signs(Vt)
    Vt *= signs
    if is_tall(Y):
        np.matmul(Y, (Vt / s[:, None]).T, out=U)
    else:
        np.multiply(vectors, signs.T, out=U)
    residual = float(np.maximum(eigenvalues[:-n_states], 0.0).sum())
    return Factors(U, s, Vt, n_states, residual)


def _exact_factors(Y: Floats, n_states: int, U: Floats) -> Factors:
    left, s, Vt = np.linalg.svd(Y, full_matrices=False)
    rank = int((s > max(Y.shape) * np.finfo(np.float64).eps * s[0]).sum())
    rank = min(rank, n_states)
    residual = float(np.square(s[n_states:]).sum())
    s, Vt = s[:n_states].copy(), Vt[:n_states].copy()
    s[rank:] = 0.0
    Vt[rank:] = 0.0
    signs = largest_entry_signs(Vt)
    np.multiply(left[:, :n_states], signs.T, out=U)
    return Factors(U, s, Vt * signs, rank, residual)


def _last_sample_complement(Vt: Floats) -> float:
    """Return the smallest eigenvalue of V0'V0 = I - v v', v the last column of V'."""
    return float(1.0 - Vt[:, -1] @ Vt[:, -1])


def largest_entry_signs(stack: Floats) -> Floats:
    """Return +-1 with axis 1 of length 1: times it, the largest entry along axis 1 is positive.

    Of entries that are equally large to rounding, the first is.
    """
    high, low = stack.max(axis=1), stack.min(axis=1)
    signs = np.where(high >= -low, 1.0, -1.0)
    ties = np.abs(high + low) <= _TIED * (high - low)
    if ties.any():
        large = np.moveaxis(stack, 1, -1)[ties]  # (n_ties, length)
        sizes = np.abs(large)
        first = (sizes >= (1.0 - 4.0 * _TIED) * sizes.max(axis=1, keepdims=True)).argmax(axis=1)
        signs[ties] = np.where(large[np.arange(len(large)), first] >= 0, 1.0, -1.0)
    return np.expand_dims(signs, 1)


def least_squares_transition(factors: Factors) -> Floats:
    """Return A = X(1) X(0)^+, the least-squares transition of the states X = S V'.

    With v the last column of V', X(0)X(0)' = S (I - v v') S differs from S^2 by one rank, so that
    its inverse is explicit. Idle states beyond the rank get zero rows and columns.
    """
    rank = factors.rank
    A = np.zeros((len(factors.s), len(factors.s)))
    Vt, s = factors.Vt[:rank], factors.s[:rank]
    last, kept = Vt[:, -1], _last_sample_complement(Vt)
    if kept < ENOUGH_KEPT:  # the last sample carries a direction (almost) of its own
        states = s[:, None] * Vt
        A[:rank, :rank] = states[:, 1:] @ np.linalg.pinv(states[:, :-1])
        return A
    shifted = Vt[:, 1:] @ Vt[:, :-1].T
    shifted += np.outer(shifted @ last, last / kept)
    A[:rank, :rank] = s[:, None] * shifted / s
    return A


def variance_spectrum(Y: Floats) -> Floats:
    """Return the squared singular values of Y, descending."""
    return np.maximum(np.linalg.eigvalsh(_gram(Y))[::-1], 0.0)


def noise_matrices(A: Floats, states: list[Floats], n_noise: int) -> Floats:
    """Return B (n_systems, n_states, n_noise): BB' is the best rank-n_noise residual covariance.

    The residuals are v(t) = x(t+1) - A x(t). The columns are U_B S_B, singular vectors times
    singular values, the largest first, the largest entry of each positive; Sec. 7 as corrected uses
    ``H = C U_B``.
    """
    covariances = np.empty_like(A)
    for index, X in enumerate(states):
        residuals = X[:, 1:] - A[index] @ X[:, :-1]
        covariances[index] = residuals @ residuals.T / residuals.shape[1]
    return principal_roots(covariances, n_noise)


def principal_roots(covariances: Floats, n_noise: int) -> Floats:
    """Return B (n_systems, n_states, n_noise): BB' is the best rank-n_noise approximation."""
    eigenvalues, vectors = np.linalg.eigh(covariances)
    eigenvalues = np.maximum(eigenvalues[:, : -n_noise - 1 : -1], 0.0)
    vectors = vectors[:, :, : -n_noise - 1 : -1]
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1)[:, None], axis=1)
    return vectors * np.sign(largest) * np.sqrt(eigenvalues)[:, None]
