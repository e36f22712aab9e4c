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

_LEAST_NOISE = 1e-6  # of a channel, relative to the mean of all channels
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
    r"""Return the Kullback-Leibler divergences per time point between outputs of all pairs.

    Parameters
    ----------
    X, Y : LDS
        Stable, with `B` and a positive `noise_variance`; orders may differ. Means are compared if
        both have them. `Y` is `X` when None.
    n_frequencies : int or None, default=None
        Points of the trapezoidal rule. By default they are doubled, up to 16384, until the rates
        agree to eight digits. A warning says if they do not.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array
        Not symmetric: entry (i, j) is the divergence of system i of `X` from system j of `Y`.

    Notes
    -----
    The outputs are stationary Gaussian processes with :math:`m` channels, means :math:`\mu` and
    spectra :math:`S(\omega) = C H B B^\top H^* C^\top + R`, where
    :math:`H = (e^{i\omega} I - A)^{-1}` and :math:`R` is diagonal with `noise_variance`:

    .. math:: r = \frac{1}{4\pi} \int_{-\pi}^\pi \mathrm{tr}(S_2^{-1} S_1)
              - \log\det(S_2^{-1} S_1) - m \; d\omega
              + \frac12 (\mu_1 - \mu_2)^\top S_2(0)^{-1} (\mu_1 - \mu_2).

    References
    ----------
    .. [1] A. B. Chan, N. Vasconcelos, *Probabilistic kernels for the classification of
       auto-regressive visual processes*, CVPR 2005.

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import kl_divergence_rate
    >>> A, C, B = [[[0.5]], [[0.9]]], [[[1.0], [0.0]]] * 2, [[[1.0]], [[1.0]]]
    >>> kl_divergence_rate(LDS(A, C, B=B, noise_variance=[1.0, 1.0])).round(3)
    array([[0.   , 0.065],
           [0.303, 0.   ]])
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
    silent = np.flatnonzero(~(_channel_noise(systems) > 0).all(axis=1))
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

    The noise R of each channel is divided out: with R^-1/2 C = Q T, Q'Q = I, and T H B =
    U diag(s) V*, S = R^1/2 (Q U diag(1 + s^2) U*Q' + I - QQ') R^1/2.
    """
    m, noise1, noise2 = X.n_channels, _channel_noise(X), _channel_noise(Y)
    responses1, responses2 = _noise_responses(X, angles), _noise_responses(Y, angles)
    logs1 = []
    for i in range(len(X)):
        T = np.linalg.qr(X.C[i] / np.sqrt(noise1[i])[:, None], mode="r")
        inside = np.log1p(np.square(np.linalg.svd(T @ responses1[i], compute_uv=False)))
        logs1.append(np.log(noise1[i]).sum() + inside.sum(axis=-1))
    rates = np.empty((len(X), len(Y)))
    for j in range(len(Y)):
        deviations = np.sqrt(noise2[j])
        Q, R = np.linalg.qr(Y.C[j] / deviations[:, None])
        U, s, _ = np.linalg.svd(R @ responses2[j])  # (frequencies, n, n)
        adjoint = np.conj(np.swapaxes(U, -1, -2))
        inside2 = np.ones(U.shape[:2])
        inside2[:, : s.shape[1]] += np.square(s)
        log2 = np.log(noise2[j]).sum() + np.log(inside2).sum(axis=-1)
        outside = np.maximum(1 - np.square(Q).sum(axis=1), 0.0)  # diagonal of I - QQ'
        for i in range(len(X)):
            ratio = noise1[i] / noise2[j]
            C = X.C[i] / deviations[:, None]
            seen = Q.T @ C
            unseen = np.linalg.qr(C - Q @ seen, mode="r")
            within = np.square(np.abs(adjoint @ (seen @ responses1[i]))).sum(axis=-1)
            turned = adjoint @ ((Q.T * ratio) @ Q) @ U
            within += np.real(np.diagonal(turned, axis1=-2, axis2=-1))
            beyond = np.square(np.abs(unseen @ responses1[i])).sum(axis=(-2, -1))
            trace = (within / inside2).sum(axis=-1) + beyond + ratio @ outside
            rates[i, j] = 0.5 * weights @ (trace - logs1[i] + log2 - m)
            if X.mean is not None and Y.mean is not None:
                difference = (X.mean[i] - Y.mean[j]) / deviations
                seen = Q.T @ difference
                unseen = difference - Q @ seen
                constant = np.square(np.abs(adjoint[0] @ seen)) / inside2[0]
                rates[i, j] += 0.5 * (constant.sum() + unseen @ unseen)
    return np.maximum(rates, 0.0)


def _channel_noise(systems: LDS) -> Floats:
    """Return the noise variance of every channel, (N, n_channels).

    A channel at rest has none, or rounding errors; it counts as 1e-6 of the mean of all channels.
    """
    noise = systems.noise_variance
    assert noise is not None  # checked by the caller
    return np.maximum(noise, _LEAST_NOISE * noise.mean(axis=1, keepdims=True))


def _noise_responses(systems: LDS, angles: Floats) -> Complexes:
    """Return (e^iw I - A)^-1 B for every system and frequency, (N, frequencies, n, n_noise)."""
    resolvent = np.exp(1j * angles)[:, None, None] * np.eye(systems.n_states) - systems.A[:, None]
    assert systems.B is not None
    shape = (*resolvent.shape[:3], systems.n_noise)
    return np.linalg.solve(resolvent, np.broadcast_to(systems.B[:, None], shape).astype(complex))
