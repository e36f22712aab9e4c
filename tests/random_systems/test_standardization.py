import numpy as np
import pytest

from ldslearn.random_systems import standardization
from ldslearn.random_systems.standardization import (
    count_components,
    fit_standardization,
    share_standardizations,
)


def make_sequences(n_channels=8, seed=0):
    random = np.random.default_rng(seed)
    mixing = random.normal(size=(n_channels, 4)) * np.array([5.0, 3.0, 2.0, 1.0])
    scales = np.geomspace(1e-3, 1e3, n_channels)[:, None]
    return [scales * (mixing @ random.normal(size=(4, n)) + 7) for n in (40, 3, 25, 1)]


def test_channels_have_mean_zero_and_deviation_one():
    X = make_sequences()
    found = fit_standardization(X, None)
    pooled = np.concatenate([found.apply(x) for x in X], axis=1)
    np.testing.assert_allclose(pooled.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(pooled.std(axis=1), 1)


@pytest.mark.parametrize("largest", [3000, 4])
def test_directions_are_principal_ones_of_standardised_channels(largest, monkeypatch):
    """Also from the products of time points, where there are more channels than `_LARGEST`."""
    X = make_sequences()
    if largest == 4:  # all time points are used
        monkeypatch.setattr(standardization, "_choose_points", lambda sequences, stride: sequences)
    monkeypatch.setattr(standardization, "_LARGEST", largest)
    found = fit_standardization(X, 3)
    pooled = np.concatenate([found.apply(x) for x in X], axis=1)
    assert pooled.shape == (3, 69)
    np.testing.assert_allclose(pooled @ pooled.T / 69, np.eye(3), atol=1e-9)
    standard = np.concatenate([fit_standardization(X, None).apply(x) for x in X], axis=1)
    vectors = np.linalg.svd(standard, full_matrices=False)[0][:, :3]
    directions = found.components / np.linalg.norm(found.components, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(directions @ vectors), np.eye(3), atol=1e-7)
    assert (found.components.max(axis=1) == np.abs(found.components).max(axis=1)).all()


def test_directions_without_variance_are_left_out():
    X = make_sequences()
    assert fit_standardization(X, 8).n_outputs == 4
    assert fit_standardization([np.ones((40, 5))], 20).n_outputs == 1


def test_every_stride_th_time_point_is_chosen():
    X = [np.arange(n)[None] + start for start, n in ((0, 5), (5, 1), (6, 9))]
    chosen = np.concatenate(list(standardization._choose_points(X, 4)), axis=1)
    np.testing.assert_array_equal(chosen, [[0, 4, 8, 12]])


@pytest.mark.parametrize(
    ("asked", "n_channels", "expected"),
    [("auto", 30, None), ("auto", 31, 20), (None, 500, None), (7, 9, 7)],
)
def test_number_of_components(asked, n_channels, expected):
    assert count_components(asked, n_channels) == expected


def test_standardizations_are_shared_by_the_same_arrays_only():
    random = np.random.default_rng(0)
    sequences = [random.standard_normal((4, 20)) for _ in range(3)]
    with share_standardizations():
        first = fit_standardization(sequences, 2)
        assert fit_standardization(list(sequences), 2) is first
        assert fit_standardization(sequences, 3).n_outputs == 3
        others = fit_standardization([x + 1.0 for x in sequences], 2)
        np.testing.assert_allclose(others.mean, first.mean + 1.0)
    assert fit_standardization(sequences, 2) is not first
