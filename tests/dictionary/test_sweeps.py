import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import LDS, FiniteDictionary, LDSDictionary
from ldslearn.dictionary import algorithm, sweeps
from ldslearn.dictionary import samples as samples_module
from ldslearn.dictionary.algorithm import Group
from ldslearn.dictionary.columns import Columns
from ldslearn.models import canonical_skew, canonical_symmetric
from ldslearn.scale import LDSStore

from support.makers import contractions

FORMS = {"symmetric": canonical_symmetric, "skew": canonical_skew, "plain": lambda X: X.C}
RECIPES = [
    LDSDictionary(4, sparsity=0.05, max_iter=4, tol=0, random_state=0),
    LDSDictionary(4, mix=0.5, shared_codes=True, max_iter=3, tol=0, random_state=0),
    LDSDictionary(3, init="random", sparsity=0.4, max_iter=4, tol=0, random_state=1),
    FiniteDictionary(4, order=2, update="joint", max_iter=3, tol=0, random_state=0),
]


@pytest.fixture(autouse=True)
def always_worthwhile(monkeypatch):
    """However short columns are, and however few codes are not zero."""
    monkeypatch.setattr(sweeps, "_LONG", 0)
    monkeypatch.setattr(sweeps, "_MANY", 10**6)


@pytest.fixture
def only_one_by_one(monkeypatch):
    def disable():
        monkeypatch.setattr(sweeps, "_LONG", 10**6)

    return disable


def make_group(kind, n_states, seed, n_channels=12, n_samples=14, n_atoms=4):
    data = Columns.of(FORMS[kind](contractions(n_samples, n_channels, n_states, seed)))
    group = Group([data], [data[:n_atoms].copy()], [1.0], 0.1)
    group.atoms[0].rows[:] = Columns.of(
        FORMS[kind](contractions(n_atoms, n_channels, n_states, seed + 1))
    ).rows
    group.update_codes()
    return group


@pytest.mark.filterwarnings("ignore:no code uses")
@given(
    kind=st.sampled_from(list(FORMS)),
    n_states=st.integers(1, 5),
    n_channels=st.integers(5, 20),
    seed=st.integers(0, 2**31),
)
def test_no_sweep_raises_the_objective_and_products_stay_true(kind, n_states, n_channels, seed):
    group = make_group(kind, n_states, seed, n_channels)
    data, atoms = group.data[0], group.atoms[0]
    for _ in range(3):
        before = group.objective()
        group.improve_atoms("joint")
        after = group.objective()
        assert after <= before + 1e-9 * abs(before)
        expected = np.einsum("iam,jbm->iajb", data.rows, atoms.rows)
        np.testing.assert_allclose(group._sweeps[0]._products, expected, atol=1e-8)
        np.testing.assert_allclose(
            atoms.rows @ atoms.rows.swapaxes(1, 2), np.tile(np.eye(n_states), (4, 1, 1)), atol=1e-9
        )
        kernels = group.compute_kernels()[1]
        np.testing.assert_allclose(kernels, data.kernel(atoms), atol=1e-7)
        assert group.update_codes() <= after + 1e-9 * abs(after)


def make_clusters(seed, n_channels=60):
    """Systems around three others."""
    centres, own = contractions(3, n_channels, 4, seed), np.arange(30) % 3
    noise = contractions(30, n_channels, 4, seed + 1)
    C = np.linalg.qr(centres.C[own] + 0.7 * noise.C)[0]
    return LDS(0.7 * centres.A[own] + 0.3 * noise.A, C)


@pytest.mark.filterwarnings("ignore:no code uses")
@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("seed", [3, 103, 105])
def test_products_stay_true_over_many_iterations(kind, seed):
    """Where atoms hardly move any more, directions are short and errors of rounding large."""
    centres, own = contractions(3, 300, 3, seed), np.arange(40) % 3
    noise = contractions(40, 300, 3, seed + 1)
    C = np.linalg.qr(centres.C[own] + 0.3 * noise.C)[0]
    data = Columns.of(FORMS[kind](LDS(0.88 * centres.A[own] + 0.12 * noise.A, C)))
    group = Group([data], [data[:4].copy()], [1.0], 0.05)
    group.update_codes()
    objectives = []
    for _ in range(60):
        group.improve_atoms("joint")
        objectives.append(group.update_codes())
    assert (np.diff(objectives) <= 1e-10 * objectives[0]).all()
    atoms, Z = group.atoms[0], group.codes
    expected = np.einsum("iam,jbm->iajb", data.rows, atoms.rows)
    np.testing.assert_allclose(group._sweeps[0]._products, expected, atol=1e-11)
    own_kernels = np.diagonal(data.kernel(data)).sum()
    fit = own_kernels - 2 * (Z * data.kernel(atoms)).sum() + ((Z @ atoms.kernel(atoms)) * Z).sum()
    assert group.objective() == pytest.approx(fit + 0.05 * np.abs(Z).sum(), rel=1e-10)


