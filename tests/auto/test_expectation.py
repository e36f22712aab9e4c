import numpy as np
import pytest

from ldslearn.auto.candidates import QUICK_RULES, Encoding
from ldslearn.auto.expectation import expected_accuracy
from ldslearn.auto.trials import Trial


def make_trial(right):
    """A candidate that is right here and there, and sure of itself."""
    right = np.atleast_2d(np.asarray(right, dtype=bool))
    return Trial(Encoding(2, 1), QUICK_RULES[0], right, np.where(right, 0.1, 2.0), 1.0)


def make_source(seed=0):
    return np.random.RandomState(seed)


def test_one_candidate_is_its_own_accuracy():
    right = np.arange(50) < 40
    accuracy, error = expected_accuracy([make_trial(right)], None, make_source())
    assert accuracy == pytest.approx(0.8, abs=0.01)
    share = (0.8 * 50 + 1) / 52
    assert error == pytest.approx(np.sqrt(share * (1 - share) / 50), rel=0.05)


def test_nothing_wrong_leaves_some_doubt():
    accuracy, error = expected_accuracy([make_trial(np.ones(20))], None, make_source())
    assert accuracy == 1.0
    assert 0.03 < error < 0.1


def test_the_best_of_many_guesses_is_a_guess():
    random = np.random.default_rng(0)
    found, best = [], []
    for seed in range(10):
        guesses = random.random((300, 40)) < 0.5
        found.append(
            expected_accuracy([make_trial(g) for g in guesses], None, make_source(seed))[0]
        )
        best.append(guesses.mean(axis=1).max())
    assert np.mean(best) > 0.7  # what the folds would promise
    assert np.mean(found) == pytest.approx(0.5, abs=0.03)


def test_a_truly_better_candidate_keeps_its_accuracy():
    random = np.random.default_rng(1)
    guesses = [make_trial(random.random(200) < 0.5) for _ in range(50)]
    good = make_trial(random.random(200) < 0.9)
    accuracy, _ = expected_accuracy([*guesses, good], None, make_source())
    assert accuracy == pytest.approx(good.accuracy, abs=0.01)


def test_groups_that_are_right_together_make_it_less_sure():
    groups = np.repeat(np.arange(10), 10)
    right = groups % 2 == 0
    _, alone = expected_accuracy([make_trial(right)], None, make_source())
    accuracy, together = expected_accuracy([make_trial(right)], groups, make_source())
    assert accuracy == pytest.approx(0.5, abs=0.05)
    # As of ten sequences instead of a hundred.
    assert together == pytest.approx(np.sqrt(0.25 / 10), rel=0.01)
    assert together > 3 * alone


def test_repeats_are_averaged():
    right = np.array([np.ones(30), np.zeros(30)])
    accuracy, _ = expected_accuracy([make_trial(right)], None, make_source())
    assert accuracy == pytest.approx(0.5)


def test_the_same_seed_gives_the_same_number():
    random = np.random.default_rng(2)
    trials = [make_trial(random.random(30) < 0.6) for _ in range(20)]
    assert expected_accuracy(trials, None, make_source(3)) == expected_accuracy(
        trials, None, make_source(3)
    )
