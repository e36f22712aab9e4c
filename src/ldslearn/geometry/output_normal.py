"""A batch in output-normal Schur coordinates, in which kernels of all pairs are computed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._parallel import for_each_block
from ldslearn._places import locate_systems, note
from ldslearn._types import Floats, Indices
from ldslearn.geometry.schur_forms import (
    arrange_in_lanes,
    change_coordinates,
    find_schur_forms,
    normalise,
    pad_to_even,
    split_in_blocks,
)
from ldslearn.geometry.stein import own_solutions
from ldslearn.models import LDS
from ldslearn.models.spectrum import LARGEST_GRAMIAN, LARGEST_RADIUS

_WORTH_THREADS = 2**16  # products of numbers: below, threads wait for each other in LAPACK
_WORTH_A_CALL = 2**18  # likewise: below, calls of NumPy take longer than what they compute
_LARGEST_BLOCK = 64  # systems, so that temporary arrays stay small
_LARGE_GRAMIAN = 1e3
_LARGEST_DEVIATION = 0.1
_MOST_DOUBLINGS = 48
_STABILIZE = (
    "Stabilize it with LDSEncoder(stabilizer='soft') or "
    "dataclasses.replace(X, A=ldslearn.models.stabilize(X.A))"
)


@dataclass(frozen=True)
class OutputNormalForm:
    """Systems in coordinates in which the Gramian is I and A is (quasi-)triangular.

    In these coordinates [C; CA; ...] is the orthonormal observability matrix V of Sec. 4.3, so that
    V1'V2 solves the Stein equation X = A1'XA2 + C1'C2.
    """

    transform: Floats  # (N, n, n): old C times this is the new C
    gramian: Floats  # (N, n, n), in the coordinates of the LDS
    S: Floats  # (N, n, n), quasi-upper triangular A
    rows: Floats  # (N, n1, n1, 4), S in blocks of two rows, n1 = n / 2 rounded up
    lanes: Floats  # (groups, n1, n1, 4, lanes), the same with systems side by side
    stable: NDArray[np.bool_]  # (N,); the others have the formal solution for a Gramian

    def measurement(self, systems: LDS, block: slice | Indices) -> Floats:
        """Return C of some systems in these coordinates, (systems, n_channels, n_states)."""
        return systems.C[block] @ self.transform[block]


def output_normal_form(systems: LDS, n_jobs: int | None = None) -> OutputNormalForm:
    """Return the batch in output-normal Schur coordinates, computed once per batch."""
    return systems._compute_once("output_normal", lambda: _compute_form(systems, n_jobs))


def _compute_form(systems: LDS, n_jobs: int | None) -> OutputNormalForm:
    n_systems, n_states = len(systems), systems.n_states
    S, Z, W, gramian, transform = (np.empty((n_systems, n_states, n_states)) for _ in range(5))
    radii, traces = np.empty(n_systems), np.empty(n_systems)

    def fill(block: slice) -> None:
        with locate_systems(block.start):
            S[block], Z[block], radii[block] = find_schur_forms(systems.A[block])
        C, V = systems.C[block], Z[block]
        products = np.swapaxes(C, 1, 2) @ C
        W[block] = _gramians(S[block], np.swapaxes(V, 1, 2) @ products @ V)
        gramian[block] = V @ W[block] @ np.swapaxes(V, 1, 2)
        # C'C = I, so that the trace bounds the condition number.
        traces[block] = np.trace(W[block], axis1=1, axis2=2)
        is_easy = (radii[block] < LARGEST_RADIUS) & (traces[block] < _LARGE_GRAMIAN)
        easy = block.start + np.flatnonzero(is_easy)
        S[easy], F = normalise(S[easy], W[easy])
        transform[easy] = Z[easy] @ F

    jobs = n_jobs if n_systems * n_states**3 > _WORTH_THREADS else 1
    for_each_block(
        fill,
        n_systems,
        n_jobs=jobs,
        description="computing Gramians",
        worth_a_call=min(_LARGEST_BLOCK, 1 + _WORTH_A_CALL // n_states**3),
    )
    stable = radii < LARGEST_RADIUS
    formal = np.flatnonzero(~stable)
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
        with locate_systems(formal.tolist()):
            S[formal], transform[formal] = _formal_coordinates(systems.A[formal], gramian[formal])
    hard = np.flatnonzero(stable & ~(traces < _LARGE_GRAMIAN))
    if len(hard):
        S[hard], transform[hard] = _normalise_twice(systems.C[hard], S[hard], Z[hard])
        lost = ~np.isfinite(transform[hard]).all(axis=(1, 2))
        bad = hard[lost | ~(traces[hard] < LARGEST_GRAMIAN)]
        if len(bad):
            raise _errors.SystemsError(
                "{systems} is too close to instability: its Gramian is numerically singular. "
                "Its spectral radius is near 1, or its states have very different scales. "
                f"{_STABILIZE}, or scale the channels.",
                list(bad),
            )
    rows = split_in_blocks(S)
    return OutputNormalForm(transform, gramian, S, rows, arrange_in_lanes(rows), stable)


def _gramians(S: Floats, products: Floats) -> Floats:
    """Return W with W = S'WS + C'C of Schur forms S, from the products C'C."""
    n, blocks = S.shape[1], split_in_blocks(S)
    W = own_solutions(blocks, arrange_in_lanes(blocks), pad_to_even(products, (1, 2)))[:, :n, :n]
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
    changed = C @ (Z @ F)
    W = _gramians(S, np.swapaxes(changed, 1, 2) @ changed)
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


def _formal_coordinates(A: Floats, W: Floats) -> tuple[Floats, Floats]:
    """Return S and the transform by the factor L = U S^(1/2) of the SVD W = U S V' (Sec. 4.3)."""
    eigenvalues, U = np.linalg.eigh(W)
    root = np.sqrt(np.abs(eigenvalues))[:, None]
    S, Z, _ = find_schur_forms(np.swapaxes(U * root, 1, 2) @ A @ (U / root))
    return S, (U / root) @ Z


def unstable_systems(indices: Sequence[int]) -> _errors.SystemsError:
    """Return the error about systems without a Gramian."""
    return _errors.SystemsError(
        "{systems} must be stable to have a Gramian; got a spectral radius of 1 or more, or 1 up "
        f"to rounding. {_STABILIZE}, or accept the formal solution with "
        "LDSEncoder(stabilizer='none') or LDS(..., allow_unstable=True).",
        indices,
    )


def no_solution(indices: Sequence[int]) -> _errors.SystemsError:
    """Return the error about systems whose equation has no solution, not even a formal one."""
    return _errors.SystemsError(
        "{systems} must have no eigenvalue whose product with another, of itself or of the system "
        "it is compared with, is 1, or their equation has no solution, not even a formal one; got "
        f"such a pair among unstable systems. {_STABILIZE}.",
        indices,
    )
