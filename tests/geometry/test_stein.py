import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.geometry import pairwise_kernel, schur_forms, stein
from ldslearn.geometry.output_normal import MOST_LANES, arrange_in_lanes, output_normal_form
from ldslearn.models import LDS

from support.makers import jordan_block, random_orthogonal, random_systems


def t(stack):
    return np.conj(np.swapaxes(stack, -1, -2))


@given(seed=st.integers(0, 10_000), n=st.integers(1, 9))
def test_triangularise(seed, n):
    A = np.random.default_rng(seed).standard_normal((n, n))
    S = np.ascontiguousarray(scipy.linalg.schur(A)[0])
    (T,), (rotation,) = schur_forms.triangularise(S[None])
    np.testing.assert_allclose(t(rotation) @ rotation, np.eye(n), atol=1e-14)
    np.testing.assert_allclose(t(rotation) @ S @ rotation, T, atol=1e-12)
    assert np.count_nonzero(np.tril(T, -1)) == 0


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_blocks_of_any_scale_are_triangularised(scale):
    S = scale * np.array([[[1.0, 2.0], [-3.0, 1.0]], [[0.0, 1e-8], [-1.0, 0.0]]])
    T, D = schur_forms.triangularise(S)
    np.testing.assert_allclose(t(D) @ D, np.tile(np.eye(2), (2, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(D @ (T / scale) @ t(D), S / scale, atol=1e-14)


def log_abs_determinants(stack, lanes):
    """Of an (N, n, n) stack in lanes; the last ones are empty if they do not divide N."""
    n_systems, n, _ = stack.shape
    groups = -(-n_systems // lanes)
    M = np.zeros((groups, n, n, lanes))
    for s in range(n_systems):
        M[s // lanes, :, :, s % lanes] = stack[s]
    found = np.empty((groups, lanes))
    stein.log_abs_determinants(M.reshape(-1, lanes), n, np.empty((2, lanes)), found)
    assert np.all(found.ravel()[n_systems:] == -np.inf)
    return found.ravel()[:n_systems]


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 9),
    lanes=st.integers(1, 9),
    exponent=st.integers(-300, 300),
)
def test_log_determinant(seed, n, lanes, exponent):
    """Pivots as large and as small as there are, in no order."""
    random = np.random.default_rng(seed)
    stack = random.standard_normal((7, n, n))
    stack[:, 0, 0] = 0.0  # needs pivoting
    stack[:, n // 2] *= 10.0**exponent
    expected = np.linalg.slogdet(stack)[1]
    np.testing.assert_allclose(log_abs_determinants(stack, lanes), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 20, 40])
@pytest.mark.parametrize("scale", [1.0, 1e-40, 1e40])
def test_log_determinant_of_any_size(n, scale):
    """Their product under- and overflows."""
    stack = scale * np.random.default_rng(n).standard_normal((29, n, n))
    expected = np.linalg.slogdet(stack)[1]
    np.testing.assert_allclose(log_abs_determinants(stack, 12), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_singular_matrices_and_nan_spoil_no_other_lane(n):
    stack = np.random.default_rng(n).standard_normal((8, n, n))
    stack[1] = 0.0
    stack[2, :, n // 2] = 0.0
    stack[3, n // 2] = 0.0
    stack[4] = 1.0 if n > 1 else 0.0
    stack[5, 0, n // 2] = np.nan
    stack[6, n // 2, 0] = np.nan
    found = log_abs_determinants(stack, 4)
    np.testing.assert_array_equal(found[1:5], -np.inf)
    np.testing.assert_array_equal(found[5:7], np.nan)
    np.testing.assert_allclose(found[[0, 7]], np.linalg.slogdet(stack[[0, 7]])[1], atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_schur_coordinates_are_output_normal(n):
    systems = random_systems(MOST_LANES + 3, n_channels=14, n_states=n, radius=0.95)
    prepared = output_normal_form(systems)
    C = prepared.measurement(systems, slice(None))
    np.testing.assert_allclose(
        t(prepared.S) @ prepared.S + t(C) @ C,
        np.broadcast_to(np.eye(n), prepared.S.shape),
        atol=1e-11,
    )
    F = prepared.transform
    np.testing.assert_allclose(systems.A @ F, F @ prepared.S, atol=1e-10)
    assert prepared.T.shape == (2, 2, n, n, 16)
    assert prepared.lanes == 16


def test_prepared_once():
    systems = random_systems(3, 6, 2)
    assert output_normal_form(systems) is output_normal_form(systems)


def test_lanes_repeat_the_last_system():
    stack = np.arange(6.0).reshape(3, 2)
    lanes = arrange_in_lanes(stack)
    np.testing.assert_array_equal(lanes, [[[0, 2, 4, 4], [1, 3, 5, 5]]])


@pytest.mark.parametrize("n_systems", [1, 4, 31, 33, 64, 65, 100, 500])
def test_lanes_hold_every_system_once_in_order(n_systems):
    stack = np.arange(float(n_systems))[:, None]
    lanes = arrange_in_lanes(stack)
    assert lanes.shape[-1] <= MOST_LANES
    np.testing.assert_array_equal(lanes[:, 0].ravel()[:n_systems], stack[:, 0])


@pytest.mark.parametrize("n", [2, 5])
def test_defective_matrices(n):
    random = np.random.default_rng(0)
    P = random_orthogonal(n, random)
    A = P @ (0.9 * jordan_block(n, 0.9)) @ P.T
    C = np.linalg.qr(random.standard_normal((8, n)))[0]
    expected = scipy.linalg.solve_discrete_lyapunov(A.T, np.eye(n))
    np.testing.assert_allclose(output_normal_form(LDS(A, C)).gramian[0], expected, rtol=1e-9)


def test_systems_on_the_edge_are_refused():
    random = np.random.default_rng(0)
    A = random.standard_normal((2, 5, 5))
    A *= (np.array([0.9, 1 - 5.5e-11]) / np.abs(np.linalg.eigvals(A)).max(axis=1))[:, None, None]
    near = LDS(A, np.linalg.qr(random.standard_normal((2, 8, 5)))[0])
    with pytest.raises(ValueError, match="system 1 is too close to instability: .* is near 1"):
        output_normal_form(near)


@pytest.mark.parametrize("n", [1, 3])
def test_a_pair_without_a_solution_spoils_no_other(n):
    """Eigenvalues 2 and 1/2 have none."""
    C = np.tile(np.eye(n + 1, n), (3, 1, 1))
    first = LDS(np.array([2.0, 0.3, 0.7])[:, None, None] * np.eye(n), C, allow_unstable=True)
    second = LDS(np.array([0.5, 0.4])[:, None, None] * np.eye(n), C[:2])
    with pytest.raises(ValueError, match=r"^system 0 must have no eigenvalue"):
        pairwise_kernel(first, second, kernel="projection")
