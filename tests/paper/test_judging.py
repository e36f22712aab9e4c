"""What made-up numbers say about claims."""

import numpy as np
import pytest

from ldslearn.paper.atoms_per_class import judge_atoms_per_class
from ldslearn.paper.classification import take_larger_half
from ldslearn.paper.codes import build_dictionary
from ldslearn.paper.coding import judge_orders, judge_states, judge_times
from ldslearn.paper.convergence import judge_convergence
from ldslearn.paper.data_sets import Library
from ldslearn.paper.dictionaries import judge_methods
from ldslearn.paper.ledger import Run
from ldslearn.paper.update_times import judge_updates

MOTIONS = Library(None).load("motions")
N = 200


def made_up(share):
    """A run with a share of correct test sequences, the same ones first."""
    right = np.arange(N) < round(share * N)
    correct = "".join(str(int(one)) for one in right)
    return {"correct": [correct], "accuracy": [share], "n_train": [N]}


def verdicts(evidence):
    return {one.claim: one.verdict for one in evidence}


def test_large_n_is_the_larger_half_with_the_median():
    assert take_larger_half([2, 3, 4, 6, 8, 10]) == [6, 8, 10]
    assert take_larger_half([2, 3, 5, 8, 10]) == [5, 8, 10]
    assert take_larger_half([3]) == [3]


def test_both_sparse_methods_are_judged_over_the_larger_half_of_n():
    shares = {  # at n = 2, 3, 4, 5
        "lds-martin": [0.1, 0.1, 0.6, 0.6],
        "lds-sc-martin": [0.9, 0.9, 0.4, 0.4],  # better at small n only
        "lds-sc-grass": [0.1, 0.1, 0.9, 0.7],
    }
    states = [2, 3, 4, 5]
    found = {
        (method, n): made_up(share)
        for method, own in shares.items()
        for n, share in zip(states, own, strict=True)
    }
    evidence = judge_states(MOTIONS, states, found)
    assert verdicts(evidence) == {
        "grass-nearest": "confirmed", "martin-nearest": "refuted", "grass-martin": "confirmed",
        "grass-steady": "refuted", "martin-steady": "confirmed",
    }  # fmt: skip
    words = next(one.words for one in evidence if one.claim == "martin-nearest")
    assert words.startswith("-20.0 at n = 4, -20.0 at n = 5 (mean over these n: -20.0, ")


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ([0.5, 0.6, 0.7, 0.8], "confirmed"),
        ([0.8, 0.5, 0.5, 0.8], "undecided"),  # equal at the first and the last, yet no trend
        ([0.8, 0.7, 0.6, 0.5], "refuted"),
        ([0.8, 0.8, 0.8, 0.8], "confirmed"),  # equal at every L
        ([0.7, 0.8, 0.5, 0.75], "refuted"),  # nearer at the last than the first, yet no trend
        ([0.2, 0.3, 0.4, 0.5], "refuted"),  # a trend that has not arrived
    ],
)
def test_convergence_is_a_trend_over_all_orders(shares, verdict):
    orders = [1, 2, 4, 8]
    found = {("glds-sc", L): made_up(share) for L, share in zip(orders, shares, strict=True)}
    found["lds-sc-grass", MOTIONS.n_states] = made_up(0.8)
    (evidence,) = judge_orders(MOTIONS, orders, found)
    assert evidence.claim == "converges"
    assert evidence.verdict == verdict
    if shares[0] == 0.5:
        assert evidence.words.startswith("gap -30.0 points at L = 1, +0.0, +0.0 to +0.0 at L = 8;")


def jitter(seconds):
    return [seconds * factor for factor in (1.0, 1.05, 0.97, 1.02)]


