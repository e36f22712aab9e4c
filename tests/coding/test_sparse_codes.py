import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, nnls
from sklearn.linear_model import orthogonal_mp_gram

from ldslearn import LDSEncoder, sparse_code
from ldslearn.coding import solver, sparse_path, sparse_paths, working_sets
from ldslearn.datasets import load_basic_motions
from ldslearn.geometry import projection_kernel

from support.oracles import kkt_residual, lasso_by_scikit_learn


def features(n_atoms, n_samples, dimension, coherence=0.0, seed=0):
    """Unit atoms around a common direction, and samples that combine three of them."""
    random = np.random.default_rng(seed)
    D = random.standard_normal((n_atoms, dimension))
    D += coherence * random.standard_normal(dimension)
    D /= np.linalg.norm(D, axis=1)[:, None]
    x = D[random.integers(0, n_atoms, (n_samples, 3))].mean(axis=1)
    return D, x + 0.05 * random.standard_normal(x.shape)


@pytest.fixture(scope="module")
def real():
    X_train, _, X_test, _ = load_basic_motions()
    encoder = LDSEncoder(10, delays=5)
    atoms = encoder.fit_transform(X_train)
    return projection_kernel(atoms), projection_kernel(encoder.transform(X_test), atoms)


@pytest.mark.parametrize("coherence", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("sparsity", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_codes_are_those_of_scikit_learn_at_half_the_sparsity(coherence, sparsity, nonnegative):
    """The paper's penalty has no 1/2: scikit-learn's alpha is lambda / 2."""
    D, x = features(40, 4, 60, coherence)
    codes = sparse_code(D @ D.T, x @ D.T, sparsity, nonnegative=nonnegative)
    expected = lasso_by_scikit_learn(D, x, sparsity, nonnegative)
    np.testing.assert_allclose(codes, expected, atol=1e-8)
    assert 0 < np.count_nonzero(codes) < codes.size


def test_codes_on_a_real_gram_matrix(real):
    gram, cross = real
    for sparsity in (0.01, 0.1, 1.0):
        codes, residual = sparse_code(gram, cross[:10], sparsity, return_residual=True)
        values, vectors = np.linalg.eigh(gram)
        D = vectors * np.sqrt(values)
        x = np.linalg.solve(D, cross[:10].T).T
        expected = lasso_by_scikit_learn(D, x, sparsity)
        np.testing.assert_allclose(codes, expected, atol=1e-8)
        for k, z, claimed in zip(cross[:10], codes, residual, strict=True):
            assert kkt_residual(gram, k, z, sparsity) < 1e-8
            assert claimed == pytest.approx(kkt_residual(gram, k, z, sparsity), abs=1e-13)


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    whole=st.booleans(),
    copies=st.booleans(),
    sparsity=st.sampled_from([0.0, 1e-6, 0.1, 1.0, 2.0, 4.0]),
    nonnegative=st.booleans(),
    warm=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_code_is_optimal(shape, whole, copies, sparsity, nonnegative, warm, seed):
    """Ties, copies, opposite copies, zero atoms, fewer dimensions than atoms, starts at random."""
    n_atoms, dimension = shape
    random = np.random.default_rng(seed)
    D = random.integers(-2, 3, shape) if whole else random.standard_normal(shape)
    if copies:
        D[-1], D[n_atoms // 2] = -D[0], D[0]
    x = random.integers(-2, 3, (3, dimension))
    K, cross = (D @ D.T).astype(float), (x @ D.T).astype(float)
    init = random.integers(-1, 2, cross.shape) if warm else None
    codes, residual = sparse_code(
        K, cross, sparsity, nonnegative=nonnegative, init=init, return_residual=True
    )
    for k, z, claimed in zip(cross, codes, residual, strict=True):
        true = kkt_residual(K, k, z, sparsity, nonnegative)
        assert true < 1e-8 * max(1.0, np.abs(k).max())
        assert claimed == pytest.approx(true, abs=1e-12)


def test_the_residual_shows_that_a_code_is_not_optimal(real):
    """A residual that could not be large would certify nothing."""
    gram, cross = real
    z = sparse_code(gram, cross[:1], 0.1)[0]
    assert kkt_residual(gram, cross[0], z, 0.1) < 1e-12
    assert kkt_residual(gram, cross[0], 1.001 * z, 0.1) > 1e-4


def test_ties_that_cause_cycles_are_resolved():
    """Of 20,000 such problems of small integers seven sent a plain homotopy round in circles."""
    random = np.random.default_rng(1)
    for _ in range(2000):
        n_atoms, dimension = random.integers(8, 12), random.integers(3, 7)
        D = random.integers(-2, 3, (n_atoms, dimension)).astype(float)
        D[-1] = -D[0]
        cross = random.integers(-2, 3, (4, dimension)) @ D.T
        sparsity = random.choice([1e-6, 0.1, 2.0, 4.0])
        sparse_code(D @ D.T, cross, sparsity)  # a warning would be an error


def test_the_path_survives_ties_and_dependent_atoms():
    random = np.random.default_rng(1)
    for _ in range(300):
        n_atoms, dimension = random.integers(8, 12), random.integers(3, 7)
        D = random.integers(-2, 3, (n_atoms, dimension)).astype(float)
        D[-1] = -D[0]
        K, k = D @ D.T, random.integers(-2, 3, dimension) @ D.T
        path = sparse_path(K, k)
        assert path.sparsity[-1] == 0.0
        for sparsity, z in zip(path.sparsity, path.codes, strict=True):
            assert kkt_residual(K, k, z, sparsity) < 1e-7 * max(1.0, np.abs(k).max())


def test_a_path_on_an_indefinite_matrix_is_not_certified():
    K = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.warns(UserWarning, match="codes of sample 0 miss the optimality conditions by"):
        sparse_path(K, np.array([1.0, -1.0, 0.5]))


def test_samples_outside_the_range_of_the_atoms_are_reported():
    with pytest.warns(UserWarning, match=r"sample 0 miss .* by up to 0.95: cross lies outside"):
        sparse_code(np.zeros((2, 2)), [[1.0, 0.0]])


def test_many_active_atoms():
    """The factor outgrows its first room twice."""
    D, x = features(300, 2, 400)
    codes, residual = sparse_code(D @ D.T, x @ D.T, 1e-4, return_residual=True)
    assert (np.count_nonzero(codes, axis=1) > 150).all()
    assert residual.max() < 1e-12


def test_copies_change_nothing():
    D, x = features(20, 6, 12)
    twice = np.vstack([D, D[:7]])
    single, double = (sparse_code(A @ A.T, x @ A.T, 0.05) for A in (D, twice))
    double[:, :7] += double[:, 20:]
    np.testing.assert_allclose(double[:, :20], single, atol=1e-9)


def test_without_penalty_the_code_is_the_interpolation_of_least_length():
    D, x = features(9, 4, 5)
    codes = sparse_code(D @ D.T, x @ D.T, 0.0)
    np.testing.assert_allclose(codes @ D, x, atol=1e-9)
    for z, sample in zip(codes, x, strict=True):
        shortest = linprog(np.ones(18), A_eq=np.hstack([D.T, -D.T]), b_eq=sample)
        assert np.abs(z).sum() == pytest.approx(shortest.fun, rel=1e-7)
    warm = sparse_code(D @ D.T, x @ D.T, 0.0, init=np.ones_like(codes))
    np.testing.assert_array_equal(warm, codes)
    positive = sparse_code(D @ D.T, x @ D.T, 0.0, nonnegative=True)
    for z, sample in zip(positive, x, strict=True):
        assert np.linalg.norm(z @ D - sample) == pytest.approx(nnls(D.T, sample)[1], abs=1e-7)


def test_codes_vanish_from_twice_the_largest_correlation_on(real):
    gram, cross = real
    largest = 2 * np.abs(cross[0]).max()
    assert not sparse_code(gram, cross[:1], largest).any()
    below = sparse_code(gram, cross[:1], 0.999 * largest)[0]
    assert np.flatnonzero(below).tolist() == [np.abs(cross[0]).argmax()]
    assert not sparse_code(gram, 0.0 * cross, 0.1).any()
    assert not sparse_code(gram, -cross, 0.1, nonnegative=True).any()


def test_the_path_holds_every_code(real):
    gram, cross = real
    for nonnegative in (False, True):
        path = sparse_path(gram, cross[3], nonnegative=nonnegative)
        assert path.sparsity[0] == pytest.approx(2 * cross[3].max())
        assert path.sparsity[-1] == 0.0
        assert (np.diff(path.sparsity) < 0).all()
        for sparsity in (0.0, 0.03, 0.5, 2.0, path.sparsity[4], 30.0):
            expected = sparse_code(gram, cross[3:4], sparsity, nonnegative=nonnegative)[0]
            np.testing.assert_allclose(path.interpolate(sparsity), expected, atol=1e-9)
    short = sparse_path(gram, cross[3], 1.0)
    assert short.sparsity[-1] == pytest.approx(1.0)
    with pytest.raises(ValueError, match="sparsity must be at least 1, where the path ends"):
        short.interpolate(0.5)
    with pytest.raises(ValueError, match=r"cross must have shape \(40,\); got shape \(40, 40\)"):
        sparse_path(gram, cross)


def test_a_path_with_more_breakpoints_than_foreseen(monkeypatch):
    """Atoms that join, leave and join again: the record is enlarged."""
    monkeypatch.setattr(sparse_paths, "_BREAKPOINTS_PER_ATOM", -2)
    random = np.random.default_rng(3)
    most = 0
    for _ in range(300):
        n = 6
        D = np.tril(random.standard_normal((n, n))) + 0.05 * np.eye(n)
        k = random.standard_normal(n) @ D.T
        path = sparse_path(D @ D.T, k)
        most = max(most, len(path.sparsity))
        z = sparse_code(D @ D.T, k[None], 0.0)[0]
        np.testing.assert_allclose(path.interpolate(0.0), z, atol=1e-6 * max(1, np.abs(z).max()))
    assert most > 16 - 2 * n + 1


def test_pursuit_is_that_of_scikit_learn():
    D, x = features(30, 8, 50, coherence=1.0)
    gram, cross = D @ D.T, x @ D.T
    for n_nonzero in (1, 3, 7):
        codes, residual = sparse_code(gram, cross, n_nonzero=n_nonzero, return_residual=True)
        expected = orthogonal_mp_gram(gram, cross.T, n_nonzero_coefs=n_nonzero).T
        np.testing.assert_allclose(codes, expected, atol=1e-10)
        assert (np.count_nonzero(codes, axis=1) == n_nonzero).all()
        assert residual.max() < 1e-12


def test_pursuit_does_not_depend_on_the_length_of_atoms():
    D, x = features(20, 5, 30)
    lengths = np.geomspace(0.1, 10, 20)[:, None]
    short, long = (sparse_code(A @ A.T, x @ A.T, n_nonzero=4) for A in (D, lengths * D))
    np.testing.assert_allclose(long * lengths.T, short, atol=1e-10)


def test_pursuit_stops_when_nothing_is_left():
    D = np.vstack([np.eye(3), np.eye(3), np.zeros(3)])
    codes = sparse_code(D @ D.T, np.array([[1.0, 2.0, 0.0]]) @ D.T, n_nonzero=7)
    assert np.count_nonzero(codes) == 2
    np.testing.assert_allclose(codes @ D, [[1.0, 2.0, 0.0]])


def test_a_start_changes_nothing_but_the_time(real):
    gram, cross = real
    cold = sparse_code(gram, cross, 0.1)
    for init in (cold, sparse_code(gram, cross, 0.2), cold[::-1], np.ones_like(cold)):
        before = init.copy()
        np.testing.assert_allclose(sparse_code(gram, cross, 0.1, init=init), cold, atol=1e-9)
        np.testing.assert_array_equal(init, before)


@pytest.mark.parametrize("n_nonzero", [None, 4])
def test_barred_atoms_are_as_good_as_absent(real, n_nonzero):
    gram, cross = real
    allowed = np.random.default_rng(0).random(cross.shape) < 0.5
    codes = sparse_code(gram, cross, 0.1, allowed=allowed, n_nonzero=n_nonzero)
    assert not codes[~allowed].any()
    for k, z, own in zip(cross, codes, allowed, strict=True):
        alone = sparse_code(gram[np.ix_(own, own)], k[None, own], 0.1, n_nonzero=n_nonzero)
        np.testing.assert_allclose(z[own], alone[0], atol=1e-9)


def test_an_indefinite_gram_matrix_is_answered_with_a_warning(real):
    gram, cross = real
    values, vectors = np.linalg.eigh(gram)
    values[:5] = -0.5
    K = (vectors * values) @ vectors.T
    K = 0.5 * (K + K.T)
    with pytest.warns(UserWarning, match=r"indefinite: its smallest eigenvalue is -0.5, .* sample"):
        codes, residual = sparse_code(K, cross, 0.01, return_residual=True)
    values[:5] = 0.0
    positive, projector = (vectors * values) @ vectors.T, vectors[:, 5:] @ vectors[:, 5:].T
    expected = sparse_code(positive, cross @ projector, 0.01)
    for k, z, answer, claimed in zip(cross, codes, expected, residual, strict=True):
        assert claimed == pytest.approx(kkt_residual(K, k, z, 0.01), rel=1e-9, abs=1e-12)
        if claimed > 1e-6:  # no optimum within reach
            np.testing.assert_allclose(z, answer, atol=1e-7)
    assert (residual > 1e-6).any()


def test_a_code_that_uses_only_sound_atoms_is_not_changed(real):
    gram, cross = real
    K = gram.copy()
    K[0, 1] = K[1, 0] = 12.0  # two atoms that contradict each other
    cross = np.where(np.arange(40) < 2, 0.0, cross)
    allowed = np.broadcast_to(np.arange(40) > 1, cross.shape)
    codes, residual = sparse_code(K, cross, 1.0, allowed=allowed, return_residual=True)
    np.testing.assert_array_equal(codes, sparse_code(gram, cross, 1.0, allowed=allowed))
    assert residual.max() < 1e-12


def test_rounding_does_not_make_a_gram_matrix_indefinite():
    D, x = features(60, 5, 8)
    K = D @ D.T
    assert np.linalg.eigvalsh(K)[0] < 0  # by rounding
    _, residual = sparse_code(K, x @ D.T, 0.01, return_residual=True)
    assert residual.max() < 1e-12


def test_threads_and_precision_change_nothing(real):
    gram, cross = real
    codes = sparse_code(gram, cross)
    np.testing.assert_array_equal(codes, sparse_code(gram, cross, n_jobs=2))
    np.testing.assert_array_equal(codes[5:7], sparse_code(gram, cross[5:7]))
    single = sparse_code(gram.astype(np.float32), cross.astype(np.float32))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, codes, atol=1e-3)
    assert sparse_code(gram, cross[:0]).shape == (0, 40)
    assert sparse_code([[2.0]], [[1.0]], 0.0) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gram": np.ones((2, 3))}, r"gram must be a square matrix; got shape \(2, 3\)\.$"),
        ({"gram": [[1.0, np.nan], [np.nan, 1.0]]}, "gram must be finite"),
        ({"gram": [[1.0, 0.5], [0.0, 1.0]]}, r"gram must be symmetric; got \|K - K'\| = 0.5"),
        ({"cross": [1.0, 2.0]}, r"cross must have shape \(n_samples, 2\).*pass cross\[None, :\]"),
        ({"cross": np.ones((2, 3))}, r"got shape \(2, 3\). Is it transposed\?"),
        ({"cross": [[1.0, 2.0], [np.inf, 0.0]]}, "cross must be finite; got NaN or .* row 1"),
        ({"sparsity": -0.1}, "sparsity must be a finite number of at least 0; got -0.1"),
        ({"nonnegative": "yes"}, "nonnegative must be True or False; got 'yes'"),
        ({"gram": np.eye(2) * 1j}, "gram must hold real numbers; got dtype complex128"),
        ({"n_nonzero": 0}, "n_nonzero must be"),
        ({"n_nonzero": 1, "nonnegative": True}, "nonnegative must not be given together with n_no"),
        ({"n_nonzero": 1, "init": [[0.0, 0.0]]}, "init must not be given together with n_nonzero"),
        ({"init": np.ones((3, 2))}, "init must have 1 rows like cross; got 3"),
        ({"allowed": [[1, 0]]}, r"allowed must be a bool array of shape \(1, 2\); got int64"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        sparse_code(**{"gram": np.eye(2), "cross": [[1.0, 2.0]], **change})


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("sparsity", [0.02, 0.1, 0.5])
def test_working_sets_find_the_codes_over_all_atoms(monkeypatch, sparsity, nonnegative):
    """Above a number of atoms, codes are found on some of them and checked on all."""
    D, x = features(300, 6, 120, coherence=1.0)
    D[7] = D[3]  # either of them, or both, may be used
    merge = np.eye(300)
    merge[7, 3] = 1.0
    gram, cross = D @ D.T, x @ D.T
    allowed = np.random.default_rng(0).random(cross.shape) < 0.8
    settings = {"nonnegative": nonnegative, "allowed": allowed, "return_residual": True}
    expected, _ = sparse_code(gram, cross, sparsity, **settings)
    monkeypatch.setattr(solver, "LARGE", 100)
    monkeypatch.setattr(working_sets, "_FIRST", 8)
    for init in (None, expected + 0.01 * (expected != 0)):
        codes, residual = sparse_code(gram, cross, sparsity, init=init, **settings)
        np.testing.assert_allclose((codes @ merge)[:, :7], (expected @ merge)[:, :7], atol=1e-9)
        np.testing.assert_allclose(codes[:, 8:], expected[:, 8:], atol=1e-9)
        for k, z, own, claimed in zip(cross, codes, allowed, residual, strict=True):
            assert not z[~own].any()
            found = kkt_residual(gram[np.ix_(own, own)], k[own], z[own], sparsity, nonnegative)
            assert claimed == pytest.approx(found, abs=1e-12)
            assert claimed < 1e-12


def test_working_sets_give_way_to_all_atoms(monkeypatch):
    """Where a code has most of the atoms, or none, or K is indefinite."""
    D, x = features(60, 3, 90)
    gram, cross = D @ D.T, x @ D.T
    expected = sparse_code(gram, cross, 1e-4)
    assert np.count_nonzero(expected, axis=1).min() > 30
    monkeypatch.setattr(solver, "LARGE", 20)
    monkeypatch.setattr(working_sets, "_FIRST", 8)
    np.testing.assert_allclose(sparse_code(gram, cross, 1e-4), expected, atol=1e-9)
    assert not sparse_code(gram, cross, 10.0).any()
    assert not sparse_code(gram, cross, 0.1, allowed=np.zeros(cross.shape, dtype=bool)).any()
    indefinite = gram - 0.9 * np.eye(60)
    with pytest.warns(UserWarning, match="for its positive part"):
        codes = sparse_code(indefinite, cross, 0.01)
    assert np.isfinite(codes).all()
