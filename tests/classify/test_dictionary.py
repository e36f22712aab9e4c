import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from ldslearn import DictionaryClassifier, FiniteDictionary, LDSDictionary, LDSEncoder
from ldslearn.datasets import load_basic_motions, make_lds_sequences
from ldslearn.geometry import skew_kernel, symmetric_kernel

from support.contract import check_estimator_on_systems
from support.makers import contractions
from support.oracles import class_residuals


@pytest.fixture(scope="module")
def motions():
    X_train, y_train, X_test, y_test = load_basic_motions()
    encoder = LDSEncoder(6)
    return encoder.fit_transform(X_train), y_train, encoder.transform(X_test), y_test


QUICK = {"max_iter": 4, "random_state": 0}


@pytest.mark.parametrize(
    "classifier",
    [
        DictionaryClassifier(LDSDictionary(8, mix=0.8, **QUICK)),
        DictionaryClassifier(FiniteDictionary(8, order=3, **QUICK)),
        DictionaryClassifier(LDSDictionary(24, **QUICK)),
        DictionaryClassifier(LDSDictionary(3, **QUICK), per_class=True),
        DictionaryClassifier(LDSDictionary(8, **QUICK), KNeighborsClassifier(1)),
        DictionaryClassifier(LDSDictionary(3, **QUICK), "residual", per_class=True),
    ],
    ids=["covariance", "finite", "more features than samples", "per class", "neighbours", "src"],
)
def test_contract_and_score(classifier, motions):
    X, y, Z, z = motions
    check_estimator_on_systems(classifier, X, y, Z)
    assert classifier.fit(X, y).score(Z, z) >= 0.7


def test_learned_atoms_beat_random_ones(motions):
    X, y, Z, z = motions
    scores = {
        max_iter: np.mean([
            DictionaryClassifier(
                LDSDictionary(4, init="random", random_state=seed, max_iter=max_iter)
            ).fit(X, y).score(Z, z)
            for seed in range(10)
        ])
        for max_iter in (0, 20)
    }  # fmt: skip
    assert scores[20] > scores[0] + 0.03


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


def test_residuals_with_explicit_projectors():
    """Eq. (13): with order 1 the embedding of a system is C C', small enough to write down."""
    X, Z = contractions(12, 6, 2, seed=1), contractions(5, 6, 2, seed=2)
    y = np.array(["a", "b", "c"] * 4)
    dictionary = FiniteDictionary(2, order=1, sparsity=0.2, random_state=0)
    model = DictionaryClassifier(dictionary, "residual", per_class=True).fit(X, y)
    assert model.atom_classes_.tolist() == [0, 0, 1, 1, 2, 2]
    codes, residuals = model.dictionary_.transform(Z), model.residuals_for(Z)
    rows = model.dictionary_.atoms_.terms[0]["finite"].rows
    atoms, embedded = rows.transpose(0, 2, 1) @ rows, Z.C @ Z.C.transpose(0, 2, 1)
    for i in range(5):
        for c in range(3):
            own = np.flatnonzero(model.atom_classes_ == c)
            rebuilt = sum(codes[i, j] * atoms[j] for j in own)
            error = np.linalg.norm(embedded[i] - rebuilt) ** 2
            assert residuals[i, c] == pytest.approx(error, rel=1e-9)
    np.testing.assert_array_equal(model.predict(Z), np.array(list("abc"))[residuals.argmin(axis=1)])
    np.testing.assert_allclose(model.decision_function(Z), -residuals, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(Z).sum(axis=1), 1.0)


