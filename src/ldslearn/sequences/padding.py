"""Pad sequences that are too short by repeating their last sample."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.sequences.named import keep_names, name_some


def pad_short_sequences(
    sequences: list[NDArray[Any]], shortest: int, *, stacklevel: int = 2
) -> list[NDArray[Any]]:
    """Return sequences of at least `shortest` time points, and warn of padded ones."""
    lacking = [max(0, shortest - x.shape[1]) for x in sequences]
    short = [i for i, count in enumerate(lacking) if count]
    if not short:
        return sequences
    warnings.warn(
        f"{len(short)} {_errors.pluralize(len(short))} shorter than {shortest} time points "
        f"({name_some(sequences, short)}): their last samples were repeated.",
        stacklevel=stacklevel + 1,
    )
    padded = [
        np.pad(x, ((0, 0), (0, count)), mode="edge") if count else x
        for x, count in zip(sequences, lacking, strict=True)
    ]
    return keep_names(padded, sequences)
