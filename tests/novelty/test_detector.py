import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import is_outlier_detector
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.svm import OneClassSVM

from ldslearn import LDS, LDSEncoder, LDSNovelty
from ldslearn.geometry import projection_kernel
from ldslearn.novelty.thresholds import choose_offset
from ldslearn.scale import LDSStore
from ldslearn.sequences import make_lds_sequences

from support.contract import check_estimator_on_systems
from support.makers import contractions

MIXTURE = {"projection": 0.7, "covariance": 0.1, "mean": 0.2}
DETECTORS = {
    "neighbors": LDSNovelty(),
    "mixture": LDSNovelty(MIXTURE, n_neighbors=4, contamination="auto"),
    "martin": LDSNovelty("martin", kernel_params={"bandwidth": "median"}),
    "function": LDSNovelty(projection_kernel),
    "support_vectors": LDSNovelty(method="support_vectors"),
    "support_vectors-plain": LDSNovelty(method="support_vectors", nu=0.4, length_scale=None),
}


@pytest.fixture(scope="module")
def systems():
    X, y = make_lds_sequences(3, 14, n_channels=6, n_timepoints=60, random_state=0)[:2]
    batch, train = LDSEncoder(3).fit_transform(X), np.arange(len(y)) % 3 > 0
    known = train & (y < 2)
    return batch[known], batch[~train], y[~train] == 2


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")  # Martin's
@pytest.mark.parametrize("name", DETECTORS)
def test_contract(name, systems):
    X, Z, strange = systems
    check_estimator_on_systems(DETECTORS[name], X, np.zeros(len(X)), Z)
    model = DETECTORS[name].fit(X)
    assert is_outlier_detector(model)
    assert roc_auc_score(strange, -model.score_samples(Z)) > 0.8
    np.testing.assert_allclose(
        model.decision_function(Z), model.score_samples(Z) - model.offset_, rtol=1e-12
    )
    np.testing.assert_array_equal(model.predict(Z) == -1, model.decision_function(Z) < 0)


def test_neighbors_are_those_of_the_projectors(systems):
    """|P - Q| of the infinite projectors, here by an embedding of the kernel matrix."""
    X, Z, _ = systems
    both = projection_kernel(LDS.concatenate([X, Z]))
    values, vectors = np.linalg.eigh(both)
    points = vectors * np.sqrt(np.maximum(values, 0))
    search = NearestNeighbors(n_neighbors=4).fit(points[: len(X)])
    expected = -search.kneighbors(points[len(X) :])[0].mean(axis=1)
    model = LDSNovelty(n_neighbors=4).fit(X)
    np.testing.assert_allclose(model.score_samples(Z), expected, rtol=1e-6)
    left_out = -search.kneighbors()[0].mean(axis=1)  # without the point itself
    np.testing.assert_allclose(model.held_out_scores_, left_out, rtol=1e-6)


def test_support_vectors_are_those_of_scikit_learn(systems):
    X, Z, _ = systems
    model = LDSNovelty(method="support_vectors", nu=0.4, length_scale=None).fit(X)
    plain = OneClassSVM(kernel="precomputed", nu=0.4).fit(projection_kernel(X))
    expected = plain.score_samples(projection_kernel(Z, X))
    np.testing.assert_allclose(model.score_samples(Z), expected / plain.dual_coef_.sum(), rtol=1e-6)
    assert len(model.kernel_.systems) == len(plain.support_) < len(X)


def test_held_out_scores_do_not_know_the_system_itself():
    """Systems without relation to each other: each is strange for the others, not for itself."""
    X = contractions(30, 12, 2, seed=3)
    for method in ("neighbors", "support_vectors"):
        model = LDSNovelty(method=method).fit(X)
        assert model.held_out_scores_.max() < model.score_samples(X).min()


def test_new_systems_are_as_far_as_held_out_ones_by_an_indefinite_kernel():
    """Distances in the positive part of the kernel would be too small for new systems."""

    def compare(X, Y=None):
        return np.tanh(projection_kernel(X, Y) - 1.5)

    X = contractions(21, 6, 3, seed=5)
    expected = LDSNovelty(compare, n_neighbors=2).fit(X).held_out_scores_
    for i in (0, 7, 20):
        others = X[[k for k in range(21) if k != i]]
        model = LDSNovelty(compare, n_neighbors=2).fit(others)
        np.testing.assert_allclose(model.score_samples(X[[i]]), expected[i], atol=1e-10)
    LDSNovelty(compare, method="support_vectors").fit(X)  # of distances, too
    with pytest.warns(UserWarning, match="the kernel matrix is indefinite"):
        LDSNovelty(compare, method="support_vectors", length_scale=None).fit(X)


