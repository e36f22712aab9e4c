"""Recognise sequences that seem to be (n_timepoints, n_channels) arrays."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LONGEST = 12  # time points; few recordings are as short, and most sensors have fewer channels
_TALLER = 4  # times as many channels as time points
_FEWEST = 16  # channels
_ENOUGH = 2  # sequences: one may be short by chance


def seem_transposed(sequences: Sequence[NDArray[Any]]) -> bool:
    """Whether sequences look like (n_timepoints, n_channels) arrays.

    All have the same shape, at most 12 time points, and four times as many channels: seldom a
    recording, and often one of a sensor that is transposed. Short videos have this shape, too:
    callers that know of frames do not call this.
    """
    if len(sequences) < _ENOUGH:
        return False
    n_channels, n_timepoints = sequences[0].shape
    short = n_timepoints <= _LONGEST and n_channels >= max(_FEWEST, _TALLER * n_timepoints)
    return short and all(sequence.shape == sequences[0].shape for sequence in sequences)


def warn_if_transposed(X: Any, sequences: Sequence[NDArray[Any]], stacklevel: int = 3) -> None:
    """Warn if one (N, ...) array was given and its sequences :func:`seem_transposed`.

    Lists are not checked: those of readers may hold videos.
    """
    if isinstance(X, np.ndarray) and X.ndim == 3 and seem_transposed(sequences):
        text = describe_transposed(sequences, "pass X.transpose(0, 2, 1)")
        warnings.warn(text, stacklevel=stacklevel)


def describe_transposed(sequences: Sequence[NDArray[Any]], remedy: str) -> str:
    """Return the text of the warning about sequences whose rows seem to be time points."""
    n_channels, n_timepoints = sequences[0].shape
    return (
        f"all {len(sequences)} sequences have {n_channels} channels and {n_timepoints} time "
        "points. Sequences are (n_channels, n_timepoints): if rows are time points, as they seem "
        f"to be, {remedy}."
    )
