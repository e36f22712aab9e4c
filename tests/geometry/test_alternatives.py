import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ldslearn import LDS, LDSEncoder
from ldslearn.geometry import alignment_distance, binet_cauchy_kernel, kl_divergence_rate

from support.makers import contractions, random_orthogonal, random_systems
from support.oracles import divergence_rate_by_covariance


def test_binet_cauchy_is_the_discounted_product_of_courses():
    X, Y = random_systems(3, 6, 3, seed=1), random_systems(2, 6, 4, seed=2)
    K = binet_cauchy_kernel(X, Y, decay=0.8, normalise=False)
    t = np.arange(400)
    courses = [LDS(S.A, S.C, x0=S.x0).simulate(400, noise=False) for S in (X, Y)]
    expected = np.einsum("imt,jmt,t->ij", *courses, 0.8**t)
    np.testing.assert_allclose(K, expected, rtol=1e-9, atol=1e-12)
    normalised = binet_cauchy_kernel(X, Y, decay=0.8)
    own = [np.sqrt(np.diag(binet_cauchy_kernel(S, decay=0.8, normalise=False))) for S in (X, Y)]
    np.testing.assert_allclose(normalised, K / own[0][:, None] / own[1], rtol=1e-9)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 5))
def test_binet_cauchy_laws(seed, n):
    X = random_systems(6, 7, n, seed)
    K = binet_cauchy_kernel(X)
    np.testing.assert_allclose(np.diag(K), 1.0)
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-10
    P = random_orthogonal(n, np.random.default_rng(seed))
    np.testing.assert_allclose(binet_cauchy_kernel(X.change_basis(P)), K, atol=1e-9)


def test_divergence_rate_equals_that_of_long_stretches():
    X, Y = random_systems(2, 3, 2, seed=1, radius=0.6), random_systems(2, 3, 2, seed=2, radius=0.5)
    rates = kl_divergence_rate(X, Y)
    for i in range(2):
        for j in range(2):
            expected = divergence_rate_by_covariance(X[i], Y[j], 40)
            np.testing.assert_allclose(rates[i, j], expected, rtol=1e-6)


def test_divergence_rate_of_white_noise_by_hand():
    """No dynamics: scalar Gaussians with variances 1 + 1 and 3 + 1 and means 0 and 1."""
    X = LDS([[0.0]], [[1.0]], B=[[1.0]], noise_variance=[1.0][0], mean=[0.0])
    Y = LDS([[0.0]], [[1.0]], B=[[np.sqrt(3.0)]], noise_variance=[1.0][0], mean=[1.0])
    expected = 0.5 * (2 / 4 + 1 / 4 - 1 - np.log(2 / 4))
    np.testing.assert_allclose(kl_divergence_rate(X, Y), [[expected]])


@given(seed=st.integers(0, 1000), n=st.integers(1, 4))
@example(seed=401, n=2)  # gains of 1e5 over the noise
def test_divergence_rate_laws(seed, n):
    X = random_systems(3, 6, n, seed)
    rates = kl_divergence_rate(X)
    np.testing.assert_allclose(np.diag(rates), 0.0, atol=1e-12)
    assert (rates[~np.eye(3, dtype=bool)] > 0).all()
    P = random_orthogonal(n, np.random.default_rng(seed))
    np.testing.assert_allclose(
        kl_divergence_rate(X.change_basis(P), X), rates, rtol=1e-6, atol=1e-8
    )


@given(seed=st.integers(0, 1000), n=st.integers(1, 5))
def test_alignment_finds_a_change_of_basis(seed, n):
    X = contractions(3, 8, n, seed)
    P = random_orthogonal(n, np.random.default_rng(seed), stack=(3,))
    D = alignment_distance(X, X.change_basis(P))
    np.testing.assert_allclose(np.diag(D), 0.0, atol=1e-6)


def test_alignment_of_one_state_by_hand():
    """P is +1 or -1: A is unchanged, C may turn round."""
    X, Y = LDS([[0.5]], [[1.0], [0.0]]), LDS([[-0.2]], [[-0.6], [0.8]])
    expected = np.sqrt(4.0 * 0.7**2 + min(1.6**2 + 0.8**2, 0.4**2 + 0.8**2))
    np.testing.assert_allclose(alignment_distance(X, Y, weight=4.0), [[expected]])


