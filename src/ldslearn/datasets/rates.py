"""Rates of sequences: told in one line, compared, and made alike."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.datasets.channels import TRAINING, choose_channels, order_channels
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.items import Reading
from ldslearn.sequences.resampling import resample
from ldslearn.video.rates import pick_frames

_SAME = 1.05  # rates whose ratio is less are those of one sensor
_SHOWN = 8  # names of channels


def warn_of_mixed_rates(names: Sequence[str], rates: Floats | None) -> None:
    """Warn once if the rates that are known differ by more than 5 %."""
    if rates is None:
        return
    groups: list[tuple[float, list[str]]] = []
    for index in np.argsort(rates, kind="stable"):
        if math.isnan(rates[index]):
            continue
        if not groups or rates[index] > _SAME * groups[-1][0]:
            groups.append((float(rates[index]), []))
        groups[-1][1].append(names[index])
    if len(groups) > 1:
        warnings.warn(_mixed_rates(groups), stacklevel=4)


def warn_of_other_rates(
    names: Sequence[str], rates: Floats | None, known: Sequence[float] | None
) -> None:
    """Warn once if a rate is not within 5 % of the lowest and highest of the training data."""
    if rates is None or not known:
        return
    other = np.flatnonzero((rates * _SAME < known[0]) | (rates > _SAME * known[-1]))
    if len(other):
        text = _other_rate(names[other[0]], float(rates[other[0]]), known, len(other))
        warnings.warn(text, stacklevel=3)


def describe_rates(rates: Floats | None) -> str:
    """``50 Hz``, ``25 to 50 Hz``, or nothing where no rate is known."""
    known = [] if rates is None else [rate for rate in rates if not math.isnan(rate)]
    if not known:
        return ""
    low, high = min(known), max(known)
    if high <= _SAME * low:
        return f"{np.median(known):.4g} Hz"
    return f"{low:.4g} to {high:.4g} Hz"


def rates_of_texts(texts: Sequence[str] | None) -> Floats | None:
    """Rates that a store keeps as texts; None where none is known."""
    rates = np.array([] if texts is None else list(texts), dtype=np.float64)
    return None if np.isnan(rates).all() else rates


def describe_time(
    column: str, n_files: int, rates: Floats | None, left_out: Sequence[str],
    channels: Sequence[str] | None, n_channels: int,
) -> str:  # fmt: skip
    """What was taken as time, and what as channels, in one line."""
    called = " and ".join(
        f"column {one}" if one.isdecimal() else f"column {one!r}" for one in column.split(",")
    )
    files = "1 file" if n_files == 1 else f"{n_files} files"
    rate = describe_rates(rates) or "no unit of time"
    also = f" ({' and '.join(left_out)} left out, too)" if left_out else ""
    return f"time: {called} of {files}, {rate}{also}; {describe_channels(channels, n_channels)}"


def describe_channels(names: Sequence[str] | None, n_channels: int) -> str:
    """``channels ax, ay, az``, cut when there are many, or their number without names."""
    if names is None:
        return "1 channel" if n_channels == 1 else f"{n_channels} channels"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"channel{'s' if len(names) > 1 else ''} {', '.join(names[:_SHOWN])}{more}"


def choose_channels_and_rate(
    data: Collection, columns: Sequence[str] | None = None, rate: float | None = None
) -> Collection:
    """Return some channels of a collection in memory, resampled if a rate is given.

    Parameters
    ----------
    data : Collection
    columns : sequence of str, optional
        Names or numbers from 1 of channels.
    rate : float, optional
        Time points per second; the rates of all sequences must be known.
    """
    if columns is not None:
        data = choose_channels(data, columns)
    if rate is not None:
        data = _at_rate(data, rate)
    warn_of_mixed_rates(data.names, data.rates)
    return data


def read_like(data: Collection, reading: Reading) -> Collection:
    """Return a new collection with the channels and the rate of the one that `reading` is of.

    What its `preprocessing` says was done already is not done again.
    """
    done, columns = data.preprocessing, list(reading.columns or ())
    if data.channel_names is None and not all(map(str.isdecimal, columns)):
        columns = []  # no name can be found: it has the same number of channels, or is refused
    if columns and done.get("columns") != columns:
        data = choose_channels(data, columns)
    data = order_channels(data, reading.channels, TRAINING)
    if reading.rate is not None and done.get("rate") is None:
        data = _at_rate(data, reading.rate)
    return data


def _at_rate(data: Collection, rate: float) -> Collection:
    rates = np.full(len(data), np.nan) if data.rates is None else data.rates
    unknown = [name for name, own in zip(data.names, rates, strict=True) if math.isnan(own)]
    if unknown:
        raise _errors.invalid(
            unknown[0], f"have a known rate for rate={rate:g}", "none",
            "Leave rate, --rate out, or keep rates (N,) in the file.",
        )  # fmt: skip
    if data.frame_shape is None:
        sequences = [
            resample(sequence, np.arange(sequence.shape[1]) / own, rate)
            for sequence, own in zip(data.X, rates, strict=True)
        ]
    else:
        sequences = [
            sequence[:, list(pick_frames(range(sequence.shape[1]), own, rate))]
            for sequence, own in zip(data.X, rates, strict=True)
        ]
    settings = {**data.preprocessing, "rate": float(rate)}
    return replace(data, X=sequences, rates=np.full(len(data), rate), preprocessing=settings)


def _mixed_rates(groups: Sequence[tuple[float, Sequence[str]]]) -> str:
    """Warning about sequences of several rates, each with the names of its sequences."""

    def words(names: Sequence[str]) -> str:
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    found = ", ".join(f"{rate:.4g} Hz ({words(names)})" for rate, names in groups[:5])
    more = f" and {len(groups) - 5} more rates" if len(groups) > 5 else ""
    lowest = f"{groups[0][0]:.4g}"
    return (
        f"sequences must have one rate to be compared; got {found}{more}. To resample them give "
        f"rate={lowest}, --rate {lowest}."
    )


def _other_rate(name: str, rate: float, known: Sequence[float], count: int) -> str:
    """Warning about new sequences whose rate is not that of the training data."""
    more = f" (and {count - 1} more)" if count > 1 else ""
    low, high = (f"{one:.4g}" for one in (known[0], known[-1]))
    rule = f"{low} Hz" if low == high else f"{low} to {high} Hz"
    return (
        f"{name}{more} must have the rate of the training data, {rule}; got {rate:.4g} Hz. Labels "
        f"may be wrong. A model trained with rate={low}, --rate {low} resamples new files itself."
    )
