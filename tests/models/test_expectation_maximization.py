"""No iteration lowers the likelihood, whatever the sequence."""

from dataclasses import fields, replace

import numpy as np
import pytest

from ldslearn.models.expectation_maximization import (
    Bounds,
    Prior,
    Problem,
    choose_bounds,
    maximize_likelihood,
    raise_eigenvalues,
)
from ldslearn.models.measurements import StateModel, estimate_states, pad
from ldslearn.models.moments import sum_moments

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
    model = random_state_model(n, m, random, random.uniform(0.3, 1.02))
    return pose_problem(model, Y, observed, (0.0, 0.0, 3.0)[seed % 3])


def pose_problem(model, Y, observed, weight=0.0):
    """A problem of one sequence."""
    m, n = model.C.shape
    samples, observed = Y[None], observed[None]
    bounds = choose_bounds(samples * observed, observed, n)
    process = raise_eigenvalues(model.process[None], bounds.process)
    variances = np.maximum(model.variances, bounds.channels)
    model = StateModel(model.A[None], model.C[None], process, variances, model.start[None], process)
    prior = Prior(weight, np.ones((1, n)), process, variances)
    lengths = np.array([Y.shape[1]])
    return Problem(model, np.zeros((1, m)), samples, observed, lengths, bounds, prior)


@pytest.mark.parametrize("block", range(10))
def test_no_iteration_lowers_the_likelihood(block):
    """One thousand random problems; with a prior, its logarithm counts as well."""
    for seed in range(100 * block, 100 * block + 100):
        found = maximize_likelihood(
            make_problem(seed), center=bool(seed % 2), max_iter=6, tol=-np.inf
        )
        steps = np.diff(found.histories[0])
        assert len(steps) == 6
        assert steps.min() >= -1e-9 * max(1.0, abs(found.histories[0][-1])), seed


def test_iterations_stop_when_the_likelihood_settles():
    problem = make_problem(4)
    loose = maximize_likelihood(problem, center=True, max_iter=200, tol=1e-2).histories[0]
    tight = maximize_likelihood(problem, center=True, max_iter=200, tol=1e-3).histories[0]
    assert 1 < len(loose) < len(tight) < 201
    samples = problem.observed.sum()
    assert np.diff(loose)[-1] < 1e-2 * samples
    assert (np.diff(loose)[:-1] >= 1e-2 * samples).all()


def test_it_ends_where_the_likelihood_is_flat():
    """At a maximum no parameter can be changed for the better: finite differences."""
    random = np.random.default_rng(0)
    model = random_state_model(1, 3, random, 0.8)
    states = np.zeros(80)
    for t in range(1, 80):
        states[t] = 0.8 * states[t - 1] + random.standard_normal()
    Y = model.C @ states[None] + 0.5 * random.standard_normal((3, 80))
    observed = (random.random(Y.shape) > 0.3).astype(float)
    problem = pose_problem(model, Y, observed)
    found = maximize_likelihood(problem, center=False, max_iter=2000, tol=1e-9)
    samples, best = problem.samples * problem.observed, found.estimates.log_likelihood[0]

    def evaluate(**changes):
        changed = replace(found.model, **changes)
        given = changed, samples, problem.observed, problem.lengths
        return estimate_states(*given, smooth=False).log_likelihood[0]

    scale = 1e-3
    for sign in (-1, 1):
        assert evaluate(A=found.model.A + sign * scale) <= best + 1e-4
        assert evaluate(variances=found.model.variances * (1 + sign * scale)) <= best + 1e-4
        assert evaluate(start=found.model.start * (1 + sign * scale)) <= best + 1e-4


def test_moments_are_sums_over_time():
    problem = make_problem(3)
    samples = problem.samples * problem.observed
    estimates = estimate_states(
        problem.model, samples, problem.observed, problem.lengths, smooth=True
    )
    moments = sum_moments(estimates)[0]
    X, P, A = estimates.states[0], estimates.covariances[0], problem.model.A[0]
    expected = sum(P[t] + np.outer(X[t], X[t]) for t in range(len(X) - 1))
    np.testing.assert_allclose(moments.before, expected, rtol=1e-9)
    T = np.random.default_rng(0).standard_normal(A.shape)
    np.testing.assert_allclose(
        moments.change_basis(T).residual_covariance(T @ A @ np.linalg.inv(T)),
        T @ moments.residual_covariance(A) @ T.T,
        atol=1e-6 * np.abs(moments.after).max() * np.abs(T).max() ** 2,
    )


def test_sequences_of_several_lengths_do_not_affect_each_other():
    """Together, one after the other: padded time points and settled sequences count for nothing."""
    random = np.random.default_rng(1)
    problems = []
    for seed, tau in enumerate((30, 30, 17, 9, 24)):
        model = random_state_model(2, 4, random, 1.3)  # grows if it goes on after the end
        Y = random.standard_normal((4, tau)).cumsum(axis=1)
        observed = (random.random((4, tau)) > 0.3 * (seed > 0)).astype(float)
        problems.append(pose_problem(model, Y, observed, weight=3.0))

    def join(name):
        return np.concatenate([getattr(one.model, name) for one in problems])

    together = Problem(
        StateModel(*(join(each.name) for each in fields(StateModel))),
        np.zeros((5, 4)),
        pad([one.samples[0] for one in problems], 30),
        pad([one.observed[0] for one in problems], 30),
        np.array([one.samples.shape[2] for one in problems]),
        Bounds(
            np.concatenate([one.bounds.channels for one in problems]),
            np.concatenate([one.bounds.process for one in problems]),
        ),
        Prior(3.0, np.ones((5, 2)), join("process"), join("variances")),
    )
    joint = maximize_likelihood(together, center=True, max_iter=50, tol=0.01)
    assert len({len(history) for history in joint.histories}) > 1
    for row, problem in enumerate(problems):
        alone = maximize_likelihood(problem, center=True, max_iter=50, tol=0.01)
        np.testing.assert_allclose(joint.histories[row], alone.histories[0], rtol=1e-9)
        np.testing.assert_allclose(joint.model.A[row], alone.model.A[0], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(joint.model.C[row], alone.model.C[0], rtol=1e-6, atol=1e-9)
        length = problem.samples.shape[2]
        states = joint.estimates.states[row]
        np.testing.assert_allclose(states[:length], alone.estimates.states[0], atol=1e-8)
        assert not states[length:].any()
