import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.dictionary import updates
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.objective import multiply_weighted_gram
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.updates import (
    _diagonal,
    _smallest_eigenvectors,
    improve_by_columns,
    improve_jointly,
    polar,
)
from ldslearn.models import canonical_skew, canonical_symmetric

from support.makers import contractions
from support.oracles import literal_s

FORMS = {"symmetric": canonical_symmetric, "skew": canonical_skew}


def make_problem(kind, n_states, seed, n_sets=7, n_channels=9):
    """An atom, and others with weights of both signs."""
    random = np.random.default_rng(seed)
    X = contractions(n_sets + 1, n_channels, n_states, seed=int(random.integers(10**6)))
    columns = Columns.of(X.C if kind == "plain" else FORMS[kind](X))
    weights = random.standard_normal(n_sets)
    atom = Atom(columns.rows[0].copy(), columns.eigenvalues[0].copy())
    return AtomProblem(columns[1:], weights), atom, columns


@pytest.mark.parametrize("n_states", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["symmetric", "skew"])
def test_value_and_pull_are_those_of_the_literal_s(kind, n_states):
    problem, atom, columns = make_problem(kind, n_states, seed=n_states)
    form = columns.as_form()
    Lambda, U = form.eigenvalues, form.measurement
    value, pull = 0.0, np.empty((9, n_states), dtype=complex)
    for k in range(n_states):
        S = literal_s(Lambda[0, k], Lambda[1:], U[1:], problem.weights)
        value += (U[0, :, k].conj() @ S @ U[0, :, k]).real
        pull[:, k] = S @ U[0, :, k]
    assert problem.evaluate(atom.rows, atom.eigenvalues).value == pytest.approx(value, rel=1e-12)
    _, H = problem.weigh(problem.products(atom.rows), atom.eigenvalues)
    found = problem.half_gradient(H).T
    if kind == "symmetric":
        np.testing.assert_allclose(found, pull.real, atol=1e-12)
        return
    planes = 2 * (n_states // 2)  # u = (q1 + i q2) / sqrt 2
    np.testing.assert_allclose(found[:, 0:planes:2], np.sqrt(2) * pull[:, 0:planes:2].real)
    np.testing.assert_allclose(found[:, 1:planes:2], np.sqrt(2) * pull[:, 0:planes:2].imag)
    np.testing.assert_allclose(found[:, planes:], pull[:, planes:].real, atol=1e-12)


@pytest.mark.parametrize("kind", ["symmetric", "skew", "plain"])
def test_the_value_is_a_sum_of_kernels(kind):
    problem, atom, columns = make_problem(kind, 4, seed=3)
    kernels = columns[:1].kernel(columns[1:])[0]
    value = problem.evaluate(atom.rows, atom.eigenvalues).value
    assert value == pytest.approx(kernels @ problem.weights, rel=1e-12)


@given(
    kind=st.sampled_from(["symmetric", "skew", "plain"]),
    n_states=st.integers(1, 7),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_update_raises_the_objective(kind, n_states, seed):
    problem, atom, _ = make_problem(kind, n_states, seed)
    before = problem.evaluate(atom.rows, atom.eigenvalues).value
    for improve in (improve_jointly, improve_by_columns):
        after = improve(problem, atom)
        assert after.value <= before + 1e-12 * abs(before)
        assert problem.evaluate(after.rows, after.eigenvalues).value == pytest.approx(
            after.value, abs=1e-9
        )
        np.testing.assert_allclose(after.rows @ after.rows.T, np.eye(n_states), atol=1e-10)
        assert (np.abs(after.eigenvalues) < 1).all()
        assert kind != "skew" or (after.eigenvalues >= 0).all()


@given(
    kind=st.sampled_from(["symmetric", "skew", "plain"]),
    ahead=st.floats(0.0, 100.0),
    seed=st.integers(0, 2**32 - 1),
)
def test_steps_too_far_ahead_are_rejected(kind, ahead, seed):
    problem, atom, _ = make_problem(kind, 3, seed)
    before = problem.evaluate(atom.rows, atom.eigenvalues).value
    values = [improve_jointly(problem, atom, n, ahead=ahead).value for n in (1, 2, 6)]
    assert values[0] <= before + 1e-12 * abs(before)
    assert (np.diff(values) <= 1e-12 * abs(before)).all()


def test_a_thousand_joint_steps_never_raise_the_objective():
    falls = 0
    for trial in range(1000):
        kind = ("symmetric", "skew")[trial % 2]
        problem, atom, _ = make_problem(kind, 1 + trial % 8, seed=trial, n_channels=8)
        before = problem.evaluate(atom.rows, atom.eigenvalues).value
        after = improve_jointly(problem, atom, max_steps=1)
        assert after.value <= before + 1e-12 * abs(before)
        falls += after.value < before - 1e-6 * abs(before)
    assert falls > 950


@pytest.mark.parametrize("kind", ["symmetric", "skew"])
def test_the_full_bound_alone_never_raises_the_objective(kind):
    """polar([(s - S_k) u_k]) with s = lambda_max(S_k) or more is what makes a step safe."""
    for seed in range(200):
        problem, atom, _ = make_problem(kind, 1 + seed % 6, seed)
        value, H = problem.weigh(problem.products(atom.rows), atom.eigenvalues)
        moved = polar(problem.largest * atom.rows - problem.half_gradient(H))
        assert problem.evaluate(moved, atom.eigenvalues).value <= value + 1e-12 * abs(value)


def test_a_column_is_the_smallest_eigenvector_in_the_null_space_of_the_others():
    """Thm. 5, dense."""
    problem, atom, columns = make_problem("symmetric", 3, seed=5)
    form = columns.as_form()
    rows, eigenvalues = atom.rows.copy(), atom.eigenvalues.copy()
    for k in range(3):
        S = literal_s(eigenvalues[k], form.eigenvalues[1:], form.measurement[1:], problem.weights)
        W = scipy.linalg.null_space(np.delete(rows, k, axis=0))
        rows[k] = W @ np.linalg.eigh(W.T @ S.real @ W)[1][:, 0]
        eigenvalues = problem.best_eigenvalues(problem.products(rows), eigenvalues)
    expected = problem.evaluate(rows, eigenvalues).value
    assert improve_by_columns(problem, atom).value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n_states", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["symmetric", "skew"])
def test_no_s_is_larger_than_the_bound(kind, n_states):
    for seed in range(20):
        problem, _, columns = make_problem(kind, n_states, seed)
        form = columns.as_form()
        for k in range(n_states):
            values, vectors = form.eigenvalues, form.measurement
            S = literal_s(values[0, k], values[1:], vectors[1:], problem.weights)
            assert np.linalg.eigvalsh(S).max() <= problem.largest + 1e-12


def test_the_bound_is_reached_by_copies():
    columns = make_problem("symmetric", 2, seed=0)[2]
    problem = AtomProblem(columns[[1, 1, 1]], np.array([1.0, 2.0, 0.5]))
    S = literal_s(
        columns.eigenvalues[1, 0],
        columns.eigenvalues[[1, 1, 1]],
        np.swapaxes(columns.rows[[1, 1, 1]], 1, 2),
        problem.weights,
    )
    assert np.linalg.eigvalsh(S).max() == pytest.approx(problem.largest)


@pytest.mark.parametrize("n_states", [2, 3, 4, 5])
def test_planes_take_the_smallest_eigenvectors_of_the_real_part(n_states):
    """Thm. 6: S'_k is the real part of S_k, with delta evaluated for both orientations."""
    problem, atom, columns = make_problem("skew", n_states, seed=n_states)
    values, vectors = columns.as_form().eigenvalues, columns.as_form().measurement
    ordered = Columns.of(columns.as_form())
    problem = AtomProblem(ordered[1:], problem.weights)
    atom = Atom(ordered.rows[0].copy(), ordered.eigenvalues[0].copy())
    S = literal_s(values[0, 0], values[1:], vectors[1:], problem.weights).real
    d = _diagonal(problem, atom.eigenvalues, slice(0, 2))
    np.testing.assert_allclose(problem.flat.T @ (d[:, None] * problem.flat), S, atol=1e-10)
    W = scipy.linalg.null_space(atom.rows[2:]) if n_states > 2 else np.eye(9)
    u = W @ np.linalg.eigh(W.T @ S @ W)[1][:, :2]
    found = _smallest_eigenvectors(
        problem, atom.rows[2:], atom.rows[:2], atom.eigenvalues, slice(0, 2)
    )
    np.testing.assert_allclose(found.T @ found, u @ u.T, atol=1e-8)
    values = []
    for sign in (1.0, -1.0):
        rows = atom.rows.copy()
        rows[:2] = found * [[1.0], [sign]]
        values.append(problem.evaluate(rows, atom.eigenvalues).value)
    assert abs(values[0] - values[1]) > 1e-3  # what the paper neglects
    first = improve_by_columns(problem, atom)
    assert first.value <= min(values) + 1e-9


@pytest.mark.parametrize("kind", ["symmetric", "skew", "plain"])
def test_lanczos_steps_find_what_a_dense_solver_finds(kind, monkeypatch):
    for seed, sign in ((1, 0.0), (2, -1.0), (3, 1.0)):
        problem, atom, columns = make_problem(kind, 3, seed, n_channels=30)
        weights = sign * np.abs(problem.weights) if sign else problem.weights
        problem = AtomProblem(columns[1:], weights)
        dense = improve_by_columns(problem, atom).value
        monkeypatch.setattr(updates, "_DENSE", 0)
        found = improve_by_columns(problem, atom).value
        monkeypatch.undo()
        if sign <= 0:
            assert found == pytest.approx(dense, rel=1e-6)
        else:  # a null space, where Lanczos steps do not settle: no harm is done
            assert dense <= found <= problem.evaluate(atom.rows, atom.eigenvalues).value


@pytest.mark.parametrize("n_channels", [9, 100])
def test_plain_columns_are_the_smallest_eigenvectors(n_channels):
    """gLDS-DL: dense for few rows, by Lanczos steps for many."""
    problem, atom, columns = make_problem("plain", 3, seed=6, n_channels=n_channels)
    rows = columns.rows[1:]
    S = sum(c * V.T @ V for c, V in zip(problem.weights, rows, strict=True))
    assert improve_by_columns(problem, atom).value == pytest.approx(
        np.linalg.eigvalsh(S)[:3].sum(), rel=1e-8
    )
    assert improve_jointly(problem, atom, 300).value == pytest.approx(
        np.linalg.eigvalsh(S)[:3].sum(), rel=1e-2
    )


@pytest.mark.parametrize("n_rows", [1, 2, 7])
def test_multiply_weighted_gram_is_two_products(n_rows):
    random = np.random.default_rng(n_rows)
    W, d, v = random.standard_normal((n_rows, 9)), random.standard_normal(n_rows), np.arange(9.0)
    found = np.full(9, np.nan)
    multiply_weighted_gram(W, d, v, found)
    np.testing.assert_allclose(found, W.T @ np.diag(d) @ W @ v, atol=1e-12)


@pytest.mark.parametrize("smallest", [1.0, 1e-2, 1e-5, 0.0])
def test_polar_is_that_of_the_singular_value_decomposition(smallest):
    """Also where the products of the rows would lose their digits, and of dependent rows."""
    random = np.random.default_rng(0)
    U, V = np.linalg.qr(random.standard_normal((5, 5)))[0], random.standard_normal((200, 5))
    V = np.linalg.qr(V)[0]
    rows = (U * np.array([3.0, 2.0, 1.5, 1.0, smallest])) @ V.T
    found = polar(rows)
    np.testing.assert_allclose(found @ found.T, np.eye(5), atol=1e-14)
    if smallest:
        np.testing.assert_allclose(found, U @ V.T, atol=1e-10)
