import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from ldslearn import DictionaryClassifier, FiniteDictionary, LDSDictionary, LDSEncoder
from ldslearn.datasets import load_basic_motions

from support.contract import check_estimator_on_systems


@pytest.fixture(scope="module")
def motions():
    X_train, y_train, X_test, y_test = load_basic_motions()
    encoder = LDSEncoder(6)
    return encoder.fit_transform(X_train), y_train, encoder.transform(X_test), y_test


@pytest.mark.parametrize(
    "classifier",
    [
        DictionaryClassifier(LDSDictionary(8, mix=0.8, random_state=0)),
        DictionaryClassifier(FiniteDictionary(8, order=3, random_state=0)),
        DictionaryClassifier(LDSDictionary(24, random_state=0)),
        DictionaryClassifier(LDSDictionary(3, random_state=0), per_class=True),
        DictionaryClassifier(LDSDictionary(8, random_state=0), KNeighborsClassifier(1)),
    ],
    ids=["covariance", "finite", "more features than samples", "per class", "neighbours"],
)
def test_contract_and_score(classifier, motions):
    X, y, Z, z = motions
    check_estimator_on_systems(classifier, X, y, Z)
    assert classifier.fit(X, y).score(Z, z) >= 0.7


def test_learned_atoms_beat_drawn_ones(motions):
    X, y, Z, z = motions
    scores = {
        max_iter: np.mean([
            DictionaryClassifier(
                LDSDictionary(4, init="random", random_state=seed, max_iter=max_iter)
            ).fit(X, y).score(Z, z)
            for seed in range(5)
        ])
        for max_iter in (0, 20)
    }  # fmt: skip
    assert scores[20] > scores[0] + 0.05


def test_atoms_a_class_stand_side_by_side(motions):
    X, y, _, _ = motions
    few = np.concatenate([np.flatnonzero(y != "Running"), np.flatnonzero(y == "Running")[:2]])
    model = DictionaryClassifier(LDSDictionary(3, random_state=0), per_class=True)
    model.fit(X[few], y[few])
    assert [len(d.atoms_) for d in model.dictionaries_] == [3, 2, 3, 3]
    assert len(model.dictionary_.atoms_) == 11
    assert model.dictionary_.transform(X).shape == (40, 22)
    with pytest.raises(ValueError, match="per_class must be True or False; got 'yes'"):
        DictionaryClassifier(LDSDictionary(3), per_class="yes").fit(X, y)
    with pytest.raises(ValueError, match="dictionary must be an LDSDictionary or a FiniteDicti"):
        DictionaryClassifier("lds").fit(X, y)
    given = LDSDictionary(2, init=X[:2])
    for wrong in ("a", 7.5):
        with pytest.raises(ValueError, match="n_atoms must be an integer of at least 1"):
            DictionaryClassifier(LDSDictionary(wrong), per_class=True).fit(X, y)
    assert not hasattr(model.set_params(per_class=False).fit(X, y), "dictionaries_")
    with pytest.raises(ValueError, match="init='kmeans' or 'random' with per_class=True"):
        DictionaryClassifier(given, per_class=True).fit(X, y)


def test_the_number_of_atoms_can_be_searched_for(motions):
    X, y, _, _ = motions
    model = DictionaryClassifier(LDSDictionary(random_state=0, max_iter=3))
    search = GridSearchCV(model, {"dictionary__n_atoms": [1, 6]}, cv=3).fit(X, y)
    assert search.best_params_ == {"dictionary__n_atoms": 6}
