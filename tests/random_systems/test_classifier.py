import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score

from ldslearn import RandomSystemsClassifier
from ldslearn.classify.calibration import fit_factor
from ldslearn.classify.ridge_path import RidgePath
from ldslearn.datasets import load_basic_motions
from ldslearn.random_systems.regression import fit_ridge
from ldslearn.sequences import make_lds_sequences

NAMES = np.array(["wave", "drift", "pulse"])


@pytest.fixture(scope="module")
def data():
    X, y = make_lds_sequences(3, 12, n_channels=4, n_timepoints=60, random_state=0)[:2]
    train = np.arange(len(y)) % 3 > 0
    pick = lambda rows: ([X[i] for i in np.flatnonzero(rows)], NAMES[y[rows]])  # noqa: E731
    return (*pick(train), *pick(~train))


def make_model(**options):
    return RandomSystemsClassifier(**{"n_systems": 100, "random_state": 0, **options})


@pytest.fixture(scope="module")
def fitted(data):
    return make_model().fit(data[0], data[1])


METHODS = ("predict", "predict_proba", "decision_function")


def answer(model, X):
    return [getattr(model, method)(X) for method in METHODS]


def assert_same(first, second):
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, two)


def test_contract(data):
    X, y, Z, z = data
    model, before = make_model(), [x.copy() for x in X]
    assert is_classifier(model)
    with pytest.raises(NotFittedError):
        model.predict(Z)
    assert model.fit(X, y) is model
    for old, new in zip(before, X, strict=True):
        np.testing.assert_array_equal(old, new)
    assert model.score(Z, z) > 0.7
    assert model.classes_.tolist() == ["drift", "pulse", "wave"]
    assert model.n_channels_in_ == 4
    answers = answer(model, Z)
    assert_same(answers, answer(clone(model).fit(X, y), Z))  # seeds
    assert_same(answers, answer(model.fit(X, y), Z))  # no memory of an earlier fit
    assert_same(answers, answer(make_model(n_jobs=2).fit(X, y), Z))
    assert_same(answers, answer(pickle.loads(pickle.dumps(model)), Z))
    assert_same(answers, answer(model.fit(X, list(y)), Z))
    np.testing.assert_allclose(
        np.concatenate([model.decision_function([x]) for x in Z]), answers[2], atol=1e-12
    )
    labels, probabilities = model.predict_with_proba(Z)
    assert_same(answers[:2], [labels, probabilities])


def test_searches(data):
    X, y, _, _ = data
    search = GridSearchCV(make_model(), {"n_systems": [5, 50]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.6
    scores = cross_val_score(make_model(), X, y, cv=3, n_jobs=2)
    np.testing.assert_allclose(scores, cross_val_score(make_model(), X, y, cv=3))


def test_basic_motions():
    X_train, y_train, X_test, y_test = load_basic_motions()
    assert RandomSystemsClassifier(random_state=0).fit(X_train, y_train).score(X_test, y_test) == 1


@pytest.mark.parametrize("n_systems", [2, 40], ids=["more examples", "more features"])
def test_scores_are_those_of_ridge_regression(n_systems, data):
    X, y, Z, _ = data
    model = make_model(n_systems=n_systems).fit(X, y)
    features, new = model.transformer_.transform(X), model.transformer_.transform(Z)
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale == 0] = 1
    targets = np.where(y[:, None] == model.classes_, 1.0, -1.0)
    ridge = Ridge(model.penalty_).fit((features - mean) / scale, targets)
    np.testing.assert_allclose(
        model.decision_function(Z), ridge.predict((new - mean) / scale), atol=1e-8
    )
    for i in (0, 7, 23):
        rows = np.arange(len(X)) != i
        Z_train = (features - mean) / scale
        expected = Ridge(model.penalty_).fit(Z_train[rows], targets[rows]).predict(Z_train[[i]])
        np.testing.assert_allclose(model.left_out_scores_[[i]], expected, atol=1e-7)


def test_the_penalty_is_the_best_of_the_grid_and_capped():
    random = np.random.default_rng(0)
    features, labels = random.normal(size=(40, 30)), np.arange(40) % 2
    noise = fit_ridge(features, labels)
    assert noise.penalty == pytest.approx(0.3 * 30)  # more would be better still
    features[:, 0] = 6 * labels + random.normal(size=40)
    features[:, 1:] *= random.uniform(size=29) < 0.2
    clear = fit_ridge(features, labels)
    assert clear.penalty < 0.3 * 30
    targets = np.where(labels[:, None] == [0, 1], 1.0, -1.0)
    Z = (features - clear.mean) / clear.scale
    path = RidgePath.decompose_features(Z)
    found = np.square(clear.left_out - targets).mean()
    for factor in (0.1, 10.0):
        other = path.predict_left_out(targets, factor * clear.penalty)
        assert np.square(other - targets).mean() >= found


def test_shuffled_labels_are_guessed_by_chance():
    """Left-out scores are honest: without a relation, they find none."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(120, 2, 20)), random.permutation(np.arange(120) % 3)
    model = make_model(n_systems=50).fit(X, y)
    accuracy = (model.classes_[model.left_out_scores_.argmax(axis=1)] == y).mean()
    assert 0.2 < accuracy < 0.47
    assert model.predict_proba(X).max() < 1
    assert model.score(X, y) > 0.6  # of training sequences, which are no measure


def test_probabilities_are_calibrated(data, fitted):
    _, y, Z, _ = data
    probabilities = fitted.predict_proba(Z)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(Z))
    labels = np.searchsorted(fitted.classes_, y)
    assert fitted._factor == fit_factor(fitted.left_out_scores_, labels)


def test_two_classes(data):
    X, y, Z, _ = data
    model = make_model().fit(X, y == "wave")
    scores = model.decision_function(Z)
    assert scores.shape == (len(Z),)
    np.testing.assert_array_equal(model.predict(Z), scores > 0)
    assert model.predict(Z).dtype == bool


@pytest.mark.parametrize("n_timepoints", [1, 2, 30])
def test_classes_with_one_sequence(n_timepoints):
    offsets = 10 * np.arange(3)[:, None, None]
    X = np.random.default_rng(0).normal(size=(3, 2, n_timepoints)) + offsets
    model = make_model().fit(X, ["a", "b", "c"])
    assert model.predict(X).tolist() == ["a", "b", "c"]
    assert np.isfinite(model.predict_proba(X)).all()


def test_constant_and_equal_sequences():
    model = make_model().fit(np.zeros((4, 2, 9)), [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba(np.ones((2, 2, 5))), 0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: np.full(24, "a"), "y must hold at least two classes; got only 'a'"),
        (lambda y: y[:-1], "y must hold one label per sequence; got 23 labels for 24 sequences"),
        (lambda y: np.arange(24) + 0.5, "y must hold class labels.*; got continuous values such"),
    ],
)
def test_wrong_labels(change, message, data):
    with pytest.raises(ValueError, match=message):
        make_model().fit(data[0], change(data[1]))


def test_wrong_sequences(data, fitted):
    X, y, Z, _ = data
    with pytest.raises(ValueError, match="X must have 4 channels, as the model .*; got 3"):
        fitted.predict([x[:3] for x in Z])
    bad = [x.copy() for x in X]
    bad[3][0, 1] = np.inf
    with pytest.raises(ValueError, match="sequence 3 must be finite; got 0 NaN and 1 infinite"):
        make_model().fit(bad, y)
