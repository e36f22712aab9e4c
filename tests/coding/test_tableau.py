import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import sparse_code
from ldslearn.coding import path_following, solver, sparse_path, working_sets
from ldslearn.coding.homotopy import ACTIVE, DEPENDENT, FREE
from ldslearn.coding.path_following import follow_on_tableau, take_steps
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
    K = gram.copy()
    tableau = start_tableau(K, active)
    tableau.absorb_rows()
    assert np.shares_memory(tableau.matrix, K)  # no copy is made
    expected = build(gram, active)
    lengths = np.sqrt(np.outer(gram.diagonal(), gram.diagonal()))
    np.testing.assert_allclose(np.triu(tableau.matrix / lengths), np.triu(expected / lengths))
    tableau.absorb_rows()  # there are none left
    np.testing.assert_allclose(np.triu(tableau.matrix / lengths), np.triu(expected / lengths))


def test_rates_of_a_tableau_solve_the_equations_of_the_active_atoms(gram):
    active, free = np.array([1, 4, 5, 8]), [0, 2, 3, 6, 7]
    change = np.random.default_rng(1).standard_normal(9)
    tableau = start_tableau(gram.copy(), active)
    tableau.absorb_rows()
    rates = tableau.solve(change, np.isin(np.arange(9), active))
    w = np.linalg.solve(gram[np.ix_(active, active)], change[active])
    np.testing.assert_allclose(rates[active], gram.diagonal()[active] * w)
    np.testing.assert_allclose(rates[free], (change - gram[:, active] @ w)[free])


@pytest.mark.parametrize("active", [[], [0, 2, 3]])
def test_a_tableau_grows(gram, active):
    active = np.array(active, dtype=int)
    tableau = start_tableau(gram[:6, :6].copy(), active)
    tableau.absorb_rows()
    tableau.append(gram[:6, 6:], gram[6:, 6:], np.isin(np.arange(6), active))
    lengths = np.sqrt(np.outer(gram.diagonal(), gram.diagonal()))
    expected = build(gram, active)
    np.testing.assert_allclose(np.triu(tableau.matrix / lengths), np.triu(expected / lengths))
    np.testing.assert_array_equal(tableau.lengths, gram.diagonal())


def test_a_tableau_grows_from_nothing(gram):
    nothing = np.empty(0, dtype=int)
    tableau = start_tableau(np.empty((0, 0)), nothing)
    tableau.append(gram[:0], gram, nothing == 0)
    np.testing.assert_array_equal(tableau.matrix, gram)
    np.testing.assert_array_equal(tableau.lengths, gram.diagonal())


def test_dependent_atoms_have_no_tableau(gram):
    K = gram[np.ix_([0, 1, 0], [0, 1, 0])]
    assert start_tableau(K.copy(), np.array([0, 2])) is None
    assert start_tableau(K.copy(), np.array([0, 1])) is not None
    K[2, 2] *= 1.0 + 5e-15
    assert start_tableau(K.copy(), np.array([0, 2])) is None


def follow_from_zero(K, k, bound, nonnegative=False, max_steps=500):
    """Whether the tableau is accurate, the code, the roles and the tableau, from k = 0 to k."""
    z, c, roles = np.zeros(len(k)), np.zeros(len(k)), np.zeros(len(k), dtype=np.int8)
    tableau = start_tableau(K.copy(), np.empty(0, dtype=int))
    is_accurate = follow_on_tableau(tableau, bound, nonnegative, max_steps, z, c, k.copy(), roles)
    return is_accurate, z, roles, tableau


@pytest.mark.parametrize("few_rows", [1, 5, 64])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_atoms_that_joined_and_left_leave_the_tableau_of_the_others(
    monkeypatch, few_rows, nonnegative
):
    """On a path on which atoms leave again, whether rows are applied or not."""
    monkeypatch.setattr(path_following, "FEW_ROWS", few_rows)
    absorb_rows, n_left, n_signatures = Tableau.absorb_rows, [], len(take_steps.signatures)

    def count_and_absorb(self):
        n_left.append((self.signs < 0).sum())
        absorb_rows(self)

    monkeypatch.setattr(Tableau, "absorb_rows", count_and_absorb)
    random = np.random.default_rng(5)
    for _ in range(20):
        D = random.standard_normal((12, 12)) + 2 * random.standard_normal(12)
        K, k = D @ D.T, random.standard_normal(12) @ D.T
        bound = 0.05 * np.abs(k).max()
        is_accurate, z, roles, tableau = follow_from_zero(K, k, bound, nonnegative)
        assert is_accurate
        tableau.absorb_rows()
        assert kkt_residual(K, k, z, 2 * bound, nonnegative) < 1e-9 * np.abs(k).max()
        active = np.flatnonzero(np.abs(roles) == ACTIVE)
        np.testing.assert_array_equal(active, np.flatnonzero(z))
        np.testing.assert_allclose(
            np.triu(tableau.matrix), np.triu(build(K, active)), atol=1e-8 * K.max()
        )
    assert sum(n_left) > (0 if nonnegative else 10)
    assert len(take_steps.signatures) <= n_signatures + 1  # it is compiled once


