"""The one minimiser of the objective in an eigenvalue."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn._parallel import Engine
from ldslearn.dictionary import online
from ldslearn.dictionary.block_problem import BlockProblem
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.eigenvalues import GRID, LIMIT, EigenvalueGrid, best_eigenvalues
from ldslearn.dictionary.problem import Atom, AtomProblem, evaluate_terms
from ldslearn.models import canonical_skew, canonical_symmetric

from support.makers import contractions
from support.oracles import least_on_a_dense_grid

FORMS = {"symmetric": canonical_symmetric, "skew": canonical_skew}


def minimise(p, m, current):
    """The best of one eigenvalue, and the objective in it."""
    p, m = np.atleast_2d(p), np.asarray(m)

    def evaluate(points):
        return evaluate_terms(points, p, m)

    best = best_eigenvalues(evaluate, np.array([current]))[0]
    return best, lambda x: evaluate(np.array([[x]]))[0, 0]


def test_values_are_those_of_the_formula():
    random = np.random.default_rng(0)
    p, m = random.standard_normal((3, 20)), random.uniform(-0.95, 0.95, 20)
    points = random.uniform(-0.99, 0.99, (3, 7))
    x = points[:, :, None]
    expected = ((1 - x**2) * p[:, None] / (1 - x * m) ** 2).sum(axis=2)
    np.testing.assert_allclose(evaluate_terms(points, p, m), expected, rtol=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    current=st.floats(-0.98, 0.98),
    sign=st.sampled_from([-1, 0, 1]),
    largest=st.sampled_from([0.5, 0.99, 0.9999]),
)
def test_no_eigenvalue_is_better_than_the_best(seed, current, sign, largest):
    random = np.random.default_rng(seed)
    weights, m = random.standard_normal(12), random.uniform(-largest, largest, 12)
    p = (np.abs(weights) * sign if sign else weights) * (1 - m**2)
    best, value = minimise(p, m, current)
    scale = np.abs(weights).sum()
    assert abs(best) <= LIMIT
    assert value(best) <= value(current) + 1e-12 * scale
    assert value(best) <= least_on_a_dense_grid(p, m, LIMIT) + 1e-7 * scale


def test_an_eigenvalue_stays_where_nothing_is_lower():
    assert minimise(np.zeros(3), [0.1, 0.5, -0.3], 0.3)[0] == 0.3
    assert abs(minimise(np.ones(2), [0.1, 0.5], 0.2)[0]) == LIMIT
    assert minimise(-np.ones(1), [0.999], 0.999)[0] == pytest.approx(0.999, abs=1e-12)


def test_the_floor_of_a_valley_is_found_to_rounding():
    """One bump has its floor at m."""
    for m in (-0.9999, -0.97, -0.5, 0.0, 0.123, 0.8, 0.999):
        assert np.arctanh(minimise([-1.0], [m], 0.3)[0]) == pytest.approx(np.arctanh(m), abs=1e-7)


@pytest.mark.parametrize("limit", [LIMIT, 0.99])
def test_the_grid_has_steps_of_a_third_to_four_then_at_most_one(limit):
    grid = EigenvalueGrid.of(limit)
    np.testing.assert_array_equal(grid.places, -grid.places[::-1])
    assert grid.points[-1] == limit
    steps = np.diff(grid.places)
    inner = np.abs(grid.places[:-1] + steps / 2) < 4
    assert (steps > 0).all()
    assert steps[inner].max() <= 1 / 3 + 1e-12
    assert steps.max() <= 1 + 1e-12


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", FORMS)
def test_memory_blocks_and_streams_have_one_minimiser(kind, seed):
    """The same problem as columns, as sums over blocks, and as averages of a stream."""
    columns = Columns.of(FORMS[kind](contractions(13, 9, 4, seed)))
    # Samples alone, so that every floor is inside of what a stream knows.
    weights = -np.random.default_rng(seed).uniform(0.1, 1, 12)
    rows, start = columns.rows[0], columns.eigenvalues[0]
    whole = AtomProblem(columns[1:], weights)
    expected = whole.evaluate(rows, start).improve_eigenvalues().eigenvalues
    assert (np.abs(expected) < 0.98).all()

    parts = [[AtomProblem(columns[1:][p], weights[p])] for p in (slice(0, 5), slice(5, 12))]
    in_parts = BlockProblem(None, parts, 0, kind, 0.0, Engine())
    for with_gradient in (True, False):
        evaluation = in_parts.evaluate(rows, start, with_gradient=with_gradient)
        found = evaluation.improve_eigenvalues().eigenvalues
        np.testing.assert_allclose(found, expected, atol=1e-7)

    curves, pull = np.zeros((len(start), len(online.NODES))), np.zeros_like(rows)
    online._add_to_averages(whole, Atom(rows, start), 1.0, pull, curves)
    atoms = columns[:1].copy()
    online._update_eigenvalues(atoms, 0, pull, curves)
    flips = np.abs(expected) if kind == "skew" else expected
    np.testing.assert_allclose(atoms.eigenvalues[0], flips, atol=1e-5)


def test_all_paths_share_the_grid():
    assert online._GRID.points[-1] == 0.99
    inside = np.abs(GRID.points) < 0.99
    np.testing.assert_allclose(online._GRID.points[1:-1], GRID.points[inside], atol=1e-12)
