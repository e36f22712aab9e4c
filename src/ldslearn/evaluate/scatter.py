"""Where sequences lie: a plane in which near is alike."""

from typing import Any

import numpy as np

from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.selection import usual_encoder
from ldslearn.geometry import projection_kernel

_MOST = 2000  # points that a page can show


def sequence_map(
    data: Collection,
    n_states: int | None = None,
    delays: int | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Return two coordinates of every sequence: classical scaling of the projection kernel."""
    shown = data if len(data) <= _MOST else data[np.linspace(0, len(data) - 1, _MOST).astype(int)]
    systems = usual_encoder(shown, n_states, delays, n_jobs=n_jobs).fit_transform(shown.X)
    K = projection_kernel(systems, n_jobs=n_jobs)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(centred)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    signs = np.where(points.max(axis=0) >= -points.min(axis=0), 1.0, -1.0)
    return {
        "points": (points * signs).round(6).tolist(),
        "labels": [""] * len(shown) if shown.y is None else [str(label) for label in shown.y],
        "names": list(shown.names),
    }