def test_products_are_computed_anew_after_moves(monkeypatch):
    """Moves add up errors of rounding. Before the first one, products are true."""
    group = make_group("symmetric", 3, 0)
    group.update_codes()
    group.improve_atoms("joint")
    (sweep,) = group._sweeps
    given, multiply = [], sweeps.Sweep._multiply
    monkeypatch.setattr(
        sweeps.Sweep, "_multiply", lambda self, rows: given.append(rows) or multiply(self, rows)
    )
    group.improve_atoms("joint")
    assert given[0] is sweep.atoms.rows
    assert len(given) == 2  # and those with gradients
    given.clear()
    new = make_group("symmetric", 3, 0)
    new.update_codes()
    new.improve_atoms("joint")
    # Two sweeps follow the start: of the atoms at the start, and before the second sweep.
    assert sum(rows is new.atoms[0].rows for rows in given) == 2


@pytest.mark.parametrize("parts", ["symmetric", "skew"])
def test_sweeps_end_as_low_as_steps_of_one_atom_at_a_time(parts, only_one_by_one):
    ends = []
    for _ in range(2):
        model = LDSDictionary(4, parts=parts, max_iter=4, tol=0, init="random", random_state=0)
        ends.append(sum(model.fit(make_clusters(seed)).objective_[-1] for seed in range(6)))
        only_one_by_one()
    assert ends[0] < 1.001 * ends[1]


@pytest.mark.parametrize("dictionary", RECIPES, ids=range(len(RECIPES)))
def test_every_recipe_learns_by_sweeps_in_memory_and_in_blocks(dictionary, tmp_path, monkeypatch):
    X = contractions(24, 30, 4)
    here = dictionary.fit(X)
    steps = np.array(here.half_steps_)
    assert (np.diff(steps) <= 1e-9 * steps[0]).all()
    assert steps[-1] < steps[0]
    monkeypatch.setattr(samples_module, "_SMALLEST", 0)
    monkeypatch.setattr(samples_module, "_ON_DISK", X[:9].n_bytes)
    made = []
    original = algorithm.Sweep.move_atoms
    monkeypatch.setattr(
        algorithm.Sweep, "move_atoms", lambda self, codes: made.append(original(self, codes))
    )
    there = dictionary.fit(LDSStore.write(tmp_path / "store", X))
    assert made
    np.testing.assert_allclose(there.half_steps_, steps, rtol=1e-8)


def test_an_unused_atom_is_replaced_and_its_products_with_it():
    group = make_group("symmetric", 3, seed=5, n_channels=30)
    group.improve_atoms("joint")
    group.update_codes()
    group.codes[:, 2] = 0.0
    worst = next(group.sort_worst_first())
    group.improve_atoms("joint")
    np.testing.assert_allclose(group.atoms[0].rows[2], group.data[0].rows[worst])
    expected = np.einsum("iam,bm->iab", group.data[0].rows, group.atoms[0].rows[2])
    np.testing.assert_allclose(group._sweeps[0]._products[:, :, 2], expected, atol=1e-12)
    assert not group._sweeps[0]._before[2].any()


@pytest.mark.parametrize(
    ("n_channels", "n_nonzero", "n_samples"),
    [(599, 400, 100), (600, 57, 100), (600, 6 * 10**5, 6 * 10**5)],
    ids=["short", "sparse", "too large"],
)
def test_atoms_move_one_by_one_where_that_is_faster(monkeypatch, n_channels, n_nonzero, n_samples):
    monkeypatch.undo()
    one = Columns.of(canonical_symmetric(contractions(4, n_channels, 10)))
    samples = samples_module.Samples([[one]], [n_samples], samples_module.Engine())
    assert not sweeps.Sweep.is_worthwhile(samples, [one], n_nonzero)
    long = Columns.of(canonical_symmetric(contractions(4, 600, 10)))
    several = samples_module.Samples([[long]], [100], samples_module.Engine())
    assert sweeps.Sweep.is_worthwhile(several, [long], 58)
