import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import LDSEncoder
from ldslearn.datasets import make_lds_sequences
from ldslearn.models.identification import least_squares_transition, principal_factors

from support.oracles import fit_literally


def low_rank_plus_noise(random, n_rows, n_columns, rank, noise):
    signal = random.standard_normal((n_rows, rank)) @ random.standard_normal((rank, n_columns))
    return signal + noise * random.standard_normal((n_rows, n_columns))


def assert_fits_literally(Y, n_states, rank=None, atol=1e-10):
    """A, C and the states equal the literal ones up to the sign of each state, within the rank."""
    rank = n_states if rank is None else rank
    factors = principal_factors(Y, n_states)
    A = least_squares_transition(factors)
    A_literal, C_literal, X_literal = fit_literally(Y, n_states)
    assert factors.rank == rank
    signs = np.sign((factors.U * C_literal).sum(axis=0))[:rank]
    np.testing.assert_allclose(factors.U[:, :rank] * signs, C_literal[:, :rank], atol=atol)
    size = np.abs(X_literal).max()
    np.testing.assert_allclose(
        factors.states[:rank] * signs[:, None], X_literal[:rank], atol=atol * size
    )
    np.testing.assert_allclose(
        A[:rank, :rank] * signs * signs[:, None],
        A_literal[:rank, :rank],
        atol=atol * max(1.0, np.abs(A_literal).max()),
    )
    np.testing.assert_array_equal(A[rank:], 0.0)
    np.testing.assert_array_equal(A[:, rank:], 0.0)
    np.testing.assert_allclose(factors.U.T @ factors.U, np.eye(n_states), atol=1e-10)
    # The sign convention: the largest excursion of every state is positive.
    X = factors.states[:rank]
    assert (X[np.arange(rank), np.abs(X).argmax(axis=1)] > 0).all()


@pytest.mark.parametrize(("n_rows", "n_columns"), [(6, 50), (50, 6), (30, 30), (400, 40), (1, 9)])
@pytest.mark.parametrize("seed", range(3))
def test_random_data_fit_as_printed(n_rows, n_columns, seed):
    random = np.random.default_rng(seed)
    n_states = min(n_rows, n_columns - 1, 5)
    Y = low_rank_plus_noise(random, n_rows, n_columns, n_states, 0.2)
    assert_fits_literally(Y, n_states)


@pytest.mark.parametrize(("n_rows", "n_columns"), [(20, 60), (200, 30)])
def test_a_steep_spectrum_fits_as_printed(n_rows, n_columns):
    """Singular values from 1 to 1e-6: the Gram matrix alone would lose the last ones."""
    random = np.random.default_rng(0)
    U = np.linalg.qr(random.standard_normal((n_rows, 8)))[0]
    V = np.linalg.qr(random.standard_normal((n_columns, 8)))[0]
    Y = U @ np.diag(np.logspace(0, -6, 8)) @ V.T
    # A mixes scales of 1e6, and is as uncertain in the literal computation: compare A scaled.
    factors = principal_factors(Y, 8)
    A = least_squares_transition(factors)
    A_literal, C_literal, _ = fit_literally(Y, 8)
    signs = np.sign((factors.U * C_literal).sum(axis=0))
    np.testing.assert_allclose(factors.U * signs, C_literal, atol=1e-10)
    scale = factors.s[:, None] / factors.s
    np.testing.assert_allclose(A * signs * signs[:, None] / scale, A_literal / scale, atol=1e-9)


@pytest.mark.parametrize(("n_rows", "n_columns"), [(10, 40), (90, 25)])
@pytest.mark.parametrize("rank", [1, 3])
def test_rank_deficient_data_leave_states_idle(n_rows, n_columns, rank):
    random = np.random.default_rng(rank)
    assert_fits_literally(low_rank_plus_noise(random, n_rows, n_columns, rank, 0.0), 5, rank=rank)


def test_duplicate_channels():
    Y = np.repeat(np.random.default_rng(0).standard_normal((3, 40)), 4, axis=0)
    assert_fits_literally(Y, 3)
    assert_fits_literally(Y, 6, rank=3)


def test_an_impulse_at_the_end_needs_the_pseudo_inverse():
    """The last sample carries a direction of its own, so that X(0) has a zero row."""
    random = np.random.default_rng(0)
    Y = np.zeros((6, 30))
    Y[:3] = random.standard_normal((3, 30))
    Y[:, -1] = 0.0
    Y[5, -1] = 4.0
    assert_fits_literally(Y, 4)


def test_a_zero_matrix_has_rank_zero():
    factors = principal_factors(np.zeros((4, 9)), 2)
    assert factors.rank == 0
    np.testing.assert_array_equal(least_squares_transition(factors), 0.0)


