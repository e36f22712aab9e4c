"""Misclassified sequences: waveforms of sensors, frames of videos."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._reprs import summarize_fields
from ldslearn._types import Bytes, Floats
from ldslearn.datasets.collection import Collection
from ldslearn.diagnostics.clips import extract_film
from ldslearn.drawing.sampling import space_evenly
from ldslearn.sequences.moments import pooled_deviations

MOST_MISTAKES = 12
MOST_CHANNELS = 6
_MOST_BINS = 100  # of time, per line


@dataclass(frozen=True)
class Mistake:
    """A misclassified sequence.

    Attributes
    ----------
    name, label, predicted : str
    probability, margin, share, votes : float or None
        As in the record of the evaluation.
    frames : (n_frames, height, width) array of uint8 or None
        Of a video.
    times, lines : (k,) array, (n_channels, k) array, or None
        Of sensors: time points and values of some channels, each minus its mean and divided by
        its standard deviation over the collection. A long sequence is reduced to the minimum and
        the maximum of each time interval.
    n_channels, n_timepoints : int
        Of the whole sequence.
    """

    name: str
    label: str
    predicted: str
    probability: float | None
    margin: float | None
    frames: Bytes | None
    times: Floats | None
    lines: Floats | None
    n_channels: int
    n_timepoints: int
    share: float | None = None
    votes: float | None = None

    __repr__ = summarize_fields


def choose_mistakes(misclassified: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return at most twelve entries, each sequence once, different pairs of classes first."""
    ranked: list[tuple[int, int, Mapping[str, Any]]] = []
    seen: dict[Any, int] = {}
    indices: set[int] = set()
    for entry in misclassified:
        if entry["index"] in indices:
            continue
        indices.add(entry["index"])
        pair = entry["label"], entry["predicted"]
        seen[pair] = seen.get(pair, 0) + 1
        ranked.append((seen[pair], len(ranked), entry))
    chosen = sorted(ranked, key=lambda one: one[:2])[:MOST_MISTAKES]
    return [entry for _, _, entry in chosen]


def extract_mistakes(data: Collection, chosen: Sequence[Mapping[str, Any]]) -> tuple[Mistake, ...]:
    """Return the sequences of some entries of ``record["misclassified"]``."""
    if not chosen:
        return ()
    deviations = None if data.frame_shape is not None else pooled_deviations(data.X)
    found = []
    for entry in chosen:
        sequence = data.X[entry["index"]]
        frames = times = lines = None
        if deviations is None:
            frames = extract_film(data, entry["index"], len(chosen))
        else:
            times, lines = reduce_channels(sequence, deviations)
        found.append(
            Mistake(
                entry["name"], entry["label"], entry["predicted"],
                entry["probability"], entry["margin"],
                frames, times, lines, len(sequence), sequence.shape[1],
                entry.get("share"), entry.get("votes"),
            )
        )  # fmt: skip
    return tuple(found)


def reduce_channels(sequence: NDArray[Any], deviations: Floats) -> tuple[Floats, Floats]:
    """Return times and values of at most six channels, at most 200 per channel."""
    channels = space_evenly(len(sequence), MOST_CHANNELS)
    scales = np.where(deviations > 0, deviations, 1.0)[channels, None]
    values = sequence[channels].astype(np.float64)
    values = (values - values.mean(axis=1, keepdims=True)) / scales
    n_timepoints = values.shape[1]
    if n_timepoints <= 2 * _MOST_BINS:
        return np.arange(n_timepoints, dtype=np.float64), values
    edges = np.linspace(0, n_timepoints, _MOST_BINS + 1).astype(int)
    pieces = [values[:, a:b] for a, b in pairwise(edges.tolist())]
    ends = [np.stack([piece.min(axis=1), piece.max(axis=1)], axis=1) for piece in pieces]
    times = np.stack([edges[:-1], (edges[:-1] + edges[1:]) / 2], axis=1).ravel()
    return times.astype(np.float64), np.concatenate(ends, axis=1)
