"""Resample sequences: linear interpolation, after a low-pass filter where the rate falls."""

import math

import numpy as np
import scipy  # loads scipy.signal when it is used, which takes a fifth of a second
from numpy.typing import NDArray

from ldslearn._types import Floats

_ROUNDING = 1e-3  # of a step: seconds since 1970 are not exact to more
_SAME = 1.05  # rates that differ by less need no filter
_MOSTLY = 0.9  # of the steps are even
_HALF_WIDTH = 10  # samples of the lower rate on each side of the filter, as resample_poly has


def resample(sequence: NDArray[np.floating], seconds: Floats, rate: float) -> Floats:
    """Return a sequence at even steps of ``1 / rate`` seconds, from its first sample on.

    Values between samples are interpolated linearly, also across gaps; none lies beyond the last
    sample. Where samples are denser than that, frequencies above half of `rate`, which would alias,
    are removed first by a low-pass filter without delay (a windowed sinc, 21 samples of the new
    rate long, ends continued by odd reflection).

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
    seconds : (n_timepoints,) array
        When the samples were taken; ascending.
    rate : float
        Samples per second.

    Returns
    -------
    (n_channels, floor(duration * rate) + 1) array
        `duration` is the time between the first and the last sample.
    """
    values = np.asarray(sequence, dtype=np.float64)
    since = seconds - seconds[0]
    if len(since) < 2:
        return values
    n_timepoints = math.floor(since[-1] * rate + _ROUNDING) + 1
    grid = np.arange(n_timepoints) / rate
    if len(grid) == len(since) and np.abs(grid - since).max() <= _ROUNDING / rate:
        return values
    n_steps = max(1, round(since[-1] / usual_step(since)))
    factor = n_steps / since[-1] / rate
    if factor > _SAME:
        even = np.linspace(0, since[-1], n_steps + 1)
        values, since = _smooth(_interpolate(values, since, even), factor), even
    return _interpolate(values, since, grid)


def usual_step(seconds: Floats) -> float:
    """Return the mean of the steps within half of their median, so that gaps do not count.

    If fewer than nine of ten are, times are uneven, and the mean of all steps is returned.
    """
    steps = np.diff(seconds)
    usual = select_usual(steps)
    return float((usual if len(usual) >= _MOSTLY * len(steps) else steps).mean())


def select_usual(steps: Floats) -> Floats:
    """Return the steps within half of their median."""
    median = float(np.median(steps))
    return steps[np.abs(steps - median) <= median / 2]


def _interpolate(values: Floats, seconds: Floats, grid: Floats) -> Floats:
    if len(seconds) == 1:
        return np.repeat(values, len(grid), axis=1)
    left = np.clip(np.searchsorted(seconds, grid, side="right") - 1, 0, len(seconds) - 2)
    fraction = (grid - seconds[left]) / (seconds[left + 1] - seconds[left])
    fraction = np.clip(fraction, 0, 1)
    return values[:, left] + fraction * (values[:, left + 1] - values[:, left])


def _smooth(values: Floats, factor: float) -> Floats:
    """Remove frequencies that `factor` times fewer samples cannot represent."""
    half = min(math.ceil(_HALF_WIDTH * factor), values.shape[1] - 1)
    if half < 1:
        return values
    taps = scipy.signal.firwin(2 * half + 1, 1 / factor, window=("kaiser", 5.0))
    longer = np.pad(values, ((0, 0), (half, half)), mode="reflect", reflect_type="odd")
    return scipy.signal.oaconvolve(longer, taps[None, :], mode="valid", axes=1)
