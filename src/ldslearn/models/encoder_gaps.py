"""What LDSEncoder learns about gaps and times from its training sequences."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Floats, Indices
from ldslearn.models.filling import learn_from_channels
from ldslearn.models.missing import GapSettings
from ldslearn.models.observed_checks import check_channels, check_observed
from ldslearn.sequences import as_collection
from ldslearn.sequences.gaps import channel_statistics, interpolate_gaps
from ldslearn.sequences.grid import describe_grid, place_on_grid
from ldslearn.sequences.named import keep_names
from ldslearn.sequences.windows import window_levels

MISSING_POLICIES = ("raise", "smooth")

_LEARNED = ("channel_means_", "channel_variances_", "channel_factors_", "channel_weight_")
_PLACED = ("step_", "n_merged_", "n_missing_", "grid_note_")


class GapEncoder(Protocol):
    """The parameters of LDSEncoder that concern gaps, and what it learns about them."""

    missing: str
    delays: int
    windows: int | tuple[int, ...]
    center: bool
    max_iter: int
    tol: float
    step: float | None
    channel_means_: Floats
    channel_variances_: Floats
    channel_factors_: Floats | None
    channel_weight_: float
    step_: float
    n_merged_: Indices
    n_missing_: Indices
    grid_note_: str


def check_samples(encoder: GapEncoder, X: Any) -> list[NDArray[Any]]:
    """Return sequences, whose NaN are errors or gaps."""
    return as_collection(X, allow_gaps=encoder.missing == "smooth")


def place_training(encoder: GapEncoder, X: Any, times: Sequence[Any] | None) -> Any:
    """Return sequences on a grid, if times are given, and keep its step and what was merged."""
    for name in _PLACED:
        vars(encoder).pop(name, None)  # of an earlier fit
    if times is None:
        return X
    placed, encoder.step_, encoder.n_merged_, encoder.n_missing_ = place_on_grid(
        X, times, encoder.step
    )
    encoder.grid_note_ = describe_grid(
        encoder.step_,
        int(encoder.n_merged_.sum()),
        int(encoder.n_missing_.sum()),
        in_seconds=np.asarray(times[0]).dtype.kind == "M",
    )
    return placed


def place_new(encoder: GapEncoder, X: Any, times: Sequence[Any] | None) -> Any:
    """Return sequences on the grid of the training sequences, if times are given."""
    if times is None:
        return X
    step = getattr(encoder, "step_", encoder.step)
    if step is None:
        raise _errors.invalid(
            "times", "be given to fit, too, which chooses the step of the grid",
            "an encoder fitted without times", "Fit it with times, or set step.",
        )  # fmt: skip
    return place_on_grid(X, times, step)[0]


def interpolate_all(encoder: GapEncoder, sequences: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return sequences whose gaps are interpolated, if there may be any, to count their states."""
    if encoder.missing != "smooth":
        return sequences
    check_observed(sequences, 1, encoder.delays)
    complete = [np.nan_to_num(interpolate_gaps(x)) for x in sequences]
    return keep_names(complete, sequences)


def learn_channels(encoder: GapEncoder, sequences: list[NDArray[Any]], n_states: int) -> None:
    """Keep the means and variances of the channels of training sequences, if gaps are smoothed."""
    for name in _LEARNED:
        vars(encoder).pop(name, None)  # of an earlier fit
    if encoder.missing == "smooth":
        encoder.channel_means_, encoder.channel_variances_ = channel_statistics(sequences)
        check_channels(encoder.channel_means_)
        if sum(window_levels(encoder.windows)) > 1:  # gaps are filled first
            learned = learn_from_channels(
                sequences, _make_settings(encoder), lambda _: (n_states, encoder.delays),
                encoder.center,
            )  # fmt: skip
            encoder.channel_factors_, encoder.channel_weight_ = learned.factors, learned.weight


def make_gap_settings(encoder: GapEncoder) -> GapSettings | None:
    """Return how gaps are smoothed, if they are."""
    if encoder.missing != "smooth":
        return None
    if not hasattr(encoder, "channel_means_"):
        raise _errors.invalid(
            'missing="smooth"', "be set before fit", "an encoder fitted without it",
            "Fit it again.",
        )  # fmt: skip
    return _make_settings(encoder)


def _make_settings(encoder: GapEncoder) -> GapSettings:
    return GapSettings(
        encoder.max_iter,
        encoder.tol,
        encoder.channel_means_,
        encoder.channel_variances_,
        getattr(encoder, "channel_factors_", None),
        getattr(encoder, "channel_weight_", 0.0),
    )
