import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from ldslearn import LDS, LDSEncoder, SparseCodingClassifier
from ldslearn.datasets import load_basic_motions
from ldslearn.geometry import fitted_kernels, projection_kernel

from support.makers import contractions


@pytest.fixture(scope="module")
def motions():
    X_train, y_train, X_test, y_test = load_basic_motions()
    encoder = LDSEncoder(10, delays=5)
    return encoder.fit_transform(X_train), y_train, encoder.transform(X_test), y_test


def test_basic_motions(motions):
    X, y, Z, z = motions
    assert SparseCodingClassifier().fit(X, y).score(Z, z) >= 0.975


def test_residuals_with_explicit_projectors():
    """Eq. (13): with order 1 the embedding of a system is C C', small enough to write down."""
    X, Z = contractions(9, 6, 2, seed=1), contractions(4, 6, 2, seed=2)
    y = np.array([0, 1, 2] * 3)
    classifier = SparseCodingClassifier("finite", kernel_params={"order": 1}, sparsity=0.2)
    residuals, codes = classifier.fit(X, y).residuals_for(Z), classifier.codes_for(Z)
    P, Q = X.C @ X.C.transpose(0, 2, 1), Z.C @ Z.C.transpose(0, 2, 1)
    for i in range(4):
        for c in range(3):
            rebuilt = sum(codes[i, j] * P[j] for j in np.flatnonzero(y == c))
            assert residuals[i, c] == pytest.approx(np.linalg.norm(Q[i] - rebuilt) ** 2, rel=1e-9)
    np.testing.assert_array_equal(classifier.predict(Z), residuals.argmin(axis=1))
    np.testing.assert_array_equal(classifier.decision_function(Z), -residuals)


def test_two_classes_have_one_score(motions):
    X, y, Z, _ = motions
    two = np.where(y == "Running", "running", "other")
    classifier = SparseCodingClassifier().fit(X, two)
    scores, residuals = classifier.decision_function(Z), classifier.residuals_for(Z)
    assert scores.shape == (40,)
    np.testing.assert_array_equal(classifier.predict(Z), classifier.classes_[(scores > 0) * 1])
    np.testing.assert_allclose(scores, residuals[:, 0] - residuals[:, 1])


def test_shares_sum_to_one_and_favour_the_prediction(motions):
    X, y, Z, _ = motions
    for sparsity in (0.01, 0.1, 3.0):
        classifier = SparseCodingClassifier(sparsity=sparsity).fit(X, y)
        shares = classifier.predict_proba(Z)
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        favoured = classifier.classes_[shares.argmax(axis=1)]
        np.testing.assert_array_equal(favoured, classifier.predict(Z))


def test_a_zero_code_goes_to_the_most_similar_system_with_a_warning(motions):
    X, y, Z, _ = motions
    classifier = SparseCodingClassifier(sparsity=100.0).fit(X, y)
    warned = r"code of system 0, 1, .* and 35 more is zero with spars"
    with pytest.warns(UserWarning, match=warned):
        residuals = classifier.residuals_for(Z)
    np.testing.assert_allclose(residuals, np.full((40, 4), 10.0), rtol=1e-9)  # k(x, x) = n
    with pytest.warns(UserWarning, match=warned):
        labels = classifier.predict(Z)
    np.testing.assert_array_equal(labels, y[projection_kernel(Z, X).argmax(axis=1)])
    with pytest.warns(UserWarning, match=warned):
        np.testing.assert_array_equal(classifier.predict_proba(Z), 0.25)
    rejecting = SparseCodingClassifier(sparsity=100.0, reject=1.0).fit(X, y)
    assert set(rejecting.predict(Z)) == {"unknown"}


def test_strangers_are_rejected(motions):
    X, y, Z, z = motions
    known, own = y != "Badminton", z != "Badminton"
    classifier = SparseCodingClassifier(reject=0.55).fit(X[known], y[known])
    labels = classifier.predict(Z)
    ratio = classifier.residuals_for(Z).min(axis=1) / 10.0
    np.testing.assert_array_equal(labels == "unknown", ratio > 0.55)
    plain = SparseCodingClassifier().fit(X[known], y[known]).predict(Z)
    accepted = labels != "unknown"
    np.testing.assert_array_equal(labels[accepted], plain[accepted])
    assert (labels[~own] == "unknown").mean() > (labels[own] == "unknown").mean()


@pytest.mark.parametrize(
    ("labels", "label", "expected"),
    [
        ([3, 5], None, -1),
        ([3.0, 5.0], None, -1.0),
        ([3, 5], 99, 99),
        (["a", "b"], "?", "?"),
        ([False, True], None, -1),
        (np.array([3, 5], dtype=np.uint8), None, -1),
    ],
)
def test_the_label_of_strangers(labels, label, expected):
    X = contractions(4, 6, 2, seed=1)
    y = np.concatenate([labels, labels])
    classifier = SparseCodingClassifier(reject=0.0, reject_label=label).fit(X, y)
    answers = classifier.predict(contractions(3, 6, 2, seed=2))
    assert answers.tolist() == [expected] * 3
    assert (answers.dtype.kind in "US") == (y.dtype.kind in "US")
    unrejected = SparseCodingClassifier(reject=1.0, reject_label=label).fit(X, y)
    assert unrejected.score(X, y) == 1.0


