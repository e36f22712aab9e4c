"""Offsets so large that little of what varies is left in floating point."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.sequences.named import name_some

# Rounding of the offset, of what varies. Of 64 bits four digits are left, of fewer bits two: frames
# in 32 bits that hardly move are common, and have no better source.
_LOST = 1e-4
_LOST_OF_NARROW = 1e-2


def warn_of_offsets(sequences: Sequence[NDArray[Any]], stacklevel: int = 3) -> None:
    """Warn of sequences whose offset leaves few digits to what varies, in their own precision."""
    found = [index for index, sequence in enumerate(sequences) if _is_dwarfed(sequence)]
    if found:
        text = _offsets_dwarf(name_some(sequences, found), len(found))
        warnings.warn(text, stacklevel=stacklevel)


def _is_dwarfed(sequence: NDArray[Any]) -> bool:
    if sequence.dtype.kind != "f":  # whole numbers have all their digits
        sequence = sequence.astype(np.float64)
    lost = _LOST if sequence.dtype.itemsize >= 8 else _LOST_OF_NARROW
    offset = np.abs(sequence.mean(axis=1, dtype=np.float64)).max()
    variation = np.sqrt(sequence.var(axis=1, dtype=np.float64).mean())
    moves = bool((sequence != sequence[:, :1]).any())
    return moves and bool(np.finfo(sequence.dtype).eps * offset > lost * variation)


def _offsets_dwarf(who: str, count: int) -> str:
    """Text of the warning about sequences whose mean is far larger than what varies."""
    vary = (
        "varies by so little of its offset" if count == 1 else "vary by so little of their offset"
    )
    return (
        f"{who} {vary} that fewer than four digits of the variation are left "
        "in floating point. Subtract the offset where the numbers are "
        "read, before they become floats."
    )
