"""Missing samples, NaN in a sequence: find them, and interpolate them as a first guess."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices


def has_gaps(sequence: NDArray[Any]) -> bool:
    """Whether a sequence of finite numbers and NaN holds NaN."""
    return sequence.dtype.kind == "f" and bool(np.isnan(sequence.sum()))


def interpolate_gaps(sequence: NDArray[Any]) -> Floats:
    """Return a sequence with gaps interpolated linearly over time, in each channel by itself.

    Before the first and after the last sample of a channel these are repeated. A channel without
    any sample stays NaN.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array

    Returns
    -------
    (n_channels, n_timepoints) array
    """
    values = np.array(sequence, dtype=np.float64)
    missing = np.isnan(values)
    if not missing.any():
        return values
    left, right = _find_neighbours(missing)
    rows, columns = np.nonzero(missing & (left >= 0))
    first, last = left[rows, columns], right[rows, columns]
    fraction = (columns - first) / np.maximum(last - first, 1)
    values[rows, columns] = (1 - fraction) * values[rows, first] + fraction * values[rows, last]
    return values


def bridge_gaps(residuals: NDArray[Any]) -> Floats:
    r"""Return residuals of a model with gaps filled, where these are correlated over time.

    Each channel is an autoregression of first order whose coefficient :math:`\phi` in [0, 1) is
    estimated from neighbours in time. A missing residual is its expectation given the last and next
    that are observed. It is near 0 for white noise, and interpolates linearly as
    :math:`\phi \to 1`.

    Parameters
    ----------
    residuals : (n_channels, n_timepoints) array
        NaN in gaps.

    Returns
    -------
    (n_channels, n_timepoints) array
        0 in channels without any.
    """
    missing = np.isnan(residuals)
    values = np.where(missing, 0.0, residuals)
    both = ~missing[:, 1:] & ~missing[:, :-1]
    products = (both * values[:, 1:] * values[:, :-1]).sum(axis=1)
    squares = (both * (np.square(values[:, 1:]) + np.square(values[:, :-1]))).sum(axis=1) / 2
    squares += np.square(values).sum(axis=1) / np.maximum((~missing).sum(axis=1), 1)  # shrinks it
    phi = np.clip(products / np.maximum(squares, np.finfo(np.float64).tiny), 0.0, 0.999)
    left, right = _find_neighbours(missing)
    rows, columns = np.nonzero(missing & (left >= 0))
    first, last = left[rows, columns], right[rows, columns]
    before, after, coefficient = np.abs(columns - first), np.abs(last - columns), phi[rows]
    inside = last > first
    near, far = coefficient**before, coefficient**after
    scale = np.where(inside, 1 - coefficient ** (2 * (last - first)), 1.0)
    weights = np.where(inside, near * (1 - far**2) / scale, near)
    values[rows, columns] = weights * values[rows, first]
    values[rows, columns] += np.where(inside, far * (1 - near**2) / scale, 0) * values[rows, last]
    return values


def _find_neighbours(missing: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Return the last observed time point before each, and the next after it, of each channel.

    Where there is none on one side, both are that of the other side; -1 without any.
    """
    n_timepoints = missing.shape[1]
    times = np.arange(n_timepoints)
    before = np.maximum.accumulate(np.where(missing, -1, times), axis=1)
    after = np.where(missing, n_timepoints, times)
    after = np.minimum.accumulate(after[:, ::-1], axis=1)[:, ::-1]
    after = np.where(after == n_timepoints, before, after)
    return np.where(before < 0, after, before), after


def distances_to_samples(sequence: NDArray[Any]) -> Indices:
    """Return the steps from each time point to the nearest sample of its channel.

    The number of time points in a channel without samples.
    """
    missing = np.isnan(sequence)
    left, right = _find_neighbours(missing)
    times = np.arange(sequence.shape[1])
    nearest = np.minimum(np.abs(times - left), np.abs(right - times))
    return np.where(left < 0, sequence.shape[1], nearest)


def channel_variances(sequence: NDArray[Any]) -> Floats:
    """Return the variance of each channel over its observed samples; 0 without any."""
    if not has_gaps(sequence):
        return sequence.var(axis=1, dtype=np.float64)
    observed = ~np.isnan(sequence)
    counts = np.maximum(observed.sum(axis=1), 1)
    means = np.nansum(sequence, axis=1, dtype=np.float64) / counts
    squares = np.square(np.where(observed, sequence - means[:, None], 0.0))
    return squares.sum(axis=1) / counts


def channel_statistics(sequences: Sequence[NDArray[Any]]) -> tuple[Floats, Floats]:
    """Return mean and variance of each channel over the observed samples of all sequences.

    Both are NaN for a channel without any.

    Returns
    -------
    means, variances : (n_channels,) arrays
    """
    counts = sum(np.isfinite(x).sum(axis=1) for x in sequences)
    observed = np.maximum(counts, 1)
    means = sum(np.nansum(x, axis=1, dtype=np.float64) for x in sequences) / observed
    squares = sum(np.nansum((x - means[:, None]) ** 2, axis=1) for x in sequences)
    nothing = np.equal(counts, 0)
    return np.where(nothing, np.nan, means), np.where(nothing, np.nan, squares / observed)
