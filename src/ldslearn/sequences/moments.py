"""Means and standard deviations of channels over all sequences of a collection."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats

_ROUNDING = 1e-10


def pooled_moments(sequences: Sequence[NDArray[Any]]) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of every channel over all sequences, (n_channels,) each.

    The deviation of a channel that is constant up to rounding is zero.
    """
    n_timepoints = sum(x.shape[1] for x in sequences)
    mean = sum(x.sum(axis=1, dtype=np.float64) for x in sequences) / n_timepoints
    squares = sum(np.square(x - mean[:, None]).sum(axis=1) for x in sequences)
    deviations = np.sqrt(squares / n_timepoints)
    deviations[deviations <= _ROUNDING * np.abs(mean)] = 0.0
    return mean, deviations


def pooled_deviations(sequences: Sequence[NDArray[Any]]) -> Floats:
    """Return the standard deviation of every channel over all sequences, (n_channels,)."""
    return pooled_moments(sequences)[1]
