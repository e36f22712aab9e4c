r"""Fit a system to samples with gaps by expectation-maximisation (Shumway and Stoffer, 1982).

The model is x(0) = x0 + v, x(t + 1) = A x(t) + v(t), y(t) = mean + C x(t) + w(t), where v is normal
with covariance Q and w normal with a variance for each channel. The covariances have lower bounds,
small against the variance of the sequence: a channel that the states fit exactly would have an
infinite likelihood. A covariance within bounds that maximises the expected likelihood is the free
one with its eigenvalues raised to the bound, so that no step lowers the likelihood.

Short sequences do not determine all of it. A conjugate prior therefore adds a few pseudo-samples,
which have the noise of the initial model and say that states predict neither samples nor states.
With its weight p, initial variances S of the states, Q0 of the process and r0 of the channels,
twice its logarithm is -sum_i (p c_i' S c_i + p r0_i) / r_i - p log r_i
- tr Q^-1 (p Q0 + p A S A') - p log |Q|. No step lowers the sum of both.
"""

from dataclasses import dataclass

import numpy as np

from ldslearn._types import Floats
from ldslearn.models.measurements import StateEstimates, StateModel, estimate_states

_LEAST_NOISE = 1e-6  # of the variance of a channel, or of the states
_LEAST_VARIANCE = 1e-2  # of a channel, relative to the mean of all
_ANCHOR = 1e-9  # weight of the last value of C, relative to that of the samples


@dataclass(frozen=True)
class MaximumLikelihood:
    """A fitted model, the states it implies, and the way there.

    Attributes
    ----------
    model : StateModel
    mean : (m,) array
    estimates : StateEstimates
        Smoothed.
    history : list of float
        Log-likelihood, plus the logarithm of the prior, initially and after every iteration.
    """

    model: StateModel
    mean: Floats
    estimates: StateEstimates
    history: list[float]


@dataclass(frozen=True)
class Prior:
    """What is known before the samples; a weight of 0 is nothing.

    Attributes
    ----------
    weight : float
        As many samples.
    states : (n,) array
        Variances of the states.
    process : (n, n) array
        Covariance of the process noise.
    variances : (m,) array
        Of the measurement noise.
    """

    weight: float
    states: Floats
    process: Floats
    variances: Floats

    def evaluate(self, model: StateModel) -> float:
        """Return the logarithm of the prior of a model, up to a constant."""
        if self.weight == 0:
            return 0.0
        channels = np.square(model.C) @ self.states + self.variances
        total = float((channels / model.variances + np.log(model.variances)).sum())
        sums = self.process + (model.A * self.states) @ model.A.T
        total += float(np.trace(np.linalg.solve(model.process, sums)))
        total += float(np.linalg.slogdet(model.process)[1])
        return -0.5 * self.weight * total


@dataclass(frozen=True)
class Bounds:
    """Least variances of the noise of each channel, (m,), and of the process in any direction."""

    channels: Floats
    process: float


def choose_bounds(Y: Floats, observed: Floats, n_states: int) -> Bounds:
    """Return bounds by the variances of the observed samples; Y is centred, and 0 in gaps."""
    energies = np.einsum("ij,ij->i", Y, Y)
    typical = float(energies.sum() / observed.sum())
    variances = energies / np.maximum(observed.sum(axis=1), 1.0)
    return Bounds(
        _LEAST_NOISE * np.maximum(variances, _LEAST_VARIANCE * typical),
        _LEAST_NOISE * float(variances.sum()) / n_states,
    )


def maximize_likelihood(
    model: StateModel,
    mean: Floats,
    samples: Floats,
    observed: Floats,
    bounds: Bounds,
    prior: Prior,
    *,
    center: bool,
    max_iter: int,
    tol: float,
) -> MaximumLikelihood:
    """Return the model after iterations that each raise the likelihood.

    Parameters
    ----------
    model : StateModel
        To start from, within `bounds`; its first state has the covariance of the process noise.
    mean : (m,) array
    samples : (m, tau) array
        Any finite number in gaps.
    observed : (m, tau) array
        1 where a sample is observed, else 0.
    bounds : Bounds
    prior : Prior
    center : bool
        Fit the mean, too.
    max_iter : int
    tol : float
        Stop when `history` rises by less per observed sample.
    """
    enough = tol * float(observed.sum())
    Y = observed * (samples - mean[:, None])
    estimates = estimate_states(model, Y, observed, smooth=True)
    history = [estimates.log_likelihood + prior.evaluate(model)]
    for _ in range(max_iter):
        model, shift = _maximize(model, estimates, Y, observed, bounds, prior, center)
        if center:
            mean = mean + shift
            Y = observed * (samples - mean[:, None])
        estimates = estimate_states(model, Y, observed, smooth=True)
        history.append(estimates.log_likelihood + prior.evaluate(model))
        if history[-1] - history[-2] < enough:
            break
    return MaximumLikelihood(model, mean, estimates, history)


