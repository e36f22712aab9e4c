"""Choose channels of a collection in memory, order them, and change its rate."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldslearn import _errors
from ldslearn.datasets.channels import TRAINING, find_channel_order, find_column
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.rates import warn_of_mixed_rates
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.sequences import place_on_grid
from ldslearn.sequences.resampling import resample
from ldslearn.video.frame_rate import pick_frames


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
        data = _change_rate(data, rate)
    warn_of_mixed_rates(data.names, data.rates)
    return data


def choose_channels(data: Collection, columns: Sequence[str]) -> Collection:
    """Return some channels of a collection, by their names or numbers from 1."""
    names = data.channel_names
    chosen = [find_column("of the collection", names, len(data.X[0]), one) for one in columns]
    if len(set(chosen)) < len(chosen):
        raise _errors.invalid_parameter("columns", "name each channel once", tuple(columns))
    return replace(
        data,
        X=[sequence[chosen] for sequence in data.X],
        channel_names=None if names is None else tuple(names[i] for i in chosen),
        frame_shape=None,
        preprocessing={**data.preprocessing, "columns": list(columns)},
    )


def order_channels(
    data: Collection, channels: Sequence[str] | None, reference_name: str
) -> Collection:
    """Return a collection with its channels in the order of `channels`, or raise if they differ.

    Without names on either side it is returned unchanged.
    """
    if channels is None or data.channel_names is None:
        return data
    order = find_channel_order(data.channel_names, channels, "the collection", reference_name)
    return replace(data, X=[x[order] for x in data.X], channel_names=tuple(channels))


def match_training_data(data: Collection, settings: ReadingSettings) -> Collection:
    """Return a new collection with the channels and the rate of the training data.

    `settings` are those of the training data. Steps that `data.preprocessing` lists are not
    repeated.
    """
    done, columns = data.preprocessing, list(settings.columns or ())
    if data.channel_names is None and not all(map(str.isdecimal, columns)):
        columns = []  # names cannot be found; another number of channels is refused later
    if columns and done.get("columns") != columns:
        data = choose_channels(data, columns)
    data = order_channels(data, settings.channels, TRAINING)
    if settings.rate is not None and done.get("rate") is None:
        data = _change_rate(data, settings.rate)
    return data


def _change_rate(data: Collection, rate: float) -> Collection:
    rates = np.full(len(data), np.nan) if data.rates is None else data.rates
    unknown = [name for name, own in zip(data.names, rates, strict=True) if math.isnan(own)]
    if unknown:
        raise _errors.invalid(
            unknown[0], f"have a known rate for rate={rate:g}", "none",
            "Omit rate, --rate, or save rates (N,) in the file.",
        )  # fmt: skip
    if data.gaps and data.frame_shape is None:
        times = [np.arange(x.shape[1]) / own for x, own in zip(data.X, rates, strict=True)]
        sequences = place_on_grid(data.X, times, 1 / rate)[0]
    elif data.frame_shape is None:
        sequences = [
            resample(sequence, np.arange(sequence.shape[1]) / own, rate)
            for sequence, own in zip(data.X, rates, strict=True)
        ]
    else:
        sequences = [
            sequence[:, list(pick_frames(range(sequence.shape[1]), own, rate))]
            for sequence, own in zip(data.X, rates, strict=True)
        ]
    return replace(
        data,
        X=sequences,
        rates=np.full(len(data), rate),
        preprocessing={**data.preprocessing, "rate": float(rate)},
    )
