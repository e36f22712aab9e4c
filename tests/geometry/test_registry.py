import numpy as np
import pytest

from ldslearn.geometry import DISTANCES, KERNELS, pairwise_distance, pairwise_kernel

from support.makers import contractions


@pytest.fixture
def batches():
    return contractions(4, 8, 3, seed=1), contractions(3, 8, 3, seed=2)


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_by_name(name, batches):
    X, Y = batches
    K = pairwise_kernel(X, Y, name)
    assert K.shape == (4, 3)
    assert np.isfinite(K).all()
    np.testing.assert_array_equal(K, KERNELS[name](X, Y))


@pytest.mark.parametrize("name", DISTANCES)
def test_every_distance_by_name(name, batches):
    X, Y = batches
    D = pairwise_distance(X, Y, name)
    assert D.shape == (4, 3)
    assert (D > 0).all()


def test_parameters_reach_the_kernel(batches):
    X, Y = batches
    one, five = (pairwise_kernel(X, Y, "finite", order=order) for order in (1, 5))
    assert np.abs(one - five).max() > 1e-3


def test_a_function_is_a_kernel(batches):
    X, Y = batches

    def constant(X, Y, factor):
        return factor * np.ones((len(X), len(Y)), dtype=int)

    K = pairwise_kernel(X, Y, constant, factor=2)
    np.testing.assert_array_equal(K, np.full((4, 3), 2.0))
    assert pairwise_kernel(X, None, constant, factor=2).shape == (4, 4)


def test_a_mixture_adds_up(batches):
    X, Y = batches
    weights = {"projection": 0.7, "covariance": 0.1, "mean": 0.2}
    expected = sum(weight * KERNELS[name](X, Y) for name, weight in weights.items())
    np.testing.assert_allclose(pairwise_kernel(X, Y, weights), expected)


def test_parameters_of_a_part_reach_it(batches):
    X, Y = batches
    K = pairwise_kernel(X, Y, {"finite": 0.5, "projection": 2.0}, finite={"order": 2})
    expected = 0.5 * KERNELS["finite"](X, Y, order=2) + 2.0 * KERNELS["projection"](X, Y)
    np.testing.assert_allclose(K, expected)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("poly", "kernel must be one of 'projection', .*; got 'poly'"),
        ({"poly": 1.0}, "kernel must be one of"),
        ({"projection": -1.0}, "the weight of 'projection' must be non-negative; got -1.0"),
        ({"projection": "much"}, "the weight of 'projection' must be non-negative; got 'much'"),
        ({}, "kernel must be a name, a function or a mapping"),
        (3, "kernel must be a name, a function or a mapping of names to weights; got 3"),
    ],
)
def test_bad_kernels(kernel, message, batches):
    with pytest.raises(ValueError, match=message):
        pairwise_kernel(*batches, kernel)


def test_other_mistakes(batches):
    mixture = {"projection": 0.5, "finite": 1.0}
    with pytest.raises(ValueError, match=r"'order'. Write \{'finite': \{'order': ...}}"):
        pairwise_kernel(*batches, mixture, order=3)
    with pytest.raises(ValueError, match=r"must be given per kernel; got 'finite'"):
        pairwise_kernel(*batches, mixture, finite=3)
    with pytest.raises(ValueError, match="parameters of the 'martin' kernel must be among 'bandw"):
        pairwise_kernel(*batches, "martin", bandwith=3)
    with pytest.raises(ValueError, match="of the 'finite' kernel must be among 'order'; got 'ord'"):
        pairwise_kernel(*batches, mixture, finite={"ord": 3})
    with pytest.raises(ValueError, match=r"return real numbers of shape \(4, 3\); got float64 of"):
        pairwise_kernel(*batches, lambda X, Y: np.ones(4))
    with pytest.raises(ValueError, match=r"return real numbers of shape \(4, 3\); got complex128"):
        pairwise_kernel(*batches, lambda X, Y: np.full((4, 3), 1j))
    with pytest.raises(ValueError, match="distance must return finite numbers; got NaN or inf"):
        pairwise_distance(*batches, lambda X, Y: np.full((4, 3), np.nan))
    with pytest.raises(ValueError, match="kernel must have a weight above zero"):
        pairwise_kernel(*batches, {"projection": 0})
    with pytest.raises(ValueError, match="distance must be one of 'projection'"):
        pairwise_distance(*batches, "manhattan")
