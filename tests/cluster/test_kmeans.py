import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, silhouette_score

from ldslearn import LDSKMeans
from ldslearn.dictionary import centres, restarts
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.samples import Samples
from ldslearn.dictionary.updates import improve_jointly
from ldslearn.geometry import projection_kernel, skew_kernel, symmetric_kernel
from ldslearn.models import canonical_skew, canonical_symmetric
from ldslearn.scale import LDSStore

from support.contract import check_estimator_on_systems
from support.makers import contractions

PARTS = ["twofold", "symmetric", "skew", "finite"]


def make_clouds(seed=0, noise=0.1):
    random = np.random.default_rng(seed)
    truth = contractions(3, 10, 3, seed=seed + 1)
    rows = np.repeat(np.arange(3), 10)
    C = np.linalg.qr(truth.C[rows] + noise * random.standard_normal((30, 10, 3)))[0]
    return replace(contractions(30, 10, 3, seed=seed), A=truth.A[rows], C=C), rows


@pytest.mark.parametrize("parts", PARTS)
def test_clusters_are_found(parts):
    X, rows = make_clouds()
    model = LDSKMeans(3, parts=parts, random_state=0).fit(X)
    assert adjusted_rand_score(rows, model.labels_) == 1.0
    assert (np.diff(model.inertia_path_) <= 1e-12 * model.inertia_path_[0]).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    D = model.transform(X)
    assert D.shape == (30, 3)
    assert (D.min(axis=1) ** 2).sum() == pytest.approx(model.inertia_, rel=1e-9)


@pytest.mark.parametrize("parts", PARTS)
def test_contract(parts):
    X, rows = make_clouds()
    check_estimator_on_systems(LDSKMeans(3, parts=parts, n_init=2, random_state=0), X, rows, X[:6])


def test_a_centre_against_brute_force():
    """n = 1 and two channels: an eigenvalue and an angle."""
    X = contractions(7, 2, 1, seed=2)
    columns = Columns.of(canonical_symmetric(X))
    problem = AtomProblem(columns, -np.ones(7))
    start = Atom(columns.rows[0], columns.eigenvalues[0])
    found = improve_jointly(problem, start, max_steps=200).value
    best = min(
        problem.evaluate(np.array([[np.cos(angle), np.sin(angle)]]), np.array([eigenvalue])).value
        for angle in np.linspace(0, np.pi, 181)
        for eigenvalue in np.linspace(-0.99, 0.99, 199)
    )
    assert found == pytest.approx(best, rel=1e-3)
    assert found <= best + 1e-9


def test_distances_to_centres_that_are_samples():
    X, _ = make_clouds()
    model = LDSKMeans(3, parts="symmetric", max_iter=0, n_init=1, random_state=0).fit(X)
    K = symmetric_kernel(X, model.cluster_centers_.systems())
    np.testing.assert_allclose(model.transform(X) ** 2, 2 * (3 - K), atol=1e-9)


def test_more_restarts_are_no_worse():
    X = contractions(40, 6, 2, seed=3)
    few, many = (LDSKMeans(8, n_init=n, random_state=0).fit(X).inertia_ for n in (1, 6))
    assert many <= few


