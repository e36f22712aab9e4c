import numpy as np
import pytest
from sklearn.svm import SVC

from ldslearn.auto.support_vectors import fit_pairs, score_held_out_pairs
from ldslearn.classify.class_scores import couple_pairs


def make_problem(n_classes, seed=0):
    random = np.random.default_rng(seed)
    labels = np.sort(random.integers(0, n_classes, 12 * n_classes))
    X = random.normal(size=(len(labels), 4)) + 1.5 * np.eye(n_classes, 4)[labels]
    return X, labels, random


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_are_those_of_scikit_learn(n_classes):
    X, labels, random = make_problem(n_classes)
    weights, intercepts = fit_pairs(X @ X.T, labels, 1.0)
    new = random.normal(size=(7, 4))
    svc = SVC(kernel="precomputed", C=1.0, decision_function_shape="ovo").fit(X @ X.T, labels)
    expected = svc.decision_function(new @ X.T).reshape(7, -1)
    found = new @ X.T @ weights + intercepts
    np.testing.assert_allclose(found, -expected if n_classes == 2 else expected, atol=1e-9)
    votes = svc.predict(new @ X.T)
    agree = couple_pairs(found, n_classes).argmax(axis=1) == votes
    assert agree.mean() > 0.8


def test_a_score_is_the_mean_log_probability_of_winning_a_pair():
    decisions = np.array([[0.5, -0.2, 0.1]])  # of the pairs (0, 1), (0, 2), (1, 2)
    won = 1 / (1 + np.exp(-6 * np.array([[0.5, -0.2], [-0.5, 0.1], [0.2, -0.1]])))
    np.testing.assert_allclose(couple_pairs(decisions, 3), np.log(won).mean(axis=1)[None])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_held_out_scores_are_those_of_machines_without_the_fold(n_classes):
    X, labels, random = make_problem(n_classes)
    fold = random.integers(-1, 3, len(labels)).astype(float)
    found = score_held_out_pairs(X @ X.T, labels, fold, 2.0)
    assert np.isneginf(found[fold < 0]).all()
    for number in range(3):
        train, test = fold != number, fold == number
        weights, intercepts = fit_pairs(X[train] @ X[train].T, labels[train], 2.0)
        decisions = X[test] @ X[train].T @ weights + intercepts
        np.testing.assert_allclose(found[test], couple_pairs(decisions, n_classes), atol=1e-7)


def test_classes_that_a_fold_leaves_out_are_impossible():
    X, labels, _ = make_problem(3)
    fold = np.where(labels == 2, 0.0, 1.0)
    found = score_held_out_pairs(X @ X.T, labels, fold, 1.0)
    assert np.isneginf(found[labels == 2, 2]).all()
    assert np.isfinite(found[labels == 2][:, :2]).all()
    assert (found[labels < 2][:, 2] == 0).all()  # the one class that is left
