import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.dictionary import terms
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.updates import (
    Atom,
    AtomProblem,
    improve_by_columns,
    improve_jointly,
    polar,
)
from ldslearn.models import canonical_skew, canonical_symmetric

from support.makers import contractions
from support.oracles import literal_s

FORMS = {"symmetric": canonical_symmetric, "skew": canonical_skew}


def problem_of(kind, n_states, seed, n_sets=7, n_channels=9):
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
    problem, atom, columns = problem_of(kind, n_states, seed=n_states)
    form = columns.form()
    Lambda, U = form.eigenvalues, form.measurement
    value, pull = 0.0, np.empty((9, n_states), dtype=complex)
    for k in range(n_states):
        S = literal_s(Lambda[0, k], Lambda[1:], U[1:], problem.weights)
        value += (U[0, :, k].conj() @ S @ U[0, :, k]).real
        pull[:, k] = S @ U[0, :, k]
    assert problem.value(atom.rows, atom.eigenvalues) == pytest.approx(value, rel=1e-12)
    _, H = problem.weigh(problem.products(atom.rows), atom.eigenvalues)
    found = problem.pull(H).T
    if kind == "symmetric":
        np.testing.assert_allclose(found, pull.real, atol=1e-12)
        return
    planes = 2 * (n_states // 2)  # u = (q1 + i q2) / sqrt 2
    np.testing.assert_allclose(found[:, 0:planes:2], np.sqrt(2) * pull[:, 0:planes:2].real)
    np.testing.assert_allclose(found[:, 1:planes:2], np.sqrt(2) * pull[:, 0:planes:2].imag)
    np.testing.assert_allclose(found[:, planes:], pull[:, planes:].real, atol=1e-12)


@pytest.mark.parametrize("kind", ["symmetric", "skew", "plain"])
def test_the_value_is_a_sum_of_kernels(kind):
    problem, atom, columns = problem_of(kind, 4, seed=3)
    kernels = columns[:1].kernel(columns[1:])[0]
    value = problem.value(atom.rows, atom.eigenvalues)
    assert value == pytest.approx(kernels @ problem.weights, rel=1e-12)


@given(
    kind=st.sampled_from(["symmetric", "skew", "plain"]),
    n_states=st.integers(1, 7),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_update_raises_the_objective(kind, n_states, seed):
    problem, atom, _ = problem_of(kind, n_states, seed)
    before = problem.value(atom.rows, atom.eigenvalues)
    for improve in (improve_jointly, improve_by_columns):
        after = improve(problem, atom)
        assert after.value <= before + 1e-12 * abs(before)
        assert problem.value(after.rows, after.eigenvalues) == pytest.approx(after.value, abs=1e-9)
        np.testing.assert_allclose(after.rows @ after.rows.T, np.eye(n_states), atol=1e-10)
        assert (np.abs(after.eigenvalues) < 1).all()
        assert kind != "skew" or (after.eigenvalues >= 0).all()


def test_a_thousand_joint_steps_never_raise_the_objective():
    falls = 0
    for trial in range(1000):
        kind = ("symmetric", "skew")[trial % 2]
        problem, atom, _ = problem_of(kind, 1 + trial % 8, seed=trial, n_channels=8)
        before = problem.value(atom.rows, atom.eigenvalues)
        after = improve_jointly(problem, atom, max_steps=1)
        assert after.value <= before + 1e-12 * abs(before)
        falls += after.value < before - 1e-6 * abs(before)
    assert falls > 950


@pytest.mark.parametrize("kind", ["symmetric", "skew"])
def test_the_full_bound_alone_never_raises_the_objective(kind):
    """polar([(s - S_k) u_k]) with s = lambda_max(S_k) or more is what makes a step safe."""
    for seed in range(200):
        problem, atom, _ = problem_of(kind, 1 + seed % 6, seed)
        value, H = problem.weigh(problem.products(atom.rows), atom.eigenvalues)
        moved = polar(problem.largest * atom.rows - problem.pull(H))
        assert problem.value(moved, atom.eigenvalues) <= value + 1e-12 * abs(value)


def test_a_column_is_the_smallest_eigenvector_in_the_null_space_of_the_others():
    """Thm. 5, dense."""
    problem, atom, columns = problem_of("symmetric", 3, seed=5)
    form = columns.form()
    rows, eigenvalues = atom.rows.copy(), atom.eigenvalues.copy()
    for k in range(3):
        S = literal_s(eigenvalues[k], form.eigenvalues[1:], form.measurement[1:], problem.weights)
        W = scipy.linalg.null_space(np.delete(rows, k, axis=0))
        rows[k] = W @ np.linalg.eigh(W.T @ S.real @ W)[1][:, 0]
        eigenvalues = problem.best_eigenvalues(problem.products(rows), eigenvalues)
    expected = problem.value(rows, eigenvalues)
    assert improve_by_columns(problem, atom).value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n_channels", [9, 60])
def test_plain_columns_are_the_smallest_eigenvectors(n_channels):
    """gLDS-DL: dense for few rows, by Lanczos steps for many; S is never formed."""
    problem, atom, columns = problem_of("plain", 3, seed=6, n_channels=n_channels)
    rows = columns.rows[1:]
    S = sum(c * V.T @ V for c, V in zip(problem.weights, rows, strict=True))
    assert improve_by_columns(problem, atom).value == pytest.approx(
        np.linalg.eigvalsh(S)[:3].sum(), rel=1e-8
    )
    assert improve_jointly(problem, atom, 300).value == pytest.approx(
        np.linalg.eigvalsh(S)[:3].sum(), rel=1e-2
    )


def test_derivatives_of_the_objective_in_one_eigenvalue():
    random = np.random.default_rng(0)
    p, m = random.standard_normal(20), random.uniform(-0.95, 0.95, 20)
    for x in (-0.9, -0.3, 0.0, 0.6, 0.95):
        value, slope, curvature = terms.derivatives(x, p, m)
        assert value == pytest.approx((1 - x**2) * (p / (1 - x * m) ** 2).sum())
        h = 1e-5
        high, low = terms.derivatives(x + h, p, m), terms.derivatives(x - h, p, m)
        assert slope == pytest.approx((high[0] - low[0]) / (2 * h), rel=1e-5)
        assert curvature == pytest.approx((high[1] - low[1]) / (2 * h), rel=1e-5)


@given(seed=st.integers(0, 2**32 - 1), current=st.floats(-0.98, 0.98))
def test_no_eigenvalue_is_better_than_the_best(seed, current):
    random = np.random.default_rng(seed)
    p, m = random.standard_normal(12), random.uniform(-0.99, 0.99, 12)
    best = terms.best_eigenvalue(p, m, current, 0.99)
    assert abs(best) <= 0.99
    grid = np.linspace(-0.99, 0.99, 1001)
    floor = min(terms.value(x, p, m) for x in grid)
    size = np.abs(p).sum() / (1 - 0.99**2)
    assert terms.value(best, p, m) <= terms.value(current, p, m)
    assert terms.value(best, p, m) <= floor + 1e-4 * size
