import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from ldslearn import DictionaryClassifier, FiniteDictionary, LDSDictionary, LDSKMeans
from ldslearn._parallel import Engine, use_engine
from ldslearn.dictionary import samples as samples_module
from ldslearn.dictionary.block_problem import BlockProblem
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.samples import Samples
from ldslearn.dictionary.updates import improve_jointly
from ldslearn.models import canonical_skew, canonical_symmetric
from ldslearn.scale import LDSStore

from support.makers import contractions

FORMS = {"symmetric": canonical_symmetric, "skew": canonical_skew, "plain": lambda X: X.C}


@pytest.fixture(autouse=True)
def in_blocks(monkeypatch):
    """However small a store is."""
    monkeypatch.setattr(samples_module, "_SMALLEST", 0)
    monkeypatch.setattr(samples_module, "_FEW", 0)


def make_both_problems(kind, n_states=4, seed=0):
    """An atom, and one problem in one piece and in three."""
    columns = Columns.of(FORMS[kind](contractions(13, 9, n_states, seed)))
    weights = np.random.default_rng(seed).standard_normal(12)
    whole = AtomProblem(columns[1:], weights)
    parts = [[AtomProblem(columns[1:][p], weights[p])] for p in (slice(5, 6), slice(6, 12))]
    here = AtomProblem(columns[1:][:5], weights[:5])
    positive = float(np.maximum(weights[5:], 0).sum())
    in_parts = BlockProblem(here, parts, 0, kind, positive, Engine())
    return whole, in_parts, Atom(columns.rows[0].copy(), columns.eigenvalues[0].copy())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_states", [3, 4])
@pytest.mark.parametrize("kind", FORMS)
def test_an_update_by_parts_is_that_of_the_whole(kind, n_states, seed):
    whole, in_parts, atom = make_both_problems(kind, n_states, seed)
    assert in_parts.largest == pytest.approx(whole.largest, rel=1e-14)
    expected, found = improve_jointly(whole, atom), improve_jointly(in_parts, atom)
    assert found.value == pytest.approx(expected.value, rel=1e-8)
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, atol=1e-6)
    np.testing.assert_allclose(found.rows, expected.rows, atol=1e-5)
    for with_gradient in (True, False):
        part = in_parts.evaluate(atom.rows, atom.eigenvalues, with_gradient=with_gradient)
        expected = whole.evaluate(atom.rows, atom.eigenvalues)
        np.testing.assert_allclose(part.half_gradient(), expected.half_gradient())


@pytest.fixture(scope="module")
def systems():
    return contractions(40, 9, 4)


@pytest.fixture
def store(systems, tmp_path, monkeypatch):
    monkeypatch.setattr(samples_module, "_ON_DISK", 0)
    parts = [systems[start : start + 11] for start in range(0, 40, 11)]
    return LDSStore.write(tmp_path / "store", parts)


DICTIONARIES = {
    "twofold": LDSDictionary(5, init="random", max_iter=3, random_state=0),
    "kmeans": LDSDictionary(4, parts="symmetric", max_iter=2, random_state=0),
    "shared with covariance": LDSDictionary(
        5, mix=0.6, shared_codes=True, init="random", max_iter=3, random_state=0
    ),
    "finite": FiniteDictionary(5, update="joint", init="random", max_iter=3, random_state=0),
    "replacing": LDSDictionary(
        6, parts="skew", sparsity=4.5, init=contractions(6, 9, 4, seed=9), max_iter=2
    ),
}


@pytest.mark.parametrize("name", DICTIONARIES)
def test_a_dictionary_of_a_store_is_that_of_the_batch(systems, store, name, monkeypatch):
    if name == "finite":  # columns of an atom are too large to be held
        monkeypatch.setattr(samples_module, "_HELD", 0)
    model = DICTIONARIES[name]
    here = model.fit(systems)
    expected, codes = np.array(here.half_steps_), here.transform(systems)
    there = model.fit(store)
    np.testing.assert_allclose(there.half_steps_, expected, rtol=1e-9)
    np.testing.assert_allclose(there.transform(store), codes, atol=1e-5)
    assert [path.name for path in store.path.glob(".*")] == []  # nothing is left behind


def test_some_atoms_were_replaced(systems):
    """Or "replacing" above would not test what it says."""
    model = DICTIONARIES["replacing"].fit(systems)
    start = clone(model).set_params(max_iter=0).fit(systems)
    used = start.transform(systems).any(axis=0)
    assert used.any()
    assert not used.all()
    assert model.transform(systems).any(axis=0).sum() > used.sum()


@pytest.mark.parametrize("parts", ["twofold", "finite"])
def test_clusters_of_a_store_are_those_of_the_batch(systems, store, parts):
    model = LDSKMeans(4, parts=parts, n_init=2, max_iter=5, random_state=0)
    here = model.fit(systems)
    path, labels = here.inertia_path_, here.labels_
    there = model.fit(store)
    np.testing.assert_allclose(there.inertia_path_, path, rtol=1e-9)
    np.testing.assert_array_equal(there.labels_, labels)
    np.testing.assert_array_equal(there.predict(store), labels)


def test_column_updates_need_everything_in_one_place(store):
    match = "update must be 'joint' for many systems in a store or on a cluster; got 'column'"
    with pytest.raises(ValueError, match=match):
        LDSDictionary(3, update="column").fit(store)


def test_samples_are_taken_in_the_order_asked_for(systems):
    columns = Columns.of(canonical_symmetric(systems))
    blocks = [[columns[part]] for part in (slice(0, 7), slice(7, 30), slice(30, 40))]
    in_parts = Samples(blocks, [7, 23, 10], Engine())
    indices = [39, 3, 8, 8, 0, 31]
    np.testing.assert_array_equal(in_parts.take(indices)[0].rows, columns.rows[indices])
    assert len(in_parts) == 40


def test_a_classifier_of_codes_is_fitted_to_a_store(systems, store):
    labels = np.arange(40) % 2
    model = DictionaryClassifier(DICTIONARIES["twofold"], LogisticRegression(max_iter=1000))
    here = model.fit(systems, labels).predict_proba(systems)
    there = model.fit(store, labels)
    np.testing.assert_allclose(there.predict_proba(store), here, atol=1e-5)
    with pytest.raises(TypeError, match="X must be an LDS batch; got LDSStore"):
        DictionaryClassifier(DICTIONARIES["twofold"], per_class=True).fit(store, labels)


def test_the_score_of_a_store_is_that_of_the_batch(systems, store):
    model = LDSDictionary(3, init="random", max_iter=1, random_state=0).fit(systems)
    assert model.score(store) == pytest.approx(model.score(systems), rel=1e-12)


class OneWorker(Engine):
    n_workers = 1


def test_no_block_is_larger_than_a_task_can_hold(store, monkeypatch):
    recipe = LDSDictionary(3)._make_recipe()

    def count_blocks():
        with use_engine(OneWorker()), samples_module.open_samples(store, recipe) as found:
            return len(found[0].blocks)

    assert count_blocks() < len(store.shards)
    monkeypatch.setattr(samples_module, "_LARGEST", 0)
    assert count_blocks() == len(store.shards)
