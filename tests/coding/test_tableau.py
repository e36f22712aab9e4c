import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import sparse_code
from ldslearn.coding import path_following, solver, sparse_path, working_sets
from ldslearn.coding.path_following import FREE, Paths, follow_one
from ldslearn.coding.tableau import Tableau, start_tableau

from support.oracles import kkt_residual, lasso_by_scikit_learn


def build(K, active):
    """The tableau by its definition."""
    n, D = len(K), np.diag(K.diagonal())
    others = np.setdiff1d(np.arange(n), active)
    P = np.linalg.inv(K[np.ix_(active, active)])
    T = np.empty((n, n))
    T[np.ix_(active, active)] = (
        2 * D[np.ix_(active, active)] - D[active][:, active] @ P @ (D[active][:, active])
    )
    T[np.ix_(active, others)] = D[active][:, active] @ P @ K[np.ix_(active, others)]
    T[np.ix_(others, active)] = T[np.ix_(active, others)].T
    T[np.ix_(others, others)] = K[np.ix_(others, others)] - K[np.ix_(others, active)] @ (
        P @ K[np.ix_(active, others)]
    )
    return T


@pytest.fixture
def gram():
    D = np.random.default_rng(0).standard_normal((9, 14)) * np.geomspace(0.01, 100, 9)[:, None]
    return D @ D.T


def test_rows_of_a_factor_give_the_tableau(gram):
    active = np.array([1, 4, 5, 8])
    change = np.random.default_rng(1).standard_normal(9)
    rates = change.copy()
    tableau = start_tableau(gram, active, rates, 3)
    assert tableau.matrix is gram
    tableau.absorb_rows()
    expected = build(gram, active)
    lengths = np.sqrt(np.outer(gram.diagonal(), gram.diagonal()))
    np.testing.assert_allclose(np.triu(tableau.matrix / lengths), np.triu(expected / lengths))
    w = np.linalg.solve(gram[np.ix_(active, active)], change[active])
    np.testing.assert_allclose(rates[active], gram.diagonal()[active] * w)
    free = [0, 2, 3, 6, 7]
    np.testing.assert_allclose(rates[free], (change - gram[:, active] @ w)[free])
    is_active = np.isin(np.arange(9), active)
    np.testing.assert_allclose(tableau.solve(change, is_active), rates)


def test_a_tableau_grows(gram):
    active = np.array([0, 2, 3])
    tableau = start_tableau(gram[:6, :6].copy(), active, np.zeros(6), 2)
    tableau.absorb_rows()
    tableau.append(gram[:6, 6:], gram[6:, 6:], np.isin(np.arange(6), active))
    lengths = np.sqrt(np.outer(gram.diagonal(), gram.diagonal()))
    expected = build(gram, active)
    np.testing.assert_allclose(np.triu(tableau.matrix / lengths), np.triu(expected / lengths))


def test_dependent_atoms_have_no_tableau(gram):
    K = gram[np.ix_([0, 1, 0], [0, 1, 0])]
    assert start_tableau(K, np.array([0, 2]), np.zeros(3), 1) is None
    assert start_tableau(K, np.array([0, 1]), np.zeros(3), 1) is not None


def test_atoms_that_joined_and_left_leave_the_tableau_of_the_others(gram):
    """Down a path on which atoms leave again, whether rows are applied or not."""
    random = np.random.default_rng(5)
    n_left = 0
    for _ in range(20):
        D = random.standard_normal((12, 12)) + 2 * random.standard_normal(12)
        K, k = D @ D.T, (random.standard_normal((1, 12)) @ D.T)
        start = np.abs(k).max()
        roles = np.zeros((1, 12), dtype=np.int8)
        paths = Paths.at(start, np.zeros((1, 12)), k.copy(), np.zeros((1, 12)), roles)
        paths.times[:] = 0.95 * start
        tableau = Tableau.of(K, 5)
        if not follow_one(0, -1.0, False, 500, paths, tableau):
            continue  # inaccurate: another test
        tableau.absorb_rows()
        active = np.flatnonzero(roles[0] != FREE)
        n_left += int(paths.steps[0]) - len(active) - 1
        np.testing.assert_allclose(
            np.triu(tableau.matrix), np.triu(build(K, active)), atol=1e-8 * K.max()
        )
    assert n_left > 20


