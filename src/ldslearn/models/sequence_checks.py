"""Checks that sequences can be encoded: long enough, varying, of moderate values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.models.identification import is_constant, is_extreme, squared_norm
from ldslearn.sequences.named import name_sequence, name_some


def check_sizes(sequences: list[NDArray[Any]], n_states: int, delays: int) -> None:
    """Raise unless channels and time points suffice for `n_states` states."""
    n_channels = sequences[0].shape[0]
    n_rows = n_channels * delays
    if n_states > n_rows:
        channels = "1 channel" if n_channels == 1 else f"{n_channels} channels"
        rows = channels if delays == 1 else f"{channels} with {delays} delays"
        raise ValueError(
            f"the number of states must be at most {n_rows} for {rows}; got {n_states}. Use at "
            f"most {n_rows} states, or at least {-(-n_states // n_channels)} delays, which stack "
            "lagged copies of the channels."
        )
    # An n x n matrix is determined by n transitions, that is n + 1 stacked samples.
    least = n_states + delays
    short = [i for i, sequence in enumerate(sequences) if sequence.shape[1] < least]
    if short:
        short.sort(key=lambda index: sequences[index].shape[1])
        raise _too_short(sequences, short, n_states, delays)


def _too_short(
    sequences: list[NDArray[Any]], short: list[int], n_states: int, delays: int
) -> _errors.SequenceError:
    """Sequences with fewer transitions than states; the message is about the first one."""
    n_channels, n_timepoints = sequences[short[0]].shape
    largest = n_timepoints - delays
    wanted = "1 state" if n_states == 1 else f"{n_states} states"
    stacked = f" and {delays} delays" if delays > 1 else ""
    more = ""
    if len(short) > 1:
        others = name_some(sequences, short[1:])
        more = f" {len(short) - 1} more {_errors.pluralize(len(short) - 1)} too short: {others}."
    if largest >= 1:
        states = "state" if largest == 1 else "states"
        remedy = f"Fit with at most {largest} {states}, or leave it out."
    elif delays > 1 and n_timepoints > n_states:
        remedy = "Fit with fewer delays, or leave it out."
    else:
        remedy = "Leave it out."
    if n_channels > 2 * n_timepoints:
        remedy += " Sequences are (n_channels, n_timepoints): is it transposed?"
    return _errors.SequenceError(
        f"{name_sequence(sequences, short[0])} must have at least {n_states + delays} time points "
        f"for {wanted}{stacked}; got {n_timepoints}.{more} {remedy}",
        short,
    )


def is_constant_sequence(
    Y: Floats, mean: Floats, sequences: list[NDArray[Any]], index: int, first: int = 0
) -> bool:
    """Whether an observation matrix is constant; raise if its squares are not representable.

    Messages count sequence `index` from `first`.
    """
    energy = squared_norm(Y)
    if is_extreme(Y, energy):
        raise _errors.SequenceError(
            f"{name_sequence(sequences, index, first)} must have values whose squares are "
            "representable; got numbers of modulus above 1e150 or below 1e-150. Rescale it.",
            [first + index],
        )
    return is_constant(Y, mean, energy)


def check_varying(constant: NDArray[np.bool_], sequences: list[NDArray[Any]], center: bool) -> None:
    """Raise if some sequences are constant: once they are centred they have no dynamics."""
    found = np.flatnonzero(constant).tolist()
    if not found:
        return
    one = len(found) == 1
    count = "" if one else f" ({len(found)} of {len(sequences)} sequences)"
    who, it = name_some(sequences, found) + count, "it" if one else "them"
    if not center:
        text = f"{who} must not be zero throughout. Leave {it} out."
    else:
        text = (
            f"{who} must vary over time; got {'a constant sequence' if one else 'constants'}. "
            f"Leave {it} out"
        )
        helps = all(np.nan_to_num(sequences[index]).any() for index in found)
        remedy = "center=False, which keeps the mean" if helps else 'constant="rest"'
        text += f", or encode in Python with {remedy}."
    raise _errors.SequenceError(text, found)


def describe_idle_states(
    ranks: NDArray[np.int_], sequences: list[NDArray[Any]], n_states: int
) -> str | None:
    """Return the text of the warning about sequences of too low a rank, or None."""
    idle = np.flatnonzero(ranks < n_states)
    if not len(idle):
        return None
    who, rank = name_sequence(sequences, int(idle[0])), int(ranks[idle[0]])
    plural = f"{len(idle)} sequences have" if len(idle) > 1 else "1 sequence has"
    if n_states == 1:
        return f"{plural} rank 0 ({who}); the state is idle."
    return (
        f"{plural} a rank below the {n_states} states ({who}: rank {rank}); the states beyond the "
        "rank are idle. Use fewer states to avoid this."
    )
