"""Checks that sequences with gaps have samples enough to be encoded."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.sequences.gaps import has_gaps
from ldslearn.sequences.named import name_sequence, name_some


def check_observed(sequences: list[NDArray[Any]], n_states: int, delays: int) -> None:
    """Raise unless the observed samples of every sequence suffice for `n_states` states."""
    with_gaps = [index for index, sequence in enumerate(sequences) if has_gaps(sequence)]
    observed = {index: ~np.isnan(sequences[index]) for index in with_gaps}
    check_not_empty(sequences)
    wanted = "1 state" if n_states == 1 else f"{n_states} states"
    least = n_states + delays
    few = [i for i in with_gaps if observed[i].any(axis=0).sum() < least]
    if few:
        n_times = int(observed[few[0]].any(axis=0).sum())
        raise _errors.SequenceError(
            f"{name_sequence(sequences, few[0])} must have at least {least} time points with an "
            f"observed sample for {wanted}; got {n_times}.{_name_others(sequences, few)} Fit with "
            "fewer states, or leave it out.",
            few,
        )
    # Transition matrix and first state, and the mean of every channel that is there.
    unknown = {i: n_states * (n_states + 1) + int(observed[i].any(axis=1).sum()) for i in with_gaps}
    few = [i for i in with_gaps if observed[i].sum() < unknown[i]]
    if few:
        raise _errors.SequenceError(
            f"{name_sequence(sequences, few[0])} must have at least {unknown[few[0]]} observed "
            f"samples for {wanted}, as many as unknowns; got {int(observed[few[0]].sum())}."
            f"{_name_others(sequences, few)} Fit with fewer states, or leave it out.",
            few,
        )


def count_feasible_states(sequences: list[NDArray[Any]], delays: int) -> int:
    """Return the largest number of states that the samples of every sequence allow."""
    most = []
    for sequence in sequences:
        observed = ~np.isnan(sequence)
        # n (n + 1) + n_channels <= n_samples
        free = max(int(observed.sum()) - int(observed.any(axis=1).sum()), 0)
        n_times = int(observed.any(axis=0).sum())
        most.append(min(n_times - delays, int((np.sqrt(4 * free + 1) - 1) / 2)))
    return min(most)


def check_not_empty(sequences: list[NDArray[Any]]) -> None:
    """Raise if a sequence has no observed sample."""
    empty = [i for i, x in enumerate(sequences) if has_gaps(x) and np.isnan(x).all()]
    if empty:
        raise _errors.SequenceError(
            f"{name_sequence(sequences, empty[0])} must have observed samples; got NaN throughout."
            f"{_name_others(sequences, empty)} Leave it out.",
            empty,
        )


def check_channels(means: Floats) -> None:
    """Raise if a channel has no sample in any sequence of a collection."""
    absent = np.flatnonzero(np.isnan(means)).tolist()
    if absent:
        which = f"channel {_errors.list_some(absent)}"
        raise _errors.invalid(
            which, "be observed in at least one sequence", "NaN throughout", "Leave it out."
        )


def _name_others(sequences: list[NDArray[Any]], found: list[int]) -> str:
    if len(found) == 1:
        return ""
    n_others = len(found) - 1
    return f" {n_others} more {_errors.pluralize(n_others)} affected: " + (
        f"{name_some(sequences, found[1:])}."
    )
