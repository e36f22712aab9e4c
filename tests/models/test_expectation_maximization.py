"""No iteration lowers the likelihood, whatever the sequence."""

from dataclasses import replace

import numpy as np
import pytest

from ldslearn.models.expectation_maximization import (
    Prior,
    choose_bounds,
    maximize_likelihood,
    raise_eigenvalues,
    sum_moments,
)
from ldslearn.models.measurements import estimate_states

from support.makers import random_state_model


def make_problem(seed):
    """A random start and samples: random walks, sines, constants, few samples, absent channels."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 5))
    m, tau = n + int(random.integers(0, 4)), n + int(random.integers(3, 25))
    Y = random.standard_normal((m, tau)).cumsum(axis=1) * 10 ** random.uniform(-3, 3)
    if seed % 7 == 0:  # of rank one
        Y = np.outer(random.standard_normal(m), np.sin(np.arange(tau)))
    if seed % 11 == 0:
        Y[-1] = 1.0
    observed = (random.random((m, tau)) > random.uniform(0, 0.8)).astype(float)
    if seed % 5 == 0 and m > 1:
        observed[0] = 0
    observed[-1, 0] = 1.0
    bounds = choose_bounds(Y * observed, observed, n)
    model = random_state_model(n, m, random, random.uniform(0.3, 1.02))
    process = raise_eigenvalues(model.process, bounds.process)
    model = replace(
        model,
        process=process,
        start_covariance=process,
        variances=np.maximum(model.variances, bounds.channels),
    )
    weight = (0.0, 0.0, 3.0)[seed % 3]
    prior = Prior(weight, np.ones(n), process, model.variances)
    return model, np.zeros(m), Y, observed, bounds, prior


@pytest.mark.parametrize("block", range(10))
def test_no_iteration_lowers_the_likelihood(block):
    """One thousand random problems; with a prior, its logarithm counts as well."""
    for seed in range(100 * block, 100 * block + 100):
        found = maximize_likelihood(
            *make_problem(seed), center=bool(seed % 2), max_iter=6, tol=-np.inf
        )
        steps = np.diff(found.history)
        assert len(steps) == 6
        assert steps.min() >= -1e-9 * max(1.0, abs(found.history[-1])), seed


def test_iterations_stop_when_the_likelihood_settles():
    problem = make_problem(4)
    loose = maximize_likelihood(*problem, center=True, max_iter=200, tol=1e-2)
    tight = maximize_likelihood(*problem, center=True, max_iter=200, tol=1e-3)
    assert 1 < len(loose.history) < len(tight.history) < 201
    samples = problem[3].sum()
    assert np.diff(loose.history)[-1] < 1e-2 * samples
    assert (np.diff(loose.history)[:-1] >= 1e-2 * samples).all()


def test_it_ends_where_the_likelihood_is_flat():
    """At a maximum no parameter can be changed for the better: finite differences."""
    random = np.random.default_rng(0)
    model = random_state_model(1, 3, random, 0.8)
    states = np.zeros(80)
    for t in range(1, 80):
        states[t] = 0.8 * states[t - 1] + random.standard_normal()
    Y = model.C @ states[None] + 0.5 * random.standard_normal((3, 80))
    observed = (random.random(Y.shape) > 0.3).astype(float)
    bounds = choose_bounds(Y * observed, observed, 1)
    nothing = Prior(0.0, np.ones(1), np.eye(1), np.ones(3))
    found = maximize_likelihood(
        model, np.zeros(3), Y, observed, bounds, nothing, center=False, max_iter=2000, tol=1e-9
    )
    samples, best = Y * observed, found.estimates.log_likelihood

    def evaluate(**changes):
        changed = replace(found.model, **changes)
        return estimate_states(changed, samples, observed, smooth=False).log_likelihood

    scale = 1e-3
    for sign in (-1, 1):
        assert evaluate(A=found.model.A + sign * scale) <= best + 1e-4
        assert evaluate(variances=found.model.variances * (1 + sign * scale)) <= best + 1e-4
        assert evaluate(start=found.model.start * (1 + sign * scale)) <= best + 1e-4


def test_moments_are_sums_over_time():
    model, _, Y, observed, _, _ = make_problem(3)
    estimates = estimate_states(model, Y * observed, observed, smooth=True)
    moments = sum_moments(estimates)
    X, P = estimates.states, estimates.covariances
    expected = sum(P[t] + np.outer(X[t], X[t]) for t in range(len(X) - 1))
    np.testing.assert_allclose(moments.before, expected, rtol=1e-9)
    T = np.random.default_rng(0).standard_normal(model.A.shape)
    np.testing.assert_allclose(
        moments.change_basis(T).residual_covariance(T @ model.A @ np.linalg.inv(T)),
        T @ moments.residual_covariance(model.A) @ T.T,
        atol=1e-6 * np.abs(moments.after).max() * np.abs(T).max() ** 2,
    )
