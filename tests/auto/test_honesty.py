"""What a search promises where there is nothing to learn."""

import numpy as np

from ldslearn import AutoLDSClassifier
from ldslearn.auto import reporting
from ldslearn.datasets import make_lds_sequences


def fit_noise(seed):
    """Return the expected accuracy of two classes that do not differ."""
    random = np.random.default_rng(seed)
    X = [random.normal(size=(3, 20)) for _ in range(24)]
    return AutoLDSClassifier(3, random_state=seed).fit(X, np.arange(24) % 2).report_


def test_noise_is_expected_to_be_guessed(monkeypatch):
    found, uncorrected = [], []
    original = reporting.correct_optimism

    def keep(accuracy, optimism, chance):
        uncorrected.append(accuracy)
        return original(accuracy, optimism, chance)

    monkeypatch.setattr(reporting, "correct_optimism", keep)
    for seed in range(4):
        uncorrected.clear()
        report = fit_noise(seed)
        found.append((report.expected_accuracy, uncorrected[0], report.standard_error))
    expected, without, error = np.mean(found, axis=0)
    assert abs(expected - 0.5) < 1.5 * error
    assert without - expected > 0.01  # shuffled labels lower it


def test_shuffled_labels_are_expected_to_be_guessed():
    X, y = make_lds_sequences(3, 20, n_channels=5, n_timepoints=40, random_state=0)
    shuffled = np.random.default_rng(0).permutation(y)
    report = AutoLDSClassifier(4, random_state=0).fit(list(X), shuffled).report_
    for one in (vars(report), *report.alone.values()):
        assert abs(one["expected_accuracy"] - 1 / 3) < 3 * one["standard_error"]
    honest = AutoLDSClassifier(4, random_state=0).fit(list(X), y).report_
    assert honest.expected_accuracy > 1 / 3 + 3 * honest.standard_error
