"""Whether sequences are long enough for an automatic search."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.models.defaults import too_short_for_any
from ldslearn.sequences.named import name_sequence

_SHORTEST = 3  # time points: one state and two transitions
_ENOUGH_TIMEPOINTS = 20  # sequences of this length hardly limit the number of states
_SHORT_FRACTION = 0.2  # of the median length: shorter sequences cause a warning


def check_shortest(sequences: list[NDArray[Any]]) -> None:
    """Raise for sequences too short for any system; warn if one limits all others."""
    lengths = np.array([x.shape[1] for x in sequences])
    short = np.flatnonzero(lengths < _SHORTEST)
    if len(short):
        raise too_short_for_any(sequences, short.tolist())
    least = int(lengths.argmin())
    if lengths[least] < min(_ENOUGH_TIMEPOINTS, _SHORT_FRACTION * np.median(lengths)):
        text = (
            f"{name_sequence(sequences, least)} has {int(lengths[least])} time points; the median "
            f"is {float(np.median(lengths)):.0f}. The shortest sequence limits the number of "
            "states for all. Consider removing it."
        )
        warnings.warn(text, stacklevel=3)
