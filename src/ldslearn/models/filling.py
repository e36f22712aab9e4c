"""Fill the gaps of one sequence by its system and by interpolation, mixed as each proves right."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats
from ldslearn.models.missing import GapFit, GapSettings, fit_with_gaps
from ldslearn.models.pooled_channels import pooled_factors, predict_channels
from ldslearn.sequences.gaps import channel_variances, distances_to_samples, has_gaps

_FEWEST = 10  # hidden samples: fewer do not tell which is better
_NEGLIGIBLE = 1e-9  # of the deviation of a channel
_MOST_HIDDEN = 0.5  # of the observed samples
_ENOUGH = 32  # sequences to find the weight of other channels
_FAR = 3  # steps to the nearest sample of a channel, in a long gap


def fill_gaps(
    sequences: Sequence[NDArray[Any]],
    n_states: int,
    delays: int,
    center: bool,
    settings: GapSettings,
) -> tuple[list[Floats], list[GapFit]]:
    """Return sequences with their gaps filled, and the systems that fill them.

    The system is best where channels or oscillations predict each other, linear interpolation where
    channels are slow and short gaps are frequent. Gaps are therefore filled by a weighted mean. To
    find the weight, samples are hidden where the gaps would be if they had occurred half a sequence
    later, and both predict them; the weight minimises the squared error of the mean. Far from the
    samples of its channel a gap is filled by the other channels of the time point as well, if
    ``settings.weight`` says so: a sensor that is lost for long.

    Parameters
    ----------
    sequences : sequence of (n_channels, n_timepoints) arrays
        With NaN in gaps, and enough samples for the systems.
    n_states, delays : int
    center : bool
    settings : GapSettings
    """
    fits = fit_with_gaps(sequences, n_states, delays, center, settings)
    reduced = [_hide_samples(x, n_states + delays) for x in sequences]
    testable = [i for i, x in enumerate(reduced) if x is not None]
    others = [x for x in reduced if x is not None]
    weights = np.ones(len(sequences))
    tests = fit_with_gaps(others, n_states, delays, center, settings)
    for index, other, test in zip(testable, others, tests, strict=True):
        predicted, guess = test.fill(other, delays), settings.guess(other)
        weights[index] = _weigh_prediction(sequences[index], np.isnan(other), predicted, guess)
    filled = [
        _mix(x, fit.fill(x, delays), settings.guess(x), weight, settings)
        for x, fit, weight in zip(sequences, fits, weights, strict=True)
    ]
    return filled, fits


def learn_from_channels(
    sequences: Sequence[NDArray[Any]],
    settings: GapSettings,
    choose_size: Callable[[NDArray[Any]], tuple[int, int]],
    center: bool,
) -> GapSettings:
    """Return settings with what training sequences say about channels given the others.

    Parameters
    ----------
    sequences : sequence of (n_channels, n_timepoints) arrays
    settings : GapSettings
    choose_size : callable
        Gives the states and delays of a sequence; no states if it has too few samples.
    center : bool
    """
    factors = pooled_factors(sequences, settings.means, settings.variances)
    settings = replace(settings, factors=factors)
    gappy = [x for x in sequences if has_gaps(x) and is_long_gap(x).any()]
    if not factors.size or not gappy:
        return settings
    sizes: dict[tuple[int, int], list[NDArray[Any]]] = defaultdict(list)
    for x in gappy[:: -(-len(gappy) // _ENOUGH)]:
        sizes[choose_size(x)].append(x)
    product = norm = 0.0
    for (n_states, delays), chosen in sizes.items():
        if n_states > 0:
            sums = weigh_channels(chosen, n_states, delays, center, settings)
            product, norm = product + sums[0], norm + sums[1]
    weight = min(max(product / norm, 0.0), 1.0) if norm > 0 else 0.0
    return replace(settings, weight=weight)


def weigh_channels(
    sequences: Sequence[NDArray[Any]],
    n_states: int,
    delays: int,
    center: bool,
    settings: GapSettings,
) -> tuple[float, float]:
    """Return sums whose ratio is the best weight of other channels in long gaps.

    Samples are hidden as in :func:`fill_gaps`, which fills them without other channels, and these
    predict them. Squared errors count relative to the variance of a channel.
    """
    hidden = [_hide_samples(x, n_states + delays) for x in sequences]
    pairs = [(x, other) for x, other in zip(sequences, hidden, strict=True) if other is not None]
    without = replace(settings, weight=0.0)
    filled, _ = fill_gaps([other for _, other in pairs], n_states, delays, center, without)
    product = norm = 0.0
    for (x, other), own in zip(pairs, filled, strict=True):
        chosen = np.isnan(other) & ~np.isnan(x) & is_long_gap(other)
        scales = 1 / np.maximum(settings.variances, np.finfo(np.float64).tiny)
        scales = np.broadcast_to(scales[:, None], x.shape)[chosen]
        difference = (_predict_pooled(other, settings) - own)[chosen]
        product += float(scales @ (difference * (x - own)[chosen]))
        norm += float(scales @ np.square(difference))
    return product, norm


def is_long_gap(sequence: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether a channel has no sample near a time point, (n_channels, n_timepoints)."""
    return distances_to_samples(sequence) >= _FAR


