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

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ldslearn._types import Floats, Indices
from ldslearn.models.channel_regression import regress_channels
from ldslearn.models.measurements import StateEstimates, StateModel, estimate_states, list_pairs
from ldslearn.models.moments import solve_transition, sum_moments

_LEAST_NOISE = 1e-6  # of the variance of a channel, or of the states
_LEAST_VARIANCE = 1e-2  # of a channel, relative to the mean of all
_ANCHOR = 1e-9  # weight of the last value of C, relative to that of the samples


@dataclass(frozen=True)
class Prior:
    """What is known before the samples; a weight of 0 is nothing.

    Attributes
    ----------
    weight : float
        As many samples.
    states : (N, n) array
        Variances of the states.
    process : (N, n, n) array
        Covariances of the process noise.
    variances : (N, m) array
        Of the measurement noise.
    """

    weight: float
    states: Floats
    process: Floats
    variances: Floats

    def evaluate(self, model: StateModel) -> Floats:
        """Return the logarithms of the prior of models, up to a constant, (N,)."""
        if self.weight == 0:
            return np.zeros(len(model.A))
        channels = (np.square(model.C) @ self.states[:, :, None])[:, :, 0] + self.variances
        totals = (channels / model.variances + np.log(model.variances)).sum(axis=1)
        sums = self.process + (model.A * self.states[:, None]) @ model.A.transpose(0, 2, 1)
        totals += np.trace(np.linalg.solve(model.process, sums), axis1=1, axis2=2)
        totals += np.linalg.slogdet(model.process)[1]
        return -0.5 * self.weight * totals


@dataclass(frozen=True)
class Bounds:
    """Least variances of the noise of each channel, (N, m), and of the process, (N,)."""

    channels: Floats
    process: Floats


@dataclass(frozen=True)
class Problem:
    """Samples of N sequences, and where to begin.

    Attributes
    ----------
    model : StateModel
        Within `bounds`; its first states have the covariances of the process noise.
    mean : (N, m) array
    samples : (N, m, tau) array
        Any finite number in gaps and after the end of a sequence.
    observed : (N, m, tau) array
        1 where a sample is observed, else 0.
    lengths : (N,) array of int
    bounds : Bounds
    prior : Prior
    """

    model: StateModel
    mean: Floats
    samples: Floats
    observed: Floats
    lengths: Indices
    bounds: Bounds
    prior: Prior


@dataclass(frozen=True)
class MaximumLikelihood:
    """Fitted models, the states they imply, and the way there.

    Attributes
    ----------
    model : StateModel
    mean : (N, m) array
    estimates : StateEstimates
        Smoothed.
    histories : list of list of float
        Log-likelihood of each sequence, plus the logarithm of the prior, initially and after every
        iteration.
    """

    model: StateModel
    mean: Floats
    estimates: StateEstimates
    histories: list[list[float]]


def choose_bounds(Y: Floats, observed: Floats, n_states: int) -> Bounds:
    """Return bounds by the variances of the observed samples; Y is centred, and 0 in gaps."""
    energies = np.einsum("aij,aij->ai", Y, Y)
    counts = observed.sum(axis=2)
    typical = energies.sum(axis=1) / counts.sum(axis=1)
    variances = energies / np.maximum(counts, 1.0)
    return Bounds(
        _LEAST_NOISE * np.maximum(variances, _LEAST_VARIANCE * typical[:, None]),
        _LEAST_NOISE * variances.sum(axis=1) / n_states,
    )


def maximize_likelihood(
    problem: Problem, *, center: bool, max_iter: int, tol: float
) -> MaximumLikelihood:
    """Return the models after iterations that each raise the likelihoods.

    Parameters
    ----------
    problem : Problem
    center : bool
        Fit the means, too.
    max_iter : int
    tol : float
        Iterations of a sequence stop when its `history` rises by less per observed sample.
    """
    fitted = _Iterate.start(problem)
    left = np.arange(len(problem.lengths))  # whose likelihood has not settled
    histories = [[float(value)] for value in fitted.values]
    ended, going = [], np.full(len(left), max_iter > 0)
    for _ in range(max_iter):
        last, fitted = fitted, fitted.improve(problem, center)
        for index, value in zip(left, fitted.values, strict=True):
            histories[index].append(float(value))
        going = fitted.values - last.values >= tol * problem.observed.sum(axis=(1, 2))
        if not going.all():
            ended.append((left[~going], _select(fitted, ~going)))
            left, problem, fitted = left[going], _select(problem, going), _select(fitted, going)
        if not len(left):
            break
    ended.append((left, fitted))
    order = np.argsort(np.concatenate([indices for indices, _ in ended]))
    fitted = _select(_join([part for _, part in ended]), order)
    return MaximumLikelihood(fitted.model, fitted.mean, fitted.estimates, histories)


