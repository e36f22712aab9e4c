from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import ldslearn
from ldslearn import LDS, LDSEmbedding, LDSEncoder
from ldslearn.geometry import KERNELS, pairwise_kernel
from ldslearn.scale import LDSStore
from ldslearn.search.nystroem import leave_one_out_residual, whiten
from ldslearn.sequences import make_lds_sequences

from support.contract import check_estimator_on_systems
from support.makers import contractions, random_systems
from support.oracles import nystroem_kernel

MIXTURE = {"projection": 0.7, "covariance": 0.1, "mean": 0.2}
CHOICES = ["kmeans", "random"]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("kernel", ["projection", MIXTURE], ids=["projection", "mixture"])
def test_inner_products_are_the_kernel_on_the_span_of_the_landmarks(kernel, choice):
    X = random_systems(60, 5, 3)
    model = LDSEmbedding(kernel, n_landmarks=20, landmarks=choice, random_state=0).fit(X)
    vectors, parts = model.transform(X), {}
    if kernel is MIXTURE:
        parts = {"mean": {"bandwidth": model.kernel_.parts[2][2]["bandwidth"]}}
    K = pairwise_kernel(X, kernel=kernel, **parts)
    at = model.landmark_indices_
    expected = nystroem_kernel(K[:, at], K[np.ix_(at, at)], K[:, at])
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-9)
    np.testing.assert_allclose((vectors @ vectors.T)[at], K[at], atol=1e-7)  # exact at landmarks
    held_out = np.setdiff1d(np.arange(60), at)
    lost = 1 - (vectors[held_out] ** 2).sum(axis=1) / K.diagonal()[held_out]
    assert model.residual_ == pytest.approx(lost.mean(), abs=1e-9)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k not in ("martin", "binet_cauchy")])
def test_every_kernel_by_name(kernel):
    X = replace(random_systems(25, 5, 3), A=contractions(25, 5, 3).A)
    model = LDSEmbedding(kernel, n_landmarks=25, random_state=0).fit(X)
    parameters = model.kernel_.parts[0][2]
    vectors = model.transform(X)
    np.testing.assert_allclose(
        vectors @ vectors.T, pairwise_kernel(X, kernel=kernel, **parameters), atol=1e-7
    )


def test_of_an_indefinite_kernel_the_positive_part_is_used():
    X = contractions(40, 4, 3)
    model = LDSEmbedding("martin", n_landmarks=40, kernel_params={"bandwidth": 2.0}, random_state=0)
    with pytest.warns(UserWarning, match="the kernel matrix is indefinite"):
        model.fit(X)
    K = pairwise_kernel(X, kernel="martin", bandwidth=2.0, psd="ignore")
    eigenvalues, vectors = np.linalg.eigh(K)
    positive = (vectors * np.clip(eigenvalues, 0, None)) @ vectors.T
    found = model.transform(X)
    np.testing.assert_allclose(found @ found.T, positive, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(1, 12), st.integers(0, 1000))
def test_vectors_are_no_longer_than_the_kernel_allows(n_states, n_landmarks, seed):
    X = contractions(14, 5, n_states, seed=seed)
    model = LDSEmbedding(n_landmarks=n_landmarks, random_state=seed).fit(X)
    lengths = (model.transform(X) ** 2).sum(axis=1)
    assert (lengths <= n_states * (1 + 1e-7)).all()
    assert 0 <= model.residual_ <= 1


def test_the_residual_falls_with_more_landmarks():
    X = contractions(120, 6, 3)
    found = [LDSEmbedding(n_landmarks=m, random_state=0).fit(X).residual_ for m in (5, 20, 60)]
    assert found == sorted(found, reverse=True)


def test_copies_among_landmarks_are_truncated_not_blown_up():
    X = contractions(6, 5, 3)
    copies = LDS.concatenate([X, X, X])
    model = LDSEmbedding(n_landmarks=18, random_state=0).fit(copies)
    assert model.components_.shape[1] == 6
    assert np.abs(model.transform(copies)).max() <= np.sqrt(3) + 1e-9
    assert model.residual_ == pytest.approx(0, abs=1e-6)
    few = LDSEmbedding(n_landmarks=10, random_state=0).fit(copies)  # k-means finds six centres
    assert len(few.kernel_.systems) <= 6


def test_the_residual_of_landmarks_only_leaves_each_out():
    X = contractions(9, 6, 2)
    K = pairwise_kernel(X)
    lost = []
    for i in range(9):
        rest = np.delete(np.arange(9), i)
        approximation = K[i, rest] @ np.linalg.solve(K[np.ix_(rest, rest)], K[rest, i])
        lost.append(1 - approximation / K[i, i])
    assert leave_one_out_residual(K) == pytest.approx(np.mean(lost), rel=1e-6)
    assert LDSEmbedding().fit(X).residual_ == pytest.approx(np.mean(lost), rel=1e-6)


