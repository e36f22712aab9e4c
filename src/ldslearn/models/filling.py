"""Fill the gaps of one sequence by its system and by interpolation, mixed as each proves right."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats
from ldslearn.models.missing import GapFit, GapSettings, fit_with_gaps
from ldslearn.sequences.gaps import channel_variances

_FEWEST = 10  # hidden samples: fewer do not tell which is better
_NEGLIGIBLE = 1e-9  # of the deviation of a channel
_MOST_HIDDEN = 0.5  # of the observed samples


def fill_gaps(
    sequence: NDArray[Any], n_states: int, delays: int, center: bool, settings: GapSettings
) -> tuple[Floats, GapFit]:
    """Return a sequence with its gaps filled, and the system that fills them.

    The system is best where channels or oscillations predict each other, linear interpolation where
    channels are slow and short gaps are frequent. Gaps are therefore filled by a weighted mean. To
    find the weight, samples are hidden where the gaps would be if they had occurred half a sequence
    later, and both predict them; the weight minimises the squared error of the mean.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
        With NaN in gaps, and enough samples for the system.
    n_states, delays : int
    center : bool
    settings : GapSettings
    """
    found = fit_with_gaps(sequence, n_states, delays, center, settings)
    weight = 1.0
    missing = np.isnan(sequence)
    hidden = ~missing & np.roll(missing, sequence.shape[1] // 2, axis=1)
    enough = _FEWEST <= hidden.sum() <= _MOST_HIDDEN * (~missing).sum()
    reduced = np.where(hidden, np.nan, sequence)
    n_times = (~np.isnan(reduced)).any(axis=0).sum()
    if enough and n_times >= n_states + delays:
        weights = 1 / np.maximum(channel_variances(sequence), np.finfo(np.float64).tiny)
        weights = np.broadcast_to(weights[:, None], sequence.shape)[hidden]
        guess = settings.guess(reduced)
        other = fit_with_gaps(reduced, n_states, delays, center, settings)
        difference = (other.fill(reduced, delays) - guess)[hidden]
        wanted = (sequence - guess)[hidden]
        norm = float(weights @ np.square(difference))
        weight = float(weights @ (difference * wanted)) / norm if norm > 0 else 1.0
        weight = min(max(weight, 0.0), 1.0)
    guess = settings.guess(sequence)
    mixed = weight * found.fill(sequence, delays) + (1 - weight) * guess
    # Rounding errors would be the only variation of channels and windows at rest.
    least = _NEGLIGIBLE * np.sqrt(channel_variances(sequence))[:, None]
    np.copyto(mixed, guess, where=np.abs(mixed - guess) <= least)
    constant = np.ptp(guess, axis=1) == 0
    mixed[constant] = guess[constant]
    return np.where(missing, mixed, sequence), found
