"""A batch in output-normal Schur coordinates, in which kernels of all pairs are computed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._parallel import for_each_block
from ldslearn._places import locate_systems, note
from ldslearn._types import Floats, Indices
from ldslearn.geometry.schur_forms import change_coordinates, normalise, triangularise
from ldslearn.geometry.stein import own_solutions
from ldslearn.models import LDS
from ldslearn.models.spectrum import LARGEST_GRAMIAN, LARGEST_RADIUS

# Systems side by side in one vectorised solve. More make its loops longer, but also the tiles on
# the diagonal of a symmetric problem larger, of which half is not needed.
MOST_LANES = 24
_WORTH_THREADS = 2**18  # products of numbers: below, threads take longer to start
_LARGE_GRAMIAN = 1e3
_LARGEST_DEVIATION = 0.1
_MOST_DOUBLINGS = 48


@dataclass(frozen=True)
class OutputNormalForm:
    """Systems in coordinates in which the Gramian is I and A is (quasi-)triangular.

    In these coordinates [C; CA; ...] is the orthonormal observability matrix V of Sec. 4.3, so that
    V1'V2 solves the Stein equation X = A1'XA2 + C1'C2.
    """

    transform: Floats  # (N, n, n): old C times this is the new C
    gramian: Floats  # (N, n, n), in the coordinates of the LDS
    S: Floats  # (N, n, n), real quasi-upper triangular A
    T: Floats  # (groups, 2, n, n, lanes), complex upper triangular A
    D: Floats  # (groups, 3, 2, n, lanes), T = D* S D
    stable: NDArray[np.bool_]  # (N,); the others have the formal solution for a Gramian

    @property
    def lanes(self) -> int:
        """Systems in a group."""
        return self.T.shape[-1]

    def measurement(self, systems: LDS, block: slice | Indices) -> Floats:
        """Return C of some systems in these coordinates, (systems, n_channels, n_states)."""
        return systems.C[block] @ self.transform[block]


def output_normal_form(systems: LDS, n_jobs: int | None = None) -> OutputNormalForm:
    """Return the batch in output-normal Schur coordinates, computed once per batch."""
    return systems._compute_once("output_normal", lambda: _compute_form(systems, n_jobs))


def _compute_form(systems: LDS, n_jobs: int | None) -> OutputNormalForm:
    n_systems, n_states = len(systems), systems.n_states
    S, Z, W = (np.empty((n_systems, n_states, n_states)) for _ in range(3))

    def find_schur_forms(block: slice) -> None:
        with locate_systems(block.start):
            _fill_schur_forms(systems.A[block], S[block], Z[block])

    # One thread: others would wait for it, as SciPy keeps Python's lock.
    for_each_block(find_schur_forms, n_systems, n_jobs=1, description="computing Schur forms")
    T, D = _triangularise(S)

    def find_gramians(block: slice) -> None:
        W[block] = _gramians(S[block], T[block], D[block], systems.C[block] @ Z[block])

    jobs = n_jobs if n_systems * n_states**3 > _WORTH_THREADS else 1
    for_each_block(find_gramians, n_systems, n_jobs=jobs, description="computing Gramians")
    gramian = Z @ W @ np.swapaxes(Z, 1, 2)
    # Real and imaginary parts of the eigenvalues are on the diagonal of T.
    squared_radius = np.square(T.diagonal(axis1=2, axis2=3)).sum(axis=1).max(axis=1)
    stable = squared_radius < LARGEST_RADIUS**2
    transform, formal = np.empty_like(S), np.flatnonzero(~stable)
    if len(formal):
        if not systems.allow_unstable:
            raise unstable_systems(list(formal))
        unsolved = formal[~np.isfinite(W[formal]).all(axis=(1, 2))]
        if len(unsolved):
            raise no_solution(list(unsolved))
        note(
            (
                "{systems} is unstable and has no Gramian; the formal solution of its equation is "
                "used, which may be indefinite. Distances and kernels lose their meaning."
            ),
            formal,
        )
        S[formal], transform[formal] = _formal_coordinates(systems.A[formal], gramian[formal])
    # C'C = I, so that the trace bounds the condition number.
    traces = np.trace(W, axis1=1, axis2=2)
    easy = stable & (traces < _LARGE_GRAMIAN)
    hard = np.flatnonzero(stable & ~easy)
    S[easy], F = normalise(S[easy], W[easy])
    transform[easy] = Z[easy] @ F
    if len(hard):
        S[hard], transform[hard] = _normalise_twice(systems.C[hard], S[hard], Z[hard])
        lost = ~np.isfinite(transform[hard]).all(axis=(1, 2))
        bad = hard[lost | ~(traces[hard] < LARGEST_GRAMIAN)]
        if len(bad):
            raise _errors.SystemsError(
                "{systems} is too close to instability: its Gramian is numerically singular. "
                "Its spectral radius is near 1, or its states have very different scales. "
                "Stabilize it (ldslearn.models.stabilize, LDSEncoder(stabilizer='soft')), or "
                "scale the channels.",
                list(bad),
            )
    T, D = _triangularise(S)
    return OutputNormalForm(transform, gramian, S, arrange_in_lanes(T), arrange_in_lanes(D), stable)


def _triangularise(S: Floats) -> tuple[Floats, Floats]:
    """Return T and the diagonals of D with T = D* S D, for :mod:`ldslearn.geometry.stein`.

    Both have real and imaginary parts one after the other: (N, 2, n, n) and (N, 3, 2, n) arrays.
    """
    T, D = triangularise(S)
    diagonals = np.zeros((len(S), 3, S.shape[1]), dtype=np.complex128)
    diagonals[:, 0, 1:] = np.diagonal(D, 1, axis1=1, axis2=2)
    diagonals[:, 1] = np.diagonal(D, axis1=1, axis2=2)
    diagonals[:, 2, :-1] = np.diagonal(D, -1, axis1=1, axis2=2)
    return np.stack([T.real, T.imag], axis=1), np.stack([diagonals.real, diagonals.imag], axis=2)


def _gramians(S: Floats, T: Floats, D: Floats, C: Floats) -> Floats:
    """Return W with W = S'WS + C'C of real Schur forms S, triangular as T = D* S D."""
    W = np.empty_like(S)
    own_solutions(S, T, D, np.swapaxes(C, 1, 2) @ C, W)
    return 0.5 * (W + np.swapaxes(W, 1, 2))


def _normalise_twice(C: Floats, S: Floats, Z: Floats) -> tuple[Floats, Floats]:
    """Change coordinates by a factor of O, and again where the Gramian is nearly I.

    Both restore digits that the Gramian does not have, which is as ill-conditioned as O, squared.
    What is not near I after the first change has lost them all, and becomes NaN.
    """
    identity = np.eye(S.shape[1])
    R = _observability_factor(S, C @ Z)
    found = np.isfinite(R).all(axis=(1, 2))
    found &= np.diagonal(R, axis1=1, axis2=2).all(axis=1)
    R[~found] = identity
    S, F = change_coordinates(S, R)
    W = _gramians(S, *_triangularise(S), C @ (Z @ F))
    deviations = np.abs(W - identity).max(axis=(1, 2))
    lost = np.logical_not(found & (deviations < _LARGEST_DEVIATION))
    S[lost], W[lost] = np.nan, identity
    S, again = normalise(S, W)
    transform = Z @ F @ again
    transform[lost] = np.nan
    return S, transform


def _observability_factor(S: Floats, C: Floats) -> Floats:
    """Return R with [C; CS; CS^2; ...] = Q R, by doubling: R <- qr([R; R S^k]), k = 1, 2, 4, ..."""
    R, P = np.asarray(np.linalg.qr(C, mode="r")), S
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_MOST_DOUBLINGS):
            later = R @ P
            if not np.abs(later).max() > 1e-17:
                break
            later[~np.isfinite(later).all(axis=(1, 2))] = 0.0
            R, P = np.asarray(np.linalg.qr(np.concatenate([R, later], axis=1), mode="r")), P @ P
    return R


def _fill_schur_forms(A: Floats, S: Floats, Z: Floats) -> None:
    """Fill S and Z with real Schur forms, A = Z S Z'.

    LAPACK is called directly: for small matrices scipy.linalg.schur takes twice as long.
    """
    gees = scipy.linalg.lapack.dgees
    size = int(gees(_select_none, A[0], lwork=-1)[-2][0].real)
    for index, matrix in enumerate(A):
        S[index], _, _, _, Z[index], _, failed = gees(_select_none, matrix, lwork=size)
        if failed:
            raise _errors.SystemsError(
                "{systems} must have eigenvalues that can be computed; LAPACK found none. "
                "Encode its sequence again with other settings, or leave it out.",
                [index],
            )


def _select_none(*eigenvalue: float) -> None:
    """Select no eigenvalue; LAPACK requires such a function, and never calls it."""


def _formal_coordinates(A: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Return S and the transform by the factor L = U S^(1/2) of the SVD W = U S V' (Sec. 4.3)."""
    eigenvalues, U = np.linalg.eigh(W)
    root = np.sqrt(np.abs(eigenvalues))[:, None]
    S, Z = np.empty_like(A), np.empty_like(A)
    _fill_schur_forms(np.swapaxes(U * root, 1, 2) @ A @ (U / root), S, Z)
    return S, (U / root) @ Z


