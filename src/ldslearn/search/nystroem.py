"""The Nyström approximation of a kernel from its values at a few systems, the landmarks."""

from typing import NamedTuple

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats

SMALLEST = 1e-8  # eigenvalues within this fraction of the largest are truncated


class Whitening(NamedTuple):
    """The linear map from kernels with landmarks to coordinates.

    Attributes
    ----------
    components : (M, d) array
        Eigenvectors of the kernel matrix of the landmarks, divided by the roots of their
        eigenvalues.
    eigenvalues : (d,) array
        Those that are kept, in descending order.
    """

    components: Floats
    eigenvalues: Floats


def whiten(gram: Floats, n_components: int | None = None) -> Whitening:
    r"""Return :math:`W = U S^{-1/2}` of the largest eigenvalues, with :math:`K = U S U^\top`.

    Rows of kernels with the landmarks times :math:`W` are vectors whose inner products are the
    kernel, projected on the span of the landmarks. Eigenvalues below `SMALLEST` of the largest are
    left out: divided by their roots, rounding errors would become coordinates. The sign of every
    column is that which makes its entry of largest modulus positive.
    """
    eigenvalues, vectors = np.linalg.eigh(gram)
    if not eigenvalues[-1] > 0:
        raise _errors.invalid(
            "the kernel of the landmarks", "have a positive eigenvalue",
            f"{eigenvalues[-1]:g} as the largest", "Choose another kernel, or other systems.",
        )  # fmt: skip
    kept = np.flatnonzero(eigenvalues > SMALLEST * eigenvalues[-1])[::-1][:n_components]
    vectors = vectors[:, kept]
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(len(kept))])
    return Whitening(
        np.ascontiguousarray(vectors / np.sqrt(eigenvalues[kept])), eigenvalues[kept].copy()
    )


def measure_residual(vectors: Floats, self_kernels: Floats) -> float:
    r"""Return the mean of :math:`(k(x, x) - |\phi(x)|^2) / k(x, x)`, at least 0.

    Where :math:`k(x, x) = 0`, nothing is lost.
    """
    lost = np.maximum(self_kernels - np.square(vectors).sum(axis=1), 0)
    return _mean_share(lost, self_kernels)


def leave_one_out_residual(gram: Floats) -> float:
    r"""Return the residual of each landmark as if it were none, in the mean.

    Without landmark :math:`i`, its residual is the Schur complement :math:`1 / (K^{-1})_{ii}`. Of
    a singular matrix the truncated eigenvalues count as the smallest that would be kept.
    """
    eigenvalues, vectors = np.linalg.eigh(gram)
    eigenvalues = np.maximum(eigenvalues, SMALLEST * eigenvalues[-1])
    complements = 1 / (np.square(vectors) / eigenvalues).sum(axis=1)
    return _mean_share(complements, gram.diagonal())


def _mean_share(lost: Floats, self_kernels: Floats) -> float:
    """Return the mean of the ratios, at most 1, and 0 for a kernel of 0."""
    lost = np.minimum(lost, self_kernels)
    shares = np.divide(lost, self_kernels, out=np.zeros(len(lost)), where=self_kernels > 0)
    return float(shares.mean())