def test_bad_rejection():
    X = contractions(4, 6, 2, seed=1)
    with pytest.raises(ValueError, match="reject must lie between 0 and 1, or be None; got 1.5"):
        SparseCodingClassifier(reject=1.5).fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="reject_label must not be one of the classes; got -1"):
        SparseCodingClassifier(reject=0.5).fit(X, [-1, 1, -1, 1])
    for y, label in (([0, 1, 0, 1], "unknown"), (["a", "b", "a", "b"], -1)):
        with pytest.raises(
            ValueError, match="reject_label must be a number if the classes are numbers"
        ):
            SparseCodingClassifier(reject=0.5, reject_label=label).fit(X, y)


def test_queries_go_block_by_block(motions, monkeypatch):
    X, y, Z, _ = motions
    classifier = SparseCodingClassifier().fit(X, y)
    expected = classifier.residuals_for(Z)
    monkeypatch.setattr(fitted_kernels, "_BYTES_PER_ROW_BLOCK", 8 * 40 * 7)
    assert len(list(classifier.coder_.kernel_.blocks(Z))) == 6
    np.testing.assert_allclose(classifier.residuals_for(Z), expected, rtol=1e-12)


def test_a_training_set_beyond_memory_is_refused_at_once():
    n = 500_000
    A, C = np.zeros((1, 1, 1)), np.ones((1, 1, 1))
    many = LDS._from_trusted(
        A=np.broadcast_to(A, (n, 1, 1)), C=np.broadcast_to(C, (n, 1, 1)), delays=1
    )
    with pytest.raises(MemoryError, match=r"kernel matrix of 500000 systems .* takes 1862.6 GiB"):
        SparseCodingClassifier().fit(many, np.arange(n) % 2)


def test_parameters_reach_the_coder(motions):
    X, y, Z, _ = motions
    assert (SparseCodingClassifier(nonnegative=True).fit(X, y).codes_for(Z) >= 0).all()
    greedy = SparseCodingClassifier(n_nonzero=3).fit(X, y).codes_for(Z)
    assert (np.count_nonzero(greedy, axis=1) == 3).all()


def test_one_system_a_class_and_one_query():
    X = contractions(2, 6, 2, seed=1)
    classifier = SparseCodingClassifier().fit(X, ["a", "b"])
    assert classifier.predict(X).tolist() == ["a", "b"]
    assert classifier.codes_for(X[0]).shape == (1, 2)


def code_by_hand(X, y, mix, folds):
    """Share of held-out systems that the classifier with this mix labels rightly."""
    hits = 0
    for train, test in folds:
        model = SparseCodingClassifier("hybrid", kernel_params={"mix": mix}).fit(X[train], y[train])
        hits += int((model.predict(X[test]) == y[test]).sum())
    return hits / sum(len(test) for _, test in folds)


def test_mix_is_chosen_by_folds_of_the_training_systems(motions):
    X, y, Z, _ = motions
    model = SparseCodingClassifier("hybrid", kernel_params={"mix": "cv"}).fit(X, y)
    labels = np.unique(y, return_inverse=True)[1]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(labels, labels))
    expected = {mix: code_by_hand(X, y, mix, folds) for mix in (0.2, 0.4, 0.6, 0.8, 1.0)}
    assert model.mix_scores_ == expected
    best = max(expected.values())
    assert model.mix_ == max(mix for mix in expected if expected[mix] == best)
    fixed = SparseCodingClassifier("hybrid", kernel_params={"mix": model.mix_}).fit(X, y)
    np.testing.assert_array_equal(model.residuals_for(Z), fixed.residuals_for(Z))
    assert model.kernel_params == {"mix": "cv"}
    assert not hasattr(model.set_params(kernel_params={"mix": 0.5}).fit(X, y), "mix_")


def test_folds_that_choose_mix_part_no_group(motions):
    X, y, _, _ = motions
    groups = np.tile(np.arange(5), 8)
    model = SparseCodingClassifier("hybrid", kernel_params={"mix": "cv"})
    found = model.fit(X, y, groups=groups).mix_scores_
    folds = [(np.flatnonzero(groups != g), np.flatnonzero(groups == g)) for g in range(5)]
    expected = {mix: code_by_hand(X, y, mix, folds) for mix in (0.2, 0.4, 0.6, 0.8, 1.0)}
    assert found == expected
    with pytest.raises(ValueError, match="groups must have one entry for each of 40 systems"):
        model.fit(X, y, groups=groups[:3])


def test_mix_by_folds_needs_two_systems_of_every_class(motions):
    X, y, _, _ = motions
    model = SparseCodingClassifier("hybrid", kernel_params={"mix": "cv"})
    with pytest.raises(ValueError, match="at least 2 systems of every class for mix='cv'; got 1"):
        model.fit(X, ["a"] * 39 + ["b"])
    message = "the 'projection' kernel must be given no parameters; got 'mix'"
    with pytest.raises(ValueError, match=message):
        SparseCodingClassifier("projection", kernel_params={"mix": "cv"}).fit(X, y)