def arrange_in_lanes(stack: Floats) -> Floats:
    """Return (N, ...) as (groups, ..., lanes); the last group is padded by its last system.

    Groups have equal sizes, multiples of four, so that there is little padding.
    """
    n_systems = len(stack)
    n_groups = -(-n_systems // MOST_LANES)
    lanes = -(-n_systems // (4 * n_groups)) * 4
    n_groups = -(-n_systems // lanes)
    index = np.minimum(np.arange(n_groups * lanes), n_systems - 1).reshape(n_groups, lanes)
    return np.ascontiguousarray(np.moveaxis(stack[index], 1, -1))


def unstable_systems(indices: Sequence[int]) -> _errors.SystemsError:
    """Return the error about systems without a Gramian."""
    return _errors.SystemsError(
        "{systems} must be stable to have a Gramian; got a spectral radius of 1 or more, or 1 up "
        "to rounding. Stabilize it (ldslearn.models.stabilize, LDSEncoder(stabilizer=...)), or "
        "accept the formal solution with LDSEncoder(stabilizer='none') or "
        "LDS(..., allow_unstable=True).",
        indices,
    )


def no_solution(indices: Sequence[int]) -> _errors.SystemsError:
    """Return the error about systems whose equation has no solution, not even a formal one."""
    return _errors.SystemsError(
        "{systems} must have no eigenvalue whose product with another, of itself or of the system "
        "it is compared with, is 1, or their equation has no solution, not even a formal one; got "
        "such a pair among unstable systems. Stabilize it.",
        indices,
    )
