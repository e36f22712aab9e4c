"""Default numbers of states and delays for a collection."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.models.encoder import LDSEncoder
from ldslearn.models.observed_checks import count_feasible_states
from ldslearn.sequences.named import name_sequence, name_some

STATES = (3, 5, 8, 10, 15, 20)
_STACKED = 10  # channels, by delays where sensors have fewer
_UNTRIED = 10  # states, where no folds choose them


def choose_delays(data: Collection, n_states: int | None = None) -> int:
    """Return delays that make at least ten channels, up to a quarter of the shortest sequence.

    If `n_states` is given, delays are at least as many as these states need.
    """
    n_channels, shortest = len(data.X[0]), min(x.shape[1] for x in data.X)
    usual = int(np.clip(-(-_STACKED // n_channels), 1, max(1, shortest // 4)))
    return usual if n_states is None else max(usual, -(-n_states // n_channels))


def list_feasible_states(data: Collection, delays: int) -> list[int]:
    """Return the candidates that the channels and the shortest sequence allow."""
    shortest = min(x.shape[1] for x in data.X) - delays + 1
    most = min(len(data.X[0]) * delays, shortest - 2)
    if most < 1:
        lengths = np.array([x.shape[1] for x in data.X])
        order = np.argsort(lengths, kind="stable")
        raise too_short_for_any(data.X, order[lengths[order] < delays + 2].tolist(), delays)
    if data.gaps:
        most = max(1, min(most, count_feasible_states(data.X, delays)))
    return [n for n in STATES if n <= most] or [most]


def make_default_encoder(
    data: Collection, n_states: int | None = None, delays: int | None = None, **options: Any
) -> LDSEncoder:
    """Return an encoder for data without labels: ten states, or as many as possible."""
    delays = choose_delays(data, n_states) if delays is None else delays
    if n_states is None:
        orders = list_feasible_states(data, delays)
        n_states = max(n for n in orders if n <= max(_UNTRIED, orders[0]))
    if data.gaps:
        options = {"missing": "smooth", **options}
    return LDSEncoder(n_states, delays=delays, **options)


def too_short_for_any(
    sequences: Sequence[NDArray[Any]], short: Sequence[int], delays: int = 1
) -> _errors.SequenceError:
    """Return the error about sequences that are too short for one state; `short` are their indices.

    The message names the first one.
    """
    who, others = name_sequence(sequences, short[0]), name_some(sequences, short[1:])
    stacked = f" for {delays} delays" if delays > 1 else ""
    more = f" {len(short) - 1} more {_errors.pluralize(len(short) - 1)} too short: {others}."
    return _errors.SequenceError(
        f"{who} must have at least {delays + 2} time points{stacked}; got "
        f"{sequences[short[0]].shape[1]}.{more if others else ''} "
        f"Leave it out{', or use fewer delays' if delays > 1 else ''}.",
        short,
    )
