import numpy as np
import pytest

from ldslearn.auto.candidates import QUICK_RULES, Encoding
from ldslearn.auto.expectation import (
    correct_optimism,
    expected_accuracy,
    measure_optimism,
    measure_spread,
)
from ldslearn.auto.fold_assignment import shuffle_within_folds
from ldslearn.auto.trials import Trial


def make_trial(right, source=Encoding(2, 1)):  # noqa: B008
    """A candidate that is right here and there, and sure of itself."""
    right = np.atleast_2d(np.asarray(right, dtype=bool))
    own = np.where(right, 0.9, 0.1)
    logs = np.log(np.stack([own, 1 - own], axis=2))
    return Trial(source, QUICK_RULES[0], logs, np.zeros(right.shape[1], dtype=int), 1.0)


def make_source(seed=0):
    return np.random.RandomState(seed)


def test_one_candidate_is_its_own_accuracy():
    right = np.arange(50) < 40
    accuracy, error = expected_accuracy([make_trial(right)], 1, None, make_source())
    assert accuracy == pytest.approx(0.8, abs=0.01)
    share = (0.8 * 50 + 1) / 52
    assert error == pytest.approx(np.sqrt(share * (1 - share) / 50), rel=0.05)


def test_nothing_wrong_leaves_some_doubt():
    accuracy, error = expected_accuracy([make_trial(np.ones(20))], 1, None, make_source())
    assert accuracy == 1.0
    assert 0.03 < error < 0.1


def test_the_best_of_many_guesses_is_a_guess():
    random = np.random.default_rng(0)
    found, best = [], []
    for seed in range(10):
        guesses = random.random((300, 40)) < 0.5
        found.append(
            expected_accuracy([make_trial(g) for g in guesses], 1, None, make_source(seed))[0]
        )
        best.append(guesses.mean(axis=1).max())
    assert np.mean(best) > 0.7  # what the folds would promise
    assert np.mean(found) == pytest.approx(0.5, abs=0.03)


def test_a_truly_better_candidate_keeps_its_accuracy():
    random = np.random.default_rng(1)
    guesses = [make_trial(random.random(200) < 0.5) for _ in range(50)]
    good = make_trial(random.random(200) < 0.9)
    accuracy, _ = expected_accuracy([*guesses, good], 1, None, make_source())
    assert accuracy == pytest.approx(good.accuracy, abs=0.01)


def test_groups_that_are_right_together_make_it_less_sure():
    groups = np.repeat(np.arange(10), 10)
    right = groups % 2 == 0
    _, alone = expected_accuracy([make_trial(right)], 1, None, make_source())
    accuracy, together = expected_accuracy([make_trial(right)], 1, groups, make_source())
    assert accuracy == pytest.approx(0.5, abs=0.05)
    # As of ten sequences instead of a hundred, with the quantile of Student's t distribution.
    assert together == pytest.approx(np.sqrt(0.25 / 9) * 2.262 / 1.96, rel=0.01)
    assert together > 3 * alone


def test_the_spread_of_a_mean():
    values = np.random.default_rng(0).exponential(size=400)
    alone = measure_spread(values, np.arange(400))
    assert alone == pytest.approx(values.std(ddof=1) / 20, rel=0.01)
    copies = measure_spread(np.repeat(values, 3), np.repeat(np.arange(400), 3))
    assert copies == pytest.approx(alone)


def test_repeats_are_averaged():
    right = np.array([np.ones(30), np.zeros(30)])
    accuracy, _ = expected_accuracy([make_trial(right)], 1, None, make_source())
    assert accuracy == pytest.approx(0.5)


def test_the_same_seed_gives_the_same_number():
    random = np.random.default_rng(2)
    trials = [make_trial(random.random(30) < 0.6) for _ in range(20)]
    assert expected_accuracy(trials, 3, None, make_source(3)) == expected_accuracy(
        trials, 3, None, make_source(3)
    )


def test_optimism_is_what_shuffled_labels_are_expected_to_give_beyond_chance():
    random = np.random.default_rng(4)
    # Candidates that are right on the same sequences, as those that fit labels by chance are.
    pattern = random.random(40) < 0.7
    lucky = [make_trial(pattern ^ (random.random(40) < 0.02)) for _ in range(5)]
    guesses = [make_trial(random.random(40) < 0.5) for _ in range(5)]
    optimism, chance = measure_optimism([lucky + guesses] * 2, 5, None, make_source())
    assert chance == pytest.approx(np.mean([one.accuracy for one in lucky + guesses]))
    assert optimism > 0.05
    assert correct_optimism(chance + optimism, optimism, chance) < chance + 0.5 * optimism
    assert correct_optimism(chance, optimism, chance) == chance - optimism
    assert correct_optimism(1.0, optimism, chance) == 1.0


def test_shuffled_labels_keep_the_classes_of_every_fold():
    labels, fold = np.repeat([0, 1, 2], [6, 6, 3]), np.arange(15) % 4.0
    fold[-1] = -1
    shuffled = shuffle_within_folds(labels, fold, 5, make_source())
    assert not (shuffled == labels).all(axis=1).any()
    for one in shuffled:
        for number in np.unique(fold):
            np.testing.assert_array_equal(
                np.sort(one[fold == number]), np.sort(labels[fold == number])
            )
