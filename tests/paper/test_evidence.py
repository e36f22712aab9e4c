import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ldslearn.paper.claims import CLAIMS, judge
from ldslearn.paper.evidence import Evidence, difference, gaps, interval, quicker

rounds = st.lists(st.text("01", min_size=8, max_size=8), min_size=1, max_size=5)


def numbers(correct):
    return {"correct": correct}


def test_gaps_are_plus_minus_one_and_zero():
    assert gaps(numbers(["1010"]), numbers(["1100"]))[0].tolist() == [0, -1, 1, 0]


def test_one_round_is_a_paired_test_over_its_sequences():
    random = np.random.default_rng(0)
    a, b = ("".join(random.choice(["0", "1"], 40, p=p)) for p in ([0.2, 0.8], [0.5, 0.5]))
    mean, low, high = difference(gaps(numbers([a]), numbers([b])), [100])
    pairs = np.array(list(a), int) - np.array(list(b), int)
    expected = stats.ttest_1samp(pairs, 0).confidence_interval()
    assert mean == pytest.approx(pairs.mean())
    np.testing.assert_allclose([low, high], expected)


def test_rounds_without_overlap_are_a_paired_test_over_rounds_and_overlap_widens_it():
    random = np.random.default_rng(1)
    shares = [0.1, 0.9, 0.2, 0.8, 0.3, 0.95]  # rounds that differ more than their sequences
    first = ["".join(random.choice(["0", "1"], 50, p=[1 - p, p])) for p in shares]
    second = ["".join(random.choice(["0", "1"], 50, p=[0.7, 0.3])) for _ in shares]
    found = gaps(numbers(first), numbers(second))
    endless = [10**12] * 6
    expected = stats.ttest_1samp([gap.mean() for gap in found], 0).confidence_interval()
    mean, low, high = difference(found, endless)
    np.testing.assert_allclose([low, high], expected, rtol=1e-6)
    _, low_half, high_half = difference(found, [50] * 6)
    # Nadeau and Bengio: the variance 1/k becomes 1/k + n_test/n_train.
    assert (high_half - mean) / (high - mean) == pytest.approx(np.sqrt((1 / 6 + 1) / (1 / 6)))
    assert low_half < low


@given(rounds)
def test_a_method_does_not_differ_from_itself(correct):
    assert difference(gaps(numbers(correct), numbers(correct)), [8] * len(correct)) == (0, 0, 0)


@given(st.lists(st.tuples(*[st.text("01", min_size=8, max_size=8)] * 2), min_size=1, max_size=5))
def test_the_difference_changes_sign_with_the_order(pairs):
    first, second = ([pair[i] for pair in pairs] for i in (0, 1))
    n_train = [8] * len(pairs)
    mean, low, high = difference(gaps(numbers(first), numbers(second)), n_train)
    back = difference(gaps(numbers(second), numbers(first)), n_train)
    np.testing.assert_allclose(back, (-mean, -high, -low), atol=1e-12)


def test_interval_is_students():
    values = [1.0, 2.0, 4.0, 7.0]
    expected = stats.ttest_1samp(values, 0).confidence_interval()
    np.testing.assert_allclose(interval(values), expected)
    assert interval([3.0]) == (3.0, 3.0)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.1, 0.2, "confirmed"),
        (-0.2, -0.1, "refuted"),
        (-0.1, 0.1, "undecided"),
        (0, 0, "undecided"),
    ],
)
def test_a_collection_decides_where_its_interval_is_clear_of_zero(low, high, verdict):
    assert Evidence("learned", "here", low, high, "").verdict == verdict


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([2.0, 3.0], "confirmed"),
        ([0.5, 0.6], "refuted"),
        ([0.5, 2.0], "undecided"),
        ([1.2], "undecided"),
    ],
)
def test_times_within_a_quarter_say_nothing(ratios, verdict):
    found = quicker("cheaper", "here", list(range(len(ratios))), ratios, "L")
    assert found.verdict == verdict


def evidence(claim, *signs):
    return [Evidence(claim, f"set {i}", sign, sign, "words") for i, sign in enumerate(signs)]


@pytest.mark.parametrize(
    ("signs", "verdict"),
    [
        ((1, 1), "confirmed"),
        ((1, 0), "confirmed"),  # by chance 4.9 %
        ((1, 0, 0), "undecided"),  # 7.3 %
        ((1, 1, 0, 0, 0, 0, 0), "confirmed"),  # 1.2 %
        ((-1, 0), "refuted"),
        ((1, -1), "mixed"),
        ((1, 1, 1, 1, -1), "mixed"),
        ((0, 0), "undecided"),
    ],
)
def test_verdict_over_collections(signs, verdict):
    (row,) = judge(evidence("learned", *signs))
    assert (row["claim"], row["verdict"]) == ("learned", verdict)
    assert [one["collection"] for one in row["evidence"]] == [f"set {i}" for i in range(len(signs))]
    assert sum(row["count"].values()) == len(signs)


def test_collections_of_which_the_paper_says_otherwise_are_not_counted():
    found = [
        Evidence("grass-martin", "UCLA", -1, -1, ""),
        Evidence("grass-martin", "Cambridge", 1, 1, ""),
    ]
    (row,) = judge(found)
    assert row["verdict"] == "confirmed"
    assert row["count"] == {"confirmed": 1}
    assert len(row["evidence"]) == 2


def test_rounds_that_agree_by_chance_are_not_sure():
    found = [np.array([1.0, *[0.0] * 39])] * 3  # one sequence of forty, three times
    mean, low, high = difference(found, [40] * 3)
    assert mean == pytest.approx(1 / 40)
    assert low < 0 < high


def test_claims_come_in_the_papers_order_and_once():
    found = evidence("learned", 1) + evidence("soft-none", 1)
    rows = judge(found + found)
    assert [row["claim"] for row in rows] == ["soft-none", "learned"]
    assert [len(row["evidence"]) for row in rows] == [1, 1]
    assert judge([]) == []
    assert set(CLAIMS) >= {row["claim"] for row in rows}
