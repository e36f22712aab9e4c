"""The noise of fitted systems is that of predictions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.models.expectation_maximization import (
    Bounds,
    MaximumLikelihood,
    Prior,
    Problem,
)
from ldslearn.models.measurements import StateModel, estimate_states
from ldslearn.models.prediction_error import estimate_channel_noise, final_prediction_error

from support.makers import random_state_model


@given(
    st.floats(1e-9, 1e9), st.integers(1, 10_000), st.integers(0, 50), st.integers(0, 50)
)  # fmt: skip
def test_predictions_are_worse_than_fits(variance, n_samples, k, more):
    """The more parameters the worse, by at most a factor of two; without any they are as good."""
    few, many = (
        final_prediction_error(np.array(variance), np.array(n_samples), n) for n in (k, k + more)
    )
    rounding = 1 + 1e-12
    assert variance <= few * rounding <= many * rounding**2 <= 2 * variance * rounding**3
    alone = final_prediction_error(np.array(variance), np.array(n_samples), 0)
    assert alone == pytest.approx(variance)


def test_error_of_regressions_on_new_samples():
    """Simulated: residuals of a regression, and errors on other samples."""
    random = np.random.default_rng(0)
    n_samples, k = 20, 4
    inputs, outputs = (
        random.standard_normal((2, 4000, n_samples, k)),
        random.standard_normal((2, 4000, n_samples, 1)),
    )
    beta = np.linalg.pinv(inputs[0]) @ outputs[0]
    fitted, new = (np.square(outputs[i] - inputs[i] @ beta).mean() for i in (0, 1))
    estimate = final_prediction_error(np.array(fitted), np.array(n_samples), k)
    # Inputs of the new samples vary, which costs slightly more than k / N.
    assert fitted < 0.85 < 1.15 < new
    assert estimate == pytest.approx(new, rel=0.1)


@pytest.mark.parametrize("assumed", [1.0, 4.0])
def test_noise_of_channels_is_found_whatever_the_states_assume(assumed):
    """States smoothed with a noise that is four times too large leave the same estimate."""
    random = np.random.default_rng(1)
    n, m, tau = 2, 8, 4000
    truth = random_state_model(n, m, random, 0.9)
    noise = np.full(m, 1e-3)
    x, states = np.zeros(n), []
    roots = np.linalg.cholesky(truth.process + 1e-12 * np.eye(n))
    for _ in range(tau):
        x = truth.A @ x + roots @ random.standard_normal(n)
        states.append(x)
    samples = truth.C @ np.array(states).T + np.sqrt(noise)[:, None] * random.standard_normal(
        (m, tau)
    )
    observed = (random.random((1, m, tau)) > 0.3).astype(float)
    model = StateModel(
        truth.A[None], truth.C[None], truth.process[None], assumed * noise[None],
        np.zeros((1, n)), truth.process[None],
    )  # fmt: skip
    lengths = np.array([tau])
    estimates = estimate_states(model, samples[None] * observed, observed, lengths, smooth=True)
    found = MaximumLikelihood(model, np.zeros((1, m)), estimates, [[0.0]])
    bounds = Bounds(np.full((1, m), 1e-12), np.full(1, 1e-12))
    prior = Prior(0.0, np.ones((1, n)), truth.process[None], noise[None])
    problem = Problem(model, np.zeros((1, m)), samples[None], observed, lengths, bounds, prior)
    np.testing.assert_allclose(estimate_channel_noise(found, problem)[0], noise, rtol=0.1)
