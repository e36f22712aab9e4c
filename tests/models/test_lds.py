import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ldslearn import LDS, LDSEncoder
from ldslearn.models.fields import FIELD_SHAPES
from ldslearn.sequences import hankel

from support.makers import random_orthogonal, random_systems
from support.oracles import radius, simulate_by_loop

FIELDS = tuple(FIELD_SHAPES)


@pytest.fixture
def systems():
    return random_systems(6, n_channels=8, n_states=3)


def assert_same(first, second):
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.delays == second.delays


def test_sizes_and_repr(systems):
    assert len(systems) == 6
    assert systems.shape == (6, 8, 3)
    assert (systems.n_states, systems.n_channels, systems.n_noise) == (3, 8, 2)
    assert repr(systems) == (
        "LDS(6 systems, n_channels=8, n_states=3, with B, mean, x0, noise_variance, deviation)"
    )
    assert repr(LDS(systems.A, systems.C)) == "LDS(6 systems, n_channels=8, n_states=3)"


def test_frozen_and_independent_of_its_input(systems):
    A = systems.A.copy()
    batch = LDS(A, systems.C)
    A[:] = 0
    np.testing.assert_array_equal(batch.A, systems.A)
    with pytest.raises(ValueError, match="read-only"):
        batch.A[0, 0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        batch[1:].C[0, 0, 0] = 1.0
    with pytest.raises(AttributeError, match="cannot assign"):
        batch.A = A


def test_a_single_system_needs_no_batch_axis(systems):
    one = LDS(**{name: getattr(systems, name)[2] for name in FIELDS})
    assert_same(one, systems[2])


def test_float32_and_integers_become_float64():
    batch = LDS(np.zeros((1, 2, 2), dtype=int), np.eye(3, 2, dtype=np.float32)[None])
    assert batch.A.dtype == batch.C.dtype == np.float64


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        (2, [2]),
        (-1, [5]),
        (np.int64(3), [3]),
        (slice(1, 4), [1, 2, 3]),
        (slice(None, None, -2), [5, 3, 1]),
        ([4, 0, 4], [4, 0, 4]),
        (np.array([5, 1]), [5, 1]),
        (np.array([True, False, False, True, False, False]), [0, 3]),
        ([], []),
        ((np.array([1, 2]), ...), [1, 2]),
    ],
)
def test_indexing(systems, key, rows):
    selected = systems[key]
    assert isinstance(selected, LDS)
    assert len(selected) == len(rows)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(selected, name), getattr(systems, name)[rows])


def test_bad_indices(systems):
    with pytest.raises(IndexError, match="the index must fit a batch of 6; got 6"):
        systems[6]
    with pytest.raises(IndexError, match="one axis"):
        systems[0, 1]
    with pytest.raises(IndexError, match="the index must fit a batch of 6; got array.*boolean"):
        systems[np.array([True, False])]
    with pytest.raises(IndexError, match="must be an integer, a slice, a mask or indices; got"):
        systems[1.5]
    with pytest.raises(IndexError, match="must be an integer, a slice, a mask or indices; got"):
        systems["A"]


def test_iteration_and_concatenation_are_inverse(systems):
    assert_same(LDS.concatenate(list(systems)), systems)
    assert_same(LDS.concatenate([systems[:2], systems[2:]]), systems)


def test_concatenation_of_unlike_batches_is_refused(systems):
    with pytest.raises(ValueError, match="batch 1 must have the layout of batch 0"):
        LDS.concatenate([systems, LDS(systems.A, systems.C)])
    with pytest.raises(ValueError, match="batch 1 must have the layout of batch 0"):
        LDS.concatenate([systems, random_systems(2, 8, 4)])
    with pytest.raises(ValueError, match="batches must hold at least one LDS batch"):
        LDS.concatenate([])


def test_spectral_radius_and_stability():
    A = np.array([[[0.5, 9.0], [0.0, -0.9]], [[0.0, 1.0], [-1.0, 0.0]], [[0.0, 2.0], [-2.0, 0.0]]])
    batch = LDS(A, np.broadcast_to(np.eye(4, 2), (3, 4, 2)))
    np.testing.assert_allclose(batch.spectral_radius, [radius(a) for a in A])
    assert list(batch.is_stable) == [True, False, False]


def test_undisturbed_simulation_equals_the_loop(systems):
    samples = systems.simulate(9, noise=False)
    assert samples.shape == (6, 8, 9)
    for i in range(6):
        expected = simulate_by_loop(systems.A[i], systems.C[i], systems.mean[i], systems.x0[i], 9)
        np.testing.assert_allclose(samples[i], expected, atol=1e-12)


def test_simulated_noise_has_the_variance_of_the_model():
    A, C = np.array([[0.8]]), np.array([[0.6], [0.8]])
    batch = LDS(A, C, B=np.array([[0.5]]), noise_variance=np.array(0.09), x0=np.zeros(1))
    samples = batch.simulate(200_000, random_state=0)[0]
    process = 0.25 / (1 - 0.64)  # stationary variance of x
    expected = process * C @ C.T + 0.09 * np.eye(2)
    np.testing.assert_allclose(np.cov(samples), expected, rtol=0.03, atol=0.01)


