import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from ldslearn.classify.ridge_path import RidgePath


def make_problem(seed, n=17, n_features=5, n_outputs=3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, n_features)) + random.normal(size=n_features)
    return X, random.normal(size=(n, n_outputs)) + 2.0, random


@given(seed=st.integers(0, 2**32 - 1), penalty=st.floats(1e-3, 1e3))
def test_predictions_are_those_of_ridge_regression_on_features(seed, penalty):
    X, targets, random = make_problem(seed)
    weights, intercepts = RidgePath.decompose(X @ X.T).fit(targets, penalty)
    new = random.normal(size=(4, X.shape[1]))
    expected = Ridge(penalty).fit(X, targets).predict(new)
    np.testing.assert_allclose(new @ X.T @ weights + intercepts, expected, atol=1e-8)


@given(seed=st.integers(0, 2**32 - 1), penalty=st.floats(1e-2, 1e3))
def test_held_out_predictions_are_those_of_regressions_without_the_fold(seed, penalty):
    X, targets, random = make_problem(seed)
    fold = random.integers(-1, 4, len(X)).astype(float)
    found = RidgePath.decompose(X @ X.T).predict_held_out(targets, penalty, fold)
    for number in np.unique(fold):
        held = fold == number
        if number < 0:
            assert np.isnan(found[held]).all()
            continue
        model = Ridge(penalty).fit(X[~held], targets[~held])
        np.testing.assert_allclose(found[held], model.predict(X[held]), atol=1e-7)


@pytest.mark.parametrize("n_features", [1, 40])
def test_leave_one_out_with_more_and_fewer_features_than_examples(n_features):
    X, targets, _ = make_problem(0, n_features=n_features)
    found = RidgePath.decompose(X @ X.T).predict_held_out(targets, 0.1, np.arange(float(len(X))))
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        expected = Ridge(0.1).fit(X[others], targets[others]).predict(X[[i]])
        np.testing.assert_allclose(found[[i]], expected, atol=1e-8)


def test_directions_of_negative_eigenvalues_are_left_out():
    K = np.diag([3.0, 2.0, -1.0, 0.0])
    path = RidgePath.decompose(K)
    assert (path.values > 0).all()
    weights, _ = path.fit(np.eye(4), 0.1)
    assert np.isfinite(weights).all()


def test_identical_examples_predict_the_mean_of_the_others():
    targets = np.array([[1.0], [1.0], [-1.0]])
    found = RidgePath.decompose(np.ones((3, 3))).predict_held_out(targets, 1.0, np.arange(3.0))
    np.testing.assert_allclose(found, [[0.0], [0.0], [1.0]], atol=1e-12)


@pytest.mark.parametrize("n_features", [3, 40])
def test_examples_left_out_at_once(n_features):
    X, targets, _ = make_problem(0, n_features=n_features)
    Z = X - X.mean(axis=0)
    path = RidgePath.decompose_features(Z)
    expected = RidgePath.decompose(X @ X.T).predict_held_out(targets, 0.1, np.arange(17.0))
    np.testing.assert_allclose(path.predict_left_out(targets, 0.1), expected, atol=1e-8)
    weights, intercepts = path.fit(targets, 0.1)
    np.testing.assert_allclose(
        Z @ Z.T @ weights + intercepts, Ridge(0.1).fit(Z, targets).predict(Z), atol=1e-8
    )
