"""The Kullback-Leibler divergence rate of systems, which the paper cites (Sec. 2)."""

import warnings

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._places import locate_systems
from ldslearn._types import Complexes, Floats
from ldslearn.geometry.output_normal import unstable_systems
from ldslearn.geometry.pairs import check_pair, field_missing, for_each_tile
from ldslearn.geometry.window_means import mean_over_windows
from ldslearn.models import LDS

_TILE = 8
_MOST_FREQUENCIES = 16384


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
    H = (e^iw I - A)^-1, which needs matrices of n_noise columns only. Not symmetric.

    Parameters
    ----------
    X, Y : LDS
        Stable, with B and a positive noise_variance; orders may differ. Means are compared
        if both have them.
    n_frequencies : int or None
        Points of the trapezoidal rule. By default they are doubled, up to 16384, until the rates
        agree to eight digits. A warning says if they do not.
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
            f"the divergence rates have not converged with {n_frequencies} frequencies: a system "
            "is too close to instability. Stabilize with a lower bound, or pass n_frequencies."
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
            "Encode with fewer states than channels, so that a residual remains.",
            list(silent),
        )
    if not systems.is_stable.all():
        raise unstable_systems(list(np.flatnonzero(~systems.is_stable)))


def _integrate_rates(X: LDS, Y: LDS, n_frequencies: int, n_jobs: int | None) -> Floats:
    """Return the divergence rates by the trapezoidal rule."""
    # Real systems have conjugate spectra: half the circle, the ends counting once.
    angles = 2 * np.pi * np.arange(n_frequencies // 2 + 1) / n_frequencies
    weights = np.where((angles == 0) | (np.isclose(angles, np.pi)), 1.0, 2.0) / n_frequencies
    rates = np.empty((len(X), len(Y)))
    for_each_tile(
        lambda rows, columns: _compute_rates(X[rows], Y[columns], angles, weights),
        rates,
        tile=(_TILE, _TILE),
        symmetric=False,
        n_jobs=n_jobs,
        description="divergence rate",
    )
    return rates


def _compute_rates(X: LDS, Y: LDS, angles: Floats, weights: Floats) -> Floats:
    """Return the rates of all pairs; the trace is a sum of positive terms, so that little cancels.

    With H B = U diag(s) Q*, U unitary: S = C U diag(v + s^2) U*C' + v (I - CC').
    """
    m, v1, v2 = X.n_channels, X.noise_variance, Y.noise_variance
    assert v1 is not None and v2 is not None  # noqa: PT018  checked by the caller
    responses1, responses2 = _noise_responses(X, angles), _noise_responses(Y, angles)
    inside1 = v1[:, None, None] + np.square(np.linalg.svd(responses1, compute_uv=False))
    log1 = (m - inside1.shape[-1]) * np.log(v1)[:, None] + np.log(inside1).sum(axis=-1)
    rates = np.empty((len(X), len(Y)))
    for j in range(len(Y)):
        U, s, _ = np.linalg.svd(responses2[j])  # (frequencies, n, n)
        adjoint = np.conj(np.swapaxes(U, -1, -2))
        inside2 = np.full(U.shape[:2], v2[j])
        inside2[:, : s.shape[1]] += np.square(s)
        log2 = (m - Y.n_states) * np.log(v2[j]) + np.log(inside2).sum(axis=-1)
        inverse2 = (m - Y.n_states) / v2[j] + (1 / inside2).sum(axis=-1)  # tr S2^-1
        for i in range(len(X)):
            seen = Y.C[j].T @ X.C[i]
            unseen = np.linalg.qr(X.C[i] - Y.C[j] @ seen, mode="r")
            within = np.square(np.abs(adjoint @ (seen @ responses1[i]))).sum(axis=-1) / inside2
            beyond = np.square(np.abs(unseen @ responses1[i])).sum(axis=(-2, -1)) / v2[j]
            trace = v1[i] * inverse2 + within.sum(axis=-1) + beyond
            rates[i, j] = 0.5 * weights @ (trace - log1[i] + log2 - m)
            if X.mean is not None and Y.mean is not None:
                difference = X.mean[i] - Y.mean[j]
                seen = Y.C[j].T @ difference
                unseen = difference - Y.C[j] @ seen
                within = np.square(np.abs(adjoint[0] @ seen)) / inside2[0]
                rates[i, j] += 0.5 * (within.sum() + unseen @ unseen / v2[j])
    return np.maximum(rates, 0.0)


def _noise_responses(systems: LDS, angles: Floats) -> Complexes:
    """Return (e^iw I - A)^-1 B for every system and frequency, (N, frequencies, n, n_noise)."""
    resolvent = np.exp(1j * angles)[:, None, None] * np.eye(systems.n_states) - systems.A[:, None]
    assert systems.B is not None
    shape = (*resolvent.shape[:3], systems.n_noise)
    return np.linalg.solve(resolvent, np.broadcast_to(systems.B[:, None], shape).astype(complex))
