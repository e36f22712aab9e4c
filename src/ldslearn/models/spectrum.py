"""Eigenvalue moduli of transition matrices."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def spectral_radius(A: Floats) -> Floats:
    """Largest eigenvalue modulus of every matrix of a stack ``(..., n, n)``."""
    return np.abs(np.linalg.eigvals(A)).max(axis=-1)
