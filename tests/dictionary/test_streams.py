"""partial_fit: what is remembered of batches, and of a fit before them."""

import numpy as np
import pytest
from scipy.interpolate import barycentric_interpolate

from ldslearn import LDS, LDSDictionary
from ldslearn.dictionary import algorithm
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.online import NODES, Memory, learn_batch
from ldslearn.dictionary.updates import polar
from ldslearn.models import canonical_skew, canonical_symmetric

from support.makers import contractions

CANONICAL = {"symmetric": canonical_symmetric, "skew": canonical_skew}


def find_lowest_point(curve):
    """Where the polynomial through a curve is lowest, of 20,001 points."""
    points = np.linspace(NODES[0], NODES[-1], 20_001)
    return points[barycentric_interpolate(NODES, curve, points).argmin()]


def learn_literally(data, before, pull, curves, rho, *, learned=False):
    """The first atom after one batch, by values of the objective: pulls, curves, rows, eigenvalues.

    Curves are up to a constant each.
    """
    group = algorithm.Group([data], [before.copy()], [1.0], 0.1)
    group.update_codes()
    problem = group.make_problems(0)[0]
    rows, own = before.rows[0], before.eigenvalues[0].copy()
    step = -problem.half_gradient(problem.weigh(problem.products(rows), own)[1])
    pull, curves = (1 - rho) * pull + rho * step, (1 - rho) * curves
    for k in range(len(own)):
        for i, x in enumerate(NODES):
            trial = own.copy()
            trial[k] = x
            curves[k, i] += rho * problem.evaluate(rows, trial).value
    if learned:
        weight = (1 - rho) * np.linalg.norm(step) / np.sqrt(len(step))
        pull += weight * rows
        planes = 2.0 if before.kind == "skew" else 1.0
        for k, x in enumerate(own):
            curves[k] -= planes * weight * (1 - x**2) * (1 - NODES**2) / (1 - x * NODES) ** 2
    rows = polar(pull)
    for k in range(len(own)):
        own[k] = find_lowest_point(curves[k])
        if before.kind == "skew" and own[k] < 0:
            own[k], curves[k] = -own[k], curves[k, ::-1].copy()
            rows[2 * k + 1] *= -1
            pull[2 * k + 1] *= -1
    return pull, curves, rows, own


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("kind", ["symmetric", "skew"])
def test_two_batches_are_remembered(kind, learned, motions):
    data = Columns.of(CANONICAL[kind](motions[0]))
    atoms = data[:4].copy()
    if kind == "skew":
        atoms.rows[0, 1] *= -1  # a plane that has to be turned over
    memory = Memory.of([atoms], learned=learned)
    pull, curves = memory.pulls[0][0].copy(), memory.curves[0][0].copy()
    for number, batch in enumerate((data[:20], data[20:])):
        rho = (number + 1 + 10 * learned) ** -0.6
        expected = learn_literally(batch, atoms, pull, curves, rho, learned=learned and number == 0)
        pull, curves, rows, eigenvalues = expected
        group = algorithm.Group([batch], [atoms], [1.0], 0.1)
        learn_batch(group, memory, None)
        np.testing.assert_allclose(memory.pulls[0][0], pull, atol=1e-9)
        found = memory.curves[0][0]
        np.testing.assert_allclose(
            found - found.mean(axis=1)[:, None], curves - curves.mean(axis=1)[:, None], atol=1e-8
        )
        np.testing.assert_allclose(atoms.rows[0], rows, atol=1e-9)
        np.testing.assert_allclose(atoms.eigenvalues[0], eigenvalues, atol=1e-4)
    assert not memory.learned.any()


def test_idle_atoms_are_replaced_and_forgotten(motions):
    data = Columns.of(canonical_skew(motions[0]))
    group = algorithm.Group([data[:20]], [data[:4].copy()], [1.0], 0.1)
    memory = Memory.of(group.atoms, learned=True)
    learn_batch(group, memory, None)
    assert all(pull.any() for pull in memory.pulls[0])
    idle = algorithm.Group([data[:20]], group.atoms, [1.0], 1e3)
    memory.learned[2] = True
    for _ in range(5):
        learn_batch(idle, memory, None)
    for rows in idle.atoms[0].rows:  # of samples that all are coded equally badly
        assert (data.rows[:20] == rows).all(axis=(1, 2)).any()
    assert not memory.pulls[0].any()
    assert not memory.curves[0].any()
    assert not memory.idle.any()
    assert not memory.learned.any()


