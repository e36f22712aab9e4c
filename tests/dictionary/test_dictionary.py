import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from ldslearn import LDS, FiniteDictionary, LDSDictionary, LDSKMeans
from ldslearn.dictionary import algorithm
from ldslearn.dictionary.columns import Columns
from ldslearn.geometry import covariance_kernel, skew_kernel, symmetric_kernel
from ldslearn.models import SkewForm, SymmetricForm, canonical_skew, canonical_symmetric

from support.contract import check_estimator_on_systems
from support.makers import contractions, random_orthogonal
from support.oracles import dictionary_objective, long_projector

SETTINGS = {
    "twofold": {},
    "symmetric": {"parts": "symmetric"},
    "skew": {"parts": "skew"},
    "covariance": {"mix": 0.7},
    "shared": {"shared_codes": True},
    "shared covariance": {"shared_codes": True, "mix": 0.4},
    "column": {"update": "column"},
    "random": {"init": "random"},
    "dense codes": {"sparsity": 0.0},
}


@given(st.data())
def test_no_half_step_of_any_fit_raises_the_objective(data):
    n_states = data.draw(st.integers(1, 5))
    n_systems = data.draw(st.integers(1, 10))
    X = contractions(n_systems, n_states + data.draw(st.integers(0, 4)), n_states)
    X = X[data.draw(st.lists(st.integers(0, n_systems - 1), min_size=1, max_size=10))]
    settings = {
        "update": data.draw(st.sampled_from(["joint", "column"])),
        "sparsity": data.draw(st.sampled_from([0.0, 1e-9, 0.1, 1.0, 5.0])),
        "init": data.draw(st.sampled_from(["kmeans", "random"])),
    }
    if data.draw(st.booleans()):
        settings |= {
            "parts": data.draw(st.sampled_from(["twofold", "symmetric", "skew"])),
            "mix": data.draw(st.sampled_from([None, 0.0, 0.3, 1.0])),
            "shared_codes": data.draw(st.booleans()),
        }
        model = LDSDictionary(data.draw(st.integers(1, len(X))), **settings)
    else:
        model = FiniteDictionary(data.draw(st.integers(1, len(X))), order=2, **settings)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no code uses any atom")
        model.set_params(max_iter=3, tol=0.0, random_state=0).fit(X)
    steps = np.array(model.half_steps_)
    assert (np.diff(steps) <= 1e-10 * len(X) * n_states).all()
    assert (steps >= -1e-9).all()


@pytest.mark.parametrize("name", SETTINGS)
def test_no_half_step_raises_the_objective(name, motions):
    X = motions[0]
    dictionary = LDSDictionary(6, random_state=0, max_iter=6, tol=0.0, **SETTINGS[name]).fit(X)
    steps = np.array(dictionary.half_steps_)
    assert len(steps) == 2 * 7
    assert (np.diff(steps) <= 1e-10 * steps[0]).all()
    assert steps[-1] < 0.99 * steps[0]
    np.testing.assert_array_equal(dictionary.objective_, steps[::2])


@pytest.mark.parametrize("n_states", [2, 3])
@pytest.mark.parametrize("part", ["symmetric", "skew"])
def test_the_objective_with_explicit_projectors(part, n_states):
    X = contractions(5, 4, n_states, seed=n_states, norm=0.8)
    dictionary = LDSDictionary(2, parts=part, random_state=0, max_iter=1).fit(X)
    codes = dictionary.transform(X)
    samples = {"symmetric": canonical_symmetric, "skew": canonical_skew}[part](X).systems()
    atoms = dictionary.atoms_.systems()
    assert np.abs(np.linalg.eigvals(atoms.A)).max() < 0.9, "too slow for the oracle"
    projectors = [[long_projector(s.A[0], s.C[0]) for s in batch] for batch in (samples, atoms)]
    expected = dictionary_objective(*projectors, codes, 0.1)
    assert dictionary.objective_[-1] == pytest.approx(expected, rel=1e-9)


def test_separate_codes_stand_side_by_side(motions):
    X, _, Z, _ = motions
    both = LDSDictionary(5, random_state=0, init=X[:5], max_iter=3).fit(X)
    parts = [
        LDSDictionary(5, parts=part, init=X[:5], max_iter=3).fit(X)
        for part in ("symmetric", "skew")
    ]
    np.testing.assert_allclose(
        both.transform(Z), np.hstack([part.transform(Z) for part in parts]), atol=1e-12
    )
    total = parts[0].objective_[:2] + parts[1].objective_[:2]
    np.testing.assert_allclose(both.objective_[:2], total, rtol=1e-12)
    assert both.transform(Z).shape == (40, 10)
    assert list(both.get_feature_names_out()[[0, -1]]) == ["ldsdictionary0", "ldsdictionary9"]


