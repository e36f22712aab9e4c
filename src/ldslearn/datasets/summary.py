"""Summarize a collection in numbers that JSON can hold."""

import hashlib
from typing import Any

import numpy as np

from ldslearn.datasets.collection import Collection


def summarize_collection(data: Collection) -> dict[str, Any]:
    """Return the sizes, classes, rates and fingerprint of a collection."""
    lengths = [x.shape[1] for x in data.X]
    counts = [] if data.y is None else np.unique(data.y, return_counts=True)[1].tolist()
    return {
        "n_sequences": len(data),
        "n_channels": len(data.X[0]),
        "frame_shape": None if data.frame_shape is None else list(data.frame_shape),
        "shortest": min(lengths),
        "longest": max(lengths),
        "missing": _measure_missing(data),
        "classes": dict(zip(data.classes, counts, strict=True)),
        "n_groups": 0 if data.groups is None else len(np.unique(data.groups)),
        "splits": [] if data.split is None else [str(part) for part in np.unique(data.split)],
        "skipped": [list(item) for item in data.skipped],
        "channel_names": None if data.channel_names is None else list(data.channel_names),
        "rates": (
            None
            if data.rates is None
            else [float(np.nanmin(data.rates)), float(np.nanmax(data.rates))]
        ),
        "preprocessing": data.preprocessing,
        "fingerprint": fingerprint(data),
    }


def _measure_missing(data: Collection) -> float:
    """Return the share of samples that are gaps."""
    n_missing = sum(int(np.isnan(x).sum()) for x in data.X if x.dtype.kind == "f")
    return n_missing / sum(x.size for x in data.X)


def fingerprint(data: Collection) -> str:
    """Return the SHA-256 of sequences and labels, which does not depend on the kind of file."""
    digest = hashlib.sha256()
    for sequence in data.X:
        digest.update(str(sequence.shape).encode())
        digest.update(np.ascontiguousarray(sequence, dtype=np.float64).tobytes())
    if data.y is not None:
        digest.update("\n".join(data.y).encode())
    return digest.hexdigest()
