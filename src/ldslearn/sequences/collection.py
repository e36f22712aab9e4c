"""Accept a collection of sequences, or say which one is wrong and why."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_unmasked
from ldslearn.sequences.data_frames import is_data_frame, sequence_of_frame, sequences_of_frame


def as_collection(X: Any, name: str = "X") -> list[NDArray[Any]]:
    """Return the sequences of `X` as a list of real, finite ``(n_channels, n_timepoints)`` arrays.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays or (n_sequences, n_channels, n_timepoints) array
        Floats of any width or integers; lengths may differ, channel counts may not. Also a data
        frame that says which sequence a row belongs to (nested cells, two levels of index, or a
        column ``id``), or a list of data frames, whose rows are time points.
    name : str
        What messages call `X`.

    Returns
    -------
    list of ndarray
        Views of the input where it held arrays; nothing is copied or converted.
    """
    sequences = [_as_sequence(member, index) for index, member in enumerate(_members(X, name))]
    if not sequences:
        raise _errors.empty_collection(name)
    n_channels = sequences[0].shape[0]
    for index, sequence in enumerate(sequences):
        if sequence.shape[0] != n_channels:
            lengths = {one.shape[1] for one in sequences}
            raise _errors.channel_counts_differ(index, sequence.shape[0], n_channels, lengths)
        if sequence.size == 0:
            what = "n_channels > 0 and n_timepoints > 0"
            raise _errors.invalid(
                f"sequence {index}", f"have {what}", f"shape {sequence.shape}", "Drop it."
            )
    _check_finite(sequences)
    return sequences


def _members(X: Any, name: str) -> Iterable[Any]:
    if isinstance(X, np.ndarray) and X.dtype != object:
        _check_dtype(X.dtype, None)
        if X.ndim == 2:
            raise _errors.one_sequence_given(name, X.shape)
        if X.ndim != 3:
            remedy = "Videos become sequences by ldslearn.video.to_sequence." if X.ndim > 3 else ""
            raise _errors.not_a_collection(name, f"an array of shape {X.shape}", remedy)
        return X
    if is_data_frame(X):
        return sequences_of_frame(X, name)
    if isinstance(X, str | bytes | dict) or not isinstance(X, Sequence | np.ndarray):
        remedy = "Pass list(...) of an iterable, or numpy.asarray(...) of a tensor."
        raise _errors.not_a_collection(name, type(X).__name__, remedy)
    return X


def _as_sequence(member: Any, index: int) -> NDArray[Any]:
    check_unmasked(f"sequence {index}", member)
    try:
        sequence = sequence_of_frame(member) if is_data_frame(member) else np.asarray(member)
    except (ValueError, TypeError, RuntimeError) as error:  # ragged lists, tensors with gradients
        raise _errors.not_an_array(index, member) from error
    if sequence.dtype == object:
        raise _errors.not_an_array(index, member)
    _check_dtype(sequence.dtype, index)
    if sequence.ndim != 2:
        raise _errors.wrong_dimensions(index, sequence.shape)
    return sequence


def _check_dtype(dtype: np.dtype[Any], index: int | None) -> None:
    if dtype.kind not in "fiub":
        raise _errors.wrong_dtype(index, dtype)


def _check_finite(sequences: list[NDArray[Any]]) -> None:
    # A sum is one pass without a temporary; only a suspect sum is looked at value by value.
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = [i for i, sequence in enumerate(sequences) if not np.isfinite(sequence.sum())]
    affected = [i for i in suspects if not np.isfinite(sequences[i]).all()]
    if affected:
        first = sequences[affected[0]]
        raise _errors.not_finite(
            affected[0],
            int(np.isnan(first).sum()),
            int(np.isinf(first).sum()),
            first.size,
            len(affected) - 1,
        )
