"""Centres in coordinates of their samples are the centres in channels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import LDSDictionary, LDSKMeans
from ldslearn.dictionary import centres as centres_module
from ldslearn.dictionary import restarts, spans
from ldslearn.dictionary.centres import run_kmeans
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.samples import Samples
from ldslearn.dictionary.spans import NotInSpanError, Products, Span, SpanProblem, improve_centre
from ldslearn.dictionary.updates import polar
from ldslearn.models import canonical_skew, canonical_symmetric

from support.makers import contractions

FORMS = {"symmetric": canonical_symmetric, "skew": canonical_skew, "plain": lambda X: X.C}
KINDS = st.sampled_from(list(FORMS))


def make_columns(kind, n_states, seed, n_systems=12, n_channels=20):
    return Columns.of(FORMS[kind](contractions(n_systems, n_channels, n_states, seed=seed)))


@given(kind=KINDS, n_states=st.integers(1, 5), seed=st.integers(0, 2**16))
def test_kernels_of_samples_are_those_of_their_columns(kind, n_states, seed):
    columns = make_columns(kind, n_states, seed)
    np.testing.assert_allclose(Products(columns).kernel(), columns.kernel(columns), atol=1e-12)


@given(kind=KINDS, n_states=st.integers(1, 5), seed=st.integers(0, 2**16))
def test_a_step_in_coordinates_is_a_step_in_channels(kind, n_states, seed):
    columns = make_columns(kind, n_states, seed)
    flat, members = columns.rows.reshape(-1, columns.rows.shape[2]), np.arange(4)
    problem = AtomProblem(columns[members], -np.ones(4))
    spanned = SpanProblem(columns, members, Products(columns).products)
    coordinates = np.random.default_rng(seed).standard_normal((n_states, len(flat)))
    for rows, own in (
        (columns.rows[7], np.eye(len(flat))[7 * n_states : 8 * n_states]),
        (polar(coordinates @ flat), spanned.nearest(coordinates)),
    ):
        np.testing.assert_allclose(own @ flat, rows, atol=1e-10)
        expected = problem.evaluate(rows, columns.eigenvalues[7])
        found = spanned.evaluate(own, columns.eigenvalues[7])
        assert found.value == pytest.approx(expected.value, rel=1e-10)
        np.testing.assert_allclose(
            found.half_gradient() @ flat, expected.half_gradient(), atol=1e-10
        )


@given(kind=KINDS, n_states=st.integers(1, 5), seed=st.integers(0, 2**16))
def test_a_centre_in_coordinates_is_the_centre_in_channels(kind, n_states, seed):
    columns = make_columns(kind, n_states, seed)
    members, products = np.array([3, 5, 8]), Products(columns)
    for start in (5, 0):  # a member, and another sample
        problem = AtomProblem(columns[members], -np.ones(3))
        expected = improve_centre(problem, Atom(columns.rows[start], columns.eigenvalues[start]))
        found, span = products.improve(products.start(start), members, columns.eigenvalues[start])
        # The minimum over eigenvalues has half of the digits.
        assert found.value == pytest.approx(expected.value, rel=1e-7)
        np.testing.assert_allclose(found.rows @ found.rows.T, np.eye(n_states), atol=1e-12)
        flat = columns.rows[span.samples].reshape(-1, columns.rows.shape[2])
        np.testing.assert_allclose(span.rows @ flat, found.rows, atol=1e-12)
        centre = Columns(kind, found.rows[None], found.eigenvalues[None])
        kernels = products.kernel_of_centres(centre, [span], None)
        np.testing.assert_allclose(kernels, columns.kernel(centre), atol=1e-10)


@pytest.mark.parametrize("kind", list(FORMS))
@pytest.mark.parametrize("seed", range(3))
def test_clusters_are_the_same_in_coordinates(kind, seed):
    columns = make_columns(kind, 3, seed, n_systems=20)
    samples, seeds = Samples.of([columns]), np.array([0, 4, 9, 13, 2])
    arguments = (samples, [1.0], seeds, 6, 0.0, None)
    plain, spanned = run_kmeans(*arguments), run_kmeans(*arguments, [Products(columns)])
    np.testing.assert_array_equal(plain.labels, spanned.labels)
    np.testing.assert_allclose(plain.inertia, spanned.inertia, rtol=1e-8)
    np.testing.assert_allclose(plain.centres[0].rows, spanned.centres[0].rows, atol=1e-6)


def test_a_term_in_no_span_leaves_all_terms_to_channels():
    """And none of them is improved twice."""

    class Failing(Products):
        def improve(self, *arguments):
            raise NotInSpanError

    terms = [make_columns(kind, 3, seed=1, n_systems=20) for kind in ("symmetric", "plain")]
    arguments = (Samples.of(terms), [0.5, 0.5], np.array([0, 4, 9, 13, 2]), 3, 0.0, None)
    plain = run_kmeans(*arguments)
    mixed = run_kmeans(*arguments, [Products(terms[0]), Failing(terms[1])])
    np.testing.assert_allclose(plain.inertia, mixed.inertia, rtol=1e-12)


def test_copies_and_columns_of_zeros_give_the_same_clusters():
    """Neither has coordinates: copies leave centres without members, zeros are completed."""
    columns = make_columns("plain", 2, seed=1)
    columns.rows[4:8] = columns.rows[3]
    columns.rows[[0, 9], 1] = 0.0
    samples, seeds = Samples.of([columns]), np.array([0, 3, 4, 5, 10])
    arguments = (samples, [0.5], seeds, 5, 0.0, None)
    plain, spanned = run_kmeans(*arguments), run_kmeans(*arguments, [Products(columns)])
    np.testing.assert_allclose(plain.inertia, spanned.inertia, rtol=1e-10, atol=1e-10)
    rows = spanned.centres[0].rows
    np.testing.assert_allclose(rows @ rows.swapaxes(1, 2), np.tile(np.eye(2), (5, 1, 1)), atol=1e-9)


def test_centres_rest_where_they_cannot_improve(monkeypatch):
    columns = make_columns("symmetric", 4, 0, n_systems=30)
    noise = 0.01 * np.random.default_rng(0).standard_normal((2, *columns.rows.shape[1:]))
    columns.rows[28:] = [polar(columns.rows[0] + one) for one in noise]  # near the first centre
    columns.eigenvalues[28:] = columns.eigenvalues[0]
    samples = Samples.of([columns])
    moved, given, original = [], [], centres_module.MovingCentres.improve

    def record(self, labels, which):
        moved.append(which.tolist())
        given.append(labels)
        original(self, labels, which)

    monkeypatch.setattr(centres_module.MovingCentres, "improve", record)
    run_kmeans(samples, [1.0], np.arange(len(columns)), 3, 0.0, None)  # every centre is a sample
    assert moved == [[]]
    found = {}
    for tol in (0.0, 1e-3):
        moved.clear()
        given.clear()
        found[tol] = run_kmeans(samples, [1.0], np.arange(4), 20, tol, None)
    assert len(moved) > 1
    assert set(moved[-1]) < set(moved[0])  # some centres settled before the others
    for before, after, which in zip(given, given[1:], moved[1:], strict=False):
        changed = before != after
        assert set(before[changed]) | set(after[changed]) <= set(which)  # others are their members
    assert found[1e-3].inertia[-1] <= 1.02 * found[0.0].inertia[-1]


def test_members_orthogonal_to_a_column_of_the_centre_are_left_to_channels():
    rows = np.zeros((2, 2, 6))
    rows[0, 0, 0] = rows[0, 1, 1] = rows[1, 0, 0] = rows[1, 1, 2] = 1.0
    products = Products(Columns("plain", rows, np.empty((2, 0))))
    with pytest.raises(NotInSpanError):
        products.improve(Span(np.array([0]), np.eye(2)), np.array([1]), np.empty(0))


def test_estimators_do_not_depend_on_products(monkeypatch):
    X = contractions(24, 30, 3, seed=3)
    used = []

    def spy(columns):
        used.append(len(columns))
        return Products(columns)

    spy.are_worthwhile = Products.are_worthwhile
    monkeypatch.setattr(restarts, "Products", spy)
    with_products = LDSDictionary(8, max_iter=1, random_state=0).fit(X)
    clusters = LDSKMeans(4, random_state=0).fit(X)
    assert used == [24] * 4  # two parts each
    monkeypatch.setattr(spans, "_LARGEST", 0)
    without = LDSDictionary(8, max_iter=1, random_state=0).fit(X)
    assert used == [24] * 4
    np.testing.assert_allclose(with_products.objective_, without.objective_, rtol=1e-8)
    plain = LDSKMeans(4, random_state=0).fit(X)
    np.testing.assert_array_equal(clusters.labels_, plain.labels_)
    assert clusters.inertia_ == pytest.approx(plain.inertia_, rel=1e-8)


def test_products_are_for_few_columns_per_centre():
    columns = make_columns("plain", 3, seed=0, n_systems=12, n_channels=9)  # 36 columns
    assert not Products.are_worthwhile([columns], 4)
    assert Products.are_worthwhile([columns], 5)