def test_systems_without_a_kernel_lose_nothing():
    X = random_systems(12, 5, 3)
    A = X.A.copy()
    A[::4] = 0

    def compare(first, second):
        return np.outer(first.A[:, 0, 0], second.A[:, 0, 0])

    for n_landmarks in (5, 12):
        model = LDSEmbedding(compare, n_landmarks=n_landmarks, random_state=0)
        vectors = model.fit_transform(LDS(A, X.C))
        assert model.residual_ < 1e-6
        np.testing.assert_array_equal(vectors[::4], 0)


def test_components_are_the_largest():
    X = contractions(30, 6, 3)
    all_of_them = LDSEmbedding(n_landmarks=15, random_state=0).fit(X)
    some = LDSEmbedding(n_landmarks=15, n_components=4, random_state=0).fit(X)
    np.testing.assert_allclose(some.transform(X), all_of_them.transform(X)[:, :4])
    assert (np.diff(all_of_them.eigenvalues_) <= 0).all()
    names = some.get_feature_names_out()
    assert names.tolist() == [f"ldsembedding{k}" for k in range(4)]


def test_contract():
    X = contractions(30, 5, 3)
    check_estimator_on_systems(
        LDSEmbedding(n_landmarks=9, random_state=0), X, np.arange(30) % 2, X[:6]
    )


def test_one_system():
    X = contractions(1, 4, 2)
    model = LDSEmbedding().fit(X)
    np.testing.assert_allclose(np.abs(model.transform(X)), [[np.sqrt(2)]])
    assert model.residual_ == pytest.approx(1.0)  # without the only landmark nothing is known


def test_windows_and_delays():
    X, _ = make_lds_sequences(2, 8, n_channels=4, n_timepoints=60, random_state=0)
    systems = LDSEncoder(4, delays=2, windows=2).fit_transform(X)
    vectors = LDSEmbedding(n_landmarks=16, random_state=0).fit_transform(systems)
    np.testing.assert_allclose(vectors @ vectors.T, pairwise_kernel(systems), atol=1e-7)


def test_a_store_gives_the_same_as_its_systems(tmp_path, monkeypatch):
    monkeypatch.setattr("ldslearn.models.blocks._BYTES_PER_STORED_BLOCK", 0)
    X = contractions(50, 5, 3)
    store = LDSStore.write(tmp_path / "store", [X[:20], X[20:21], X[21:]])
    in_memory, stored = (LDSEmbedding(n_landmarks=8, random_state=0).fit(x) for x in (X, store))
    np.testing.assert_array_equal(in_memory.landmark_indices_, stored.landmark_indices_)
    np.testing.assert_allclose(stored.transform(store), in_memory.transform(X), atol=1e-12)


def test_a_linear_classifier_on_the_vectors_is_saved_with_them(tmp_path):
    X, y = make_lds_sequences(3, 12, n_channels=4, n_timepoints=50, random_state=0)
    embedding = LDSEmbedding(n_landmarks=20, random_state=0)
    model = make_pipeline(LDSEncoder(3), embedding, LinearSVC(C=10, random_state=0)).fit(X, y)
    ldslearn.save(model, tmp_path / "model.lds")
    loaded = ldslearn.load(tmp_path / "model.lds")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_landmarks": 0}, "n_landmarks must be an integer of at least 1; got 0"),
        ({"n_components": 1.5}, r"n_components must be an integer of at least 1; got 1\.5"),
        ({"landmarks": "k-means"}, "landmarks must be one of 'kmeans', 'random'; got 'k-means'."),
        ({"kernel": "projektion"}, "kernel must be one of .*; got 'projektion'. Did you mean"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LDSEmbedding(**parameters).fit(contractions(5, 4, 2))


def test_other_systems_than_those_it_was_fitted_with():
    model = LDSEmbedding(n_landmarks=3).fit(contractions(5, 4, 2))
    with pytest.raises(ValueError, match="X must have n_channels=4, as the model was fitted with"):
        model.transform(contractions(5, 6, 2))
    with pytest.raises(TypeError, match="X must be an LDS batch; got ndarray"):
        model.fit(np.zeros((5, 4, 2)))


def test_errors_name_the_systems():
    A = np.full((6, 1, 1), 0.5)
    A[3] = 1.2
    X = LDS(A, np.ones((6, 1, 1)))
    for choice in CHOICES:
        with pytest.raises(ValueError, match="system 3 must be stable to have a Gramian"):
            LDSEmbedding(n_landmarks=6, landmarks=choice, random_state=0).fit(X)


def test_signs_do_not_depend_on_lapack():
    gram = np.array([[2.0, 1.0], [1.0, 2.0]])
    components = whiten(gram).components
    assert (components[np.abs(components).argmax(axis=0), [0, 1]] > 0).all()
