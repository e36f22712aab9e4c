"""Uneven times become gaps on a grid, and wrong times errors that name them."""

import time

import numpy as np
import pytest

from ldslearn.sequences import place_on_grid


def make(*lengths):
    random = np.random.default_rng(0)
    return [random.standard_normal((2, n)) for n in lengths]


def test_even_times_change_nothing():
    X = make(20, 30)
    times = [np.arange(20) / 50, 7 + np.arange(30) / 50]
    placed, step, merged, missing = place_on_grid(X, times)
    assert step == pytest.approx(0.02)
    for one, x in zip(placed, X, strict=True):
        np.testing.assert_allclose(one, x)
    assert not merged.any()
    assert not missing.any()


def test_what_falls_between_is_a_gap():
    (x,) = make(10)
    kept = [0, 1, 2, 5, 6, 9]
    jitter = np.random.default_rng(1).uniform(-0.2, 0.2, 10)
    jitter[0] = 0
    (placed,), step, merged, missing = place_on_grid([x[:, kept]], [(np.arange(10) + jitter)[kept]],
                                                     step=1.0)  # fmt: skip
    expected = np.full((2, 10), np.nan)
    expected[:, kept] = x[:, kept]
    np.testing.assert_allclose(placed, expected)
    assert (step, merged.tolist(), missing.tolist()) == (1.0, [0], [4])


def test_different_rates_meet_on_one_grid():
    X = make(41, 21)
    placed, _, merged, missing = place_on_grid(X, [np.arange(41) / 20, np.arange(21) / 10], 0.1)
    assert [x.shape[1] for x in placed] == [21, 21]
    np.testing.assert_allclose(placed[1], X[1])
    assert merged.tolist() == [20, 0]
    assert missing.tolist() == [0, 0]
    fine = place_on_grid(X, [np.arange(41) / 20, np.arange(21) / 10])
    assert fine[1] == pytest.approx(0.05)
    assert fine[3].tolist() == [0, 20]


@pytest.mark.parametrize("times", [np.arange(3000) / 30, None], ids=["rounded", "uneven"])
def test_the_grid_does_not_drift_away_from_the_times(times):
    """A grid by the median step would: 33 ms where 30 samples per second are written in ms."""
    if times is None:
        times = np.arange(3000) / 50 + np.random.default_rng(0).normal(0, 0.003, 3000)
        times.sort()
    times = times.round(3)
    kept = np.delete(np.arange(3000), slice(1000, 1400))  # a gap
    (placed,), step, merged, missing = place_on_grid([kept[None].astype(float)], [times[kept]])
    assert step == pytest.approx((times[-1] - times[0]) / 2999, rel=1e-4)
    assert placed.shape == (1, 3000)
    assert missing[0] - merged[0] == 400
    found = ~np.isnan(placed[0])
    assert np.abs(placed[0] - np.arange(3000))[found].max() <= 1


@pytest.mark.parametrize(("one", "other"), [(25, 30), (50, 60), (24, 25)])
def test_the_step_is_that_of_a_sequence_where_rates_differ(one, other):
    times = [np.arange(100) / one, np.arange(100) / other]
    step = place_on_grid(make(100, 100), times)[1]
    assert min(abs(step * one - 1), abs(step * other - 1)) < 1e-9


def test_samples_of_one_point_are_averaged_and_gaps_in_them_ignored():
    x = np.array([[1.0, 3.0, np.nan, 5.0]])
    (placed,), _, merged, _ = place_on_grid([x], [[0.0, 0.1, 1.0, 1.1]], step=1.0)
    np.testing.assert_allclose(placed, [[2.0, 5.0]])
    assert merged.tolist() == [2]


def test_dates():
    times = np.array(["2024-05-01T10:00:00", "2024-05-01T10:00:01", "2024-05-01T10:00:03"], "M8[s]")
    (placed,), _, _, missing = place_on_grid([np.ones((1, 3))], [times], 1.0)
    assert placed.shape == (1, 4)
    assert missing.tolist() == [1]


FUTURE = time.time() + 10 * 365 * 86400


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([[0, 1, 3, 2]], "times of sequence 0 must increase; got 2 after 3, at samples 2 and 3. S"),
        ([[0, 1, 1, 2]], "times of sequence 0 must increase; got 1 twice, at samples 1 and 2. Av"),
        ([[0, 1, np.nan, 2]], "times of sequence 0 must be finite; got nan at sample 2"),
        ([[0, 1, 2]], r"times of sequence 0 must have shape \(4,\), one per sample; got shape"),
        ([[0, 1, 2, 3], [0, 1]], "times must be one array for each of 1 sequences; got 2"),
        ([FUTURE + np.arange(4)], "times of sequence 0 must not lie in the future; got 203"),
        ([1e3 * (FUTURE + np.arange(4))], "times of sequence 0 must not lie in the future"),
        (
            [[0, 1e-3, 2e-3, 9]],
            "must have at most 100 steps of 0.001 per sample; got 9001 for",
        ),
    ],
)
def test_wrong_times(times, message):
    with pytest.raises(ValueError, match=message):
        place_on_grid(make(4), times)


def test_times_of_different_units():
    X = make(20, 20)
    with pytest.raises(ValueError, match="times must be of one unit in all sequences; got median"):
        place_on_grid(X, [np.arange(20) / 50, 1000 * np.arange(20) / 50])


def test_wrong_types():
    with pytest.raises(TypeError, match="times of sequence 0 must be numbers or datetime64; got"):
        place_on_grid(make(2), [["a", "b"]])
    with pytest.raises(ValueError, match=r"step must be positive; got 0\.0"):
        place_on_grid(make(2), [[0, 1]], 0.0)


def test_times_of_no_kind():
    with pytest.raises(TypeError, match="times must be a list of arrays, .*; got int"):
        place_on_grid(make(3), 5)
    stamps = np.array(["NaT", "2020-01-01", "2020-01-02"], dtype="datetime64[s]")
    with pytest.raises(ValueError, match="must be known; got NaT at sample 0"):
        place_on_grid(make(3), [stamps])
    with pytest.raises(ValueError, match="steps of 1e-320 per sample"):
        place_on_grid(make(3), [[0.0, 1.0, 2.0]], step=1e-320)


def test_dates_keep_their_nanoseconds():
    stamps = np.datetime64("2020-01-01", "ns") + 100 * np.arange(5)
    placed, step, merged, missing = place_on_grid(make(5), [stamps])
    assert step == pytest.approx(1e-7, rel=1e-6)
    assert (placed[0].shape[1], merged.sum(), missing.sum()) == (5, 0, 0)


def test_times_in_another_unit_than_the_step():
    with pytest.raises(ValueError, match=r"in the unit of the step of the grid, 20; got a median"):
        place_on_grid(make(30), [np.arange(30) / 50], step=20.0)
