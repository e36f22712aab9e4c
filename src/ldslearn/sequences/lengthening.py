"""Sequences that are too short to be described rest at their last sample for a while."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.sequences.named import keep_names, name_some


def lengthen(
    sequences: list[NDArray[Any]], shortest: int, *, stacklevel: int = 2
) -> list[NDArray[Any]]:
    """Return sequences of at least `shortest` time points, with a warning that names short ones."""
    lacking = [max(0, shortest - x.shape[1]) for x in sequences]
    if not any(lacking):
        return sequences
    short = [i for i, count in enumerate(lacking) if count]
    text = _lengthened(name_some(sequences, short), len(short), shortest)
    warnings.warn(text, stacklevel=stacklevel + 1)
    padded = [
        np.pad(x, ((0, 0), (0, count)), mode="edge") if count else x
        for x, count in zip(sequences, lacking, strict=True)
    ]
    return keep_names(padded, sequences)


def _lengthened(who: str, count: int, shortest: int) -> str:
    """Warning about new sequences that are shorter than any of training."""
    return (
        f"{count} {_errors.pluralize(count)} shorter than {shortest} time points ({who}): "
        "their last samples were repeated."
    )