@pytest.mark.parametrize("few_rows", [1, 64])
def test_a_path_ends_after_a_number_of_steps(monkeypatch, few_rows):
    monkeypatch.setattr(path_following, "FEW_ROWS", few_rows)
    k = np.array([5.0, -4.0, 3.0, 2.0])
    _, z, roles, _ = follow_from_zero(np.eye(4), k, 1.0, max_steps=3)
    np.testing.assert_array_equal(roles, [1, -1, 1, 0])
    # The third step ends where the third atom joins, at a third of the time.
    np.testing.assert_allclose(z, [2 / 3, -1 / 3, 0, 0], atol=1e-15)


@pytest.mark.parametrize(("rate", "expected"), [(0.0, [ACTIVE, DEPENDENT]), (-1.25, [FREE, FREE])])
def test_a_copy_of_an_active_atom_is_set_aside_until_that_leaves(rate, expected):
    """It reaches the bound at half of the time, as only errors of rounding can make it do."""
    tableau = start_tableau(np.ones((2, 2)), np.array([0]))
    z, c, roles = np.array([1.0, 0.0]), np.array([1.0, 0.5]), np.array([ACTIVE, FREE], dtype="i1")
    assert follow_on_tableau(tableau, 1.0, False, 9, z, c, np.array([rate, 1.0]), roles)
    np.testing.assert_array_equal(roles, expected)
    np.testing.assert_array_equal(z, [1.0 if rate == 0.0 else 0.0, 0.0])


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
    monkeypatch.setattr(working_sets, "code_rows", None)  # over all atoms: it is not needed
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
    monkeypatch.setattr(path_following, "FEW_ROWS", few_rows)
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


@pytest.mark.parametrize("distance", [1e-3, 1e-4])
def test_one_of_two_atoms_that_hardly_differ_replaces_the_other(distance):
    """Two steps in another order: the first atom leaves before the second one joins."""
    D, x = make_twins(40, distance)
    K, k = D @ D.T, x[0] @ D.T
    bound = 0.01 * distance
    is_accurate, z, roles, _ = follow_from_zero(K, k, bound)
    assert is_accurate
    assert kkt_residual(K, k, z, 2 * bound) < 0.1 * bound
    assert np.isin(roles, [FREE, ACTIVE, -ACTIVE]).all()


def test_a_tableau_that_became_inaccurate_is_reported(monkeypatch):
    monkeypatch.setattr(path_following, "FEW_ROWS", 1)
    D, x = make_twins(40, 1e-5)
    assert not follow_from_zero(D @ D.T, x[0] @ D.T, 1e-7)[0]


def test_rates_are_those_of_the_active_atoms_of_a_new_tableau(monkeypatch):
    """An atom that was to join again when the previous tableau became inaccurate is not active."""
    monkeypatch.setattr(solver, "LARGE", 20)
    monkeypatch.setattr(working_sets, "_FIRST", 8)
    monkeypatch.setattr(working_sets, "_LEAST", 4)
    solve, starts, n_compared = Tableau.solve, [], 0

    def start(K, active):
        starts[:] = [active]
        return start_tableau(K, active)

    def compare_and_solve(self, changes, is_active):
        nonlocal n_compared
        if starts:
            np.testing.assert_array_equal(np.flatnonzero(is_active), starts.pop())
            n_compared += 1
        return solve(self, changes, is_active)

    monkeypatch.setattr(working_sets, "start_tableau", start)
    monkeypatch.setattr(Tableau, "solve", compare_and_solve)
    for seed in range(10):
        D, x = make_twins(40, 1e-5, seed)
        starts.clear()
        codes = sparse_code(D @ D.T, x @ D.T, 2e-7)
        assert codes.any()
    assert n_compared > 30


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