@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 12),
    n_columns=st.integers(3, 30),
    n_states=st.integers(1, 6),
)
def test_least_squares_residuals_are_orthogonal_to_the_past(seed, n_rows, n_columns, n_states):
    """The normal equations (X(1) - A X(0)) X(0)' = 0 characterise the fit."""
    n_states = min(n_states, n_rows, n_columns - 1)
    Y = np.random.default_rng(seed).standard_normal((n_rows, n_columns))
    factors = principal_factors(Y, n_states)
    X = factors.states
    residual = X[:, 1:] - least_squares_transition(factors) @ X[:, :-1]
    np.testing.assert_allclose(residual @ X[:, :-1].T, 0.0, atol=1e-8 * np.square(Y).sum())


def test_simulate_and_fit_recovers_eigenvalues_as_noise_vanishes():
    """Undisturbed systems, measured with less and less noise."""
    random = np.random.default_rng(0)
    truth = np.array([0.99 * np.exp(0.3j), 0.99 * np.exp(-0.3j), 0.98 * np.exp(0.8j), 0.98 * np.exp(-0.8j)])  # noqa: E501  # fmt: skip
    C = np.linalg.qr(random.standard_normal((10, 4)))[0]
    t = np.arange(120)
    clean = C @ np.stack([truth[0] ** t, truth[2] ** t]).view(float).reshape(2, 120, 2).transpose(
        0, 2, 1
    ).reshape(4, 120)
    disturbance = random.standard_normal(clean.shape)
    errors = []
    for noise in (1e-2, 1e-4, 1e-6, 0.0):
        systems = LDSEncoder(4, center=False, stabilizer="none").fit_transform(
            [clean + noise * disturbance]
        )
        found = np.linalg.eigvals(systems.A[0])
        errors.append(np.abs(found[:, None] - truth).min(axis=0).max())
    assert errors[0] < 0.02
    assert errors[1] < errors[0] / 30
    assert errors[2] < errors[1] / 30
    assert errors[3] < 1e-12


def test_stationary_systems_are_recovered_up_to_a_change_of_basis():
    X, _ = make_lds_sequences(1, 1, n_timepoints=200_000, noise=0.0, jitter=0.0, random_state=0)
    systems = LDSEncoder(4, stabilizer="none").fit_transform(X)
    again = LDSEncoder(4, stabilizer="none").fit_transform(systems.simulate(200_000, 1))
    np.testing.assert_allclose(
        np.sort_complex(np.linalg.eigvals(again.A[0])),
        np.sort_complex(np.linalg.eigvals(systems.A[0])),
        atol=0.01,
    )


@pytest.mark.parametrize("kept", [1e-2, 1e-4, 1e-6, 1e-10])
def test_a_last_sample_that_carries_most_of_a_direction(kept):
    """The fit divides by what the earlier samples keep of it; the factors must be good enough."""
    random = np.random.default_rng(0)
    V = np.linalg.qr(random.standard_normal((40, 6)))[0]
    V[-1] = 0.0
    V = np.linalg.qr(V)[0]
    V[:, 3] *= np.sqrt(kept)
    V[-1, 3] = np.sqrt(1 - kept)
    U = np.linalg.qr(random.standard_normal((30, 6)))[0]
    assert_fits_literally(U @ np.diag(np.linspace(1, 0.01, 6)) @ V.T, 6, atol=2e-10)


def test_what_the_factors_leave_out_in_both_paths():
    random = np.random.default_rng(0)
    Y = random.standard_normal((8, 30))
    s = np.linalg.svd(Y, compute_uv=False)
    assert principal_factors(Y, 3).residual == pytest.approx((s[3:] ** 2).sum())
    U, _, Vt = np.linalg.svd(Y, full_matrices=False)
    steep = U @ np.diag(np.logspace(0, -7, 8)) @ Vt
    assert principal_factors(steep, 5).residual == pytest.approx(
        (np.logspace(0, -7, 8)[5:] ** 2).sum(), rel=1e-6
    )


def test_a_small_but_real_rank_is_kept():
    random = np.random.default_rng(0)
    U = np.linalg.qr(random.standard_normal((12, 4)))[0]
    V = np.linalg.qr(random.standard_normal((30, 4)))[0]
    factors = principal_factors(U @ np.diag([1, 1e-3, 1e-9, 1e-12]) @ V.T, 4)
    assert factors.rank == 4
    assert principal_factors(U @ np.diag([1, 1e-3, 1e-9, 0]) @ V.T, 4).rank == 3
