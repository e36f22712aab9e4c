"""How alike sequences are: a matrix class by class, and a plane in which near is alike."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.datasets.collection import Collection
from ldslearn.geometry import projection_kernel
from ldslearn.models import LDS

Floats = NDArray[np.float64]
MOST_POINTS = 1000  # of a map that a page can show
_MOST_ROWS = 400  # of a matrix


@dataclass(frozen=True)
class Similarity:
    """Sequences by their systems.

    Attributes
    ----------
    points : (N, 2) array
        Classical scaling of the projection kernel.
    labels, names : tuple of str
    kernel : (n, n) array
        Of some sequences at least, class by class.
    kernel_labels : tuple of str
    """

    points: Floats
    labels: tuple[str, ...]
    names: tuple[str, ...]
    kernel: Floats
    kernel_labels: tuple[str, ...]


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """Return `most` of n indices, evenly spaced, or all."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(np.intp)


def similarity(systems: LDS, data: Collection, n_jobs: int | None = None) -> Similarity:
    """Return the projection kernel of the systems of `data`, to look at."""
    labels = ("",) * len(data) if data.y is None else tuple(str(label) for label in data.y)
    K = projection_kernel(systems, n_jobs=n_jobs)
    by_class = np.array(sorted(range(len(data)), key=lambda i: labels[i]))
    rows = by_class[evenly(len(data), _MOST_ROWS)]
    return Similarity(
        _plane(K), labels, data.names, K[np.ix_(rows, rows)], tuple(labels[i] for i in rows)
    )


def _plane(K: Floats) -> Floats:
    """Two coordinates of every row, the longer side of each axis positive."""
    centred: Any = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(centred)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    return points * np.where(points.max(axis=0) >= -points.min(axis=0), 1.0, -1.0)