def test_residuals_of_both_parts_add_up(motions):
    X, y, Z, z = motions
    dictionary = LDSDictionary(3, random_state=0)
    model = DictionaryClassifier(dictionary, "residual", per_class=True).fit(X, y)
    atoms, codes, J = model.dictionary_.atoms_.systems(), model.dictionary_.transform(Z), 12
    expected = sum(
        class_residuals(
            kernel(atoms[part]), kernel(Z, atoms[part]), kernel(Z).diagonal(), codes[:, part],
            model.atom_classes_,
        )
        for kernel, part in ((symmetric_kernel, slice(0, J)), (skew_kernel, slice(J, 2 * J)))
    )  # fmt: skip
    np.testing.assert_allclose(model.residuals_for(Z), expected, rtol=1e-7, atol=1e-7)
    assert model.score(Z, z) >= 0.8


def test_codes_of_zeros_are_labelled_by_the_nearest_atom(motions):
    X, y, Z, _ = motions
    dictionary = LDSDictionary(3, random_state=0)
    model = DictionaryClassifier(dictionary, "residual", per_class=True).fit(X, y)
    model.dictionary_.sparsity = 100.0
    atoms = model.dictionary_.atoms_.systems()
    similar = np.maximum(symmetric_kernel(Z, atoms[:12]), skew_kernel(Z, atoms[12:]))
    nearest = model.classes_[model.atom_classes_[similar.argmax(axis=1)]]
    with pytest.warns(UserWarning, match="is zero with sparsity=100"):
        np.testing.assert_array_equal(model.predict(Z), nearest)
    with pytest.warns(UserWarning, match="is zero with sparsity=100"):
        scores = model.decision_function(Z)
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], nearest)


def test_residuals_need_labelled_atoms(motions):
    X, y, _, _ = motions
    with pytest.raises(ValueError, match="per_class must be True for classifier='residual'"):
        DictionaryClassifier(LDSDictionary(3), "residual").fit(X, y)
    model = DictionaryClassifier(LDSDictionary(3, random_state=0), "residual", per_class=True)
    with pytest.raises(ValueError, match="sample_weight must be None for classifier='residual'"):
        model.fit(X, y, sample_weight=np.ones(len(y)))
    assert not hasattr(DictionaryClassifier(LDSDictionary(3)), "residuals_for")


@pytest.mark.parametrize("options", [{}, {"classifier": "residual", "per_class": True}])
def test_mix_is_chosen_by_folds(options):
    X, y = make_lds_sequences(2, 12, n_channels=4, jitter=2.5, noise=1.0, random_state=0)[:2]
    X = LDSEncoder(3).fit_transform(X)
    dictionary = LDSDictionary(2, mix="cv", random_state=0, max_iter=1)
    model = DictionaryClassifier(dictionary, **options).fit(X, y)
    assert set(model.mix_scores_) == {0.2, 0.4, 0.6, 0.8, 1.0}
    best = max(model.mix_scores_.values())
    assert model.mix_ == max(m for m, share in model.mix_scores_.items() if share == best)
    assert model.dictionary_.mix == model.mix_
    assert model.dictionary.mix == "cv"
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(y, y))
    for mix in (0.2, 1.0):
        one = DictionaryClassifier(clone(dictionary).set_params(mix=mix), **options)
        hits = [one.fit(X[a], y[a]).predict(X[b]) == y[b] for a, b in folds]
        assert model.mix_scores_[mix] == np.concatenate(hits).mean()
    fixed = LDSDictionary(2, mix=model.mix_, random_state=0, max_iter=1)
    same = DictionaryClassifier(fixed, **options).fit(X, y)
    np.testing.assert_array_equal(same.predict(X), model.predict(X))
    assert not hasattr(same, "mix_")


def test_mix_needs_labels_and_two_systems_of_a_class(motions):
    X = motions[0]
    with pytest.raises(ValueError, match="mix must be a number .* DictionaryClassifier chooses it"):
        LDSDictionary(2, mix="cv").fit(X)
    lone = np.array(["a"] * 39 + ["b"])
    model = DictionaryClassifier(LDSDictionary(2, mix="cv"))
    with pytest.raises(ValueError, match="at least 2 systems of every class for mix='cv'; got 1"):
        model.fit(X, lone)
