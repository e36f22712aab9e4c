import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

from ldslearn import (
    LDSSVC,
    LDSEncoder,
    NearestLDSClassifier,
    SparseCoder,
    SparseCodingClassifier,
)
from ldslearn.geometry import projection_kernel
from ldslearn.sequences import make_lds_sequences

from support.contract import check_estimator_on_systems, outputs

MIXTURE = {"projection": 0.7, "covariance": 0.1, "mean": 0.2}
CLASSIFIERS = {
    "sparse": SparseCodingClassifier(),
    "sparse-martin": SparseCodingClassifier(
        "martin", kernel_params={"bandwidth": "median"}, sparsity=0.01
    ),
    "sparse-finite": SparseCodingClassifier("finite", kernel_params={"order": 3}),
    "sparse-hybrid": SparseCodingClassifier("hybrid", kernel_params={"mix": 0.8}),
    "sparse-twofold": SparseCodingClassifier("twofold"),
    "sparse-mixture": SparseCodingClassifier(MIXTURE, sparsity=0.02),
    "sparse-function": SparseCodingClassifier(projection_kernel),
    "sparse-reject": SparseCodingClassifier(reject=0.3),
    "sparse-greedy": SparseCodingClassifier(n_nonzero=3),
    "sparse-nonnegative": SparseCodingClassifier(nonnegative=True),
    "nearest": NearestLDSClassifier(),
    "nearest-three": NearestLDSClassifier("projection", n_neighbors=3),
    "svc": LDSSVC(),
    "svc-cv": LDSSVC(MIXTURE, C="cv"),
}


@pytest.fixture(scope="module")
def data():
    X, y = make_lds_sequences(3, 12, n_channels=6, n_timepoints=60, random_state=0)[:2]
    return X, np.array(["wave", "drift", "pulse"])[y]


@pytest.fixture(scope="module")
def systems(data):
    X, y = data
    batch, train = LDSEncoder(3).fit_transform(X), np.arange(len(y)) % 3 > 0
    return batch[train], y[train], batch[~train], y[~train]


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")  # Martin's
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_contract(name, systems):
    X, y, Z, z = systems
    classifier = CLASSIFIERS[name]
    check_estimator_on_systems(classifier, X, y, Z)
    assert is_classifier(classifier)
    assert classifier.fit(X, y).score(Z, z) > 0.6
    assert classifier.classes_.tolist() == ["drift", "pulse", "wave"]


def test_contract_of_the_coder(systems):
    X, y, Z, _ = systems
    check_estimator_on_systems(SparseCoder(), X, y, Z)


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")  # Martin's
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_order_of_training_systems_does_not_matter(name, systems):
    X, y, Z, _ = systems
    classifier, order = CLASSIFIERS[name], np.random.default_rng(0).permutation(len(y))
    if name == "svc-cv":
        pytest.skip("its folds depend on the order")
    expected, shuffled = (outputs(classifier.fit(X[i], y[i]), Z) for i in (slice(None), order))
    np.testing.assert_array_equal(expected["predict"], shuffled["predict"])


@pytest.mark.parametrize("name", ["sparse", "nearest", "svc", "sparse-mixture"])
def test_pipelines_and_searches(name, data):
    X, y = data
    model = make_pipeline(LDSEncoder(), CLASSIFIERS[name])
    search = GridSearchCV(model, {"ldsencoder__n_states": [2, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.7
    assert search.best_params_["ldsencoder__n_states"] in (2, 3)
    assert len(search.predict(X[:5])) == 5
    scores = cross_val_score(model.set_params(ldsencoder__n_states=3), X, y, cv=3, n_jobs=2)
    np.testing.assert_allclose(scores, cross_val_score(model, X, y, cv=3))


@pytest.mark.parametrize("name", ["sparse", "svc"])
def test_probabilities_by_calibration(name, systems):
    X, y, Z, z = systems
    calibrated = CalibratedClassifierCV(CLASSIFIERS[name], cv=3).fit(X, y)
    probabilities = calibrated.predict_proba(Z)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert calibrated.score(Z, z) > 0.7


def test_scores_out_of_fold(systems):
    X, y, _, _ = systems
    scores = cross_val_predict(SparseCodingClassifier(), X, y, cv=3, method="decision_function")
    assert scores.shape == (24, 3)


@pytest.mark.parametrize(
    "classifier", [SparseCodingClassifier(), NearestLDSClassifier(), LDSSVC()], ids=repr
)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: y[:-1], "y must hold one label per system; got 23 labels for 24 systems"),
        (lambda y: np.full(24, "a"), r"y must hold at least two classes; got only 'a'"),
        (lambda y: y[:, None], r"y must hold class labels, one per system; got shape \(24, 1\)"),
        (lambda y: np.arange(24) + 0.5, "y must hold class labels.*; got continuous values such"),
        (lambda y: np.where(y == "wave", np.nan, 1.0), "y must hold class labels.*; got NaN"),
        (lambda y: np.where(y == "wave", None, y), "y must hold class labels.*; got None at pos"),
        (lambda y: np.array([1, *y[1:]], dtype=object), "y must hold class .*; got a mix of strin"),
        (lambda y: None, r"y must hold class labels, one per system; got shape \(\)"),
    ],
)
def test_bad_labels(classifier, change, message, systems):
    X, y, _, _ = systems
    with pytest.raises(ValueError, match=message):
        classifier.fit(X, change(y))


@pytest.mark.parametrize(
    "classifier", [SparseCodingClassifier(), NearestLDSClassifier(), LDSSVC()], ids=repr
)
def test_other_systems_than_those_it_was_fitted_with(classifier, data, systems):
    X, y, _, _ = systems
    classifier.fit(X, y)
    with pytest.raises(ValueError, match="X must have n_states=3, as the model .*; got 2"):
        classifier.predict(LDSEncoder(2).fit_transform(data[0]))
    with pytest.raises(ValueError, match="X must have n_channels=6, as the model .*; got 12"):
        classifier.predict(LDSEncoder(3, delays=2).fit_transform(data[0]))
    with pytest.raises(ValueError, match="X must have delays=1, as the model .*; got 2"):
        halves = [sequence[:3] for sequence in data[0]]
        classifier.predict(LDSEncoder(3, delays=2).fit_transform(halves))
    with pytest.raises(ValueError, match="X must hold at least one system"):
        classifier.predict(X[:0])
    with pytest.raises(ValueError, match="X must hold at least one system"):
        classifier.fit(X[:0], y[:0])


@pytest.mark.parametrize("name", ["sparse", "nearest", "svc"])
def test_labels_of_every_kind(name, systems):
    """Objects, as pandas keeps strings and numbers; booleans; bytes of integers; lists."""
    X, y, Z, _ = systems
    classifier, numbers = CLASSIFIERS[name], np.unique(y, return_inverse=True)[1]
    expected = classifier.fit(X, numbers).predict(Z)
    for labels in (numbers.astype(object), numbers.astype(np.uint8), numbers.tolist()):
        np.testing.assert_array_equal(classifier.fit(X, labels).predict(Z), expected)
    strings = classifier.fit(X, y.astype(object)).predict(Z)
    np.testing.assert_array_equal(strings, classifier.fit(X, y).predict(Z))
    flags = classifier.fit(X, (y == "wave").astype(object)).predict(Z)
    assert flags.dtype == bool
