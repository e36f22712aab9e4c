"""Real Schur forms with complex pairs first, in blocks of two rows, and in other coordinates."""

import ctypes
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import cython_lapack

from ldslearn import _errors
from ldslearn._compiling import njit
from ldslearn._types import Floats
from ldslearn.geometry.stein import LANES, OPTIONS


def find_schur_forms(A: Floats) -> tuple[Floats, Floats, Floats]:
    """Return S and Z with A = Z S Z', and spectral radii: (N, n, n), (N, n, n) and (N,) arrays.

    S is quasi-triangular with the blocks of complex pairs first, so that it has blocks of two rows
    throughout. LAPACK is called by a compiled function: SciPy keeps Python's lock, so that threads
    would wait for each other.
    """
    n_systems, n = A.shape[:2]
    # A copy, which LAPACK overwrites, columns first.
    S = np.array(np.swapaxes(A, 1, 2), dtype=np.float64, order="C")
    Z, eigenvalues = np.empty_like(S), np.empty((n_systems, 2, n))
    failures = np.zeros(n_systems, dtype=np.int32)
    decompose(
        _find_routine("dgees"),
        _find_routine("dtrsen"),
        np.frombuffer(b"VN", dtype=np.uint8),
        np.array([n, _WORK_PER_STATE * n, 1, 0, 0, 0], dtype=np.int32),
        S,
        Z,
        eigenvalues,
        np.empty(_WORK_PER_STATE * n),
        np.empty(n, dtype=np.int32),
        failures,
    )
    S, Z = np.swapaxes(S, 1, 2), np.swapaxes(Z, 1, 2)
    has_failed = (failures != 0) | np.diagonal(S, -1, axis1=1, axis2=2)[:, 1::2].any(axis=1)
    if has_failed.any():
        raise _errors.SystemsError(
            "{systems} must have eigenvalues that can be computed and ordered; LAPACK failed. "
            "Encode its sequence again with other settings, or leave it out.",
            np.flatnonzero(has_failed).tolist(),
        )
    return S, Z, np.hypot(eigenvalues[:, 0], eigenvalues[:, 1]).max(axis=1)


_WORK_PER_STATE = 8  # numbers; LAPACK needs 3, and more help orders of several hundred only


@cache
def _find_routine(name: str) -> Any:
    """Return a function of SciPy's LAPACK whose arguments are pointers."""
    capsule = cython_lapack.__pyx_capi__[name]
    get_name, get_pointer = (
        ctypes.pythonapi.PyCapsule_GetName,
        ctypes.pythonapi.PyCapsule_GetPointer,
    )
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature = get_name(capsule)
    if b" int *" not in signature:
        raise ImportError(
            f"LAPACK of SciPy must have integers of 32 bits; got {signature.decode()}. Install "
            "SciPy from PyPI or conda-forge."
        )
    pointers = [ctypes.c_void_p] * (signature.count(b",") + 1)
    return ctypes.CFUNCTYPE(None, *pointers)(get_pointer(capsule, signature))


@njit(**OPTIONS, no_rewrites=True)
def decompose(gees, trsen, letters, integers, S, Z, eigenvalues, work, is_first, failures):  # type: ignore[no-untyped-def]
    """Overwrite S by Schur forms with complex eigenvalues first.

    Parameters
    ----------
    gees, trsen : functions
        dgees and dtrsen of LAPACK.
    letters : (2,) array
        "V" (with vectors) and "N" (not).
    integers : (6,) array
        n, the length of `work`, 1, and memory for three results that are not used.
    S, Z : (N, n, n) arrays
        Columns first.
    eigenvalues : (N, 2, n) array
        Real and imaginary parts.
    work : array
    is_first : (n,) array
        Memory for the choice of eigenvalues.
    failures : (N,) array
        0 where all eigenvalues were found. If some could not be put in order, the forms are
        correct all the same, with blocks at other places.
    """
    vectors, none = letters.ctypes, letters[1:].ctypes
    n, n_work, one = integers.ctypes, integers[1:].ctypes, integers[2:].ctypes
    count, unused, reordered = integers[3:].ctypes, integers[4:].ctypes, integers[5:].ctypes
    for i in range(len(S)):
        real, imaginary = eigenvalues[i, 0].ctypes, eigenvalues[i, 1].ctypes
        gees(
            vectors, none, unused, n, S[i].ctypes, n, count, real, imaginary, Z[i].ctypes, n,
            work.ctypes, n_work, is_first.ctypes, failures[i:].ctypes,
        )  # fmt: skip
        for k in range(len(is_first)):
            is_first[k] = eigenvalues[i, 1, k] != 0.0
        if failures[i] == 0:
            trsen(
                none, vectors, is_first.ctypes, n, S[i].ctypes, n, Z[i].ctypes, n, real, imaginary,
                count, work.ctypes, work.ctypes, work.ctypes, n_work, unused, one, reordered,
            )  # fmt: skip


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
