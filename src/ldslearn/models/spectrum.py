"""How far from instability a transition matrix must be for its Gramian to be computed."""

import numpy as np

from ldslearn._types import Floats

LARGEST_GRAMIAN = 1e10  # trace beyond which kernels have less than six digits, and refuse
# One state of modulus s has the Gramian 1 / (1 - s^2): at this radius, the largest.
LARGEST_RADIUS = float(np.sqrt(1.0 - 1.0 / LARGEST_GRAMIAN))
_ROOM = 0.5 * LARGEST_GRAMIAN  # of stabilizers: the trace is not known to the last digit
_HUGE = 1e150  # whose square overflows
_MOST_DOUBLINGS = 48  # 2^48 steps: no eigenvalue below 1 - 1e-10 is left by then


def spectral_radius(A: Floats) -> Floats:
    """Return the largest eigenvalue modulus of every matrix of a stack ``(..., n, n)``."""
    return np.abs(np.linalg.eigvals(A)).max(axis=-1)


def largest_singular_value(n_states: int) -> float:
    """Return the bound s on singular values that keeps Gramians, of trace n / (1 - s^2) or less."""
    return float(np.sqrt(1.0 - n_states / _ROOM))


def gramian_traces(A: Floats) -> Floats:
    """Return tr sum_t (A^t)'A^t of every matrix, shape (N,), infinite if it does not converge.

    It is the trace of the observability Gramian, whatever C is: C has orthonormal columns. Each
    matrix is summed until its own powers vanish or overflow, so that no result depends on others.
    """
    traces = np.empty(len(A))
    rest = np.arange(len(A))
    W, P = np.broadcast_to(np.eye(A.shape[-1]), A.shape), A
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_MOST_DOUBLINGS):  # W holds 2^k terms, P is A^(2^k)
            W = W + P.swapaxes(1, 2) @ W @ P
            P = P @ P
            traces[rest] = np.trace(W, axis1=1, axis2=2)
            kept = np.abs(P).max(axis=(1, 2)) > 1e-9  # not of NaN, whose trace is infinite
            rest, W, P = rest[kept], W[kept], P[kept]
    return np.where(np.isfinite(traces), traces, np.inf)


def shrink_to_gramian(A: Floats) -> Floats:
    """Return matrices scaled so that their Gramians are small enough for kernels.

    Only those with a larger Gramian change. A stable matrix may have one: its eigenvalues are near
    the unit circle, or it is far from normal.
    """
    large = np.flatnonzero(~(gramian_traces(A) <= _ROOM))
    if not len(large):
        return A
    peaks = np.abs(A[large]).max(axis=(1, 2))
    units = A[large] / peaks[:, None, None]
    low = np.full(len(large), np.log(0.5 / A.shape[-1]))  # |unit| <= n, so that it is safe
    high = np.log(peaks)
    for _ in range(60):
        middle = 0.5 * (low + high)
        fits = gramian_traces(np.exp(middle)[:, None, None] * units) <= _ROOM
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    stable = A.copy()
    stable[large] = np.exp(low)[:, None, None] * units
    return stable


def unit_scale(A: Floats) -> tuple[Floats, Floats]:
    """Return matrices and factors, (N, 1, 1), whose product is A: 1 unless A is huge."""
    peaks = np.abs(A).max(axis=(1, 2), keepdims=True)
    factors = np.where(peaks > _HUGE, peaks, 1.0)
    return A / factors, factors