def _predict_pooled(sequence: NDArray[Any], settings: GapSettings) -> Floats:
    assert settings.factors is not None
    return predict_channels(sequence, settings.means, settings.variances, settings.factors)


def _hide_samples(sequence: NDArray[Any], least: int) -> NDArray[Any] | None:
    """Return a sequence without some samples more, or None if it has too few for that."""
    missing = np.isnan(sequence)
    hidden = ~missing & np.roll(missing, sequence.shape[1] // 2, axis=1)
    reduced = np.where(hidden, np.nan, sequence)
    enough = _FEWEST <= hidden.sum() <= _MOST_HIDDEN * (~missing).sum()
    return reduced if enough and (~np.isnan(reduced)).any(axis=0).sum() >= least else None


def _weigh_prediction(
    sequence: NDArray[Any], missing: NDArray[np.bool_], predicted: Floats, guess: Floats
) -> float:
    """Return the weight of a prediction, from 0 to 1, that best predicts the hidden samples."""
    hidden = missing & ~np.isnan(sequence)
    scales = 1 / np.maximum(channel_variances(sequence), np.finfo(np.float64).tiny)
    scales = np.broadcast_to(scales[:, None], sequence.shape)[hidden]
    difference, wanted = (predicted - guess)[hidden], (sequence - guess)[hidden]
    norm = float(scales @ np.square(difference))
    weight = float(scales @ (difference * wanted)) / norm if norm > 0 else 1.0
    return min(max(weight, 0.0), 1.0)


def _mix(
    sequence: NDArray[Any], predicted: Floats, guess: Floats, weight: float, settings: GapSettings
) -> Floats:
    """Return a sequence with its gaps filled by a weighted mean, long ones by other channels."""
    mixed = weight * predicted + (1 - weight) * guess
    if settings.weight > 0:
        far = is_long_gap(sequence) & (~np.isnan(sequence)).any(axis=0)
        others = _predict_pooled(sequence, settings)
        mixed[far] += settings.weight * (others - mixed)[far]
    # Rounding errors would be the only variation of channels and windows at rest.
    least = _NEGLIGIBLE * np.sqrt(channel_variances(sequence))[:, None]
    np.copyto(mixed, guess, where=np.abs(mixed - guess) <= least)
    low, high = np.fmin.reduce(sequence, axis=1), np.fmax.reduce(sequence, axis=1)
    constant = low == high  # of the samples; False for channels without any
    mixed[constant] = low[constant, None]
    return np.where(np.isnan(sequence), mixed, sequence)