def test_a_shared_code_is_that_of_the_mean_kernel(motions):
    from ldslearn import sparse_code

    X, _, Z, _ = motions
    dictionary = LDSDictionary(4, shared_codes=True, mix=0.6, init=X[:4], max_iter=0).fit(X)
    D = X[:4]

    def kernel(X, Y):
        return (
            0.3 * symmetric_kernel(X, Y) + 0.3 * skew_kernel(X, Y) + 0.4 * covariance_kernel(X, Y)
        )

    np.testing.assert_allclose(
        dictionary.transform(Z), sparse_code(kernel(D, D), kernel(Z, D)), atol=1e-10
    )


def test_atoms_are_systems(motions):
    X, _, Z, _ = motions
    dictionary = LDSDictionary(4, random_state=0, max_iter=3).fit(X)
    atoms = dictionary.atoms_.systems()
    assert isinstance(atoms, LDS)
    assert len(atoms) == 8
    assert atoms.is_stable.all()
    simulated = atoms.simulate(200, random_state=0)
    assert simulated.shape == (8, 6, 200)
    assert simulated[:, :, 100:].std() > 0.1
    assert isinstance(dictionary.atoms_.symmetric, SymmetricForm)
    assert isinstance(dictionary.atoms_.skew, SkewForm)
    assert dictionary.atoms_.covariance is None
    K = symmetric_kernel(Z, atoms[:4])
    terms = dictionary.atoms_.terms[0]["symmetric"]
    columns = dictionary.recipe_.make_columns(Z)[0]["symmetric"]
    np.testing.assert_allclose(columns.kernel(terms), K, atol=1e-9)
    noisy = LDSDictionary(4, mix=0.5, random_state=0, max_iter=2).fit(X).atoms_.covariance
    assert [H.shape for H in noisy] == [(4, 6, 2)] * 2
    np.testing.assert_allclose(noisy[0][0].T @ noisy[0][0], np.eye(2), atol=1e-9)


def test_a_fit_goes_on_from_atoms_of_another(motions):
    X = motions[0]
    first = LDSDictionary(5, random_state=0, max_iter=3, tol=0.0).fit(X)
    before = first.atoms_.systems()
    second = LDSDictionary(5, init=first.atoms_, max_iter=3, tol=0.0).fit(X)
    whole = LDSDictionary(5, random_state=0, max_iter=6, tol=0.0).fit(X)
    assert second.objective_[0] == pytest.approx(first.objective_[-1], rel=1e-12)
    np.testing.assert_allclose(second.objective_[-1], whole.objective_[-1], rtol=1e-9)
    np.testing.assert_array_equal(first.atoms_.systems().C, before.C)  # untouched
    np.testing.assert_array_equal(first.atoms_.systems().A, before.A)


def test_nothing_is_learned_in_no_iterations(motions):
    X = motions[0]
    dictionary = LDSDictionary(5, init="random", random_state=3, max_iter=0).fit(X)
    chosen = np.random.RandomState(3).choice(len(X), 5, replace=False)
    K = symmetric_kernel(X[chosen], dictionary.atoms_.systems()[:5])
    np.testing.assert_allclose(K.diagonal(), 5.0, rtol=1e-9)
    assert dictionary.n_iter_ == 0


def test_known_atoms_come_back():
    """Samples that are atoms, turned a little: the objective falls to what the noise leaves."""
    random = np.random.default_rng(0)
    truth = contractions(3, 12, 2, seed=4)
    rows = np.repeat(np.arange(3), 12)
    C = np.linalg.qr(truth.C[rows] + 0.05 * random.standard_normal((36, 12, 2)))[0]
    X = LDS(truth.A[rows], C)
    dictionary = LDSDictionary(3, random_state=0, parts="symmetric", max_iter=30).fit(X)
    K = symmetric_kernel(dictionary.atoms_.systems(), truth)
    assert (K.max(axis=0) > 1.95).all()  # of at most 2


def test_unused_atoms_become_the_samples_coded_worst(motions):
    X = motions[0]
    stranger = contractions(1, 6, 5, seed=9)
    group_init = LDS.concatenate([LDS(X.A[:3], X.C[:3]), LDS(stranger.A, stranger.C)])
    dictionary = LDSDictionary(
        4, parts="symmetric", init=group_init, sparsity=6.0, max_iter=4, tol=0.0
    ).fit(LDS(X.A, X.C))
    assert dictionary.transform(LDS(X.A, X.C)).any(axis=0).all()
    steps = np.array(dictionary.half_steps_)
    assert (np.diff(steps) <= 1e-10 * steps[0]).all()