@dataclass(frozen=True)
class _Iterate:
    """Models between two iterations; Y is centred, and 0 in gaps, and `values` are to rise."""

    model: StateModel
    mean: Floats
    Y: Floats
    estimates: StateEstimates
    values: Floats

    @classmethod
    def start(cls, problem: Problem, model: StateModel | None = None, mean: Any = None) -> Self:
        """Return models with the states and likelihoods that they imply."""
        model, mean = model or problem.model, problem.mean if mean is None else mean
        Y = problem.observed * (problem.samples - mean[:, :, None])
        estimates = estimate_states(model, Y, problem.observed, problem.lengths, smooth=True)
        values = estimates.log_likelihood + problem.prior.evaluate(model)
        return cls(model, mean, Y, estimates, values)

    def improve(self, problem: Problem, center: bool) -> Self:
        """Return the models of largest expected likelihood and prior, given the states."""
        bounds, prior = problem.bounds, problem.prior
        moments = sum_moments(self.estimates).add_prior(prior.weight, prior.states, prior.process)
        A = solve_transition(moments.before, moments.lagged)
        process = raise_eigenvalues(moments.residual_covariance(A), bounds.process)
        C, shift, variances = _fit_channels(self.model.C, self.estimates, self.Y, problem, center)
        variances = np.maximum(variances, bounds.channels)
        model = StateModel(A, C, process, variances, self.estimates.states[:, 0], process)
        return self.start(problem, model, self.mean + shift)


def _select(value: Any, index: Any) -> Any:
    """Return a part of the sequences of arrays, of tuples of them, or of classes of them."""
    if isinstance(value, np.ndarray):
        return value[index]
    if isinstance(value, tuple):
        return tuple(_select(each, index) for each in value)
    if isinstance(value, float):
        return value
    return type(value)(*(_select(getattr(value, each.name), index) for each in fields(value)))


def _join(values: list[Any]) -> Any:
    """Return arrays, or classes of them, as one: those of all sequences."""
    if len(values) == 1:
        return values[0]
    if isinstance(values[0], np.ndarray):
        return np.concatenate(values)
    kind = type(values[0])
    return kind(*(_join([getattr(v, each.name) for v in values]) for each in fields(kind)))


def raise_eigenvalues(covariances: Floats, least: Floats) -> Floats:
    """Return symmetric matrices, (N, n, n), with their eigenvalues raised to `least`, (N,)."""
    try:  # as a rule; faster than the eigenvalues
        np.linalg.cholesky(covariances - least[:, None, None] * np.eye(covariances.shape[1]))
        return covariances
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariances)
    raised = (vectors * np.maximum(values, least[:, None])[:, None]) @ vectors.transpose(0, 2, 1)
    low = values[:, 0] < least  # ascending
    return np.where(low[:, None, None], raised, covariances)


def _fit_channels(
    C: Floats, estimates: StateEstimates, Y: Floats, problem: Problem, center: bool
) -> tuple[Floats, Floats, Floats]:
    """Return C, changes of the means and variances: one regression on the states per channel."""
    observed, prior = problem.observed, problem.prior
    n_sequences, m, n = C.shape
    tau = Y.shape[2]
    k = n + 1 if center else n
    inputs = np.ones((n_sequences, tau, k))
    inputs[:, :, :n] = estimates.states
    rows, columns, _ = list_pairs(k)
    products = inputs[:, :, rows] * inputs[:, :, columns]
    both = np.flatnonzero(columns < n)
    products[:, :, both] += estimates.covariances[:, :, rows[both], columns[both]]
    sums = products.transpose(0, 2, 1) @ observed.transpose(0, 2, 1)
    diagonal = np.flatnonzero((rows == columns) & (columns < n))
    sums[:, diagonal] += prior.weight * prior.states[:, :, None]
    b = np.ascontiguousarray(inputs.transpose(0, 2, 1) @ Y.transpose(0, 2, 1))
    last, found = np.zeros((n_sequences, k, m)), np.empty((n_sequences, k, m))
    last[:, :n] = C.transpose(0, 2, 1)
    squares = np.einsum("aij,aij->ai", Y, Y)
    regress_channels(np.ascontiguousarray(sums), b, last, _ANCHOR, found, squares)
    counts = observed.sum(axis=2) + prior.weight
    variances = (squares + prior.weight * prior.variances) / np.maximum(counts, 1.0)
    shift = found[:, n] if center else np.zeros((n_sequences, m))
    return np.ascontiguousarray(found[:, :n].transpose(0, 2, 1)), shift, variances
