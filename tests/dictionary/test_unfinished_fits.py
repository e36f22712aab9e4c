"""A fit that is interrupted or refused: what was learned is kept, and what was fitted before."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ldslearn import DictionaryClassifier, LDSDictionary, LDSKMeans
from ldslearn.dictionary import algorithm, restarts


def interrupt(*args):
    raise KeyboardInterrupt


def test_an_interrupt_keeps_what_was_learned(motions, monkeypatch):
    X = motions[0]
    calls = []
    original = algorithm.Group.improve_atoms

    def interrupt_later(self, update):
        calls.append(1)
        if len(calls) > 6:
            raise KeyboardInterrupt
        original(self, update)

    monkeypatch.setattr(algorithm.Group, "improve_atoms", interrupt_later)
    dictionary = LDSDictionary(5, random_state=0, tol=0.0)
    with pytest.raises(KeyboardInterrupt):
        dictionary.fit(X)
    assert dictionary.stopped_ == "by an interrupt"
    assert dictionary.n_iter_ >= 2
    assert dictionary.transform(X).shape == (40, 10)


@pytest.mark.parametrize(
    "model",
    [
        LDSDictionary(5, random_state=0, max_iter=2),
        LDSKMeans(4, parts="symmetric", random_state=0),
        DictionaryClassifier(LDSDictionary(5, random_state=0, max_iter=2)),
        DictionaryClassifier(LDSDictionary(2, random_state=0, max_iter=2), per_class=True),
    ],
    ids=["dictionary", "kmeans", "classifier", "per class"],
)
def test_an_interrupt_before_anything_is_learned(model, motions, monkeypatch):
    X, y, Z, _ = motions
    answer = "predict" if hasattr(model, "predict") else "transform"
    with monkeypatch.context() as patch:
        patch.setattr(restarts, "run_kmeans", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    with pytest.raises(NotFittedError):
        getattr(model, answer)(Z)
    expected = getattr(model.fit(X, y), answer)(Z)
    parts = {"parts": "skew"}
    if not isinstance(model, LDSKMeans | LDSDictionary):
        parts = {"dictionary__parts": "skew"}
    with monkeypatch.context() as patch:
        patch.setattr(restarts, "run_kmeans", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(**parts).fit(X[::2], y[::2])
    np.testing.assert_array_equal(getattr(model, answer)(Z), expected)


def test_a_refused_fit_leaves_the_one_before(motions):
    X, y, Z, _ = motions
    dictionary = LDSDictionary(5, mix=0.9, random_state=0, max_iter=2).fit(X)
    codes, steps = dictionary.transform(Z), dictionary.half_steps_
    with pytest.raises(ValueError, match="init must be"):
        dictionary.set_params(mix=0.1, init="best").fit(X)
    np.testing.assert_array_equal(dictionary.transform(Z), codes)
    assert dictionary.half_steps_ is steps
    model = DictionaryClassifier(LDSDictionary(5, random_state=0, max_iter=2)).fit(X, y)
    labels = model.predict(Z)
    with pytest.raises(ValueError, match="n_atoms must be at most the number of systems, 20"):
        model.set_params(dictionary__n_atoms=30).fit(X[:20], y[:20])
    np.testing.assert_array_equal(model.predict(Z), labels)


def test_an_interrupted_classifier_keeps_its_atoms_and_does_not_answer(motions, monkeypatch):
    X, y, Z, _ = motions
    model = DictionaryClassifier(LDSDictionary(5, random_state=0, max_iter=2)).fit(X, y)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(algorithm.Group, "improve_atoms", interrupt)
        model.fit(X[::2], y[::2])
    assert model.dictionary_.stopped_ == "by an interrupt"
    assert model.dictionary_.transform(Z).shape == (40, 10)
    with pytest.raises(NotFittedError):
        model.predict(Z)
