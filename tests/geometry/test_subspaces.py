import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.geometry import cross_gramian, gramian, principal_angles, projection_kernel
from ldslearn.models import LDS

from support.makers import random_orthogonal, random_systems
from support.oracles import angles_by_qr, cross_gramian_by_kronecker


@pytest.mark.parametrize("radius", [0.5, 0.99])
@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (2, 2), (4, 4), (5, 3), (3, 6)])
def test_cross_gramian_solves_the_kronecker_system(n1, n2, radius):
    X = random_systems(4, 9, n1, seed=1, radius=radius)
    Y = random_systems(35, 9, n2, seed=2, radius=radius)
    found = cross_gramian(X, Y)
    assert found.shape == (4, 35, n1, n2)
    for i in range(4):
        for j in (0, 31, 32, 34):
            expected = cross_gramian_by_kronecker(X.A[i], X.C[i], Y.A[j], Y.C[j])
            np.testing.assert_allclose(
                found[i, j], expected, rtol=0, atol=1e-9 * np.abs(expected).max()
            )


def test_gramian_is_the_diagonal_of_the_cross_gramian():
    X = random_systems(5, 9, 4, radius=0.97)
    W = gramian(X)
    np.testing.assert_allclose(cross_gramian(X)[range(5), range(5)], W, rtol=1e-10)
    for A, C, w in zip(X.A, X.C, W, strict=True):
        np.testing.assert_allclose(A.T @ w @ A + C.T @ C, w, atol=1e-10 * np.abs(w).max())
    W[:] = 0
    assert gramian(X).any()


def test_one_state_by_hand():
    X = LDS([[0.5]], [[1.0], [0.0]])
    Y = LDS([[-0.8]], [[0.6], [0.8]])
    np.testing.assert_allclose(gramian(X), [[[1 / (1 - 0.25)]]])
    np.testing.assert_allclose(cross_gramian(X, Y), [[[[0.6 / (1 + 0.4)]]]])
    cosine = 0.6 / 1.4 * np.sqrt((1 - 0.25) * (1 - 0.64))
    np.testing.assert_allclose(principal_angles(X, Y), [[[np.arccos(cosine)]]])


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (3, 3), (5, 2), (2, 5)])
def test_angles_equal_those_of_long_observability_matrices(n1, n2):
    X = random_systems(3, 8, n1, seed=3, radius=0.95)
    Y = random_systems(2, 8, n2, seed=4, radius=0.95)
    found = principal_angles(X, Y)
    assert found.shape == (3, 2, min(n1, n2))
    for i in range(3):
        for j in range(2):
            np.testing.assert_allclose(found[i, j], angles_by_qr(X[i], Y[j]), atol=1e-9)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_small_angles_keep_their_digits(gap):
    """Without dynamics the subspace is that of C: a plane turned by a known angle."""
    C = np.eye(4, 2)
    turned = np.array([[np.cos(gap), 0], [0, 1], [np.sin(gap), 0], [0, 0]])
    A = np.zeros((2, 2))
    found = principal_angles(LDS(A, C), LDS(A, turned))[0, 0]
    np.testing.assert_allclose(found, [0.0, gap], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_angles_near_a_right_angle_keep_their_digits(gap):
    C = np.eye(4, 2)
    turned = np.array([[np.sin(gap), 0], [0, 1], [np.cos(gap), 0], [0, 0]])
    A = np.zeros((2, 2))
    found = principal_angles(LDS(A, C), LDS(A, turned))[0, 0]
    np.testing.assert_allclose(np.pi / 2 - found[1], gap, rtol=1e-3, atol=1e-15)


def test_small_angles_of_slow_systems():
    """A perturbation of 1e-9 in a system of radius 0.999: angles of that order, not of 1e-8."""
    X = random_systems(1, 10, 4, radius=0.999)
    random = np.random.default_rng(0)
    moved = np.linalg.qr(X.C[0] + 1e-10 * random.standard_normal(X.C[0].shape))[0]
    moved *= np.sign((moved * X.C[0]).sum(axis=0))
    largest = principal_angles(X, LDS(X.A, moved[None])).max()
    assert 1e-11 < largest < 2e-9


def test_angles_of_a_system_with_itself_vanish():
    X = random_systems(4, 9, 5, radius=0.99)
    angles = principal_angles(X)
    assert angles[range(4), range(4)].max() < 1e-12
    np.testing.assert_array_equal(angles, np.swapaxes(angles, 0, 1))


def test_fewer_channels_than_states_together():
    X, Y = random_systems(2, 5, 4, seed=0), random_systems(2, 5, 3, seed=1)
    np.testing.assert_allclose(
        (np.cos(principal_angles(X, Y)) ** 2).sum(axis=-1), projection_kernel(X, Y), rtol=1e-10
    )


@given(seed=st.integers(0, 10_000), n=st.integers(1, 5))
def test_angles_do_not_depend_on_coordinates(seed, n):
    X, Y = random_systems(2, 7, n, seed), random_systems(2, 7, n, seed + 1)
    P = random_orthogonal(n, np.random.default_rng(seed))
    np.testing.assert_allclose(
        principal_angles(X.change_basis(P), Y), principal_angles(X, Y), atol=1e-9
    )
