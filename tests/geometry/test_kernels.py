import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import LDS, LDSEncoder
from ldslearn.datasets import load_basic_motions, load_japanese_vowels
from ldslearn.geometry import (
    covariance_kernel,
    deviation_kernel,
    finite_projection_kernel,
    hybrid_kernel,
    martin_distance,
    martin_kernel,
    mean_kernel,
    pairs,
    principal_angles,
    projection_distance,
    projection_kernel,
    skew_kernel,
    symmetric_kernel,
    twofold_kernel,
)
from ldslearn.models import canonical_skew, canonical_symmetric

from support import exact
from support.makers import contractions, random_orthogonal, random_systems
from support.oracles import observability, projection_kernel_by_qr, projection_kernel_by_scipy

GRASSMANN = [projection_kernel, finite_projection_kernel, symmetric_kernel, skew_kernel]
POSITIVE = [
    *GRASSMANN,
    twofold_kernel,
    covariance_kernel,
    hybrid_kernel,
    mean_kernel,
    deviation_kernel,
]
sizes = {"seed": st.integers(0, 10_000), "n": st.integers(1, 6)}


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (2, 2), (5, 5), (8, 8), (3, 6), (7, 2)])
@pytest.mark.parametrize("radius", [0.3, 0.9, 0.99])
def test_projection_kernel_equals_qr_and_scipy(n1, n2, radius):
    X = random_systems(3, 12, n1, seed=1, radius=radius)
    Y = random_systems(34, 12, n2, seed=2, radius=radius)
    K = projection_kernel(X, Y)
    for i in range(3):
        for j in (0, 33):
            np.testing.assert_allclose(K[i, j], projection_kernel_by_scipy(X[i], Y[j]), rtol=1e-9)
            np.testing.assert_allclose(K[i, j], projection_kernel_by_qr(X[i], Y[j]), rtol=1e-9)


def test_projection_kernel_near_the_unit_circle():
    """One slow mode, known in closed form: two-fold systems of radius 0.99999."""
    random = np.random.default_rng(0)
    A = np.diag([0.99999, -0.99, 0.5])
    C = np.linalg.qr(random.standard_normal((2, 8, 3)))[0]
    P = random_orthogonal(3, random, stack=(2,))
    X = LDS(np.stack([A, A * 0.9999]), C).change_basis(P)
    np.testing.assert_allclose(projection_kernel(X), symmetric_kernel(X), rtol=1e-6)
    assert X.spectral_radius.max() > 0.99998