def _maximize(
    model: StateModel,
    estimates: StateEstimates,
    Y: Floats,
    observed: Floats,
    bounds: Bounds,
    prior: Prior,
    center: bool,
) -> tuple[StateModel, Floats]:
    """Return the model of largest expected likelihood and prior, and the change of the mean."""
    X = estimates.states
    moments = sum_moments(estimates).add_prior(prior)
    A: Floats = np.asarray(np.linalg.solve(moments.before, moments.lagged.T).T, dtype=np.float64)
    process = raise_eigenvalues(moments.residual_covariance(A), bounds.process)
    C, shift, variances = _fit_channels(model.C, estimates, Y, observed, prior, center)
    variances = np.maximum(variances, bounds.channels)
    return StateModel(A, C, process, variances, X[0], process), shift


@dataclass(frozen=True)
class Moments:
    """Sums over time of expected products of states.

    Attributes
    ----------
    before, after : (n, n) arrays
        Of x(t) x(t)' and of x(t + 1) x(t + 1)', over all transitions.
    lagged : (n, n) array
        Of x(t + 1) x(t)'.
    first : (n, n) array
        Covariance of the first state.
    n_timepoints : float
    """

    before: Floats
    after: Floats
    lagged: Floats
    first: Floats
    n_timepoints: float

    def residual_covariance(self, A: Floats) -> Floats:
        """Return the expected covariance of x(t + 1) - A x(t), and of the first state."""
        moved = A @ self.lagged.T
        total = self.first + self.after - moved - moved.T + A @ self.before @ A.T
        return (total + total.T) / (2 * self.n_timepoints)

    def add_prior(self, prior: Prior) -> "Moments":
        """Return the moments with those of pseudo-samples."""
        p = prior.weight
        return Moments(
            self.before + np.diag(p * prior.states),
            self.after + p * prior.process,
            self.lagged,
            self.first,
            self.n_timepoints + p,
        )

    def change_basis(self, T: Floats) -> "Moments":
        """Return the moments of T x."""
        parts = (T @ M @ T.T for M in (self.before, self.after, self.lagged, self.first))
        before, after, lagged, first = parts
        return Moments(before, after, lagged, first, self.n_timepoints)


def sum_moments(estimates: StateEstimates) -> Moments:
    """Return the moments of smoothed states."""
    X, P = estimates.states, estimates.covariances
    total = X.T @ X + P.sum(axis=0)
    return Moments(
        total - np.outer(X[-1], X[-1]) - P[-1],
        total - np.outer(X[0], X[0]) - P[0],
        X[1:].T @ X[:-1] + estimates.cross,
        P[0],
        len(X),
    )


def raise_eigenvalues(covariance: Floats, least: float) -> Floats:
    """Return a symmetric matrix with its eigenvalues raised to `least`."""
    try:  # as a rule; faster than the eigenvalues
        np.linalg.cholesky(covariance - least * np.eye(len(covariance)))
        return covariance
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.maximum(values, least)) @ vectors.T


def _fit_channels(
    C: Floats, estimates: StateEstimates, Y: Floats, observed: Floats, prior: Prior, center: bool
) -> tuple[Floats, Floats, Floats]:
    """Return C, changes of the mean and variances: one regression on the states per channel."""
    X, P = estimates.states, estimates.covariances
    m, n = C.shape
    k = n + 1 if center else n
    inputs = np.ones((len(X), k))
    inputs[:, :n] = X
    products = inputs[:, :, None] * inputs[:, None, :]
    products[:, :n, :n] += P
    G = (observed @ products.reshape(len(X), k * k)).reshape(m, k, k)
    G[:, range(n), range(n)] += prior.weight * prior.states
    b = Y @ inputs
    last = np.zeros((m, k))
    last[:, :n] = C
    # One weight per column, in its own unit: the fit does not depend on the units of the data.
    weight = _ANCHOR * np.diagonal(G, axis1=1, axis2=2) + np.finfo(np.float64).tiny
    raised = G + weight[:, :, None] * np.eye(k)
    rows = np.linalg.solve(raised, (b + weight * last)[:, :, None])[:, :, 0]
    counts = observed.sum(axis=1) + prior.weight
    squares = np.einsum("ij,ij->i", Y, Y) - 2 * np.einsum("ij,ij->i", rows, b)
    squares += np.einsum("ij,ijk,ik->i", rows, G, rows) + prior.weight * prior.variances
    shift = rows[:, n] if center else np.zeros(m)
    return np.ascontiguousarray(rows[:, :n]), shift, squares / np.maximum(counts, 1.0)
