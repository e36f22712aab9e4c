"""Accept a collection of sequences, or say which one is wrong and why."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_unmasked
from ldslearn.sequences.data_frames import is_data_frame, sequence_of_frame, sequences_of_frame
from ldslearn.sequences.named import keep_names, name_sequence, name_some


def as_collection(X: Any, name: str = "X") -> list[NDArray[Any]]:
    """Return the sequences of `X` as a list of real, finite ``(n_channels, n_timepoints)`` arrays.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays or (n_sequences, n_channels, n_timepoints) array
        Floats of any width or integers; lengths may differ, channel counts may not. A list that
        knows the names of its sequences, as that of a Collection, keeps them. Also a data frame
        that says which sequence a row belongs to (nested cells, two levels of index, or a column
        ``id``), or a list of data frames, whose rows are time points.
    name : str
        What messages call `X`.

    Returns
    -------
    list of ndarray
        Views of the input where it held arrays; nothing is copied or converted.
    """
    members = _members(X, name)
    who = [name_sequence(X, index) for index in range(len(members))]
    sequences = [_as_sequence(member, one) for member, one in zip(members, who, strict=True)]
    if not sequences:
        raise _errors.empty_collection(name)
    sequences = keep_names(sequences, X)
    n_channels = sequences[0].shape[0]
    others = [i for i, sequence in enumerate(sequences) if sequence.shape[0] != n_channels]
    if others:
        raise _errors.channel_counts_differ(
            who[others[0]], sequences[others[0]].shape[0], who[0], n_channels, others,
            {sequence.shape[1] for sequence in sequences},
        )  # fmt: skip
    for index, sequence in enumerate(sequences):
        if sequence.size == 0:
            raise _errors.SequenceError(
                f"{who[index]} must have n_channels > 0 and n_timepoints > 0; got shape "
                f"{sequence.shape}. Drop it.",
                [index],
            )
    _check_finite(sequences)
    return sequences


def _members(X: Any, name: str) -> Sequence[Any] | NDArray[Any]:
    if isinstance(X, np.ndarray) and X.dtype != object:
        _check_dtype(X.dtype, "X")
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
        if hasattr(X, "X") and hasattr(X, "names"):
            remedy = "Pass its sequences: collection.X."
        raise _errors.not_a_collection(name, type(X).__name__, remedy)
    return X


def _as_sequence(member: Any, who: str) -> NDArray[Any]:
    check_unmasked(who, member)
    try:
        sequence = sequence_of_frame(member) if is_data_frame(member) else np.asarray(member)
    except (ValueError, TypeError, RuntimeError) as error:  # ragged lists, tensors with gradients
        raise _errors.not_an_array(who, member) from error
    if sequence.dtype == object:
        raise _errors.not_an_array(who, member)
    _check_dtype(sequence.dtype, who)
    if sequence.ndim != 2:
        raise _errors.wrong_dimensions(who, sequence.shape)
    return sequence


def _check_dtype(dtype: np.dtype[Any], who: str) -> None:
    if dtype.kind not in "fiub":
        raise _errors.wrong_dtype(who, dtype)


def _check_finite(sequences: list[NDArray[Any]]) -> None:
    # A sum is one pass without a temporary; only a suspect sum is looked at value by value.
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = [i for i, sequence in enumerate(sequences) if not np.isfinite(sequence.sum())]
    affected = [i for i in suspects if not np.isfinite(sequences[i]).all()]
    if affected:
        first = sequences[affected[0]]
        raise _errors.not_finite(
            name_sequence(sequences, affected[0]),
            int(np.isnan(first).sum()),
            int(np.isinf(first).sum()),
            first.size,
            name_some(sequences, affected[1:]),
            affected,
        )
