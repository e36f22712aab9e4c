"""Check a collection of sequences, with errors that name the wrong one and the reason."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_unmasked
from ldslearn.sequences.data_frames import (
    is_data_frame,
    not_a_collection,
    sequence_from_data_frame,
    sequences_from_data_frame,
)
from ldslearn.sequences.named import keep_names, name_sequence, name_some

_VIDEO = "becomes a sequence by ldslearn.video.to_sequence."
_REMEDIES = {  # by the number of dimensions of a sequence
    1: "For a single channel pass sequence[None, :].",
    3: f"A video (n_frames, height, width) {_VIDEO}",
    4: f"A video (n_frames, height, width, colours) {_VIDEO}",
}


def as_collection(X: Any, name: str = "X", *, allow_gaps: bool = False) -> list[NDArray[Any]]:
    """Return the sequences of `X` as a list of real, finite ``(n_channels, n_timepoints)`` arrays.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays or (n_sequences, n_channels, n_timepoints) array
        Floats of any width or integers; lengths may differ, channel counts may not. A list that
        knows the names of its sequences, as that of a Collection, keeps them. Also a data frame
        that says which sequence a row belongs to (nested cells, two levels of index, or a column
        ``id``), or a list of data frames, whose rows are time points.
    name : str, default="X"
        What messages call `X`.
    allow_gaps : bool, default=False
        Whether NaN is accepted, as a missing sample. Infinite values never are.

    Returns
    -------
    list of (n_channels, n_timepoints) arrays
        Views of the input where it held arrays; nothing is copied or converted.

    Raises
    ------
    ValueError
        If a sequence is not real and finite, or has another number of channels than the first. The
        message names it.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.sequences import as_collection
    >>> sequences = as_collection(np.zeros((4, 2, 50)))
    >>> len(sequences), sequences[0].shape
    (4, (2, 50))
    >>> try:
    ...     as_collection([np.zeros((2, 50)), np.full((2, 30), np.nan)])
    ... except ValueError as error:
    ...     print(str(error).split(";")[0])
    sequence 1 must be finite
    """
    members = _list_members(X, name)
    who = [name_sequence(X, index) for index in range(len(members))]
    sequences = [_as_sequence(member, one) for member, one in zip(members, who, strict=True)]
    if not sequences:
        raise ValueError(f"{name} must hold at least one sequence; got an empty collection.")
    sequences = keep_names(sequences, X)
    sizes = [len(sequence) for sequence in sequences]
    n_channels = Counter(sizes).most_common(1)[0][0]  # of equally many, that of the first
    others = [i for i, size in enumerate(sizes) if size != n_channels]
    if others:
        usual = sizes.index(n_channels)
        lengths = {sequence.shape[1] for sequence in sequences}
        other = sequences[others[0]]
        if n_channels == other.shape[1] or sequences[usual].shape[1] == len(other):
            remedy = "Sequences are (n_channels, n_timepoints): is one of the two transposed?"
        elif len(lengths) == 1 and min(lengths) < min(sizes):
            remedy = (
                f"All have {min(lengths)} columns: if rows are time points, as they seem to be, "
                "pass X = [x.T for x in X]."
            )
        else:
            remedy = "Give all sequences the same channels, or leave this one out."
        rule, got = f"have {n_channels} channels like {who[usual]}", len(other)
        error = _errors.invalid(who[others[0]], rule, got, remedy)
        raise _errors.SequenceError(str(error), others)
    for index, sequence in enumerate(sequences):
        if sequence.size == 0:
            raise _errors.SequenceError(
                f"{who[index]} must have n_channels > 0 and n_timepoints > 0; got shape "
                f"{sequence.shape}. Drop it.",
                [index],
            )
    _check_finite(sequences, allow_gaps)
    return sequences


def _list_members(X: Any, name: str) -> Sequence[Any] | NDArray[Any]:
    if isinstance(X, np.ndarray) and X.dtype != object:
        _check_dtype(X.dtype, "X")
        if X.ndim == 2:
            raise _errors.invalid(
                name,
                "be a list of (n_channels, n_timepoints) arrays or a 3-D array",
                f"one array of shape {X.shape}",
                f"For a single sequence pass [{name}]; for single-channel sequences in rows "
                f"pass {name}[:, None, :].",
            )
        if X.ndim != 3:
            remedy = "Videos become sequences by ldslearn.video.to_sequence." if X.ndim > 3 else ""
            raise not_a_collection(name, f"an array of shape {X.shape}", remedy)
        return X
    if is_data_frame(X):
        return sequences_from_data_frame(X, name)
    if isinstance(X, str | bytes | dict) or not isinstance(X, Sequence | np.ndarray):
        remedy = "Pass list(...) of an iterable, or numpy.asarray(...) of a tensor."
        if hasattr(X, "X") and hasattr(X, "names"):
            remedy = "Pass its sequences: collection.X."
        raise not_a_collection(name, type(X).__name__, remedy)
    return X


def _as_sequence(member: Any, who: str) -> NDArray[Any]:
    check_unmasked(who, member)
    try:
        sequence = sequence_from_data_frame(member) if is_data_frame(member) else np.asarray(member)
    except (ValueError, TypeError, RuntimeError) as error:  # ragged lists, tensors with gradients
        raise _not_an_array(who, member) from error
    if sequence.dtype == object:
        raise _not_an_array(who, member)
    _check_dtype(sequence.dtype, who)
    if sequence.ndim != 2:
        raise _errors.invalid(
            who, "have shape (n_channels, n_timepoints)", f"shape {sequence.shape}",
            _REMEDIES.get(sequence.ndim, ""),
        )  # fmt: skip
    return sequence


def _check_dtype(dtype: np.dtype[Any], who: str) -> None:
    if dtype.kind not in "fiub":
        raise _errors.InputTypeError(
            f"{who} must hold real numbers (floats or integers); got dtype {dtype}. Convert it "
            "first, for example with array.astype(float); split complex signals into real and "
            "imaginary channels."
        )


def _check_finite(sequences: list[NDArray[Any]], allow_gaps: bool) -> None:
    # A sum is one pass without a temporary; values are inspected only where it is not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = [i for i, sequence in enumerate(sequences) if not np.isfinite(sequence.sum())]
    find_wrong = np.isinf if allow_gaps else _is_not_finite
    affected = [i for i in suspects if find_wrong(sequences[i]).any()]
    if affected:
        first, others = sequences[affected[0]], affected[1:]
        place = np.argwhere(find_wrong(first))[0]
        more = ""
        if others:
            are = f"{len(others)} more {_errors.pluralize(len(others))}"
            more = f" {are} affected: {name_some(sequences, others)}."
        raise _errors.SequenceError(
            f"{name_sequence(sequences, affected[0])} must be finite; got {np.isnan(first).sum()} "
            f"NaN and {np.isinf(first).sum()} infinite of {first.size} values, the first in "
            f"channel {place[0]}, time point {place[1]}.{more} "
            f"{_advise(sequences, affected)}",
            affected,
        )


def _is_not_finite(sequence: NDArray[Any]) -> NDArray[np.bool_]:
    return ~np.isfinite(sequence)


def _advise(sequences: list[NDArray[Any]], affected: list[int]) -> str:
    """What to do about values that are not finite."""
    if any(np.isinf(sequences[index]).any() for index in affected):
        return "Replace infinite values by NaN, or drop the sequence."
    return (
        'missing="smooth" of encoders and classifiers (gaps=True of collections, --missing smooth '
        "of commands) takes NaN as missing samples; otherwise interpolate or drop them."
    )


def _not_an_array(who: str, got: object) -> _errors.InputTypeError:
    """Return the error about a member of a list that NumPy cannot turn into an array."""
    return _errors.InputTypeError(
        f"{who} must be an array of shape (n_channels, n_timepoints); "
        f"got {type(got).__name__}. numpy.asarray must turn it into a matrix of real numbers."
    )
