import warnings

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from ldslearn.evaluate.metrics import measure_predictions, wilson_interval


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    y = random.choice(list("abcd"), 40, p=[0.7, 0.1, 0.1, 0.1])
    predicted = np.where(random.random(40) < 0.6, y, random.choice(list("abcd"), 40))
    found = measure_predictions(y, predicted)
    assert found["accuracy"] == accuracy_score(y, predicted)
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    assert found["macro_f1"] == pytest.approx(f1_score(y, predicted, average="macro"))


def test_a_class_that_is_predicted_and_not_tested_lowers_f1_without_a_warning():
    y, predicted = np.array(["a", "a", "b", "b"]), np.array(["a", "c", "b", "b"])
    found = measure_predictions(y, predicted)
    assert found == {
        "accuracy": 0.75, "balanced_accuracy": 0.75, "macro_f1": pytest.approx((2 / 3 + 1 + 0) / 3)
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert balanced_accuracy_score(y, predicted) == 0.75


@pytest.mark.parametrize(("share", "n"), [(0.0, 10), (0.5, 40), (0.95, 60), (1.0, 7)])
def test_wilson_interval(share, n):
    low, high = wilson_interval(share, n)
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):  # Wilson: where |share - p| is 1.96 standard errors under p
        if 0 < end < 1:
            assert abs(share - end) == pytest.approx(1.96 * np.sqrt(end * (1 - end) / n))
