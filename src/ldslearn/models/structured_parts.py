"""Symmetric and skew-symmetric parts of transition matrices: least squares, planes, limits."""

from typing import Any

import numpy as np

from ldslearn._places import note
from ldslearn._types import Floats
from ldslearn.models.identification import largest_entry_signs
from ldslearn.models.lds import LDS
from ldslearn.models.spectrum import LARGEST_RADIUS
from ldslearn.models.stabilizer_checks import check_states
from ldslearn.models.stabilizers import limit_softly

_LIMIT = 0.99  # where eigenvalues outside the unit disc are put
_BLOCK = 2**18  # bytes of planes that are turned at a time


def fit_structured_parts(systems: LDS, states: Any, sign: int) -> Floats:
    """Return the S = sign * S' that minimises |X(1) - S X(0)|_F.

    S P + P S = M + sign * M' with P = X(0)X(0)' and M = X(1)X(0)'. It is
    diagonal in the eigenbasis of P, where S_ij = (M + sign * M')_ij / (p_i + p_j); directions the
    states never visit get zero, the solution of least norm.
    """
    parts = np.empty_like(systems.A)
    for index, X in enumerate(check_states(states, systems.A)):
        past, future = X[:, :-1], X[:, 1:]
        p, vectors = np.linalg.eigh(past @ past.T)
        M = vectors.T @ (future @ past.T) @ vectors
        total = p[:, None] + p
        visited = total > len(p) * np.finfo(np.float64).eps * p[-1]
        S = np.where(visited, (M + sign * M.T) / np.where(visited, total, 1.0), 0.0)
        parts[index] = vectors @ S @ vectors.T
    return parts


def find_planes(K: Floats) -> tuple[Floats, Floats]:
    """Return theta >= 0 (N, n // 2), descending, and orthogonal W with K = W blocks(theta) W'."""
    n_systems, n_states, _ = K.shape
    n_pairs = n_states // 2
    values, vectors = np.linalg.eigh(-1j * K)  # Hermitian: K u = i theta u, u = (q1 + i q2)/sqrt 2
    values, vectors = values[:, : -n_pairs - 1 : -1], vectors[:, :, : -n_pairs - 1 : -1]
    W = np.zeros((n_systems, n_states, n_states))
    W[:, :, 0 : 2 * n_pairs : 2] = np.sqrt(2) * vectors.real
    W[:, :, 1 : 2 * n_pairs : 2] = np.sqrt(2) * vectors.imag
    # u and its conjugate are orthogonal to eps |K| / theta only, and mean nothing where theta is
    # rounding. A QR decomposition corrects the first and completes the second, and the lone column.
    W, R = np.linalg.qr(W)
    diagonal = np.diagonal(R, axis1=1, axis2=2)
    return np.maximum(values, 0.0), W * np.where(diagonal < 0, -1.0, 1.0)[:, None]


def turn_planes(Q: Floats, n_pairs: int) -> None:
    """Turn each plane of Q, in place, so that the largest entry of q1 + i q2 is real and positive.

    The lone column of an odd order gets the sign that makes its largest entry positive.
    """
    pairs = 2 * n_pairs
    step = max(1, _BLOCK // (Q[:1].nbytes or 1))
    for start in range(0, len(Q), step):  # in the cache of the processor
        block = Q[start : start + step]
        u = block[:, :, 0:pairs:2] + 1j * block[:, :, 1:pairs:2]
        at = (u.real**2 + u.imag**2).argmax(axis=1)[:, None]
        largest = np.take_along_axis(u, at, axis=1)
        u *= np.conj(largest) / np.abs(largest)
        block[:, :, 0:pairs:2], block[:, :, 1:pairs:2] = u.real, u.imag
        if block.shape[2] > pairs:
            block[:, :, pairs:] *= largest_entry_signs(block[:, :, pairs:])


def limit_eigenvalues(values: Floats, scale: float | None, part: str, n_states: int) -> Floats:
    """Return eigenvalues (or theta) inside (-1, 1)."""
    if scale is not None:
        values = limit_softly(0.5 * scale * values, n_states)
    outside = np.abs(values) >= LARGEST_RADIUS
    if outside.any():
        systems = [int(index) for index in np.flatnonzero(outside.any(axis=1))]
        note(
            (
                f"the {part} part of {{systems}} has eigenvalues of modulus 1 or more; they were "
                f"set to modulus {_LIMIT}. With stabilizer='soft' the parts are always stable."
            ),
            systems,
        )
        values = np.where(outside, np.sign(values) * _LIMIT, values)
    return values
