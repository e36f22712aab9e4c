"""Channels of a collection as joint normal variables: what those observed say about the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats

MOST_CHANNELS = 256  # of more, a covariance is large and uncertain
_NOISE = 0.05  # of the variance of a channel: what other channels never predict
_RANK = 32


def pooled_factors(sequences: Sequence[NDArray[Any]], means: Floats, variances: Floats) -> Floats:
    """Return W, (m, r): W W' are the leading parts of the covariances of channels, in deviations.

    Each pair of channels counts where both are observed. Eigenvalues that are negative, because
    pairs differ in their time points, are left out.

    Parameters
    ----------
    sequences : sequence of (m, n_timepoints) arrays
        NaN in gaps.
    means, variances : (m,) arrays
        Of the channels.

    Returns
    -------
    (m, r) array
        Without columns for more than `MOST_CHANNELS` channels.
    """
    m = len(means)
    if not 1 < m <= MOST_CHANNELS:
        return np.zeros((m, 0))
    scales = _invert_deviations(variances)
    sums, counts = np.zeros((m, m)), np.zeros((m, m))
    for x in sequences:
        observed = ~np.isnan(x)
        z = np.where(observed, (x - means[:, None]) * scales[:, None], 0.0)
        sums += z @ z.T
        weights = observed.astype(np.float64)
        counts += weights @ weights.T
    values, vectors = np.linalg.eigh(sums / np.maximum(counts, 1.0))
    kept = np.flatnonzero(values > 0)[::-1][:_RANK]
    factors: Floats = vectors[:, kept] * np.sqrt(values[kept])
    return factors


def predict_channels(
    sequence: NDArray[Any], means: Floats, variances: Floats, factors: Floats
) -> Floats:
    r"""Return the expected samples of a time point given those of it that are observed.

    With factors W, deviations :math:`s` and noise of variance :math:`\psi`, a sample is
    :math:`\mu + s (W z + \epsilon)`, and :math:`z` is standard normal.

    Parameters
    ----------
    sequence : (m, n_timepoints) array
        NaN in gaps.
    means, variances : (m,) arrays
    factors : (m, r) array

    Returns
    -------
    (m, n_timepoints) array
    """
    scales, rank = _invert_deviations(variances), factors.shape[1]
    observed = ~np.isnan(sequence)
    z = np.where(observed, (sequence - means[:, None]) * scales[:, None], 0.0)
    products = (factors[:, :, None] * factors[:, None, :]).reshape(len(z), rank * rank)
    information = (observed.T.astype(np.float64) @ products).reshape(-1, rank, rank) / _NOISE
    vectors = (z.T @ factors / _NOISE)[:, :, None]
    found = np.linalg.solve(information + np.eye(rank), vectors)[:, :, 0]
    return means[:, None] + np.sqrt(variances)[:, None] * (factors @ found.T)


def _invert_deviations(variances: Floats) -> Floats:
    """Return 1 / deviation of each channel; 0 of a channel at rest."""
    positive = variances > 0
    return np.where(positive, 1 / np.sqrt(np.where(positive, variances, 1.0)), 0.0)
