import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.sequences.resampling import resample, usual_step

RATES = st.floats(1, 500)


@given(own=RATES, rate=RATES, n=st.integers(1, 300), value=st.floats(-1e6, 1e6))
def test_a_constant_stays_constant_and_the_length_is_that_of_the_grid(own, rate, n, value):
    seconds = np.arange(n) / own
    found = resample(np.full((2, n), value), seconds, rate)
    assert found.shape == (2, int(np.floor(seconds[-1] * rate + 1e-3)) + 1)
    np.testing.assert_allclose(found, value, rtol=1e-12, atol=1e-300)


@given(own=RATES, rate=RATES, n=st.integers(2, 200), slope=st.floats(-10, 10))
def test_a_line_stays_a_line(own, rate, n, slope):
    seconds = np.arange(n) / own
    found = resample(3 + slope * seconds[None], seconds, rate)
    expected = 3 + slope * np.arange(found.shape[1]) / rate
    np.testing.assert_allclose(found[0], expected, atol=1e-9 + 2e-3 * abs(slope) / rate)


@given(rate=RATES, n=st.integers(1, 50), seed=st.integers(0, 9))
def test_the_same_rate_changes_nothing(rate, n, seed):
    sequence = np.random.default_rng(seed).standard_normal((3, n))
    found = resample(sequence, 1.7e9 + np.arange(n) / rate, rate)
    assert found.shape == sequence.shape
    exact = resample(sequence, np.arange(n) / rate, rate)
    np.testing.assert_array_equal(exact, sequence)


@pytest.mark.parametrize(("own", "rate"), [(200, 50), (200, 37.5), (100, 250), (50, 50.5)])
def test_a_slow_sine_survives(own, rate):
    def sine(t):
        return np.sin(2 * np.pi * 1.0 * t + 0.3)

    seconds = np.arange(4 * own) / own
    found = resample(sine(seconds)[None], seconds, rate)
    np.testing.assert_allclose(found[0], sine(np.arange(found.shape[1]) / rate), atol=0.02)


def test_what_is_too_fast_for_the_new_rate_is_removed_and_not_folded():
    seconds = np.arange(2000) / 200
    fast = np.sin(2 * np.pi * 48 * seconds)[None]  # every fourth sample: a sine of 2 Hz
    assert np.abs(fast[:, ::4]).max() > 0.9
    found = resample(fast, seconds, 50)
    assert np.abs(found[0, 20:-20]).max() < 0.01


@given(seed=st.integers(0, 99))
def test_uneven_times_are_put_on_the_grid(seed):
    random = np.random.default_rng(seed)
    seconds = np.cumsum(random.uniform(0.005, 0.015, 400))
    found = resample(np.sin(3 * seconds)[None], seconds, 80)
    grid = seconds[0] + np.arange(found.shape[1]) / 80
    np.testing.assert_allclose(found[0], np.sin(3 * grid), atol=0.02)


def test_a_gap_becomes_a_line():
    seconds = np.r_[0, 1, 2, 7, 8] / 10.0
    found = resample(np.array([[0.0, 0, 0, 5, 5]]), seconds, 10)
    np.testing.assert_allclose(found, [[0, 0, 0, 1, 2, 3, 4, 5, 5]], atol=1e-9)


def test_the_usual_step_ignores_gaps_but_not_unevenness():
    even = np.arange(100.0)
    even[50:] += 20
    assert usual_step(even) == 1.0
    assert usual_step(np.cumsum(np.tile([0.1, 1.9], 50))) == pytest.approx(1.0, rel=0.02)