def test_alignment_is_below_every_orthogonal_matrix_tried():
    X, Y = contractions(2, 6, 2, seed=1), contractions(2, 6, 2, seed=2)
    D = alignment_distance(X, Y)
    best = np.full((2, 2), np.inf)
    for angle in np.linspace(0, 2 * np.pi, 400):
        c, s = np.cos(angle), np.sin(angle)
        for P in (np.array([[c, -s], [s, c]]), np.array([[c, s], [s, -c]])):
            turned = Y.change_basis(P)
            gap = np.square(X.A[:, None] - turned.A).sum(axis=(2, 3))
            gap = gap + np.square(X.C[:, None] - turned.C).sum(axis=(2, 3))
            best = np.minimum(best, np.sqrt(gap))
    np.testing.assert_allclose(D, best, rtol=1e-3)
    assert (best + 1e-9 >= D).all()


def test_symmetry_of_the_alignment_distance():
    X = contractions(4, 8, 3)
    D = alignment_distance(X)
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_allclose(np.diag(D), 0.0, atol=1e-7)


def test_missing_fields_and_bad_parameters():
    X = contractions(2, 6, 2)
    bare = LDS(X.A, X.C)
    with pytest.raises(ValueError, match="systems must have x0 for the Binet-Cauchy kernel"):
        binet_cauchy_kernel(bare)
    with pytest.raises(ValueError, match="must have B and noise_variance for the divergence rate"):
        kl_divergence_rate(bare)
    with pytest.raises(ValueError, match="noise_variance of system 0, 1 must be positive"):
        kl_divergence_rate(LDS(X.A, X.C, X.B, noise_variance=np.zeros(2)))
    with pytest.raises(ValueError, match="system 0 must be stable"):
        kl_divergence_rate(LDS([[2.0]], [[1.0]], [[1.0]], noise_variance=np.array(1.0)))
    with pytest.raises(ValueError, match="decay must lie strictly between 0 and 1; got 1"):
        binet_cauchy_kernel(X, decay=1)
    with pytest.raises(ValueError, match="same n_states for the alignment distance"):
        alignment_distance(X, contractions(2, 6, 3))
    with pytest.raises(ValueError, match="weight must be non-negative"):
        alignment_distance(X, weight=-1)


def test_divergence_rate_does_not_stop_too_early():
    """Transients of a nilpotent matrix, and a slow mode: points are doubled until rates settle."""
    X = LDS([[0.0, 10.0], [0.0, 0.0]], np.eye(2), B=[[10.0], [1.0]], noise_variance=np.array(0.01))
    Y = LDS([[0.0, 10.0], [0.0, 0.0]], np.eye(2), B=[[10.0], [-1.0]], noise_variance=np.array(0.01))
    np.testing.assert_allclose(
        kl_divergence_rate(X, Y), kl_divergence_rate(X, Y, n_frequencies=2**16), rtol=1e-6
    )
    slow = LDS([[0.999999]], [[1.0]], B=[[1.0]], noise_variance=np.array(0.1))
    fast = LDS([[0.5]], [[1.0]], B=[[1.0]], noise_variance=np.array(0.1))
    with pytest.warns(UserWarning, match="have not converged with 16384 frequencies"):
        kl_divergence_rate(slow, fast)


@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_a_channel_at_rest_has_finite_divergence_rates(level):
    random = np.random.default_rng(0)
    X = [np.cumsum(random.normal(size=(5, 80)), axis=1) for _ in range(3)]
    moving = kl_divergence_rate(LDSEncoder(3).fit_transform([np.delete(x, 2, 0) for x in X]))
    for x in X:
        x[2] = level
    rates = kl_divergence_rate(LDSEncoder(3).fit_transform(X))
    np.testing.assert_allclose(rates.diagonal(), 0.0, atol=1e-6)
    # The channel adds the ratio of variances of almost nothing, whatever its level.
    np.testing.assert_allclose(rates, moving, rtol=0.5, atol=0.5)