def test_simulation_is_decided_by_its_seed(systems):
    np.testing.assert_array_equal(systems.simulate(5, 1), systems.simulate(5, 1))
    assert not np.allclose(systems.simulate(5, 1), systems.simulate(5, 2))


def test_simulation_from_rest_needs_noise(systems):
    assert LDS(systems.A, systems.C, B=systems.B).simulate(4, 0).std() > 0
    with pytest.raises(ValueError, match="systems must have x0, or B with noise=True"):
        LDS(systems.A, systems.C).simulate(4)
    with pytest.raises(ValueError, match="n_timepoints must be an integer of at least 1; got 0"):
        systems.simulate(0)


def test_states_invert_the_measurement(systems):
    clean = systems.simulate(7, noise=False)
    for i, X in enumerate(systems.states(clean)):
        np.testing.assert_allclose(X[:, 0], systems.x0[i], atol=1e-12)
        np.testing.assert_allclose(X[:, 1:], systems.A[i] @ X[:, :-1], atol=1e-12)


def test_forecast_continues_an_undisturbed_course(systems):
    course = systems.simulate(20, noise=False)
    np.testing.assert_allclose(
        systems.forecast(course[:, :, :12], 8), course[:, :, 12:], atol=1e-12
    )


def test_states_and_forecast_refuse_what_does_not_fit(systems):
    with pytest.raises(ValueError, match="one for each of the 6 systems; got 1"):
        systems.states([np.zeros((8, 5))])
    with pytest.raises(ValueError, match="sequences must have 8 channels, as .*; got 7"):
        systems.forecast(np.zeros((6, 7, 5)), 2)
    delayed = LDS(systems.A, systems.C, delays=4)
    with pytest.raises(ValueError, match="sequence 0 must have at least 4 time points"):
        delayed.forecast(np.zeros((6, 2, 3)), 2)


def test_delays_are_undone_by_simulate_and_forecast():
    """A two-channel oscillation needs delays=2 for four states; its course must come back."""
    t = np.arange(60)
    sequence = np.stack([np.sin(0.3 * t) + np.cos(0.9 * t), np.sin(0.9 * t + 1)])
    systems = LDSEncoder(4, delays=2, center=False, stabilizer="none").fit_transform([sequence])
    assert systems.n_channels == 4
    np.testing.assert_allclose(systems.simulate(60, noise=False)[0], sequence, atol=1e-8)
    np.testing.assert_allclose(
        systems.forecast([sequence[:, :40]], 20)[0], sequence[:, 40:], atol=1e-8
    )
    assert systems.states([sequence])[0].shape == (4, hankel(sequence, 2).shape[1])


@given(seed=st.integers(0, 10_000), n_states=st.integers(1, 5))
def test_a_change_of_basis_is_the_same_system(seed, n_states):
    random = np.random.default_rng(seed)
    batch = random_systems(3, n_channels=7, n_states=n_states, seed=seed)
    P = random_orthogonal(n_states, random, stack=(3,))
    changed = batch.change_basis(P)
    assert batch.equivalent(changed).all()
    np.testing.assert_allclose(changed.spectral_radius, batch.spectral_radius)
    np.testing.assert_allclose(
        changed.simulate(5, noise=False), batch.simulate(5, noise=False), atol=1e-10
    )


@pytest.mark.parametrize("name", FIELDS)
def test_equivalence_sees_every_field(systems, name):
    values = {field: getattr(systems, field).copy() for field in FIELDS}
    if name == "C":
        values["C"][1] = np.linalg.qr(values["C"][1] + 1e-3)[0]
    else:
        values[name][1] += 1e-3
    same = systems.equivalent(LDS(**values))
    assert list(same) == [True, False, True, True, True, True]


def test_a_change_of_basis_must_be_orthogonal(systems):
    with pytest.raises(ValueError, match="P must be orthogonal of size 3; got P'P off I by 3"):
        systems.change_basis(2 * np.eye(3))
    with pytest.raises(ValueError, match=r"P must be orthogonal of size 3; got shape \(2, 2\)"):
        systems.change_basis(np.eye(2))
    with pytest.raises(ValueError, match="other must have shape"):
        systems.equivalent(systems[:2])


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"A": None}, ValueError, "A must be an array; got None"),
        ({"A": np.zeros((6, 3, 2))}, ValueError, r"A must have shape \(N, n, n\); got \(6, 3, 2\)"),
        ({"A": np.zeros((6, 3, 3), complex)}, TypeError, "A must hold real numbers; got dtype com"),
        ({"A": np.full((6, 3, 3), np.nan)}, ValueError, "A must be finite; got NaN or infinity in"),
        ({"C": np.zeros((5, 8, 3))}, ValueError, r"C must have shape \(6, m, 3\); got \(5, 8, 3\)"),
        ({"C": np.ones((6, 8, 3))}, ValueError, "C must have orthonormal columns; got a deviation"),
        ({"B": np.zeros((6, 4, 1))}, ValueError, r"B must have shape \(6, 3, k\); got \(6, 4, 1\)"),
        ({"mean": np.zeros((6, 3))}, ValueError, r"mean must have shape \(6, 8\); got \(6, 3\)"),
        ({"x0": np.zeros(3)}, ValueError, r"x0 must have shape \(6, 3\); got \(3,\)"),
        ({"noise_variance": -np.ones(6)}, ValueError, "noise_variance must be non-negative"),
        ({"C": [[1.0, 2.0], [3.0]]}, TypeError, "C must be an array; got list"),
        (
            {"C": np.eye(2, 3)[None].repeat(6, 0)},
            ValueError,
            "C must have at least as many",
        ),
        ({"delays": 3}, ValueError, "delays must divide n_channels = 8; got 3"),
        ({"delays": 0}, ValueError, "delays must be an integer of at least 1; got 0"),
    ],
)
def test_invalid_fields_are_named(systems, values, error, message):
    fields = {name: getattr(systems, name) for name in FIELDS}
    with pytest.raises(error, match=message):
        LDS(**{**fields, **values})


