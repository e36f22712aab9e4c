"""A batch in output-normal Schur coordinates, computed once and kept with it."""

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._parallel import for_each_block
from ldslearn.models import LDS

Floats = NDArray[np.float64]

MOST_LANES = 32  # systems side by side in one vectorised solve
_LARGE_GRAMIAN = 1e3
_LARGEST_GRAMIAN = 1e10  # beyond, not even six digits are left
_LARGEST_DEVIATION = 0.1


@dataclass(frozen=True)
class Prepared:
    """Systems in coordinates in which the Gramian is I and A is (quasi-)triangular.

    In these coordinates [C; CA; ...] is the orthonormal observability matrix V of Sec. 4.3, so that
    V1'V2 solves the Stein equation X = A1'XA2 + C1'C2.
    """

    transform: Floats  # (N, n, n): old C times this is the new C
    gramian: Floats  # (N, n, n), in the coordinates of the LDS
    S: Floats  # (N, n, n), real quasi-upper triangular A
    T: Floats  # (groups, 2, n, n, lanes), complex upper triangular A
    D: Floats  # (groups, 3, 2, n, lanes), T = D* S D

    @property
    def lanes(self) -> int:
        """Systems in a group."""
        return self.T.shape[-1]

    def measurement(self, systems: LDS, block: slice | NDArray[np.intp]) -> Floats:
        """C of some systems in these coordinates, (systems, n_channels, n_states)."""
        return systems.C[block] @ self.transform[block]


def prepare(systems: LDS, n_jobs: int | None = None) -> Prepared:
    """Return the batch in output-normal Schur coordinates; the second call costs nothing."""
    cached: Prepared | None = systems.__dict__.get("_prepared")
    if cached is None:
        cached = _prepare(systems, n_jobs)
        systems.__dict__["_prepared"] = cached
    return cached


def _prepare(systems: LDS, n_jobs: int | None) -> Prepared:
    from ldslearn.geometry import stein  # imports numba, which takes its time

    n_systems, n_states = len(systems), systems.n_states
    S, Z, W = (np.empty((n_systems, n_states, n_states)) for _ in range(3))
    eigenvalues = np.empty((n_systems, 2, n_states))  # real and imaginary parts

    def solve(block: slice) -> None:
        _schur(systems.A[block], S[block], Z[block])
        W[block], T = _gramians(S[block], systems.C[block] @ Z[block])
        eigenvalues[block] = np.diagonal(T, axis1=2, axis2=3)

    for_each_block(solve, n_systems, n_jobs=n_jobs, description="preparing systems")
    gramian = Z @ W @ np.swapaxes(Z, 1, 2)
    unstable = np.flatnonzero((np.square(eigenvalues).sum(axis=1) >= 1).any(axis=1))
    if len(unstable):
        if not systems.allow_unstable:
            raise _errors.unstable_systems(list(unstable))
        if not np.isfinite(W).all():
            raise _errors.no_solution()
        warnings.warn(_errors.formal_solution(list(unstable)), stacklevel=2)
        S, transform = _formal_coordinates(systems.A, gramian)
    else:
        F = np.empty_like(S)
        stein.normalise(S, W, F)
        transform = Z @ F
        # C'C = I, so that the trace bounds the condition number, and tells who needs more care.
        traces = np.trace(W, axis1=1, axis2=2)
        slow = np.flatnonzero(~(traces < _LARGE_GRAMIAN))
        if len(slow):
            S[slow], transform[slow] = _normalised_again(systems.C[slow], S[slow], transform[slow])
            lost = ~np.isfinite(transform[slow]).all(axis=(1, 2))
            bad = slow[lost | ~(traces[slow] < _LARGEST_GRAMIAN)]
            if len(bad):
                raise _errors.ill_conditioned_systems(list(bad))
    T, D = _triangular(S)
    return Prepared(transform, gramian, S, in_lanes(T), in_lanes(D))


def _triangular(S: Floats) -> tuple[Floats, Floats]:
    """T = D* S D, complex and triangular, of real Schur forms S."""
    from ldslearn.geometry import stein

    n_systems, n, _ = S.shape
    T, D = np.empty((n_systems, 2, n, n)), np.empty((n_systems, 3, 2, n))
    stein.triangularise_all(S, T, D)
    return T, D


def _gramians(S: Floats, C: Floats) -> tuple[Floats, Floats]:
    """Return W with W = S'WS + C'C of real Schur forms S, and S made triangular."""
    from ldslearn.geometry import stein

    T, D = _triangular(S)
    W = np.empty_like(S)
    stein.gramians(S, T, D, np.swapaxes(C, 1, 2) @ C, W)
    return W, T


def _normalised_again(C: Floats, S: Floats, transform: Floats) -> tuple[Floats, Floats]:
    """Repeat the change of coordinates where the Gramian is nearly I, which restores the digits.

    What is not near I by then has lost them all, and comes back as NaN.
    """
    from ldslearn.geometry import stein

    W, _ = _gramians(S, C @ transform)
    identity = np.eye(S.shape[1])
    lost = ~(np.abs(W - identity).max(axis=(1, 2)) < _LARGEST_DEVIATION)
    S[lost], W[lost] = np.nan, identity
    F = np.empty_like(S)
    stein.normalise(S, W, F)
    transform = transform @ F
    transform[lost] = np.nan
    return S, transform


def _schur(A: Floats, S: Floats, Z: Floats) -> None:
    """Fill S and Z with real Schur forms, A = Z S Z'.

    LAPACK directly: for small matrices scipy.linalg.schur spends as long on its questions to it.
    """
    gees = scipy.linalg.lapack.dgees
    size = int(gees(_unsorted, A[0], lwork=-1)[-2][0].real)
    for index, matrix in enumerate(A):
        S[index], _, _, _, Z[index], _, failed = gees(_unsorted, matrix, lwork=size)
        if failed:
            raise np.linalg.LinAlgError(f"the Schur form of system {index} was not found.")


def _unsorted(*eigenvalue: float) -> None:
    """LAPACK wants a function to sort eigenvalues by, even if it never calls it."""


def _formal_coordinates(A: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Coordinates by the factor L = U S^(1/2) of the SVD W = U S V' (Sec. 4.3); W is indefinite."""
    eigenvalues, U = np.linalg.eigh(W)
    root = np.sqrt(np.abs(eigenvalues))[:, None]
    S, Z = np.empty_like(A), np.empty_like(A)
    _schur(np.swapaxes(U * root, 1, 2) @ A @ (U / root), S, Z)
    return S, (U / root) @ Z


def in_lanes(stack: NDArray[np.float64]) -> Floats:
    """(N, ...) to (groups, ..., lanes), the last group filled up with its last system.

    The groups are as even as they can be, in steps of a vector of four, so that little is filled.
    """
    n_systems = len(stack)
    n_groups = -(-n_systems // MOST_LANES)
    lanes = -(-n_systems // (4 * n_groups)) * 4
    n_groups = -(-n_systems // lanes)
    index = np.minimum(np.arange(n_groups * lanes), n_systems - 1).reshape(n_groups, lanes)
    return np.ascontiguousarray(np.moveaxis(stack[index], 1, -1))
