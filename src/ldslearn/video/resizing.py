"""Resize frames with antialiasing: two matrix products, with sparse weights for large frames."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ldslearn._types import Pixels

_LARGE = 2**16  # pixels: below, dense products take less time


def resize(frame: NDArray[Any], size: tuple[int, int]) -> Pixels:
    """Return a (height, width[, n_colours]) frame in another size.

    A pixel of the result is the weighted mean of what it covers, with linearly decreasing weights:
    the same as bilinear interpolation when enlarging, and free of aliases when shrinking.
    """
    if frame.shape[:2] == tuple(size):
        return frame.astype(np.float32, copy=False)
    values = frame.astype(np.float32, copy=False)
    if frame.ndim == 2:
        make_weights = _sparse_weights if frame.size > _LARGE else _weights
        rows, columns = (make_weights(*lengths) for lengths in zip(frame.shape, size, strict=True))
        return np.ascontiguousarray((columns @ (rows @ values).T).T, dtype=np.float32)
    return np.stack([resize(values[..., c], size) for c in range(frame.shape[2])], axis=2)


@lru_cache(64)
def _weights(length: int, new_length: int) -> Pixels:
    """Weights of `length` old pixels in each of the new ones, (new_length, length)."""
    scale = length / new_length
    centres = (np.arange(new_length) + 0.5) * scale
    distance = np.abs(np.arange(length) + 0.5 - centres[:, None]) / max(scale, 1.0)
    weights = np.maximum(1.0 - distance, 0.0)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


@lru_cache(64)
def _sparse_weights(length: int, new_length: int) -> Any:
    """The same as a sparse array: few old pixels are in each new one.

    Such products start no threads, which take longer than these products on busy machines.
    """
    return csr_array(_weights(length, new_length))