def test_times_are_judged_with_their_spread():
    seconds = {"1": jitter(1.0), "3": jitter(1.5), "8": jitter(4.0), "infinite": jitter(1.0)}
    noisy = {**seconds, "3": [0.5, 3.0, 0.9, 2.0]}
    orders = [1, 3, 8]
    assert verdicts(judge_times(MOTIONS, orders, seconds)) == {
        "cheaper": "confirmed", "order-cost": "confirmed", "order-factor": "undecided",
    }  # fmt: skip
    assert verdicts(judge_times(MOTIONS, orders, noisy))["cheaper"] == "undecided"
    linear = {**seconds, "3": jitter(3.0), "8": jitter(8.0)}
    assert verdicts(judge_times(MOTIONS, orders, linear))["order-factor"] == "confirmed"


def test_updates_are_compared_without_covariance_for_the_factor():
    times = {"covlds-dl": 4.0, "lds-dl": 1.0, "glds-dl-2": 2.0, "glds-dl-3": 4.5}
    seconds = {4: {name: jitter(one) for name, one in times.items()}}
    found = verdicts(judge_updates(MOTIONS, seconds))
    assert found["update-cheaper-2"] == "refuted"
    assert found["update-cheaper-3"] == "confirmed"
    assert found["update-order"] == "confirmed"
    assert found["update-factor"] == "confirmed"


def test_all_dictionaries_update_jointly():
    run = Run("codes", Library(None).load("vowels"), {})
    methods = ("covlds-dl", "covlds-rand", "lds-dl", "ldsst-dl", "glds-dl-2", "glds-dl-3")
    assert {build_dictionary(run, m, 4, 0.1, 0).update for m in methods} == {"joint"}


def test_finite_dictionaries_are_judged_at_small_and_large_sizes():
    shares = {"covlds-dl": [0.8, 0.9], "glds-dl-2": [0.5, 0.9], "glds-dl-3": [0.8, 0.4]}
    found = {
        (method, J): made_up(share)
        for method, own in shares.items()
        for J, share in zip([8, 16], own, strict=True)
    }
    assert verdicts(judge_methods(MOTIONS, found, [8, 16])) == {
        "infinite-2": "confirmed", "parity-2": "confirmed",
        "infinite-3": "undecided", "parity-3": "refuted",
    }  # fmt: skip


def test_parity_holds_at_every_size_or_not_at_all():
    """Gaps of opposite signs do not cancel."""
    shares = {"covlds-dl": [0.8, 0.6], "glds-dl-2": [0.6, 0.8]}
    found = {
        (method, J): made_up(share)
        for method, own in shares.items()
        for J, share in zip([16, 32], own, strict=True)
    }
    assert verdicts(judge_methods(MOTIONS, found, [16, 32])) == {"parity-2": "refuted"}


def test_histories_say_how_soon_learning_settles_and_what_k_means_gains():
    quick = [[10.0, 6.0, 5.2, 5.1, 5.05, 5.0 + shift, 5.0] for shift in (0.01, 0.02, 0.03)]
    slow = [[10.0, 9.0, 8.0, 7.0, 6.5, 6.0 + shift, 5.0] for shift in (0.01, 0.02, 0.03)]
    lower = [[value - 1 for value in history] for history in quick]
    assert verdicts(judge_convergence(MOTIONS, quick, lower)) == {
        "few-iterations": "confirmed", "kmeans-start": "confirmed", "kmeans-lower": "confirmed",
    }  # fmt: skip
    assert verdicts(judge_convergence(MOTIONS, slow, slow)) == {
        "few-iterations": "refuted", "kmeans-start": "undecided", "kmeans-lower": "undecided",
    }  # fmt: skip


def test_atoms_per_class_are_judged_over_all_of_their_numbers():
    found = {("apart", J): made_up(share) for J, share in ((1, 0.5), (2, 0.6), (4, 0.7))}
    (evidence,) = judge_atoms_per_class(MOTIONS, found, [1, 2, 4], [])
    assert evidence.verdict == "confirmed"
    assert "50.0 % with 1, 60.0 % with 2, 70.0 % with 4 atoms per class" in evidence.words