def test_copies_and_as_many_clusters_as_systems():
    X = contractions(5, 6, 2, seed=3)
    model = LDSKMeans(5, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(0.0, abs=1e-9)
    assert sorted(model.labels_) == [0, 1, 2, 3, 4]
    copies = LDSKMeans(2, random_state=0).fit(X[np.zeros(4, dtype=int)])
    assert copies.inertia_ == pytest.approx(0.0, abs=1e-9)
    assert len(np.unique(copies.labels_)) == 1  # alike is alike
    np.testing.assert_array_equal(copies.labels_, copies.predict(X[np.zeros(4, dtype=int)]))


def test_an_interrupt_keeps_the_best_run(monkeypatch):
    X, _ = make_clouds()
    calls = []
    original = centres.run_kmeans

    def interrupt(*args):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(restarts, "run_kmeans", interrupt)
    model = LDSKMeans(3, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert model.predict(X).shape == (30,)
    assert model.score(X) == pytest.approx(-model.inertia_)


def test_bad_parameters():
    X = contractions(4, 6, 2)
    with pytest.raises(
        ValueError, match="n_clusters must be at most the number of systems, 4; got 5"
    ):
        LDSKMeans(5).fit(X)
    with pytest.raises(ValueError, match="parts must be one of 'twofold', .* 'finite'; got 'all'"):
        LDSKMeans(2, parts="all").fit(X)
    with pytest.raises(TypeError, match="X must be an LDS batch"):
        LDSKMeans(2).fit(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="X must have n_states=2, as the model was .*; got 3"):
        LDSKMeans(2, random_state=0).fit(X).predict(contractions(2, 6, 3))


def test_the_best_run_is_kept():
    X = contractions(30, 6, 2, seed=3)
    data = Samples.of([Columns.of(canonical_symmetric(X))])
    runs = list(
        restarts.run_restarts(
            data, [1.0], 6, np.random.RandomState(5), n_init=4, max_iter=50, tol=1e-4, n_jobs=None
        )
    )
    ends = [run.inertia[-1] for run in runs]
    model = LDSKMeans(6, parts="symmetric", n_init=4, random_state=5).fit(X)
    assert model.inertia_ == pytest.approx(min(ends))
    assert ends[-1] > min(ends)


@pytest.mark.parametrize("most_paired", [3000, 0])  # distances of all pairs, or as needed
def test_one_run_starts_from_the_seeds_of_lowest_inertia(most_paired, monkeypatch):
    X = contractions(30, 6, 2, seed=3)
    data = Samples.of([Columns.of(canonical_symmetric(X))])
    monkeypatch.setattr(restarts, "_MOST_PAIRED", most_paired)
    random = np.random.RandomState(2)
    seedings = [restarts.seed_centres(data, [1.0], 6, random, None) for _ in range(3)]
    inertias = []
    for seeds, inertia in seedings:
        centres_at_samples = [x.complete() for x in data.take(seeds)]
        _, distances = centres.assign_samples(data, centres_at_samples, [1.0], None)
        assert inertia == pytest.approx(distances.sum())
        inertias.append(inertia)
    assert np.argmin(inertias) == 1  # neither the first nor the last
    run = restarts.run_from_best_seeds(
        data, [1.0], 6, np.random.RandomState(2), n_seedings=3, max_iter=50, tol=1e-4, n_jobs=None
    )
    assert run.inertia[0] == pytest.approx(min(inertias))
    assert run.inertia[-1] < run.inertia[0]


def test_weights_of_terms_count():
    X, Y = contractions(6, 6, 2, seed=3), contractions(2, 6, 2, seed=4)
    terms = [Columns.of(canonical_symmetric(X)), Columns.of(canonical_skew(X))]
    others = [Columns.of(canonical_symmetric(Y)), Columns.of(canonical_skew(Y))]
    D = centres.squared_distances(terms, others, [0.1, 0.9], None)
    expected = 0.2 * (2 - symmetric_kernel(X, Y)) + 1.8 * (2 - skew_kernel(X, Y))
    np.testing.assert_allclose(D, expected, atol=1e-12)


def test_an_empty_cluster_moves_to_the_furthest_sample():
    data = [Columns.of(canonical_symmetric(contractions(4, 6, 2, seed=3)))]
    moving = centres.MovingCentres(Samples.of(data), [1.0], np.arange(3), None, None)
    moved = moving.terms
    D = np.array([[0.1, 0.5, 9.0], [3.0, 2.0, 9.0], [0.3, 0.4, 9.0], [0.2, 0.9, 9.0]])
    labels = D.argmin(axis=1)  # 0, 1, 0, 0: sample 1 is furthest, but the last of its cluster
    own = D[np.arange(len(D)), labels]
    before = own.copy()
    moving.occupy_empty(labels, own)
    assert labels.tolist() == [0, 1, 2, 0]
    np.testing.assert_array_equal(moved[0].rows[2], data[0].rows[2])
    assert own[2] == pytest.approx(0.0, abs=1e-12)
    data[0].rows[2, 1] = 0.0  # as a noise without a second direction; the centre gets one
    labels, own = D.argmin(axis=1), before
    moving.weights = [0.5]
    moving.occupy_empty(labels, own)
    distances = centres.squared_distances(data, moved, [0.5], None)
    assert own[2] == pytest.approx(distances[2, 2]) == pytest.approx(0.5)


def make_round_clouds(noise=0.1):
    """Like the others, without the signs that QR chooses for columns: they make new systems."""
    X, rows = make_clouds(noise=0.0)
    random = np.random.default_rng(0)
    C, R = np.linalg.qr(X.C[rows * 10] + noise * random.standard_normal((30, 10, 3)))
    return replace(X, C=C * np.sign(np.einsum("nii->ni", R))[:, None]), rows


def test_contract_of_the_automatic_number():
    X, rows = make_round_clouds()
    model = LDSKMeans("auto", max_clusters=5, n_init=2, random_state=0)
    check_estimator_on_systems(model, X, rows, X[:6])


@pytest.mark.parametrize("method", ["kmeans", "spectral"])
@pytest.mark.parametrize("parts", ["twofold", "finite"])
def test_the_number_of_clusters_is_found(method, parts):
    X, rows = make_round_clouds()
    model = LDSKMeans("auto", method=method, parts=parts, n_init=2, random_state=0).fit(X)
    assert model.n_clusters_ == len(model.cluster_centers_) == model.transform(X).shape[1] == 3
    assert adjusted_rand_score(rows, model.labels_) == 1.0
    assert list(model.silhouettes_) == list(range(2, 11))
    assert max(model.silhouettes_, key=model.silhouettes_.get) == 3
    fixed = LDSKMeans(3, method=method, parts=parts, n_init=2, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, fixed.labels_)  # the run for three was kept
    assert fixed.n_clusters_ == 3
    assert not hasattr(model.set_params(n_clusters=3).fit(X), "silhouettes_")


def test_silhouettes_are_those_of_the_feature_space():
    X, _ = make_clouds(noise=0.5)
    model = LDSKMeans("auto", max_clusters=3, parts="symmetric", n_init=1, random_state=0).fit(X)
    values, vectors = np.linalg.eigh(symmetric_kernel(X))
    points = vectors * np.sqrt(np.maximum(values, 0))
    expected = silhouette_score(points, model.labels_)
    assert model.silhouettes_[model.n_clusters_] == pytest.approx(expected, abs=1e-8)


def test_silhouettes_of_a_sample(monkeypatch):
    monkeypatch.setattr("ldslearn.cluster.kmeans._MOST_COMPARED", 15)
    X, rows = make_round_clouds()
    for method in ("kmeans", "spectral"):
        model = LDSKMeans("auto", method=method, max_clusters=4, n_init=1, random_state=0).fit(X)
        assert adjusted_rand_score(rows, model.labels_) == 1.0


@pytest.mark.parametrize("method", ["kmeans", "spectral"])
def test_copies_have_two_clusters_at_least(method):
    X, _ = make_clouds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer points than clusters
        model = LDSKMeans("auto", method=method, max_clusters=3, random_state=0).fit(X[[0] * 8])
    assert model.n_clusters_ == 2
    assert set(model.silhouettes_.values()) == {0.0}


def test_the_number_of_clusters_of_a_store(tmp_path):
    X, rows = make_round_clouds()
    store = LDSStore.write(tmp_path / "store", [X[:15], X[15:]])
    model = LDSKMeans("auto", max_clusters=4, n_init=1, random_state=0).fit(store)
    assert adjusted_rand_score(rows, model.labels_) == 1.0
    with pytest.raises(TypeError, match="X must be an LDS batch"):
        LDSKMeans(3, method="spectral").fit(store)


def test_contract_of_spectral_clustering():
    X, rows = make_round_clouds()
    check_estimator_on_systems(LDSKMeans(3, method="spectral", random_state=0), X, rows, X[:6])


def test_spectral_clusters_are_those_of_scikit_learn():
    X, rows = make_round_clouds(0.15)
    model = LDSKMeans(3, method="spectral", random_state=0).fit(X)
    plain = SpectralClustering(3, affinity="precomputed", random_state=0)
    assert adjusted_rand_score(plain.fit_predict(projection_kernel(X)), model.labels_) == 1.0
    assert adjusted_rand_score(rows, model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert (model.transform(X).min(axis=1) ** 2).sum() == pytest.approx(model.inertia_)
    assert model.score(X) == pytest.approx(-model.inertia_)
    assert len(model.cluster_centers_.systems()) == 6  # symmetric and skew parts
    near = LDSKMeans(3, random_state=0).fit(X).cluster_centers_
    assert len(near) == len(model.cluster_centers_)


def test_spectral_clusters_of_a_mixture():
    X, rows = make_round_clouds()
    model = LDSKMeans(3, method="spectral", kernel={"projection": 0.3, "covariance": 0.1})
    assert adjusted_rand_score(rows, model.set_params(random_state=0).fit_predict(X)) == 1.0


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
def test_bad_parameters_of_methods():
    X, _ = make_clouds()
    with pytest.raises(ValueError, match="method must be one of 'kmeans', 'spectral'; got 'tree'"):
        LDSKMeans(3, method="tree").fit(X)
    with pytest.raises(ValueError, match="n_clusters must be an integer .* got 'many'"):
        LDSKMeans("many").fit(X)
    with pytest.raises(ValueError, match="max_clusters must be an integer of at least 2; got 1"):
        LDSKMeans("auto", max_clusters=1).fit(X)
    with pytest.raises(ValueError, match="X must hold at least three systems .*; got 2. Give the"):
        LDSKMeans("auto").fit(X[:2])
    with pytest.raises(ValueError, match="kernel must be non-negative for method='spectral'; got"):
        LDSKMeans(3, method="spectral", kernel=lambda X, Y: projection_kernel(X, Y) - 1.5).fit(X)