@pytest.mark.parametrize("n", [4, 10])
def test_general_systems_near_the_unit_circle(n):
    """Angles by orthogonal decomposition never square anything: an oracle at radius 0.99999."""
    X, Y = (random_systems(3, 20, n, seed=s, radius=0.99999) for s in (1, 2))
    expected = (np.cos(principal_angles(X, Y)) ** 2).sum(axis=-1)
    np.testing.assert_allclose(projection_kernel(X, Y), expected, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_closed_forms_equal_the_general_kernel(n):
    X, Y = contractions(4, 9, n, seed=1), contractions(3, 9, n, seed=2)
    parts = {symmetric_kernel: canonical_symmetric, skew_kernel: canonical_skew}
    for closed, canonical in parts.items():
        general = projection_kernel(canonical(X).systems(), canonical(Y).systems())
        np.testing.assert_allclose(closed(X, Y), general, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        twofold_kernel(X, Y), (symmetric_kernel(X, Y) + skew_kernel(X, Y)) / 2
    )


@pytest.mark.parametrize("n_channels", [6, 40])  # few, and many for each state
@pytest.mark.parametrize("order", [1, 2, 3, 5, 8, 20])
def test_finite_kernel_is_that_of_the_cut_observability_matrix(order, n_channels):
    X, Y = random_systems(3, n_channels, 4, seed=1), random_systems(2, n_channels, 3, seed=2)
    K = finite_projection_kernel(X, Y, order=order)
    for i in range(3):
        for j in range(2):
            expected = projection_kernel_by_qr(X[i], Y[j], n_blocks=order)
            np.testing.assert_allclose(K[i, j], expected, rtol=1e-10)


def test_finite_kernel_tends_to_the_infinite_one_with_the_square_of_the_radius():
    X = random_systems(4, 8, 3, radius=0.8)
    limit = projection_kernel(X)
    gaps = [np.abs(finite_projection_kernel(X, order=L) - limit).max() for L in (10, 20, 30, 40)]
    rates = np.array(gaps[1:]) / np.array(gaps[:-1])
    assert gaps[-1] < 1e-6
    assert (rates < 3 * 0.8**20).all()  # ten more blocks: radius^(2 * 10), but for a constant


def test_finite_kernel_takes_unstable_systems():
    X = random_systems(3, 6, 2, radius=1.1)
    K = finite_projection_kernel(X, order=4)
    np.testing.assert_allclose(np.diag(K), 2.0)
    V = np.linalg.qr(observability(X.A[0], X.C[0], 4))[0]
    W = np.linalg.qr(observability(X.A[1], X.C[1], 4))[0]
    np.testing.assert_allclose(K[0, 1], np.linalg.norm(V.T @ W) ** 2)


def test_covariance_kernel_is_that_of_the_noise_directions():
    X, Y = random_systems(3, 8, 4, seed=1), random_systems(2, 8, 3, seed=2)
    K = covariance_kernel(X, Y)
    H1 = X.C[1] @ np.linalg.svd(X.B[1])[0][:, :2]
    H2 = Y.C[0] @ np.linalg.svd(Y.B[0])[0][:, :2]
    np.testing.assert_allclose(K[1, 0], np.linalg.norm(H1.T @ H2) ** 2)
    np.testing.assert_allclose(np.diag(covariance_kernel(X)), 2.0)
    np.testing.assert_allclose(
        hybrid_kernel(X, Y, mix=0.3), 0.3 * projection_kernel(X, Y) + 0.7 * K
    )


def test_deviation_kernel():
    X, Y = random_systems(5, 4, 2), random_systems(3, 4, 2, seed=1)
    squared = np.array(
        [[np.sum(np.log(x.deviation[0] / y.deviation[0]) ** 2) for y in Y] for x in X]
    )
    np.testing.assert_allclose(deviation_kernel(X, Y, bandwidth=3.0), np.exp(-squared / 3.0))
    np.testing.assert_allclose(deviation_kernel(X, Y), np.exp(-squared / np.median(squared)))
    twice = replace(X, deviation=2 * X.deviation), replace(Y, deviation=2 * Y.deviation)
    np.testing.assert_allclose(
        deviation_kernel(*twice, bandwidth=3.0), deviation_kernel(X, Y, bandwidth=3.0)
    )
    with pytest.raises(ValueError, match="deviation"):
        deviation_kernel(replace(X, deviation=None))


def test_mean_kernel():
    X, Y = random_systems(4, 5, 2, seed=1), random_systems(3, 5, 2, seed=2)
    squared = np.square(X.mean[:, None] - Y.mean).sum(axis=2)
    np.testing.assert_allclose(mean_kernel(X, Y, bandwidth=3.0), np.exp(-squared / 3.0))
    np.testing.assert_allclose(mean_kernel(X, Y), np.exp(-squared / np.median(squared)))
    cosine = mean_kernel(X, Y, shape="cosine")
    expected = (X.mean[0] @ Y.mean[2]) ** 2 / (X.mean[0] @ X.mean[0]) / (Y.mean[2] @ Y.mean[2])
    np.testing.assert_allclose(cosine[0, 2], expected)
    still = LDS(X.A, X.C, mean=0 * X.mean)
    np.testing.assert_array_equal(mean_kernel(still, shape="cosine"), 0.0)
    np.testing.assert_array_equal(mean_kernel(still), 1.0)


# Laws


@pytest.mark.parametrize("kernel", POSITIVE)
@given(**sizes)
def test_kernels_are_symmetric_and_positive_semi_definite(kernel, seed, n):
    X = contractions(7, 8, n, seed)
    K = kernel(X)
    np.testing.assert_array_equal(K, K.T)
    eigenvalues = np.linalg.eigvalsh(K)
    assert eigenvalues[0] > -1e-10 * eigenvalues[-1]


@pytest.mark.parametrize("kernel", POSITIVE)
@given(**sizes)
def test_kernels_do_not_depend_on_coordinates(kernel, seed, n):
    X = contractions(3, 8, n, seed)
    P = random_orthogonal(n, np.random.default_rng(seed), stack=(3,))
    np.testing.assert_allclose(kernel(X.change_basis(P)), kernel(X), atol=1e-8)


@pytest.mark.parametrize("kernel", GRASSMANN)
@given(**sizes)
def test_grassmann_kernels_lie_between_zero_and_the_order(kernel, seed, n):
    X, Y = contractions(3, 8, n, seed), contractions(2, 8, n, seed + 1)
    K = kernel(X, Y)
    assert (K > -1e-12).all()
    assert (n + 1e-10 > K).all()
    np.testing.assert_allclose(np.diag(kernel(X)), n, rtol=1e-10)


@pytest.mark.parametrize("kernel", [*POSITIVE, martin_kernel])
def test_swapping_the_batches_transposes(kernel):
    X, Y = contractions(5, 8, 3, seed=1), contractions(4, 8, 3, seed=2)
    np.testing.assert_allclose(kernel(X, Y), kernel(Y, X).T, rtol=1e-10, atol=1e-13)


@given(
    seed=st.integers(0, 10_000),
    orders=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    n_channels=st.sampled_from([6, 40]),
)
def test_two_fold_kernels_are_means_of_both_parts(seed, orders, n_channels):
    """With few channels each part has its own products, with many they share those of C."""
    X, Y = (
        contractions(n_systems, n_channels, n, seed=seed + n_systems)
        for n_systems, n in zip((3, 5), orders, strict=True)
    )
    for pair in ((X, Y), (X, None)):
        expected = 0.5 * (symmetric_kernel(*pair) + skew_kernel(*pair))
        np.testing.assert_allclose(twofold_kernel(*pair), expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("kernel", [*POSITIVE, martin_kernel])
@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
def test_jobs_and_tiles_do_not_matter(kernel, monkeypatch):
    X, Y = contractions(70, 6, 3, seed=1), contractions(40, 6, 3, seed=2)
    one, cross = kernel(X, n_jobs=1), kernel(X, Y, n_jobs=1)
    np.testing.assert_array_equal(kernel(X, n_jobs=2), one)
    monkeypatch.setattr(pairs, "_TILE_STATES", (40, 80))
    np.testing.assert_allclose(kernel(X, n_jobs=2), one, atol=1e-12)
    np.testing.assert_allclose(kernel(X, Y, n_jobs=2), cross, atol=1e-12)
    if kernel not in (
        mean_kernel,
        deviation_kernel,
    ):  # whose bandwidth is that of the systems at hand
        np.testing.assert_allclose(kernel(X[3:9], Y[35:]), cross[3:9, 35:], atol=1e-12)


# Distances


@given(**sizes)
def test_distances_are_functions_of_the_angles(seed, n):
    X, Y = random_systems(3, 8, n, seed), random_systems(2, 8, n, seed + 1)
    angles = principal_angles(X, Y)
    np.testing.assert_allclose(
        projection_distance(X, Y), np.sqrt(2 * (np.sin(angles) ** 2).sum(axis=-1)), rtol=1e-9
    )
    with np.errstate(divide="ignore"):
        expected = np.sqrt(-np.log(np.cos(angles) ** 2).sum(axis=-1))
    np.testing.assert_allclose(martin_distance(X, Y), expected, rtol=1e-6)


@pytest.mark.parametrize("distance", [projection_distance, martin_distance])
@given(**sizes)
def test_distance_to_oneself_vanishes(distance, seed, n):
    X = random_systems(3, 8, n, seed, radius=0.99)
    D = distance(X)
    np.testing.assert_array_equal(np.diag(D), 0.0)
    np.testing.assert_array_equal(D, D.T)
    assert np.diag(distance(X, X[:])).max() < 1e-7


@given(seed=st.integers(0, 10_000))
def test_projection_distance_obeys_the_triangle_inequality(seed):
    D = projection_distance(random_systems(6, 8, 3, seed))
    assert (D[:, :, None] <= D[:, None] + D.T[None] + 1e-9).all()


def test_distances_of_almost_equal_systems_keep_their_digits():
    C = np.eye(4, 2)
    gap = 1e-8
    turned = np.array([[np.cos(gap), 0], [0, 1], [np.sin(gap), 0], [0, 0]])
    X, Y = LDS(np.zeros((2, 2)), C), LDS(np.zeros((2, 2)), turned)
    np.testing.assert_allclose(projection_distance(X, Y), np.sqrt(2) * gap, rtol=1e-9)
    np.testing.assert_allclose(martin_distance(X, Y), gap, rtol=1e-9)


def test_orthogonal_subspaces_are_infinitely_far_apart():
    X, Y = LDS(np.zeros((1, 1)), [[1.0], [0.0]]), LDS(np.zeros((1, 1)), [[0.0], [1.0]])
    assert martin_distance(X, Y)[0, 0] == np.inf
    assert martin_kernel(X, Y)[0, 0] == 0.0
    np.testing.assert_allclose(projection_distance(X, Y), np.sqrt(2))


def test_distance_of_different_orders():
    X, Y = random_systems(2, 8, 5, seed=1), random_systems(3, 8, 3, seed=2)
    np.testing.assert_allclose(projection_distance(X, Y) ** 2, 8 - 2 * projection_kernel(X, Y))
    with pytest.raises(ValueError, match="same n_states for the Martin distance; got 5 and 3"):
        martin_distance(X, Y)


# The Martin kernel


def indefinite_set():
    """Several random sets are indefinite; take one by a margin."""
    return random_systems(30, 4, 3, seed=0, radius=0.9)


def test_martin_kernel_is_the_rbf_of_the_distance():
    X, Y = random_systems(3, 8, 3, seed=1), random_systems(2, 8, 3, seed=2)
    squared = martin_distance(X, Y) ** 2
    np.testing.assert_allclose(martin_kernel(X, Y), np.exp(-squared / 200))
    np.testing.assert_allclose(
        martin_kernel(X, Y, bandwidth="median"), np.exp(-squared / np.median(squared))
    )


def test_each_policy_on_an_indefinite_set_does_what_it_says():
    X = indefinite_set()
    raw = martin_kernel(X, psd="ignore")
    eigenvalues, vectors = np.linalg.eigh(raw)
    assert eigenvalues[0] < -1e-3
    with pytest.raises(ValueError, match="the kernel matrix is indefinite: its smallest"):
        martin_kernel(X, psd="raise")
    with pytest.warns(UserWarning, match=f"smallest eigenvalue is {eigenvalues[0]:.3g}"):
        clipped = martin_kernel(X)
    np.testing.assert_allclose(
        clipped, (vectors * np.maximum(eigenvalues, 0)) @ vectors.T, atol=1e-12
    )
    assert np.linalg.eigvalsh(clipped)[0] > -1e-12


def test_a_positive_definite_martin_kernel_is_not_changed():
    X = random_systems(4, 8, 2, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(
            martin_kernel(X, bandwidth=0.5), martin_kernel(X, bandwidth=0.5, psd="ignore")
        )


# Real systems, bad input


@pytest.mark.parametrize(
    ("load", "encoder"),
    [
        (load_basic_motions, LDSEncoder(10, delays=5)),
        (load_japanese_vowels, LDSEncoder(5, stabilizer="dwls")),
    ],
)
def test_kernels_of_real_systems_tell_classes_apart(load, encoder):
    X, y, _, _ = load()
    K = projection_kernel(encoder.fit_transform(X))
    np.testing.assert_allclose(np.diag(K), encoder.n_states_, rtol=1e-9)
    nearest = np.argmax(K - np.diag(np.diag(K) + 1), axis=1)
    assert (y[nearest] == y).mean() > 0.5  # chance is at most a quarter


def test_unstable_systems_need_consent():
    X = load_japanese_vowels()[0]
    accepted = LDSEncoder(5, stabilizer="none").fit_transform(X)
    refused = LDS(accepted.A, accepted.C)
    unstable = np.flatnonzero(~accepted.is_stable)
    with pytest.raises(ValueError, match=f"system {unstable[0]}, .* must be stable to have a Gram"):
        projection_kernel(refused)
    with pytest.warns(UserWarning, match=f"system {unstable[0]}, .* is unstable and has") as caught:
        K = projection_kernel(accepted)
        martin_distance(accepted)
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="system 0, 1, 2 is unstable"):  # another batch
        assert np.isfinite(principal_angles(accepted[unstable[:3]])).all()
    stable = accepted.is_stable
    assert np.isfinite(K).all()
    np.testing.assert_allclose(
        K[np.ix_(stable, stable)], projection_kernel(refused[stable]), rtol=1e-6
    )


def test_the_formal_solution_solves_the_equation():
    X = LDS(np.diag([1.5, 0.5]), np.eye(4, 2), allow_unstable=True)
    with pytest.warns(UserWarning, match="formal solution"):
        K = projection_kernel(X)
    W = np.diag([1 / (1 - 2.25), 1 / (1 - 0.25)])  # indefinite; the factor takes its modulus
    L = np.sqrt(np.abs(W))
    V = np.linalg.inv(L) @ W @ np.linalg.inv(L)
    np.testing.assert_allclose(K, [[np.linalg.norm(V) ** 2]])


def test_consent_survives_slicing_and_files(tmp_path):
    X = LDS([[1.5]], [[1.0]], allow_unstable=True)
    X.save(tmp_path / "x")
    assert LDS.load(tmp_path / "x")[:1].allow_unstable
    assert LDS.concatenate([X, X]).allow_unstable


@pytest.mark.parametrize("kernel", [*POSITIVE, martin_kernel, martin_distance, principal_angles])
def test_bad_batches(kernel):
    X = contractions(3, 8, 2)
    with pytest.raises(ValueError, match="X and Y must measure the same channels; got 8 and 7"):
        kernel(X, contractions(3, 7, 2))
    with pytest.raises(ValueError, match="Y must hold at least one system"):
        kernel(X, X[:0])
    with pytest.raises(TypeError, match="X must be an LDS batch; got list"):
        kernel([np.zeros((3, 5))])
    with pytest.raises(TypeError, match="Y must be an LDS batch; got ndarray"):
        kernel(X, np.zeros((3, 5)))


@pytest.mark.parametrize(
    ("kernel", "parameters", "message"),
    [
        (martin_kernel, {"bandwidth": 0}, "bandwidth must be positive or 'median'; got 0"),
        (martin_kernel, {"psd": "hope"}, "psd must be one of 'clip', 'raise', 'ignore'"),
        (mean_kernel, {"shape": "flat"}, "shape must be one of 'rbf', 'cosine'; got 'flat'"),
        (hybrid_kernel, {"mix": 1.5}, "mix must lie between 0 and 1; got 1.5"),
        (finite_projection_kernel, {"order": 0}, "order must be an integer of at least 1; got 0"),
    ],
)
def test_bad_parameters(kernel, parameters, message):
    with pytest.raises(ValueError, match=message):
        kernel(contractions(2, 6, 2), **parameters)


def test_missing_fields_are_named():
    X = contractions(2, 6, 2)
    bare = LDS(X.A, X.C)
    with pytest.raises(ValueError, match="systems must have B for the covariance kernel"):
        covariance_kernel(X, bare)
    with pytest.raises(ValueError, match="systems must have mean for the mean kernel"):
        mean_kernel(bare)


@pytest.mark.parametrize(("gap", "accuracy"), [(1e-5, 1e-9), (1e-6, 1e-8), (1e-7, 1e-7)])
def test_slow_systems_keep_their_digits(gap, accuracy):
    """General matrices near the unit circle, known by K(X, X) = n and by a change of basis."""
    X = random_systems(20, 8, 5, radius=1 - gap)
    K = projection_kernel(X)
    np.testing.assert_allclose(np.diag(K), 5.0, rtol=accuracy)
    P = random_orthogonal(5, np.random.default_rng(0))
    assert np.diag(projection_distance(X, X.change_basis(P))).max() < np.sqrt(accuracy)


def slow_turn(gap, turn, seed):
    """A pair of eigenvalues near 1 and a real one, in general coordinates."""
    random = np.random.default_rng(seed)
    A = np.diag([1 - gap, 1 - gap, 0.5])
    A[0, 1], A[1, 0] = turn, -turn
    P = np.eye(3) + 0.3 * random.standard_normal((3, 3))
    return LDS(np.linalg.solve(P, A @ P), np.linalg.qr(random.standard_normal((4, 3)))[0])


@pytest.mark.parametrize(
    ("gap", "accuracy"), [(1e-2, 1e-12), (1e-4, 1e-11), (1e-6, 1e-9), (1e-8, 1e-6)]
)
def test_slow_pairs_near_one_keep_their_digits(gap, accuracy):
    X, Y = slow_turn(gap, gap, seed=1), slow_turn(2 * gap, 1.5 * gap, seed=2)
    assert projection_kernel(X)[0, 0] == pytest.approx(3.0, abs=accuracy)
    expected = exact.kernel(X, Y, exact.cross_gramian)
    assert projection_kernel(X, Y)[0, 0] == pytest.approx(expected, abs=accuracy)
    distance = martin_distance(X, Y)[0, 0]
    cosines = np.cos(principal_angles(X, Y)[0, 0])
    assert distance == pytest.approx(np.sqrt(-2 * np.log(cosines).sum()), rel=10 * accuracy)


def test_a_system_does_not_depend_on_slow_neighbours():
    X, slow = random_systems(6, 8, 3), random_systems(6, 8, 3, radius=0.99999)
    np.testing.assert_array_equal(
        projection_kernel(LDS.concatenate([X, slow]))[:6, :6],
        projection_kernel(LDS.concatenate([X, X]))[:6, :6],
    )


def far_from_normal(coupling, n_states, n_channels):
    """Jordan blocks whose powers grow by `coupling` before they decay, in general coordinates."""
    random = np.random.default_rng(5)
    A = [value * np.eye(n_states) + coupling * np.eye(n_states, k=1) for value in (0.5, 0.3)]
    C = np.linalg.qr(random.standard_normal((2, n_channels, n_states)))[0]
    return LDS(np.array(A), C).change_basis(random_orthogonal(n_states, random))


@pytest.mark.parametrize(("coupling", "accuracy"), [(1, 1e-13), (30, 1e-10), (300, 1e-6)])
@pytest.mark.parametrize("order", [2, 5, 8])
@pytest.mark.parametrize("n_channels", [4, 30])
def test_finite_kernel_of_systems_far_from_normal(coupling, accuracy, order, n_channels):
    X = far_from_normal(coupling, 3, n_channels)
    K = finite_projection_kernel(X, order=order)
    np.testing.assert_allclose(np.diag(K), 3.0, atol=accuracy)
    expected = exact.kernel(X[:1], X[1:], exact.finite_cross_gramian, order=order)
    assert K[0, 1] == pytest.approx(expected, abs=accuracy)


def test_powers_lost_in_rounding_are_refused():
    with pytest.raises(ValueError, match="order must be small enough for the powers of system 0"):
        finite_projection_kernel(far_from_normal(1e5, 4, 5), order=8)


def test_powers_that_outgrow_double_precision_are_refused():
    X = LDS(np.diag([50.0, 0.1]), np.eye(3, 2))
    with pytest.raises(ValueError, match="order must be small enough for the powers of system 0"):
        finite_projection_kernel(X, order=200)


def test_equations_without_any_solution():
    X = LDS(np.eye(2), np.eye(3, 2), allow_unstable=True)
    with pytest.raises(ValueError, match="system 0 must have no eigenvalue whose product"):
        projection_kernel(X)


def test_many_copies_of_one_system():
    X = random_systems(1, 8, 4)[np.zeros(60, dtype=int)]
    np.testing.assert_allclose(projection_distance(X), 0.0, atol=1e-12)
    np.testing.assert_allclose(martin_distance(X, X[:3]), 0.0, atol=1e-12)


def test_unstable_systems_are_named_by_their_own_index():
    A = np.array([[[2.0]], [[0.5]], [[3.0]]])
    X = LDS(A, np.ones((3, 1, 1)))
    with pytest.raises(ValueError, match="system 0, 2 must be stable"):
        principal_angles(X)