def test_a_stream_comes_close_to_the_whole(motions):
    X, _, Z, _ = motions
    everything = LDS.concatenate([X, Z])
    random = np.random.default_rng(0)
    stream = LDSDictionary(6, random_state=0, init="random")
    for _ in range(12):
        for batch in np.array_split(random.permutation(80), 5):
            stream.partial_fit(everything[batch])
    assert stream.n_batches_ == len(stream.batch_objective_) == 60
    assert np.mean(stream.batch_objective_[-5:]) < np.mean(stream.batch_objective_[1:6])

    def compute_objective(dictionary):
        return LDSDictionary(6, init=dictionary.atoms_, max_iter=0).fit(everything).objective_[-1]

    whole = LDSDictionary(6, random_state=0).fit(everything)
    start = LDSDictionary(6, random_state=0, init="random", max_iter=0).fit(everything)
    assert compute_objective(stream) < 1.2 * compute_objective(whole)
    assert compute_objective(stream) < 0.85 * compute_objective(start)
    stream.fit(X)
    assert not hasattr(stream, "batch_objective_")


def test_a_stream_goes_on_from_a_fit(motions):
    X, _, Z, _ = motions
    dictionary = LDSDictionary(6, random_state=0).fit(X)
    before, history = dictionary.score(X), dictionary.objective_
    dictionary.partial_fit(X[::2])
    assert dictionary.score(X) > 1.15 * before  # scores are negative; drawn atoms are 1.6 times
    assert dictionary.objective_ is history
    dictionary.partial_fit(Z[:2])  # fewer than atoms
    assert dictionary.n_batches_ == 2
    with pytest.raises(ValueError, match="X must have n_states=5, as the model was .*; got 4"):
        dictionary.partial_fit(contractions(3, 6, 4))


@pytest.mark.parametrize(("size", "bound"), [(1, 1.25), (2, 1.15), (5, 1.08)])
def test_a_small_batch_does_not_undo_a_fit(size, bound, motions):
    X = motions[0]
    for seed in range(3):
        dictionary = LDSDictionary(6, random_state=seed).fit(X)
        before = dictionary.score(X)
        few = np.random.default_rng(seed).choice(len(X), size, replace=False)
        assert dictionary.partial_fit(X[few]).score(X) > bound * before  # scores are negative


def test_a_fit_forgets_the_stream_before_it(motions):
    X = motions[0]
    fresh = LDSDictionary(4, random_state=0, max_iter=2).fit(X)
    streamed = LDSDictionary(4, random_state=0, max_iter=2).partial_fit(X[:20]).fit(X)
    given = LDSDictionary(4).partial_fit(X[:20]).with_atoms(fresh.atoms_, X)
    for dictionary in (fresh, streamed, given):
        dictionary.partial_fit(X[20:])
        assert dictionary.n_batches_ == 1
        np.testing.assert_array_equal(dictionary.atoms_.systems().A, fresh.atoms_.systems().A)


def test_an_interrupted_batch_changes_nothing(motions, monkeypatch):
    X = motions[0]
    dictionary = LDSDictionary(4, random_state=0, init="random")
    whole = LDSDictionary(4, random_state=0, init="random").partial_fit(X[:20])
    original = algorithm.Group.make_problems

    def interrupt(self, r):
        if r == 2:
            raise KeyboardInterrupt
        return original(self, r)

    for batch in (X[:20], X[20:]):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(algorithm.Group, "make_problems", interrupt)
            dictionary.partial_fit(batch)
        dictionary.partial_fit(batch)
    whole.partial_fit(X[20:])
    assert dictionary.n_batches_ == 2
    np.testing.assert_array_equal(dictionary.atoms_.systems().A, whole.atoms_.systems().A)
    np.testing.assert_array_equal(dictionary.transform(X), whole.transform(X))
