"""decision_function agrees with predict, and weights are what copies are."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from ldslearn import (
    LDSSVC,
    AutoLDSClassifier,
    DictionaryClassifier,
    LDSDictionary,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.geometry import projection_distance, projection_kernel

from support.estimators import LABELS, SEQUENCES, SYSTEMS

CLASSIFIERS = {
    "sparse": SparseCodingClassifier(),
    "sparse-zeros": SparseCodingClassifier(sparsity=1e3),  # the nearest atom decides
    "nearest": NearestLDSClassifier(),
    "nearest-many": NearestLDSClassifier("projection", n_neighbors=6),
    "svc": LDSSVC(C=0.01),  # votes are often equal
    "dictionary": DictionaryClassifier(LDSDictionary(3, max_iter=0, random_state=0)),
    "dictionary-logistic": DictionaryClassifier(
        LDSDictionary(3, max_iter=0, random_state=0), LogisticRegression()
    ),
    "auto": AutoLDSClassifier(1, random_state=0),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_scores_agree_with_labels(name, n_classes):
    rows = np.isin(LABELS, np.unique(LABELS)[:n_classes])
    train = np.flatnonzero(rows)[::2]
    X = SEQUENCES if name == "auto" else SYSTEMS
    known = [X[i] for i in train] if name == "auto" else X[train]
    with pytest.warns() if name == "sparse-zeros" else nullcontext():
        model = CLASSIFIERS[name].fit(known, LABELS[train])
        scores, labels = model.decision_function(X), model.predict(X)
    assert scores.shape == ((len(LABELS),) if n_classes == 2 else (len(LABELS), n_classes))
    best = (scores > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[best], labels)


def test_scores_of_one_neighbour_are_distances():
    model = NearestLDSClassifier("projection").fit(SYSTEMS[:24], LABELS[:24])
    D = projection_distance(SYSTEMS[24:], SYSTEMS[:24])
    expected = np.stack([-D[:, LABELS[:24] == c].min(axis=1) for c in model.classes_], axis=1)
    np.testing.assert_allclose(model.decision_function(SYSTEMS[24:]), expected)


@pytest.mark.parametrize("C", [0.5, 10.0])
def test_weights_of_an_svm_are_copies(C):
    two = LABELS != "wave"
    X, y = SYSTEMS[np.flatnonzero(two)], LABELS[two]
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    assert (weights == 0).any()
    copies = np.repeat(np.arange(len(y)), weights)
    weighted = LDSSVC(C=C).fit(X, y, sample_weight=weights)
    copied = LDSSVC(C=C).fit(X[copies], y[copies])
    plain = LDSSVC(C=C).fit(X, y)
    scores = [model.decision_function(X) for model in (weighted, copied, plain)]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-2)  # the solver stops at 1e-3
    assert np.abs(scores[0] - scores[2]).max() > 0.02


def test_weights_of_classes_are_weights_of_systems():
    y = np.where(LABELS == "wave", "wave", "other")
    by_class = LDSSVC(C=0.01, class_weight={"wave": 5.0, "other": 1.0}).fit(SYSTEMS, y)
    by_system = LDSSVC(C=0.01).fit(SYSTEMS, y, sample_weight=np.where(y == "wave", 5.0, 1.0))
    scores = [model.decision_function(SYSTEMS) for model in (by_class, by_system)]
    np.testing.assert_allclose(*scores, atol=1e-2)
    plain = LDSSVC(C=0.01).fit(SYSTEMS, y).decision_function(SYSTEMS)
    assert np.abs(scores[0] - plain).max() > 0.02


def test_weights_reach_the_folds_of_an_svm():
    weights = np.where(LABELS == "wave", 0.0, 1.0)
    model = LDSSVC(C="cv").fit(SYSTEMS, LABELS, sample_weight=weights)
    without = np.flatnonzero(weights)
    expected = LDSSVC(C="cv").fit(SYSTEMS[without], LABELS[without])
    assert model.cv_scores_ == expected.cv_scores_
    assert model.classes_.tolist() == ["drift", "pulse"]


def test_weights_reach_the_classifier_of_codes():
    dictionary = LDSDictionary(3, max_iter=0, random_state=0)
    weights = np.random.default_rng(0).random(len(LABELS))
    model = DictionaryClassifier(dictionary, LinearSVC(random_state=0))
    model.fit(SYSTEMS, LABELS, sample_weight=weights)
    codes = model.dictionary_.transform(SYSTEMS)
    expected = LinearSVC(random_state=0).fit(codes, LABELS, sample_weight=weights)
    np.testing.assert_array_equal(model.classifier_.coef_, expected.coef_)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"sample_weight must be one number per system, 36; got float64 of shape"),
        (np.full(36, "a"), "sample_weight must be one number per system, 36; got <U1"),
        (np.full(36, -1.0), "sample_weight must be finite, at least 0 and not all 0"),
        (np.zeros(36), "sample_weight must be finite, at least 0 and not all 0"),
        (np.full(36, np.nan), "sample_weight must be finite"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        LDSSVC().fit(SYSTEMS, LABELS, sample_weight=weights)


def test_an_svm_keeps_its_support_systems_alone():
    model = LDSSVC(C=10).fit(SYSTEMS, LABELS)
    support = np.sort(model.svc_.support_)
    assert len(support) < len(LABELS)
    assert model.kernel_.systems.C.tobytes() == SYSTEMS[support].C.tobytes()
    assert not hasattr(model.kernel_, "gram")


@pytest.mark.parametrize("seed", [3, 5, 12])
def test_equal_votes_of_svms_are_decided_by_their_scores(seed):
    y = np.random.default_rng(seed).integers(0, 4, len(LABELS))
    K = projection_kernel(SYSTEMS)
    usual = SVC(kernel="precomputed", C=1.0).fit(K, y)
    by_scores = usual.classes_[usual.decision_function(K).argmax(axis=1)]
    assert (usual.predict(K) != by_scores).any()  # or it shows nothing
    model = LDSSVC(C=1.0).fit(SYSTEMS, y)
    np.testing.assert_array_equal(model.predict(SYSTEMS), by_scores)