def test_unused_atoms_take_the_worst_samples_in_turn():
    data = Columns.of(canonical_symmetric(contractions(8, 6, 2, seed=1)))
    codes = np.zeros((8, 3))
    codes[:, 1] = 0.3
    group = algorithm.Group([data], [data[:3].copy()], [1.0], 0.1, codes=codes)
    group.objective()
    worst = np.argsort(-group.residuals)[:2]
    group.improve_atoms("joint")
    np.testing.assert_array_equal(group.atoms[0].rows[[0, 2]], data.rows[worst])
    np.testing.assert_array_equal(group.atoms[0].eigenvalues[[0, 2]], data.eigenvalues[worst])


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("update", ["joint", "column"])
def test_a_vanishing_noise_raises_nothing(init, update, motions):
    """Samples without a noise direction have columns of zeros; atoms made of them may not."""
    X = motions[0]
    B = X.B.copy()
    B[::2] = 0.0
    B[1::4, :, 1] = 0.0
    quiet = LDS(X.A, X.C, B=B)
    for seed in range(3):
        settings = {"mix": 0.3, "init": init, "update": update, "random_state": seed, "tol": 0.0}
        steps = np.array(LDSDictionary(6, max_iter=4, **settings).fit(quiet).half_steps_)
        assert (np.diff(steps) <= 1e-10 * steps[0]).all()


def test_it_says_why_it_stopped(motions):
    X = motions[0]
    settled = LDSDictionary(3, random_state=0, tol=0.05).fit(X)
    assert settled.n_iter_ < 20
    assert settled.stopped_ == "an iteration lowered the objective by less than tol=0.05"
    limited = LDSDictionary(3, random_state=0, tol=0.0, max_iter=2).fit(X)
    assert limited.stopped_ == "after max_iter=2 iterations"


def test_parameters_set_later_change_nothing_learned(motions):
    X, _, Z, _ = motions
    dictionary = LDSDictionary(4, random_state=0, max_iter=2).fit(X)
    codes = dictionary.transform(Z)
    dictionary.set_params(parts="symmetric", mix=0.5, shared_codes=True)
    np.testing.assert_array_equal(dictionary.transform(Z), codes)
    finite = FiniteDictionary(4, order=2, random_state=0, max_iter=2).fit(X)
    codes = finite.transform(Z)
    np.testing.assert_array_equal(finite.set_params(order=3).transform(Z), codes)


def test_centres_of_clusters_are_atoms_to_start_from(motions):
    X = motions[0]
    centres = LDSKMeans(4, random_state=0).fit(X).cluster_centers_
    for shared in (False, True):
        dictionary = LDSDictionary(4, init=centres, max_iter=0, shared_codes=shared).fit(X)
        np.testing.assert_allclose(dictionary.atoms_.systems().A, centres.systems().A)
    assert repr(centres) == "Atoms(4 of each: symmetric + skew)"


def test_the_score_is_the_objective(motions):
    X = motions[0]
    dictionary = LDSDictionary(4, random_state=0, max_iter=2).fit(X)
    assert dictionary.score(X) == pytest.approx(-dictionary.objective_[-1] / len(X))


@pytest.mark.parametrize("update", ["column", "joint"])
def test_finite_dictionary(update, motions):
    X, _, Z, _ = motions
    dictionary = FiniteDictionary(6, order=3, random_state=0, update=update, max_iter=6, tol=0.0)
    steps = np.array(dictionary.fit(X).half_steps_)
    assert (np.diff(steps) <= 1e-10 * steps[0]).all()
    assert steps[-1] < steps[0]
    assert dictionary.transform(Z).shape == (40, 6)
    V = dictionary.atoms_.subspaces
    np.testing.assert_allclose(
        np.swapaxes(V, 1, 2) @ V, np.broadcast_to(np.eye(5), (6, 5, 5)), atol=1e-9
    )
    with pytest.raises(TypeError, match="subspaces, not systems: use .subspaces"):
        dictionary.atoms_.systems()


@pytest.mark.parametrize(
    "estimator",
    [
        LDSDictionary(4, random_state=0, max_iter=3),
        LDSDictionary(4, random_state=0, max_iter=2, mix=0.5, shared_codes=True),
        FiniteDictionary(4, order=2, random_state=0, max_iter=3),
    ],
    ids=["separate", "shared", "finite"],
)
def test_contract(estimator, motions):
    X, y, Z, _ = motions
    check_estimator_on_systems(estimator, X, y, Z)


