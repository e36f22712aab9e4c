import numpy as np
import pytest
from sklearn.svm import SVC

from ldslearn import LDSSVC
from ldslearn.geometry import projection_kernel

from support.makers import contractions


@pytest.fixture
def systems():
    X, Z = contractions(20, 8, 3, seed=1), contractions(6, 8, 3, seed=2)
    return X, np.arange(20) % 2, Z


def test_it_is_an_svm_on_the_kernel_matrix(systems):
    X, y, Z = systems
    ours = LDSSVC(C=3.0).fit(X, y)
    plain = SVC(kernel="precomputed", C=3.0).fit(projection_kernel(X), y)
    cross = projection_kernel(Z, X)
    np.testing.assert_array_equal(ours.predict(Z), plain.predict(cross))
    np.testing.assert_allclose(ours.decision_function(Z), plain.decision_function(cross))
    assert ours.C_ == 3.0


def test_c_is_chosen_on_folds_of_the_training_set(systems):
    """A task whose answer depends on C: noise in the labels of well separated systems."""
    X, _, _ = systems
    X = X[np.repeat(np.arange(2), 10)]
    y = np.repeat([0, 1], 10)
    y[[0, 10]] = [1, 0]
    model = LDSSVC(C="cv").fit(X, y)
    assert sorted(model.cv_scores_) == [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0]
    best = max(model.cv_scores_.values())
    assert min(C for C, score in model.cv_scores_.items() if score > best - 1e-9) == model.C_
    assert model.svc_.C == model.C_


def test_the_seed_decides_the_folds(systems):
    X, y, _ = systems
    scores = [LDSSVC(C="cv", random_state=seed).fit(X, y).cv_scores_ for seed in (0, 0, 1, 2)]
    assert scores[0] == scores[1]
    assert max(abs(scores[0][C] - scores[k][C]) for C in scores[0] for k in (2, 3)) > 0.01


def test_scarce_classes_count_more_when_balanced(systems):
    X, _, Z = systems
    y = np.array([0] * 18 + [1] * 2)
    plain, balanced = LDSSVC(C=0.1), LDSSVC(C=0.1, class_weight="balanced")
    assert (
        balanced.fit(X, y).decision_function(Z).mean() > plain.fit(X, y).decision_function(Z).mean()
    )


def test_a_fit_that_fails_leaves_the_svm_of_the_one_before(systems):
    X, y, Z = systems
    model = LDSSVC(C="cv", random_state=0).fit(X, y)
    before = model.decision_function(Z)
    with pytest.raises(ValueError, match="class"):
        model.set_params(class_weight={"no such": 2}).fit(X[::-1], 1 - y)
    np.testing.assert_array_equal(model.decision_function(Z), before)
    assert hasattr(model, "cv_scores_")
    assert not hasattr(model.set_params(C=1.0, class_weight=None).fit(X, y), "cv_scores_")


def test_bad_parameters(systems):
    X, y, _ = systems
    with pytest.raises(ValueError, match="C must be positive or 'cv'; got 0"):
        LDSSVC(C=0).fit(X, y)
    with pytest.raises(ValueError, match="C must be positive or 'cv'; got 'best'"):
        LDSSVC(C="best").fit(X, y)
    with pytest.raises(ValueError, match=r"at least 2 systems of every class .*; got 1 of 7"):
        LDSSVC(C="cv").fit(X, [7] + [1, 2] * 9 + [1])