def test_scikit_learn_can_split_a_batch(systems):
    labels = np.array([0, 1, 0, 1, 0, 1])
    train, test, y_train, _ = train_test_split(
        systems, labels, test_size=2, stratify=labels, random_state=0
    )
    assert isinstance(train, LDS)
    assert (len(train), len(test), len(y_train)) == (4, 2, 4)


def test_scikit_learn_can_cross_validate_on_a_batch():
    batch = random_systems(20, n_channels=6, n_states=2)
    labels = (batch.spectral_radius > 0).astype(int)
    labels[::2] = 0
    features = FunctionTransformer(lambda S: S.A.reshape(len(S), -1))
    scores = cross_val_score(make_pipeline(features, KNeighborsClassifier(1)), batch, labels, cv=4)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_are_frozen_too(systems, copied):
    systems._compute_once("something", lambda: "large")
    twin = copied(systems)
    assert_same(twin, systems)
    assert not twin._cache
    with pytest.raises(ValueError, match="read-only"):
        twin.A[0] *= 100
    with pytest.raises(ValueError, match="read-only"):
        twin.spectral_radius[0] = 0.0


def test_results_are_computed_once_and_kept_with_their_batch_only(systems):
    assert systems.spectral_radius is systems.spectral_radius
    for other in (systems[:], systems[1:], LDS.concatenate([systems]), copy.copy(systems)):
        assert not other._cache
    with pytest.raises(AttributeError, match="cannot assign"):
        systems.something = 1


def test_systems_are_not_vectors(systems):
    with pytest.raises(TypeError, match="an LDS batch has no array form"):
        np.asarray(systems)


def test_sequences_in_the_place_of_systems_are_named(systems):
    with pytest.raises(TypeError, match="batch 1 must be an LDS batch; got list. Encode sequences"):
        LDS.concatenate([systems, [1, 2]])


def test_delays_survive_every_change():
    batch = random_systems(4, 6, 2)
    batch = LDS(batch.A, batch.C, delays=np.int64(3))
    assert batch[1:].delays == batch[[0]].delays == batch[2].delays == 3
    assert LDS.concatenate([batch, batch]).delays == 3
    assert batch.change_basis(np.eye(2)).delays == 3
    other = LDS(batch.A, batch.C, delays=2)
    assert not batch.equivalent(other).any()
    with pytest.raises(ValueError, match="batch 1 must have the layout of batch 0"):
        LDS.concatenate([batch, other])
    with pytest.raises(ValueError, match="delays must be an integer"):
        LDS(batch.A, batch.C, delays=2.0)


def test_what_the_encoder_and_index_arrays_return_is_frozen_too(systems):
    encoded = LDSEncoder(2).fit_transform(np.random.default_rng(0).standard_normal((3, 4, 20)))
    for batch in (encoded, systems[[0, 2]], systems.change_basis(np.eye(3))):
        with pytest.raises(ValueError, match="read-only"):
            batch.A[0, 0, 0] = 1.0


def test_a_change_of_basis_has_one_matrix_or_one_per_system(systems):
    with pytest.raises(ValueError, match="P must be orthogonal of size 3"):
        systems[:1].change_basis(np.stack([np.eye(3)] * 5))


def test_slightly_skewed_measurements_are_refused(systems):
    C = systems.C.copy()
    C[3, :, 0] *= 1 + 1e-4
    with pytest.raises(ValueError, match="C must have orthonormal columns; .* in system 3"):
        LDS(systems.A, C)


def test_each_stacked_sample_has_its_own_mean():
    """A ramp: the mean of the newer samples is larger, and simulate and forecast know which."""
    batch = random_systems(1, 4, 2)
    stacked = LDS(batch.A, batch.C, mean=[[1.0, 2.0, 30.0, 40.0]], x0=[[0.0, 0.0]], delays=2)
    np.testing.assert_allclose(stacked.simulate(2, noise=False)[0, :, 0], [1.0, 2.0])
    resting = np.array([[[1.0, 30.0], [2.0, 40.0]]])
    np.testing.assert_allclose(stacked.forecast(resting, 1)[0, :, 0], [30.0, 40.0])
