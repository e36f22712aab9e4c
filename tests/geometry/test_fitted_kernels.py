import warnings

import numpy as np
import pytest

from ldslearn import LDS
from ldslearn.geometry import (
    KERNELS,
    martin_kernel,
    mean_kernel,
    pairwise_kernel,
    projection_kernel,
)
from ldslearn.geometry.definiteness import apply_policy, positive_part
from ldslearn.geometry.fitted_kernels import FittedKernel

from support.makers import contractions


@pytest.fixture
def batches():
    return contractions(9, 8, 3, seed=1), contractions(11, 8, 3, seed=2)


@pytest.mark.parametrize("name", KERNELS)
def test_it_is_the_kernel_of_that_name(name, batches):
    X, Y = batches
    parameters = {"martin": {"psd": "ignore"}, "mean": {"bandwidth": 3.0}}
    parameters["deviation"] = parameters["mean"]
    parameters = parameters.get(name, {})
    kernel = FittedKernel.fit(X, name, parameters)
    np.testing.assert_allclose(kernel.gram, pairwise_kernel(X, None, name, **parameters))
    np.testing.assert_allclose(kernel.cross(Y), pairwise_kernel(Y, X, name, **parameters))
    own = [pairwise_kernel(y, None, name, **parameters)[0, 0] for y in Y]
    np.testing.assert_allclose(kernel.diagonal(Y), own, rtol=1e-10)


def test_medians_become_numbers_in_every_part(batches):
    X, Y = batches
    weights = {"projection": 0.5, "mean": 2.0, "martin": 1.5}
    settings = {"martin": {"bandwidth": "median", "psd": "ignore"}}
    kernel = FittedKernel.fit(X, weights, settings)
    bandwidths = {name: fixed.get("bandwidth") for name, _, fixed in kernel.parts}
    assert bandwidths["projection"] is None
    np.testing.assert_allclose(
        kernel.cross(Y),
        0.5 * projection_kernel(Y, X)
        + 2.0 * mean_kernel(Y, X, bandwidth=bandwidths["mean"])
        + 1.5 * martin_kernel(Y, X, bandwidth=bandwidths["martin"]),
    )
    np.testing.assert_allclose(kernel.cross(X), kernel.gram, rtol=1e-9)
    cosine = FittedKernel.fit(X, "mean", {"shape": "cosine"})
    np.testing.assert_allclose(cosine.cross(Y), mean_kernel(Y, X, shape="cosine"))
    np.testing.assert_allclose(cosine.gram, mean_kernel(X, shape="cosine"))


def test_new_systems_are_projected_on_the_positive_part():
    """Clipping the training matrix alone would leave kernels of new systems that fit no atoms."""
    X, Y = contractions(12, 4, 2, seed=1), contractions(5, 4, 2, seed=2)
    raw = martin_kernel(X, bandwidth=100.0, psd="ignore")
    assert np.linalg.eigvalsh(raw)[0] < -1e-3
    with pytest.warns(UserWarning, match="the kernel matrix is indefinite: its smallest eigenv"):
        kernel = FittedKernel.fit(X, "martin", {"bandwidth": 100.0})
    assert np.linalg.eigvalsh(kernel.gram)[0] > -1e-12
    np.testing.assert_allclose(kernel.cross(X), kernel.gram, atol=1e-12)
    cross = kernel.cross(Y)
    np.testing.assert_allclose(kernel.gram @ np.linalg.pinv(kernel.gram) @ cross.T, cross.T)
    np.testing.assert_allclose(kernel.diagonal(Y), 1.0)
    with pytest.raises(ValueError, match="the kernel matrix is indefinite"):
        FittedKernel.fit(X, "martin", {"bandwidth": 100.0, "psd": "raise"})
    with pytest.raises(ValueError, match="psd must be one of 'clip', 'raise', 'ignore'; got 'no'"):
        FittedKernel.fit(X, "martin", {"psd": "no"})


def test_functions_of_your_own_are_looked_at_too(batches):
    X, _ = batches

    def indefinite(X, Y):
        return projection_kernel(X, Y) - 2.0

    with pytest.warns(UserWarning, match="the kernel matrix is indefinite"):
        kernel = FittedKernel.fit(X, indefinite)
    np.testing.assert_allclose(kernel.cross(X), kernel.gram, atol=1e-12)
    with pytest.raises(ValueError, match="must have positive eigenvalues; got none"):
        FittedKernel.fit(X, lambda X, Y: -projection_kernel(X, Y))
    with pytest.raises(ValueError, match=r"kernel must be symmetric, .* \|K - K'\| = 8"):
        FittedKernel.fit(X, lambda X, Y: np.arange(len(X))[:, None] + np.zeros(len(Y)))


def test_small_negative_eigenvalues_are_removed_without_a_warning():
    vectors = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0]
    for smallest, warned in ((-1e-3, True), (-1e-5, False)):
        K = (vectors * [smallest, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]) @ vectors.T
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert apply_policy(0.5 * (K + K.T), "clip", 1) is not None
        assert bool(caught) == warned


def test_the_positive_part_is_the_nearest_one():
    random = np.random.default_rng(0)
    K = random.standard_normal((6, 6))
    K = K + K.T
    values, vectors = np.linalg.eigh(K)
    part = positive_part(K)
    np.testing.assert_allclose(part.gram, (vectors * np.maximum(values, 0)) @ vectors.T, atol=1e-12)
    np.testing.assert_allclose(part.projector @ K, part.gram, atol=1e-12)
    assert positive_part(part.gram) is None
    assert positive_part(np.zeros((2, 2))) is None


@pytest.mark.parametrize("name", ["projection", "twofold", "covariance", "hybrid", "mean"])
@pytest.mark.parametrize("unstable", [False, True])
def test_diagonals_are_those_of_the_pairs(name, unstable):
    """Windows, an idle noise direction, and systems whose formal solution has no closed form."""
    Y = contractions(12, 8, 3, seed=2)
    B = Y.B.copy()
    B[3, :, 1] = 0.0
    A = Y.A.copy()
    if unstable:
        A[4] *= 1.3 / np.abs(np.linalg.eigvals(A[4])).max()
    batch = LDS(A, Y.C, B=B, mean=Y.mean, allow_unstable=unstable, windows=2)
    parameters = {"bandwidth": 2.0} if name == "mean" else {}
    kernel = FittedKernel.fit(Y, name, parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # no Gramian
        own = [pairwise_kernel(y, None, name, **parameters)[0, 0] for y in batch]
        found = kernel.diagonal(batch)
    assert len(own) == 6
    np.testing.assert_allclose(found, own, rtol=1e-10)
