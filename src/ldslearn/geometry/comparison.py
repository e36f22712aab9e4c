"""Compare two sequences: one run, one record."""

from typing import Any

import numpy as np

from ldslearn.datasets.collection import Collection
from ldslearn.geometry import (
    martin_distance,
    principal_angles,
    projection_distance,
    projection_kernel,
)
from ldslearn.models.defaults import make_default_encoder


def compare_sequences(
    data: Collection,
    *,
    n_states: int | None = None,
    delays: int | None = None,
    stabilizer: str = "soft",
) -> dict[str, Any]:
    """Return distances and angles (degrees) between the systems of the first two sequences."""
    encoder = make_default_encoder(data, n_states, delays, stabilizer=stabilizer)
    systems = encoder.fit_transform(data.X)
    first, second = systems[0], systems[1]
    return {
        "record": "comparison",
        "names": list(data.names),
        "n_states": systems.n_states,
        "delays": encoder.delays,
        "angles": np.degrees(principal_angles(first, second))[0, 0].tolist(),
        "kernel": float(projection_kernel(first, second)[0, 0]),
        "projection_distance": float(projection_distance(first, second)[0, 0]),
        "martin_distance": float(martin_distance(first, second)[0, 0]),
    }
