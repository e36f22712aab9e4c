import numpy as np
import pytest

from ldslearn import LDSEncoder
from ldslearn.datasets import make_lds_sequences


def nearest_label_accuracy(jitter):
    """Leave-one-out nearest neighbour on a plain invariant: lagged covariances of the channels."""
    X, y = make_lds_sequences(3, 10, n_timepoints=300, jitter=jitter, random_state=0)
    features = []
    for sequence in X:
        Z = (sequence - sequence.mean(axis=1, keepdims=True)) / sequence.std()
        features.append((Z[:, 1:] @ Z[:, :-1].T / Z.shape[1]).ravel())
    distance = np.linalg.norm(np.array(features)[:, None] - np.array(features), axis=2)
    np.fill_diagonal(distance, np.inf)
    return (y[distance.argmin(axis=1)] == y).mean()


def test_shapes_and_labels():
    X, y = make_lds_sequences(4, 5, n_channels=7, n_timepoints=(20, 30), random_state=0)
    assert len(X) == 20
    assert {len(sequence) for sequence in X} == {7}
    lengths = {sequence.shape[1] for sequence in X}
    assert lengths <= set(range(20, 31))
    assert len(lengths) > 1
    np.testing.assert_array_equal(y, np.repeat(np.arange(4), 5))


def test_a_generator_is_a_source_of_seeds_too():
    first, _ = make_lds_sequences(1, 1, random_state=np.random.default_rng(0))
    again, _ = make_lds_sequences(1, 1, random_state=np.random.default_rng(0))
    np.testing.assert_array_equal(first[0], again[0])


def test_jitter_is_separability():
    assert nearest_label_accuracy(0.05) == 1.0
    assert nearest_label_accuracy(5.0) < 0.7


def test_seed_decides_and_global_state_is_untouched():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, _ = make_lds_sequences(2, 2, random_state=3)
    again, _ = make_lds_sequences(2, 2, random_state=3)
    other, _ = make_lds_sequences(2, 2, random_state=4)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.testing.assert_array_equal(first[3], again[3])
    assert not np.allclose(first[3], other[3])


@pytest.mark.parametrize("n_states", [1, 3, 4])
def test_eigenvalues_lie_in_the_given_range(n_states):
    X, _ = make_lds_sequences(
        1, 3, n_states=n_states, n_channels=6, n_timepoints=20000, radius=(0.7, 0.8), jitter=0,
        noise=0, random_state=1,
    )  # fmt: skip
    systems = LDSEncoder(n_states, stabilizer="none").fit_transform(X)
    moduli = np.abs(np.linalg.eigvals(systems.A))
    assert moduli.min() > 0.66
    assert moduli.max() < 0.84


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_classes": 0}, "n_classes must be an integer of at least 1; got 0"),
        ({"n_classes": "3"}, "n_classes must be an integer of at least 1; got '3'"),
        ({"n_channels": 3}, "n_channels must be an integer of at least 4; got 3"),
        ({"n_timepoints": 1}, "n_timepoints must be an integer of at least 2; got 1"),
        ({"n_timepoints": (9, 5)}, "n_timepoints must be an integer of at least 9; got 5"),
        ({"n_timepoints": (9,)}, "n_timepoints must be a number or a pair"),
        ({"n_timepoints": (20.5, 30)}, "n_timepoints must be an integer"),
        ({"radius": 0.9}, r"radius must be a range within \(0, 1\); got 0.9"),
        ({"noise": np.nan}, "noise must be non-negative; got nan"),
        ({"jitter": None}, "jitter must be non-negative; got None"),
        ({"radius": (0.5, 1.0)}, r"radius must be a range within \(0, 1\)"),
        ({"jitter": -1}, "jitter must be non-negative; got -1"),
        ({"noise": -1}, "noise must be non-negative; got -1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_lds_sequences(**parameters)


def test_noise_and_stationarity():
    clean, _ = make_lds_sequences(1, 1, n_timepoints=2000, noise=0.0, random_state=0)
    noisy, _ = make_lds_sequences(1, 1, n_timepoints=2000, noise=0.5, random_state=0)
    assert np.std(noisy[0] - clean[0]) == pytest.approx(0.5 * clean[0].std(), rel=0.05)
    X, _ = make_lds_sequences(
        1, 300, n_timepoints=40, radius=(0.98, 0.99), jitter=0.0, random_state=0
    )
    early, late = (np.mean([np.square(x[:, t]).mean() for x in X]) for t in (0, 39))
    assert early == pytest.approx(late, rel=0.2)  # the start is as lively as the end
