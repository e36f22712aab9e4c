"""Estimates of running times, which decide only which candidates fit into the time budget."""

from collections.abc import Mapping

import numpy as np

from ldslearn.auto.candidates import Encoding

_COST_PER_STATE = 50  # per pair of states, in units of the cost per stacked channel
_SAFETY = 1.3  # factor on the estimated time of an encoding
_MIN_COST_RATIO = 0.3  # the estimate is never below this fraction of a measured time


def estimate_seconds(
    encoding: Encoding, known: Mapping[Encoding, float], n_sequences: int, n_channels: int
) -> float:
    """Return the time to try an encoding, from those of others; 0 if there are none.

    Parameters
    ----------
    encoding : Encoding
    known : mapping of Encoding to float
        Seconds of encodings of the same sequences.
    n_sequences, n_channels : int
    """

    def count_operations(e: Encoding) -> float:
        pairs = (n_sequences * e.n_states) ** 2 * e.n_windows
        return pairs * (n_channels * e.delays + _COST_PER_STATE * e.n_states)

    if not known:
        return 0.0
    wanted = count_operations(encoding)
    nearest = min(known, key=lambda e: abs(np.log(count_operations(e) / wanted)))
    ratio = max(wanted / count_operations(nearest), _MIN_COST_RATIO)
    return _SAFETY * known[nearest] * ratio
