"""Real Schur forms with complex pairs first, in blocks of two rows, and in other coordinates."""

from contextlib import suppress

import numpy as np
import scipy.linalg

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.geometry.stein import LANES


def find_schur_forms(A: Floats) -> tuple[Floats, Floats, Floats]:
    """Return S and Z with A = Z S Z', and spectral radii: (N, n, n), (N, n, n) and (N,) arrays.

    S is quasi-triangular with the blocks of complex pairs first, so that it has blocks of two rows
    throughout. LAPACK is called directly: for small matrices, scipy.linalg.schur takes twice as
    long.
    """
    S, Z = np.empty_like(A), np.empty_like(A)
    eigenvalues = np.empty((2, *A.shape[:2]))  # real and imaginary parts
    failures = np.zeros(len(A), dtype=int)
    gees, n = scipy.linalg.lapack.dgees, A.shape[1]
    size = int(gees(_is_complex, A[0], lwork=-1)[-2][0].real) if len(A) else 0
    for i, matrix in enumerate(A):
        S[i], _, eigenvalues[0, i], eigenvalues[1, i], Z[i], _, failures[i] = gees(
            _is_complex, matrix, lwork=size, sort_t=1
        )
    # n + 2: by rounding, a complex pair became two real eigenvalues, which are a block, too.
    has_failed = (failures != 0) & (failures != n + 2)
    has_failed |= np.diagonal(S, -1, axis1=1, axis2=2)[:, 1::2].any(axis=1)
    if has_failed.any():
        raise _errors.SystemsError(
            "{systems} must have eigenvalues that can be computed and ordered; LAPACK failed. "
            "Encode its sequence again with other settings, or leave it out.",
            np.flatnonzero(has_failed).tolist(),
        )
    return S, Z, np.hypot(*eigenvalues).max(axis=1)


def _is_complex(real: float, imaginary: float) -> bool:
    """Whether an eigenvalue comes first."""
    return imaginary != 0.0


def split_in_blocks(S: Floats) -> Floats:
    """Return (N, n, n) matrices as blocks of two rows and columns, (N, n1, n1, 4), n1 = n / 2.

    An odd order becomes even by a row and a column of zeros.
    """
    S = pad_to_even(S, (1, 2))
    n1 = S.shape[1] // 2
    blocks = S.reshape(-1, n1, 2, n1, 2).transpose(0, 1, 3, 2, 4)
    return np.ascontiguousarray(blocks).reshape(-1, n1, n1, 4)


def pad_to_even(stack: Floats, axes: tuple[int, ...]) -> Floats:
    """Return an array with zeros at the end of each of these axes that has an odd length."""
    widths = [(0, size % 2 if axis in axes else 0) for axis, size in enumerate(stack.shape)]
    return np.pad(stack, widths) if any(after for _, after in widths) else stack


def arrange_in_lanes(stack: Floats) -> Floats:
    """Return (N, ...) as (groups, ..., lanes); the last group is padded by its last system."""
    n_groups = -(-len(stack) // LANES)
    index = np.minimum(np.arange(n_groups * LANES), len(stack) - 1).reshape(n_groups, LANES)
    return np.ascontiguousarray(np.moveaxis(stack[index], 1, -1))


def change_coordinates(S: Floats, R: Floats) -> tuple[Floats, Floats]:
    """Return R S R^-1, quasi-triangular like S, and R^-1.

    Parameters
    ----------
    S : (N, n, n) array
        Real Schur forms.
    R : (N, n, n) array
        Upper triangular and regular.
    """
    F: Floats = np.asarray(np.linalg.inv(R), dtype=np.float64)
    is_kept = (S != 0.0) | np.triu(np.ones(S.shape[1:], dtype=bool))
    return np.where(is_kept, R @ S @ F, 0.0), F


def normalise(S: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Return S and R^-1 in coordinates in which the Gramian is I, R S R^-1 with W = R'R.

    Parameters
    ----------
    S : (N, n, n) array
        Real Schur forms.
    W : (N, n, n) array
        Their Gramians. Where one is not positive definite, results are NaN.
    """
    try:
        L = np.linalg.cholesky(W)
    except np.linalg.LinAlgError:
        L = np.full_like(W, np.nan)
        for i, gramian in enumerate(W):
            with suppress(np.linalg.LinAlgError):
                L[i] = np.linalg.cholesky(gramian)
    return change_coordinates(S, np.swapaxes(L, 1, 2))
