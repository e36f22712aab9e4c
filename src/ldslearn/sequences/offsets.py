"""Warn of offsets so large that floating point keeps few digits of the variation."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.sequences.named import name_some

# Rounding error of the offset, relative to the variation: 64 bits must keep four digits of it,
# fewer bits two, because frames in 32 bits that hardly move are common.
_LOST = 1e-4
_LOST_OF_NARROW = 1e-2


def warn_of_offsets(sequences: Sequence[NDArray[Any]], stacklevel: int = 3) -> None:
    """Warn of sequences whose offset leaves few digits to the variation, in their precision."""
    found = [index for index, sequence in enumerate(sequences) if _loses_digits(sequence)]
    if found:
        vary = "varies" if len(found) == 1 else "vary"
        offset = "its offset" if len(found) == 1 else "their offset"
        warnings.warn(
            f"{name_some(sequences, found)} {vary} by so little of {offset} that fewer than four "
            "digits of the variation are left in floating point. Subtract the offset where the "
            "numbers are read, before they become floats.",
            stacklevel=stacklevel,
        )


def _loses_digits(sequence: NDArray[Any]) -> bool:
    if sequence.dtype.kind != "f" and sequence.dtype.itemsize <= 2:
        return False  # too small an offset
    if sequence.dtype.kind != "f":  # whole numbers have all their digits
        sequence = sequence.astype(np.float64)
    lost = _LOST if sequence.dtype.itemsize >= 8 else _LOST_OF_NARROW
    offset = np.abs(sequence.mean(axis=1, dtype=np.float64)).max()
    variation = np.sqrt(sequence.var(axis=1, dtype=np.float64).mean())
    moves = bool((sequence != sequence[:, :1]).any())
    return moves and bool(np.finfo(sequence.dtype).eps * offset > lost * variation)
