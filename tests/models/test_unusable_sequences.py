"""Sequences that cannot be used are left out and listed."""

import numpy as np
import pytest

from ldslearn import LDSEncoder
from ldslearn.datasets import Collection
from ldslearn.evaluate import evaluate
from ldslearn.models.unusable_sequences import drop_unfit, drop_unusable

RANDOM = np.random.default_rng(0)


def collection(lengths, names="abcdefgh", constant=()):
    X = [RANDOM.standard_normal((3, length)).cumsum(axis=1) for length in lengths]
    for index in constant:
        X[index][:] = 1.0
    return Collection(X, y=["x", "y"] * (len(X) // 2), names=tuple(names[: len(X)]))


def test_what_is_fit_is_kept_as_it_is():
    data = collection([20, 30])
    assert drop_unfit(data, 3, 2) is data


def test_short_and_constant_sequences_are_skipped_each_with_its_reason():
    data = collection([20, 4, 20, 3, 20, 20], constant=[4])
    with pytest.warns(UserWarning, match="3 items were skipped, the first because: d must have"):
        kept = drop_unfit(data, 3, 2)
    assert kept.names == ("a", "c", "f")
    assert kept.y.tolist() == ["x", "x", "y"]
    reasons = dict(kept.skipped)
    assert reasons["b"].startswith("b must have at least 5 time points for 3 states and 2 delays")
    assert reasons["d"].startswith("d must have at least 5 time points")
    assert reasons["e"].startswith("e must vary over time")


def test_rest_is_allowed_where_it_is_asked_for():
    assert len(drop_unfit(collection([20, 20], constant=[0]), constant="rest")) == 2


def test_none_left():
    with pytest.raises(ValueError, match="at least one of 2 items must be usable; got none. The f"):
        drop_unfit(collection([3, 3]), 5, 2)


def test_other_errors_are_raised():
    with pytest.raises(ValueError, match="states must be at most 3"):
        drop_unusable(collection([20, 20]), LDSEncoder(9).fit)


def test_states_and_delays_suit_the_shortest_sequence_wherever_it_is_tested():
    data = collection([40] * 7 + [6])
    record = evaluate(data, "lds-sc-grass", sparsity=0.1)
    assert {one["delays"] for one in record["rounds"]} == {1}
    assert max(one["n_states"] for one in record["rounds"]) <= 4


def test_as_many_delays_as_states_need():
    record = evaluate(collection([40] * 8), "lds-sc-grass", n_states=20, sparsity=0.1)
    assert {one["delays"] for one in record["rounds"]} == {7}
