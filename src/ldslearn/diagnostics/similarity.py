"""Similarity of sequences: the kernel matrix class by class, and a map by the same kernel."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats, Indices
from ldslearn.datasets.collection import Collection
from ldslearn.drawing.sampling import space_evenly

MOST_POINTS = 1000  # of a map
_MOST_ROWS = 400  # of a matrix
_COLOUR_PERCENTILES = (5, 95)


@dataclass(frozen=True)
class Similarity:
    """Similarity of sequences by the kernel of a method.

    Attributes
    ----------
    points : (N, 2) array
        Map by classical scaling of the kernel.
    labels, names : tuple of str
    kernel : (n, n) array
        Of all or some of the sequences, class by class.
    kernel_labels : tuple of str
    kernel_name : str
    n_sequences : int
        Of the collection; points and kernel may have fewer.
    """

    points: Floats
    labels: tuple[str, ...]
    names: tuple[str, ...]
    kernel: Floats
    kernel_labels: tuple[str, ...]
    kernel_name: str
    n_sequences: int

    __repr__ = summarize_fields


def find_long_enough(data: Collection, encoder: Any) -> Indices:
    """Return the indices of the sequences that are long enough for a fitted encoder."""
    shortest = encoder.n_states_ + encoder.delays
    return np.flatnonzero([x.shape[1] >= shortest for x in data.X])


def compute_similarity(
    K: Floats, data: Collection, kernel_name: str, n_sequences: int
) -> Similarity:
    """Return a map and a matrix of the kernel K of the sequences of `data`."""
    labels = ("",) * len(data) if data.y is None else tuple(str(label) for label in data.y)
    by_class = np.array(sorted(range(len(data)), key=lambda i: labels[i]))
    rows = by_class[space_evenly(len(data), _MOST_ROWS)]
    return Similarity(
        _scale_classically(K), labels, data.names, K[np.ix_(rows, rows)],
        tuple(labels[i] for i in rows), kernel_name, n_sequences,
    )  # fmt: skip


def find_colour_limits(matrix: NDArray[Any]) -> tuple[float, float]:
    """Return the values at the ends of a colour scale of a square matrix.

    They are the 5th and 95th percentile of the values off the diagonal: the diagonal, and a few
    pairs that are very similar, would leave all others dark.
    """
    pairs = matrix[~np.eye(len(matrix), dtype=bool)] if len(matrix) > 1 else matrix.ravel()
    low, high = np.nanpercentile(pairs, _COLOUR_PERCENTILES)
    return float(low), float(high)


def _scale_classically(K: Floats) -> Floats:
    """Return two coordinates of every row; the largest of each axis is positive."""
    centred: Any = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(centred)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    return points * np.where(points.max(axis=0) >= -points.min(axis=0), 1.0, -1.0)
