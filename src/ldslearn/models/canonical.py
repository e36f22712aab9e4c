"""Two-fold canonical forms (Sec. 6.2, Lemma 3): symmetric and skew-symmetric parts of systems.

A symmetric or skew-symmetric transition matrix is normal, so that a unitary change of basis makes
it diagonal and the kernels of Table 2 closed-form.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ldslearn._checks import check_positive
from ldslearn._places import note, warn_once
from ldslearn._types import Complexes, Floats
from ldslearn.models.identification import largest_entry_signs
from ldslearn.models.lds import LDS, as_systems
from ldslearn.models.spectrum import LARGEST_RADIUS
from ldslearn.models.stabilizers import check_states, limit_softly

_LIMIT = 0.99  # where eigenvalues outside the unit disc are put


@dataclass(frozen=True, eq=False)
class SymmetricForm:
    """Canonical tuples (Lambda, U) of N symmetric systems.

    Parameters
    ----------
    eigenvalues : (N, n_states) array
        Real, descending, within (-1, 1).
    measurement : (N, n_channels, n_states) array
        Real, orthonormal columns; the largest entry of each is positive.
    delays : int
        Consecutive samples stacked in a measurement.
    """

    eigenvalues: Floats
    measurement: Floats
    delays: int = 1

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def systems(self) -> LDS:
        """Return the real systems (diag(Lambda), U)."""
        A = self.eigenvalues[:, :, None] * np.eye(self.eigenvalues.shape[1])
        return LDS(A, self.measurement, delays=self.delays)


@dataclass(frozen=True, eq=False)
class SkewForm:
    """Canonical tuples of N skew-symmetric systems as real pairs (Theta, Q).

    Parameters
    ----------
    theta : (N, n_states // 2) array
        Descending, within [0, 1): the eigenvalues are +-i theta, and 0 once more for odd n.
    basis : (N, n_channels, n_states) array
        Q: real, orthonormal columns; columns 2k and 2k + 1 span the plane of theta_k, and the last
        column stands alone for odd n.
    delays : int
        Consecutive samples stacked in a measurement.
    """

    theta: Floats
    basis: Floats
    delays: int = 1

    def __len__(self) -> int:
        return len(self.theta)

    @property
    def eigenvalues(self) -> Complexes:
        """Lambda: i theta_1, -i theta_1, i theta_2, ... (0), shape (N, n_states)."""
        values = np.zeros((len(self), self.basis.shape[2]), dtype=np.complex128)
        pairs = 2 * self.theta.shape[1]
        values[:, 0:pairs:2] = 1j * self.theta
        values[:, 1:pairs:2] = -1j * self.theta
        return values

    @property
    def measurement(self) -> Complexes:
        """U: (q_1 + i q_2) / sqrt 2, its conjugate, ..., (the lone column), unitary."""
        U = self.basis.astype(np.complex128)
        pairs = 2 * self.theta.shape[1]
        first, second = self.basis[:, :, 0:pairs:2], self.basis[:, :, 1:pairs:2]
        U[:, :, 0:pairs:2] = (first + 1j * second) / np.sqrt(2)
        U[:, :, 1:pairs:2] = (first - 1j * second) / np.sqrt(2)
        return U

    def systems(self) -> LDS:
        """Return the real systems: blocks [[0, theta], [-theta, 0]] on the diagonal of A, and Q."""
        n_states = self.basis.shape[2]
        A = np.zeros((len(self), n_states, n_states))
        k = 2 * np.arange(self.theta.shape[1])
        A[:, k, k + 1] = self.theta
        A[:, k + 1, k] = -self.theta
        return LDS(A, self.basis, delays=self.delays)


@warn_once
def canonical_symmetric(
    systems: LDS, states: Any = None, *, scale: float | None = 2.5
) -> SymmetricForm:
    """Return the canonical form of the symmetric parts of a batch.

    Parameters
    ----------
    systems : LDS
    states : list of (n_states, n_timepoints) arrays, optional
        Without them the part is (A + A')/2, as in the paper. With them it is the symmetric matrix
        that reconstructs them best, min |X(1) - S X(0)|_F, in closed form.
    scale : float or None
        Soft normalisation, Eq. (2), of a part fitted to `states`; None leaves it as fitted.

    Returns
    -------
    SymmetricForm
    """
    A = _check_arguments(systems, scale).A
    part = (
        0.5 * (A + A.swapaxes(1, 2))
        if states is None
        else _structured_least_squares(systems, states, sign=1)
    )
    eigenvalues, vectors = np.linalg.eigh(part)
    eigenvalues, vectors = eigenvalues[:, ::-1], vectors[:, :, ::-1]
    scale = None if states is None else scale
    eigenvalues = _limit_eigenvalues(eigenvalues, scale, "symmetric", systems.n_states)
    U = systems.C @ vectors
    return SymmetricForm(eigenvalues, U * largest_entry_signs(U), systems.delays)


@warn_once
def canonical_skew(systems: LDS, states: Any = None, *, scale: float | None = 2.5) -> SkewForm:
    """Return the canonical form of the skew-symmetric parts of a batch.

    Parameters
    ----------
    systems : LDS
    states : list of (n_states, n_timepoints) arrays, optional
        Without them the part is (A - A')/2, as in the paper. With them it is the skew-symmetric
        matrix that reconstructs them best, min |X(1) - K X(0)|_F, in closed form.
    scale : float or None
        Soft normalisation, Eq. (2), of a part fitted to `states`; None leaves it as fitted.

    Returns
    -------
    SkewForm
    """
    A = _check_arguments(systems, scale).A
    part = (
        0.5 * (A - A.swapaxes(1, 2))
        if states is None
        else _structured_least_squares(systems, states, sign=-1)
    )
    theta, W = _skew_planes(part)
    scale = None if states is None else scale
    theta = _limit_eigenvalues(theta, scale, "skew-symmetric", systems.n_states)
    return SkewForm(theta, _turn_planes(systems.C @ W, theta.shape[1]), systems.delays)


def _check_arguments(systems: LDS, scale: float | None) -> LDS:
    if scale is not None:
        check_positive("scale", scale, "be positive or None")
    return as_systems(systems)


def _structured_least_squares(systems: LDS, states: Any, sign: int) -> Floats:
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


def _skew_planes(K: Floats) -> tuple[Floats, Floats]:
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


def _turn_planes(Q: Floats, n_pairs: int) -> Floats:
    """Turn each plane of Q so that the largest entry of q1 + i q2 is real and positive."""
    Q = Q.copy()
    pairs = 2 * n_pairs
    u = Q[:, :, 0:pairs:2] + 1j * Q[:, :, 1:pairs:2]
    largest = np.take_along_axis(u, np.abs(u).argmax(axis=1)[:, None], axis=1)
    u = u * (np.conj(largest) / np.abs(largest))
    Q[:, :, 0:pairs:2], Q[:, :, 1:pairs:2] = u.real, u.imag
    if Q.shape[2] > pairs:
        Q[:, :, pairs:] *= largest_entry_signs(Q[:, :, pairs:])
    return Q


def _limit_eigenvalues(values: Floats, scale: float | None, part: str, n_states: int) -> Floats:
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
