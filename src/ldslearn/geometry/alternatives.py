"""Other ways to compare systems that the paper cites (Sec. 2)."""

import warnings
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_between, check_real, check_whole, random_source
from ldslearn._places import locate_systems, warn_once
from ldslearn._types import Complexes, Floats
from ldslearn.geometry.output_normal import output_normal_form, unstable_systems
from ldslearn.geometry.pairs import (
    check_pair,
    field_missing,
    for_each_tile,
    output_normal_forms,
    solve_pairs,
)
from ldslearn.geometry.stein import solutions
from ldslearn.geometry.window_means import mean_over_windows, root_mean_over_windows
from ldslearn.models import LDS

_SMALL_TILE = 8
_MOST_FREQUENCIES = 16384


@warn_once
@mean_over_windows
def binet_cauchy_kernel(
    X: LDS,
    Y: LDS | None = None,
    *,
    decay: float = 0.9,
    normalise: bool = True,
    n_jobs: int | None = None,
) -> Floats:
    """Return the Binet-Cauchy trace kernel sum_t decay^t y1(t)'y2(t) of undisturbed courses.

    From the first states x0 onwards, without means (Vishwanathan, Smola and Vidal 2007):
    x0_1' M x0_2 with M = decay A1'M A2 + C1'C2.

    Parameters
    ----------
    X, Y : LDS
        With x0; orders may differ.
    decay : float
        Weight lost from one timepoint to the next, in (0, 1).
    normalise : bool
        Divide by the square root of both self-similarities, so that k(X, X) = 1.
    n_jobs : int or None
    """
    check_between("decay", decay, 0, 1)
    first, second = check_pair(X, Y)
    if first.x0 is None or second.x0 is None:
        raise field_missing("the Binet-Cauchy kernel", "x0")
    faded = _apply_decay(first, decay)
    others = faded if second is first else _apply_decay(second, decay)
    output_normal_forms(faded, others, n_jobs)
    starts, other_starts = _output_normal_x0(faded), _output_normal_x0(others)

    def contract(rows: slice, columns: slice, V: Floats) -> Floats:
        return ((starts[rows, None, None] @ V)[:, :, 0] * other_starts[columns]).sum(axis=-1)

    K = solve_pairs(
        solutions, faded, others, n_jobs, "Binet-Cauchy kernel",
        (faded.n_states, others.n_states), contract,
    )  # fmt: skip
    if not normalise:
        return K
    own, other_own = (np.linalg.norm(s, axis=1) for s in (starts, other_starts))
    scale = np.where(own > 0, own, 1.0)[:, None] * np.where(other_own > 0, other_own, 1.0)
    return np.asarray(K / scale)


def _apply_decay(systems: LDS, decay: float) -> LDS:
    return LDS._from_trusted(
        A=np.sqrt(decay) * systems.A,
        C=systems.C,
        x0=systems.x0,
        allow_unstable=systems.allow_unstable,
    )


def _output_normal_x0(systems: LDS) -> Floats:
    """x0 in output-normal coordinates, (N, n)."""
    assert systems.x0 is not None
    return np.asarray(
        np.linalg.solve(output_normal_form(systems).transform, systems.x0[..., None])[..., 0]
    )


