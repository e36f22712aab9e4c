"""Resize frames with antialiasing: two small matrix products per frame."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Pixels


def resize(frame: NDArray[Any], size: tuple[int, int]) -> Pixels:
    """Return a (height, width[, n_colours]) frame in another size.

    A pixel of the result is the weighted mean of what it covers, with linearly decreasing weights:
    the same as bilinear interpolation when enlarging, and free of aliases when shrinking.
    """
    if frame.shape[:2] == tuple(size):
        return frame.astype(np.float32, copy=False)
    rows, columns = _weights(frame.shape[0], size[0]), _weights(frame.shape[1], size[1])
    values = frame.astype(np.float32, copy=False)
    if frame.ndim == 2:
        return np.asarray(rows @ values @ columns.T, dtype=np.float32)
    return np.stack([resize(values[..., c], size) for c in range(frame.shape[2])], axis=2)


@lru_cache(64)
def _weights(length: int, new_length: int) -> Pixels:
    """Weights of `length` old pixels in each of the new ones, (new_length, length)."""
    scale = length / new_length
    centres = (np.arange(new_length) + 0.5) * scale
    distance = np.abs(np.arange(length) + 0.5 - centres[:, None]) / max(scale, 1.0)
    weights = np.maximum(1.0 - distance, 0.0)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
