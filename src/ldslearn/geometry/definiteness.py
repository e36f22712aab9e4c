"""Kernel matrices that are not positive semi-definite, and the nearest ones that are."""

import warnings
from typing import NamedTuple

import numpy as np

from ldslearn._types import Floats

POLICIES = ("clip", "raise", "ignore")
_WORTH_A_WARNING = 1e-4  # fraction of the spectrum
_ROUNDING = 1e-10  # eigenvalues within this fraction of the largest are zero up to rounding


class PositivePart(NamedTuple):
    """The part of an indefinite matrix that is a kernel.

    Attributes
    ----------
    gram : (N, N) array
        The matrix with its negative eigenvalues set to zero.
    projector : (N, N) array
        Onto the eigenvectors that are left. Rows of kernels with other systems times this matrix
        belong to `gram`, as those of the N systems themselves do.
    share : float
        Of the spectrum that was negative.
    message : str
        How indefinite the matrix is.
    """

    gram: Floats
    projector: Floats
    share: float
    message: str


def positive_part(K: Floats) -> PositivePart | None:
    """Return the positive part of a symmetric matrix; None if that is all of it, up to rounding."""
    eigenvalues, vectors = np.linalg.eigh(K)
    if eigenvalues[0] >= -_ROUNDING * eigenvalues[-1]:
        return None
    share = -eigenvalues[eigenvalues < 0].sum() / np.abs(eigenvalues).sum()
    if eigenvalues[-1] <= 0:
        raise ValueError(
            "the kernel matrix must have positive eigenvalues; got none. The function may "
            "be a distance, or have the wrong sign."
        )
    kept = eigenvalues > _ROUNDING * eigenvalues[-1]
    half = vectors[:, kept] * np.sqrt(eigenvalues[kept])
    return PositivePart(
        half @ half.T,
        vectors[:, kept] @ vectors[:, kept].T,
        float(share),
        (
            "the kernel matrix is indefinite: its smallest eigenvalue is "
            f"{float(eigenvalues[0]):.3g}, and negative ones make up {float(share):.2%} of the "
            "spectrum."
        ),
    )


def apply_policy(K: Floats, psd: str, stacklevel: int) -> PositivePart | None:
    """Return the positive part (with a warning if that changes much), raise or do nothing."""
    if psd == "ignore" or (part := positive_part(K)) is None:
        return None
    if psd == "raise":
        raise ValueError(part.message)
    if part.share >= _WORTH_A_WARNING:
        warnings.warn(f"{part.message} They were set to zero.", stacklevel=stacklevel + 1)
    return part