@given(
    shape=st.tuples(st.integers(5, 14), st.integers(2, 14)),
    whole=st.booleans(),
    copies=st.booleans(),
    sparsity=st.sampled_from([1e-6, 0.1, 1.0, 4.0]),
    nonnegative=st.booleans(),
    warm=st.booleans(),
    large=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_codes_do_not_depend_on_how_they_are_found(
    shape, whole, copies, sparsity, nonnegative, warm, large, seed
):
    """Rows applied after every second step, factors of LAPACK, tiny working sets."""
    n_atoms, dimension = shape
    random = np.random.default_rng(seed)
    D = random.integers(-2, 3, shape) if whole else random.standard_normal(shape)
    if copies:
        D[-1], D[n_atoms // 2] = -D[0], D[0]
    x = random.integers(-2, 3, (3, dimension))
    K, cross = (D @ D.T).astype(float), (x @ D.T).astype(float)
    allowed = random.random(cross.shape) < 0.8
    init = random.integers(-1, 2, cross.shape) if warm else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_following, "FEW_ROWS", 2)
        patch.setattr(working_sets, "FEW_ROWS", 2)
        patch.setattr(working_sets, "_FIRST", 2)
        patch.setattr(working_sets, "_LEAST", 1)
        patch.setattr(solver, "LARGE", 4 if large else 100)
        codes, residual = sparse_code(
            K, cross, sparsity, nonnegative=nonnegative, init=init, allowed=allowed,
            return_residual=True,
        )  # fmt: skip
    for k, z, own, claimed in zip(cross, codes, allowed, residual, strict=True):
        assert not z[~own].any()
        found = kkt_residual(K[np.ix_(own, own)], k[own], z[own], sparsity, nonnegative)
        assert found < 1e-8 * max(1.0, np.abs(k).max())
        assert claimed == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("sparsity", [0.01, 0.1, 1.0])
def test_long_codes_over_working_sets_are_those_of_scikit_learn(monkeypatch, sparsity):
    monkeypatch.setattr(solver, "LARGE", 20)
    monkeypatch.setattr(working_sets, "_FIRST", 16)
    monkeypatch.setattr(working_sets, "_LEAST", 8)
    random = np.random.default_rng(0)
    D = random.standard_normal((80, 120)) + random.standard_normal(120)
    D /= np.linalg.norm(D, axis=1)[:, None]
    x = random.standard_normal((4, 120))
    gram, cross = D @ D.T, x @ D.T
    codes, residual = sparse_code(gram, cross, sparsity, return_residual=True)
    expected = lasso_by_scikit_learn(D, x, sparsity)
    np.testing.assert_allclose(codes, expected, atol=1e-8)
    assert residual.max() < 1e-13 * np.abs(cross).max()
    np.testing.assert_allclose(sparse_code(gram, cross, sparsity, n_jobs=2), codes, atol=1e-12)
    np.testing.assert_allclose(sparse_code(gram, cross[2:3], sparsity)[0], codes[2], atol=1e-12)
    nearby = sparse_code(gram, cross, 1.2 * sparsity)
    warm = sparse_code(gram, cross, sparsity, init=nearby)
    np.testing.assert_allclose(warm, codes, atol=1e-10)


def make_twins(n_atoms, distance, seed=0):
    """Atoms in pairs that hardly differ."""
    random = np.random.default_rng(seed)
    D = random.standard_normal((n_atoms, 2 * n_atoms))
    D[1::2] = D[::2] + distance * random.standard_normal(D[::2].shape)
    D /= np.linalg.norm(D, axis=1)[:, None]
    return D, random.standard_normal((3, 2 * n_atoms))


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("few_rows", [1, 64])
def test_atoms_that_hardly_differ(monkeypatch, distance, few_rows):
    """One of them leaves after the other joined: in another order, or on a new tableau."""
    D, x = make_twins(40, distance)
    gram, cross = D @ D.T, x @ D.T
    sparsity = 0.02 * distance
    n_factors = []

    def start(*arguments):
        n_factors.append(1)
        return start_tableau(*arguments)

    monkeypatch.setattr(working_sets, "start_tableau", start)
    for module in (path_following, working_sets):
        monkeypatch.setattr(module, "FEW_ROWS", few_rows)
    monkeypatch.setattr(working_sets, "_FIRST", 8)
    monkeypatch.setattr(working_sets, "_LEAST", 4)
    path = sparse_path(gram, cross[0], sparsity)
    for large in (20, 100):
        monkeypatch.setattr(solver, "LARGE", large)
        codes = sparse_code(gram, cross, sparsity)
        size = np.abs(codes).max()
        assert np.abs(path.codes[-1] - codes[0]).max() < 1e-15 / distance**2 * size + 1e-9
        for k, z in zip(cross, codes, strict=True):
            assert kkt_residual(gram, k, z, sparsity) < 1e-12 + 1e-15 * size
    if distance == 1e-5 and few_rows == 1:
        assert n_factors


@pytest.mark.parametrize("decay", [3, 5, 8])
@pytest.mark.parametrize("fraction", [1e-9, 1e-6, 1e-3])
def test_steep_spectra_are_certified(monkeypatch, decay, fraction):
    """A tableau loses digits here; a Cholesky factor does not."""
    monkeypatch.setattr(solver, "LARGE", 20)
    monkeypatch.setattr(working_sets, "_FIRST", 8)
    monkeypatch.setattr(working_sets, "_LEAST", 4)
    for seed in range(12, 18):
        random = np.random.default_rng(seed)
        lengths = np.logspace(0, -decay, 30)
        D, x = random.standard_normal((40, 30)) * lengths, random.standard_normal((3, 30)) * lengths
        cross = x @ D.T
        largest = np.abs(cross).max()
        _, residual = sparse_code(D @ D.T, cross, fraction * largest, return_residual=True)
        assert residual.max() < 1e-9 * largest
