"""Gaps: interpolation, residuals that are correlated over time, statistics of what is there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldslearn.sequences.gaps import (
    bridge_gaps,
    channel_statistics,
    channel_variances,
    has_gaps,
    interpolate_gaps,
)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_interpolation_is_that_of_numpy(seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((3, int(random.integers(1, 15))))
    missing = random.random(x.shape) < 0.5
    found = interpolate_gaps(np.where(missing, np.nan, x))
    times = np.arange(x.shape[1])
    for row in range(3):
        known = times[~missing[row]]
        if not len(known):
            assert np.isnan(found[row]).all()
            continue
        np.testing.assert_allclose(found[row], np.interp(times, known, x[row][known]), atol=1e-12)


def test_residuals_are_bridged_where_they_are_correlated():
    random = np.random.default_rng(0)
    noise = random.standard_normal((2, 400))
    slow = noise.copy()
    for t in range(1, 400):
        slow[:, t] = 0.95 * slow[:, t - 1] + 0.3 * noise[:, t]
    for residuals, most in ((noise, 0.25), (slow, None)):
        gaps = residuals.copy()
        gaps[:, 50:53] = np.nan
        gaps[1, -2:] = np.nan
        found = bridge_gaps(gaps)
        np.testing.assert_array_equal(found[:, :50], residuals[:, :50])
        if most is not None:
            assert np.abs(found[:, 51]).max() < most
        else:
            middle = (residuals[:, 49] + residuals[:, 53]) / 2
            np.testing.assert_allclose(found[:, 51], middle, atol=0.15)
            assert np.sign(found[1, -1]) == np.sign(residuals[1, -3])
    np.testing.assert_array_equal(bridge_gaps(np.full((1, 4), np.nan)), 0)


def test_bridges_are_conditional_expectations():
    """Of an autoregression with the coefficient that the formula estimates."""
    gaps = np.array([[1.0, 0.9, np.nan, np.nan, 0.3, 0.2, 0.4]])
    values = gaps[0]
    pairs = [(0, 1), (4, 5), (5, 6)]
    products = sum(values[i] * values[j] for i, j in pairs)
    squares = sum(values[i] ** 2 + values[j] ** 2 for i, j in pairs) / 2
    phi = products / (squares + np.nanmean(values**2))
    cov = phi ** np.abs(np.subtract.outer(range(4), range(4)))
    known, missing = [0, 3], [1, 2]
    gain = cov[np.ix_(missing, known)] @ np.linalg.inv(cov[np.ix_(known, known)])
    np.testing.assert_allclose(bridge_gaps(gaps)[0, 2:4], gain @ [0.9, 0.3])


def test_statistics_count_observed_samples():
    x = np.array([[1.0, np.nan, 3.0], [np.nan] * 3])
    y = np.array([[5.0, 7.0], [2.0, 4.0]])
    means, variances = channel_statistics([x, y])
    np.testing.assert_allclose(means, [4, 3])
    np.testing.assert_allclose(variances, [5, 1])
    np.testing.assert_allclose(channel_variances(x), [1, 0])
    np.testing.assert_allclose(channel_variances(y), [1, 1])
    assert np.isnan(channel_statistics([x])[0][1])


@pytest.mark.parametrize(
    ("values", "expected"), [([[1.0, np.nan]], True), ([[1.0, 2.0]], False), ([[1, 2]], False)]
)
def test_gaps_are_found(values, expected):
    assert has_gaps(np.array(values)) is expected