@mean_over_windows
def kl_divergence_rate(
    X: LDS,
    Y: LDS | None = None,
    *,
    n_frequencies: int | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Return the Kullback-Leibler divergence per timepoint between the stationary output processes.

    For Gaussian processes with spectra S1 and S2 and means m1 and m2,
    1/2 of the mean over all frequencies of tr(S2^-1 S1) - log det(S2^-1 S1) - m, plus
    1/2 (m1 - m2)' S2(0)^-1 (m1 - m2). S = C H B B'H*C' + noise_variance I with
    H = (e^iw I - A)^-1, so that everything happens in n_noise dimensions. Not symmetric.

    Parameters
    ----------
    X, Y : LDS
        Stable, with B and a positive noise_variance; orders may differ. Means count if both have
        them.
    n_frequencies : int or None
        Points of the trapezoidal rule. By default they are doubled until the rates settle to eight
        digits, up to 16384; a warning says so when they have not.
    n_jobs : int or None
    """
    first, second = check_pair(X, Y)
    for systems, batch in ((first, ""), (second, " of Y"))[: 2 - (first is second)]:
        with locate_systems(batch=batch):
            _check_driven(systems)
    if n_frequencies is not None:
        check_whole("n_frequencies", n_frequencies)
        return _integrate_rates(first, second, n_frequencies, n_jobs)
    radius = max(first.spectral_radius.max(), second.spectral_radius.max(), 0.5)
    n_frequencies = min(_MOST_FREQUENCIES // 2, int(np.ceil(12 / -np.log(radius))))
    rates = _integrate_rates(first, second, n_frequencies, n_jobs)
    while n_frequencies < _MOST_FREQUENCIES:
        n_frequencies *= 2
        coarse, rates = rates, _integrate_rates(first, second, n_frequencies, n_jobs)
        if np.allclose(coarse, rates, rtol=1e-8, atol=1e-10):
            return rates
    warnings.warn(
        (
            f"the divergence rates have not settled with {n_frequencies} frequencies: some system "
            "is too near the unit circle. Stabilize with a lower bound, or pass n_frequencies."
        ),
        stacklevel=2,
    )
    return rates


def _check_driven(systems: LDS) -> None:
    """Check that systems have a spectrum whose logarithm is finite."""
    if systems.B is None or systems.noise_variance is None:
        raise field_missing("the divergence rate", "B and noise_variance")
    silent = np.flatnonzero(~(systems.noise_variance > 0))
    if len(silent):
        raise _errors.SystemsError(
            "noise_variance of {systems} must be positive for the divergence rate; got 0.0. "
            "Encode with fewer states than channels, so that something is left over.",
            list(silent),
        )
    if not systems.is_stable.all():
        raise unstable_systems(list(np.flatnonzero(~systems.is_stable)))


def _integrate_rates(X: LDS, Y: LDS, n_frequencies: int, n_jobs: int | None) -> Floats:
    """Divergence rates by the trapezoidal rule."""
    # Real systems have conjugate spectra: half the circle, the ends counting once.
    angles = 2 * np.pi * np.arange(n_frequencies // 2 + 1) / n_frequencies
    weights = np.where((angles == 0) | (np.isclose(angles, np.pi)), 1.0, 2.0) / n_frequencies
    rates = np.empty((len(X), len(Y)))
    for_each_tile(
        lambda rows, columns: _divergence_rates(X[rows], Y[columns], angles, weights),
        rates,
        tile=(_SMALL_TILE, _SMALL_TILE),
        symmetric=False,
        n_jobs=n_jobs,
        description="divergence rate",
    )
    return rates


def _divergence_rates(X: LDS, Y: LDS, angles: Floats, weights: Floats) -> Floats:
    """Rates of all pairs; the trace is a sum of positive terms, so that little cancels.

    With H B = U diag(s) Q*, U unitary: S = C U diag(v + s^2) U*C' + v (I - CC').
    """
    m, v1, v2 = X.n_channels, X.noise_variance, Y.noise_variance
    assert v1 is not None and v2 is not None  # noqa: PT018  checked by the caller
    responses1, responses2 = _responses(X, angles), _responses(Y, angles)
    inside1 = v1[:, None, None] + np.square(np.linalg.svd(responses1, compute_uv=False))
    log1 = (m - inside1.shape[-1]) * np.log(v1)[:, None] + np.log(inside1).sum(axis=-1)
    rates = np.empty((len(X), len(Y)))
    for j in range(len(Y)):
        U, s, _ = np.linalg.svd(responses2[j])  # (frequencies, n, n)
        inside2 = np.full(U.shape[:2], v2[j])
        inside2[:, : s.shape[1]] += np.square(s)
        log2 = (m - Y.n_states) * np.log(v2[j]) + np.log(inside2).sum(axis=-1)
        inverse2 = (m - Y.n_states) / v2[j] + (1 / inside2).sum(axis=-1)  # tr S2^-1
        for i in range(len(X)):
            seen = Y.C[j].T @ X.C[i]
            unseen = np.linalg.qr(X.C[i] - Y.C[j] @ seen, mode="r")
            within = np.square(np.abs(_h(U) @ (seen @ responses1[i]))).sum(axis=-1) / inside2
            beyond = np.square(np.abs(unseen @ responses1[i])).sum(axis=(-2, -1)) / v2[j]
            trace = v1[i] * inverse2 + within.sum(axis=-1) + beyond
            rates[i, j] = 0.5 * weights @ (trace - log1[i] + log2 - m)
            if X.mean is not None and Y.mean is not None:
                difference = X.mean[i] - Y.mean[j]
                seen = Y.C[j].T @ difference
                unseen = difference - Y.C[j] @ seen
                within = np.square(np.abs(_h(U[0]) @ seen)) / inside2[0]
                rates[i, j] += 0.5 * (within.sum() + unseen @ unseen / v2[j])
    return np.maximum(rates, 0.0)


def _responses(systems: LDS, angles: Floats) -> Complexes:
    """(e^iw I - A)^-1 B for every system and frequency, (N, frequencies, n, n_noise)."""
    resolvent = np.exp(1j * angles)[:, None, None] * np.eye(systems.n_states) - systems.A[:, None]
    assert systems.B is not None
    return np.linalg.solve(resolvent, np.broadcast_to(systems.B[:, None], (*resolvent.shape[:3], systems.n_noise)).astype(complex))  # fmt: skip  # noqa: E501


def _h(stack: Complexes) -> Complexes:
    return np.conj(np.swapaxes(stack, -1, -2))


@root_mean_over_windows
def alignment_distance(
    X: LDS,
    Y: LDS | None = None,
    *,
    weight: float = 1.0,
    n_starts: int = 10,
    max_iter: int = 200,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Floats:
    """Return min over orthogonal P of sqrt(weight |A1 - P'A2P|^2 + |C1 - C2P|^2).

    The group-action distance of Afsari et al. (2012): how far apart two systems are in the best
    common coordinates. The minimum is sought by monotone steps from P = polar(C2'C1) and from
    random orthogonal matrices. It is the best of some local minima, hence an upper bound.

    Parameters
    ----------
    X, Y : LDS
        Of the same channels and order. Y is X when None.
    weight : float
        Of the transition matrices against the measurement matrices.
    n_starts : int
        Starting points per pair.
    max_iter : int
        Steps from each.
    random_state : int, RandomState, Generator or None
        Of the starting points.
    n_jobs : int or None
    """
    check_real("weight", weight, "be non-negative", low=0)
    check_whole("max_iter", max_iter)
    check_whole("n_starts", n_starts)
    first, second = check_pair(X, Y, same_order_for="the alignment distance")
    n = first.n_states
    starts = _polar(random_source(random_state).standard_normal((n_starts - 1, n, n)))
    distances = np.empty((len(first), len(second)))
    for_each_tile(
        lambda rows, columns: _align(first[rows], second[columns], weight, starts, max_iter),
        distances,
        tile=(_SMALL_TILE, _SMALL_TILE),
        symmetric=first is second,
        n_jobs=n_jobs,
        description="aligning systems",
    )
    return distances


def _align(X: LDS, Y: LDS, weight: float, starts: Floats, max_iter: int) -> Floats:
    A1, A2 = X.A[:, None], Y.A[None]
    overlap = np.swapaxes(Y.C, 1, 2)[None] @ X.C[:, None]  # C2'C1
    # With the shift, the gain is convex on all matrices, and polar(gradient + shift P) ascends.
    shift = 2 * weight * np.linalg.norm(A1, 2, axis=(-2, -1)) * np.linalg.norm(A2, 2, axis=(-2, -1))
    best = np.full(overlap.shape[:2], np.inf)
    for start in (_polar(overlap), *starts):
        P = np.broadcast_to(start, overlap.shape)
        for _ in range(max_iter):
            gradient = weight * (A2 @ P @ _t(A1) + _t(A2) @ P @ A1) + overlap
            step = _polar(gradient + shift[..., None, None] * P)
            moved = np.abs(step - P).max()
            P = step
            if moved < 1e-12:
                break
        squared = weight * np.square(A1 - _t(P) @ A2 @ P).sum(axis=(-2, -1))
        squared = squared + np.square(X.C[:, None] - Y.C[None] @ P).sum(axis=(-2, -1))
        best = np.minimum(best, squared)
    return np.sqrt(best)


def _polar(M: Floats) -> Floats:
    U, _, Vt = np.linalg.svd(M)
    return U @ Vt


def _t(stack: Floats) -> Floats:
    return np.swapaxes(stack, -1, -2)
