"""Which of many items a drawing shows."""

import numpy as np

from ldslearn._types import Indices


def space_evenly(n: int, most: int) -> Indices:
    """Return at most `most` of n indices, evenly spaced."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(np.intp)