def test_odd_and_single_states_one_atom_and_copies():
    for n_states in (1, 3):
        X = contractions(6, 5, n_states, seed=n_states)
        for n_atoms in (1, 6):
            dictionary = LDSDictionary(n_atoms, random_state=0, max_iter=3).fit(X)
            steps = np.array(dictionary.half_steps_)
            assert (np.diff(steps) <= 1e-10 * steps[0]).all()
    copies = X[np.zeros(5, dtype=int)]
    dictionary = LDSDictionary(3, random_state=0).fit(copies)
    assert dictionary.objective_[-1] < 0.2 * len(copies) * 2 * 3
    single = LDSDictionary(1, random_state=0).fit(X[:1])
    assert single.transform(X[:1]).shape == (1, 2)


def test_codes_of_nothing_but_zeros():
    X = contractions(6, 5, 2, seed=1)
    with pytest.warns(UserWarning, match="no code uses any atom with sparsity=100: nothing was"):
        dictionary = LDSDictionary(2, sparsity=100.0, random_state=0).fit(X)
    assert not dictionary.transform(X).any()
    assert dictionary.objective_[-1] == pytest.approx(2 * 6 * 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"n_atoms": 7},
            "n_atoms must be at most the number of systems, 6; got 7. Lower n_atoms, or",
        ),
        ({"n_atoms": 0}, "n_atoms must be an integer of at least 1; got 0"),
        ({"parts": "both"}, "parts must be one of 'twofold', 'symmetric', 'skew'; got 'both'"),
        ({"update": "gradient"}, "update must be one of 'joint', 'column'; got 'gradient'"),
        ({"mix": 1.5}, "mix must lie between 0 and 1, or be None; got 1.5"),
        ({"sparsity": -1}, "sparsity must be a finite number of at least 0; got -1"),
        ({"shared_codes": "yes"}, "shared_codes must be True or False; got 'yes'"),
        ({"init": "best"}, "init must be 'kmeans', 'random', an LDS or atoms; got 'best'"),
        ({"max_iter": -1}, "max_iter must be an integer of at least 0; got -1"),
        ({"tol": np.nan}, "tol must be a finite number of at least 0; got nan"),
        (
            {"init": contractions(3, 5, 2)},
            r"init must hold n_atoms=2 systems like LDS",
        ),
    ],
)
def test_bad_parameters(change, message):
    X = contractions(6, 5, 2, seed=1)
    with pytest.raises(ValueError, match=message):
        LDSDictionary(**{"n_atoms": 2, **change}).fit(X)


def test_bad_input(motions):
    X = motions[0]
    with pytest.raises(NotFittedError):
        LDSDictionary().transform(X)
    dictionary = LDSDictionary(2, random_state=0, max_iter=1).fit(X)
    with pytest.raises(ValueError, match="X must have n_states=5, as the model was .*; got 4"):
        dictionary.transform(contractions(3, 6, 4))
    with pytest.raises(ValueError, match=r"for these codes: symmetric \+ covariance, skew \+ cov"):
        LDSDictionary(2, init=dictionary.atoms_, mix=0.5).fit(X)
    with pytest.raises(ValueError, match=r"symmetric columns \(6, 4\); got \(6, 5\)"):
        LDSDictionary(2, init=dictionary.atoms_).fit(contractions(4, 6, 4))
    for act in (dictionary.transform, dictionary.partial_fit, dictionary.fit, dictionary.score):
        with pytest.raises(ValueError, match="X must hold at least one system"):
            act(X[:0])
    delayed = replace(dictionary.atoms_, delays=2)
    with pytest.raises(ValueError, match="init must have delays=1; got delays=2"):
        LDSDictionary(len(delayed), init=delayed).fit(X)
    with pytest.raises(ValueError, match="init must hold n_atoms=3 atoms; got 2"):
        LDSDictionary(3, init=dictionary.atoms_).fit(X)
    with pytest.raises(ValueError, match="systems must have B for the covariance kernel"):
        LDSDictionary(2, mix=0.5).fit(LDS(X.A, X.C))
    LDSDictionary(2, mix=1.0, random_state=0, max_iter=1).fit(LDS(X.A, X.C))


def test_results_do_not_depend_on_coordinates(motions):
    X = motions[0]
    P = random_orthogonal(5, np.random.default_rng(0), (len(X),))
    first, second = (
        LDSDictionary(3, init="random", random_state=0, max_iter=3).fit(batch)
        for batch in (X, X.change_basis(P))
    )
    np.testing.assert_allclose(first.objective_, second.objective_, rtol=1e-8)
