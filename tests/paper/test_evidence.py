import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ldslearn.paper.evidence import (
    Estimate,
    Evidence,
    compute_gaps,
    estimate_difference,
    estimate_log_ratio,
    estimate_mean,
    estimate_trend,
    format_interval,
    format_ratio,
)

rounds = st.lists(st.text("01", min_size=8, max_size=8), min_size=1, max_size=5)


def interval(gaps, n_train):
    found = estimate_difference(gaps, n_train)
    return found.value, found.low, found.high


def numbers(correct):
    return {"correct": correct}


def test_gaps_are_plus_minus_one_and_zero():
    assert compute_gaps(numbers(["1010"]), numbers(["1100"]))[0].tolist() == [0, -1, 1, 0]


def test_one_round_is_a_paired_test_over_its_sequences():
    random = np.random.default_rng(0)
    a, b = ("".join(random.choice(["0", "1"], 40, p=p)) for p in ([0.2, 0.8], [0.5, 0.5]))
    mean, low, high = interval(compute_gaps(numbers([a]), numbers([b])), [100])
    pairs = np.array(list(a), int) - np.array(list(b), int)
    expected = stats.ttest_1samp(pairs, 0).confidence_interval()
    assert mean == pytest.approx(pairs.mean())
    np.testing.assert_allclose([low, high], expected)


def test_rounds_without_overlap_are_a_paired_test_over_rounds_and_overlap_widens_it():
    random = np.random.default_rng(1)
    shares = [0.1, 0.9, 0.2, 0.8, 0.3, 0.95]  # rounds that differ more than their sequences
    first = ["".join(random.choice(["0", "1"], 50, p=[1 - p, p])) for p in shares]
    second = ["".join(random.choice(["0", "1"], 50, p=[0.7, 0.3])) for _ in shares]
    found = compute_gaps(numbers(first), numbers(second))
    endless = [10**12] * 6
    expected = stats.ttest_1samp([gap.mean() for gap in found], 0).confidence_interval()
    mean, low, high = interval(found, endless)
    np.testing.assert_allclose([low, high], expected, rtol=1e-6)
    _, low_half, high_half = interval(found, [50] * 6)
    # Nadeau and Bengio: the variance 1/k becomes 1/k + n_test/n_train.
    assert (high_half - mean) / (high - mean) == pytest.approx(np.sqrt((1 / 6 + 1) / (1 / 6)))
    assert low_half < low


@given(rounds)
def test_a_method_does_not_differ_from_itself(correct):
    assert interval(compute_gaps(numbers(correct), numbers(correct)), [8] * len(correct)) == (
        0,
        0,
        0,
    )


@given(st.lists(st.tuples(*[st.text("01", min_size=8, max_size=8)] * 2), min_size=1, max_size=5))
def test_the_difference_changes_sign_with_the_order(pairs):
    first, second = ([pair[i] for pair in pairs] for i in (0, 1))
    n_train = [8] * len(pairs)
    mean, low, high = interval(compute_gaps(numbers(first), numbers(second)), n_train)
    back = interval(compute_gaps(numbers(second), numbers(first)), n_train)
    np.testing.assert_allclose(back, (-mean, -high, -low), atol=1e-12)


def test_a_mean_has_students_interval_and_p_value():
    values = [1.0, 2.0, 4.0, 7.0]
    expected = stats.ttest_1samp(values, 0).confidence_interval()
    found = estimate_mean(values)
    np.testing.assert_allclose([found.low, found.high], expected)
    assert found.p == pytest.approx(stats.ttest_1samp(values, 0, alternative="greater").pvalue)


def test_one_value_decides_nothing():
    assert Evidence("learned", "here", estimate_mean([3.0]), "").verdict == "undecided"
    assert estimate_mean([3.0]).p == 0.5


@pytest.mark.parametrize(
    ("value", "error", "verdict"),
    [(1, 0.1, "confirmed"), (-1, 0.1, "refuted"), (1, 1, "undecided"), (0, 0, "undecided")],
)
def test_a_collection_decides_where_its_interval_is_clear_of_zero(value, error, verdict):
    assert Evidence("learned", "here", Estimate(value, error, 9), "").verdict == verdict


def test_ratios_of_times_are_judged_on_the_log_scale_and_inverted_by_their_order():
    slow, quick = [2.0, 4.0, 3.0], [1.0, 1.0, 1.0]
    found = estimate_log_ratio(slow, quick)
    assert np.exp(found.value) == pytest.approx(24 ** (1 / 3))
    back = estimate_log_ratio(quick, slow)
    assert (back.value, back.low) == pytest.approx((-found.value, -found.high))
    assert format_ratio(found).startswith("2.88 times as long (1.2")


def test_the_trend_is_the_slope_per_doubling_over_all_sizes():
    sizes = [1, 2, 4, 16]
    values = [
        np.array([0.0, 1.0]),
        np.array([1.0, 1.0]),
        np.array([2.0, 1.0]),
        np.array([4.0, 1.0]),
    ]
    (slopes,) = estimate_trend([[value] for value in values], sizes)
    np.testing.assert_allclose(slopes, [1.0, 0.0], atol=1e-12)


def test_being_the_same_is_judged_against_a_margin():
    assert Estimate(0.01, 0.01, 50).compare_to_margin(0.05).low > 0
    assert Estimate(-0.2, 0.01, 50).compare_to_margin(0.05).high < 0
    assert Estimate(0.01, 0.05, 50).compare_to_margin(0.05).low < 0


def test_differences_are_written_in_points():
    assert format_interval(Estimate(0.05, 0.01, 10**6)) == "+5.0, +3.0 to +7.0"


def test_rounds_that_agree_by_chance_are_not_sure():
    found = [np.array([1.0, *[0.0] * 39])] * 3  # one sequence of forty, three times
    mean, low, high = interval(found, [40] * 3)
    assert mean == pytest.approx(1 / 40)
    assert low < 0 < high
