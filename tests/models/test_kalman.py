"""Filter and smoother against statsmodels and against the joint normal distribution."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother

from ldslearn.models.measurements import find_roots

from support.makers import estimate_one, random_state_model
from support.oracles import condition_states


def make_problem(n, seed, radius=0.9):
    """A process, samples with gaps of all kinds: single ones, whole rows and columns."""
    random = np.random.default_rng(seed)
    m, tau = n + int(random.integers(0, 5)), int(random.integers(4, 30))
    n_noise = int(random.integers(1, n + 1))
    model = random_state_model(n, m, random, radius, n_noise)
    missing = random.random((m, tau)) < random.uniform(0, 0.7)
    missing[:, tau // 2] = True
    if m > 1:
        missing[0] = True
    Y = random.standard_normal((m, tau))
    observed = (~missing).astype(float)
    return model, Y * observed, observed


def run_statsmodels(model, Y, observed):
    m, n = model.C.shape
    reference = KalmanSmoother(k_endog=m, k_states=n, k_posdef=n)
    reference.bind(np.asfortranarray(np.where(observed > 0, Y, np.nan)))
    reference["design"], reference["obs_cov"] = model.C, np.diag(model.variances)
    reference["transition"], reference["selection"] = model.A, np.eye(n)
    reference["state_cov"] = model.process
    reference.initialize_known(model.start, model.start_covariance)
    return reference.smooth()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", range(1, 9))
def test_states_covariances_and_likelihood_are_those_of_statsmodels(n, seed):
    problem = make_problem(n, 10 * n + seed)
    expected = run_statsmodels(*problem)
    found = estimate_one(*problem, smooth=False)
    np.testing.assert_allclose(found.states.T, expected.filtered_state, atol=1e-8)
    covariances = found.covariances.transpose(1, 2, 0)
    np.testing.assert_allclose(covariances, expected.filtered_state_cov, atol=1e-8)
    np.testing.assert_allclose(found.log_likelihood, expected.llf, rtol=1e-10)
    found = estimate_one(*problem, smooth=True)
    np.testing.assert_allclose(found.states.T, expected.smoothed_state, atol=1e-8)
    covariances = found.covariances.transpose(1, 2, 0)
    np.testing.assert_allclose(covariances, expected.smoothed_state_cov, atol=1e-8)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_smoothed_states_are_conditional_expectations(n):
    model, Y, observed = make_problem(n, n)
    states, cov, log_likelihood = condition_states(model, Y, observed)
    found = estimate_one(model, Y, observed, smooth=True)
    np.testing.assert_allclose(found.states, states, atol=1e-8)
    np.testing.assert_allclose(found.log_likelihood, log_likelihood, rtol=1e-8)
    tau = Y.shape[1]
    blocks = cov.reshape(tau, n, tau, n).transpose(0, 2, 1, 3)
    np.testing.assert_allclose(found.covariances, blocks[range(tau), range(tau)], atol=1e-8)
    cross = blocks[range(1, tau), range(tau - 1)].sum(axis=0)
    np.testing.assert_allclose(found.cross, cross, atol=1e-8)


@pytest.mark.parametrize("radius", [0.999999, 1.0, 1.05])
def test_slow_and_unstable_processes(radius):
    model, Y, observed = make_problem(4, 1, radius)
    expected = run_statsmodels(model, Y, observed)
    found = estimate_one(model, Y, observed, smooth=True)
    np.testing.assert_allclose(found.states.T, expected.smoothed_state, atol=1e-8)
    np.testing.assert_allclose(found.log_likelihood, expected.llf, rtol=1e-10)


def test_measurements_that_are_almost_exact():
    model, Y, observed = make_problem(3, 5)
    model = replace(model, process=np.eye(3), start_covariance=np.eye(3))
    exact = replace(model, variances=np.full(len(model.variances), 1e-10))
    found = estimate_one(exact, Y, observed, smooth=True)
    assert np.isfinite(found.covariances).all()
    assert (np.linalg.eigvalsh(found.covariances) > -1e-12).all()
    complete = np.ones_like(observed)
    samples = model.C @ np.random.default_rng(0).standard_normal((3, Y.shape[1]))
    found = estimate_one(exact, samples, complete, smooth=True)
    np.testing.assert_allclose(model.C @ found.states.T, samples, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_a_gap_is_a_sample_of_infinite_noise(seed, n):
    """And the order of the channels does not matter."""
    model, Y, observed = make_problem(n, seed)
    row = len(Y) - 1
    without = observed.copy()
    without[row] = 0.0
    noise = model.variances.copy()
    noise[row] = 1e14
    found = estimate_one(model, Y * without, without, smooth=True)
    noisy = estimate_one(replace(model, variances=noise), Y, observed, smooth=True)
    np.testing.assert_allclose(found.states, noisy.states, atol=1e-6)
    order = np.random.default_rng(seed).permutation(len(Y))
    turned = replace(model, C=model.C[order], variances=model.variances[order])
    again = estimate_one(turned, (Y * without)[order], without[order], smooth=True)
    np.testing.assert_allclose(found.states, again.states, atol=1e-9)


def test_without_any_sample_states_follow_the_prior():
    model, Y, observed = make_problem(3, 2)
    found = estimate_one(model, 0 * Y, 0 * observed, smooth=True)
    assert found.log_likelihood == 0
    expected = [np.linalg.matrix_power(model.A, t) @ model.start for t in range(Y.shape[1])]
    np.testing.assert_allclose(found.states, expected, atol=1e-10)


def test_roots_of_singular_covariances():
    for covariance in (np.zeros((3, 3)), np.outer([1.0, 2, 3], [1.0, 2, 3]), np.eye(3)):
        root = find_roots(covariance[None])[0]
        np.testing.assert_allclose(root @ root.T, covariance, atol=1e-12)
        np.testing.assert_array_equal(np.triu(root, 1), 0)