def test_fit_predict_flags_the_contamination(systems):
    X, _, _ = systems
    for contamination in (0.1, 0.25, 0.5):
        model = LDSNovelty(contamination=contamination)
        flagged = (model.fit_predict(X) == -1).sum()
        assert flagged == int(contamination * (len(X) + 1)) - 1
        np.testing.assert_array_equal(
            model.fit_predict(X) == -1, model.held_out_scores_ < model.offset_
        )


@settings(max_examples=50, deadline=None)
@given(
    n=st.integers(1, 60),
    contamination=st.floats(0.01, 0.5),
    seed=st.integers(0, 2**16),
)
def test_a_new_score_is_below_the_offset_with_the_probability_of_contamination(
    n, contamination, seed
):
    """Of n + 1 exchangeable scores, every one in turn is the new one: at most c of them fall."""
    scores = np.random.default_rng(seed).normal(size=n + 1)
    fallen = sum(
        scores[i] < choose_offset(np.delete(scores, i), contamination) for i in range(n + 1)
    )
    assert fallen <= max(contamination * (n + 1), 1)


def test_automatic_offset_is_tukeys_fence():
    assert choose_offset(np.arange(9.0), "auto") == 2 - 1.5 * 4


def test_two_systems_are_enough():
    X = contractions(2, 5, 2, seed=0)
    model = LDSNovelty(n_neighbors=7).fit(X)
    assert model.n_neighbors_ == 1
    assert model.held_out_scores_[0] == model.held_out_scores_[1] == model.offset_
    assert model.predict(X).tolist() == [1, 1]
    assert LDSNovelty(method="support_vectors").fit(X).predict(X).tolist() == [1, 1]


@pytest.mark.parametrize("method", ["neighbors", "support_vectors"])
def test_copies_are_normal(method):
    one, other = contractions(2, 5, 2, seed=0)[:1], contractions(1, 5, 2, seed=9)
    X = LDS.concatenate([one] * 20)
    model = LDSNovelty(method=method).fit(X)
    assert model.fit_predict(X).tolist() == [1] * 20
    assert model.predict(one).tolist() == [1]
    assert model.predict(other).tolist() == [-1]


def test_stores_are_scored_block_by_block(systems, tmp_path):
    X, Z, _ = systems
    model = LDSNovelty(MIXTURE).fit(X)
    store = LDSStore.write(tmp_path / "store", [Z[:3], Z[3:]])
    np.testing.assert_allclose(model.score_samples(store), model.score_samples(Z), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(store), model.predict(Z))


def test_sequences_through_a_pipeline():
    X, y = make_lds_sequences(2, 20, n_channels=4, n_timepoints=50, random_state=1)[:2]
    normal = [x for x, label in zip(X, y, strict=True) if label == 0]
    model = make_pipeline(LDSEncoder(3), LDSNovelty()).fit(normal[:15])
    assert (model.predict([x for x, label in zip(X, y, strict=True) if label]) == -1).mean() > 0.9
    assert (model.predict(normal[15:]) == 1).mean() > 0.5


def test_scores_that_overflow_name_their_systems(systems):
    X, Z, _ = systems
    model = LDSNovelty().fit(X)
    model._own = model._own + np.inf
    with pytest.raises(
        ValueError, match=r"scores must be finite; got NaN or infinity for system 0"
    ):
        model.score_samples(Z)


def test_bad_input(systems):
    X, _, _ = systems
    with pytest.raises(ValueError, match="X must hold at least two systems; got 1. The offset"):
        LDSNovelty().fit(X[:1])
    with pytest.raises(ValueError, match=r"contamination must lie in \(0, 0.5\] or be 'auto'; go"):
        LDSNovelty(contamination=0).fit(X)
    with pytest.raises(ValueError, match=r"contamination must lie in .*; got 0.6"):
        LDSNovelty(contamination=0.6).fit(X)
    with pytest.raises(ValueError, match="method must be one of 'neighbors', .*; got 'neighbours'"):
        LDSNovelty(method="neighbours").fit(X)
    with pytest.raises(ValueError, match="n_neighbors must be an integer of at least 1; got 0"):
        LDSNovelty(n_neighbors=0).fit(X)
    with pytest.raises(ValueError, match=r"nu must lie in \(0, 1\]; got 0"):
        LDSNovelty(nu=0).fit(X)
    with pytest.raises(ValueError, match="length_scale must be positive, 'auto' or None; got -1"):
        LDSNovelty(length_scale=-1).fit(X)
    with pytest.raises(ValueError, match="kernel must return finite numbers; got NaN"):
        LDSNovelty(lambda X, Y: np.full((len(X), len(Y)), np.nan)).fit(X)
    with pytest.raises(ValueError, match="X must have n_states=3, as the model .*; got 2"):
        LDSNovelty().fit(X).predict(contractions(3, 6, 2))
