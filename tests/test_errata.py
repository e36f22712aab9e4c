"""Mistakes of the paper, shown (docs/errata.md); those about one function stand with its tests."""

import numpy as np

from ldslearn import LDSEncoder
from ldslearn.models import canonical_skew, canonical_symmetric
from ldslearn.models.identification import principal_factors

from support.makers import ragged_sequences, random_systems
from support.oracles import projection_kernel_by_qr


def test_v_y_has_orthonormal_columns():
    """Sec. 4.1 prints V_Y as n x tau with V_Y'V_Y = I_tau, impossible for n < tau."""
    Y = np.random.default_rng(0).standard_normal((7, 20))
    V = principal_factors(Y, 3).Vt.T
    assert V.shape == (20, 3)
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-12)
    assert np.abs(V @ V.T - np.eye(20)).max() > 0.5


def test_h_is_c_times_the_left_singular_vectors_of_b():
    """Sec. 7 prints B U_B S_B^(-1/2): B and U_B are both n x n_v, so that B U_B is undefined."""
    systems = LDSEncoder(4, n_noise=2).fit_transform(ragged_sequences(3, n_channels=6))
    for C, B in zip(systems.C, systems.B, strict=True):
        U = np.linalg.svd(B, full_matrices=False)[0]
        assert B.shape == U.shape == (4, 2)
        H = C @ (B / np.linalg.norm(B, axis=0))
        np.testing.assert_allclose(H.T @ H, np.eye(2), atol=1e-8)
        np.testing.assert_allclose(H @ H.T, C @ U @ U.T @ C.T, atol=1e-8)


def test_the_lone_eigenvalue_of_odd_order_counts():
    """The appendix puts 0 where Table 2 has (1 - |l|^2)(1 - 0) / |1 - 0|^2 = 1 - |l|^2."""
    batch = random_systems(2, n_channels=7, n_states=3, seed=3)
    symmetric, skew = (
        canonical_symmetric(_contracted(batch[0])),
        canonical_skew(_contracted(batch[1])),
    )
    l_r, l_j = symmetric.eigenvalues[0], skew.eigenvalues[0]
    E = ((1 - l_r**2)[:, None] * (1 - np.abs(l_j) ** 2)) / np.abs(
        1 - l_r[:, None] * np.conj(l_j)
    ) ** 2
    overlap = np.abs(symmetric.measurement[0].T @ skew.measurement[0]) ** 2
    kernel = (E * overlap).sum()
    as_printed = (E * [1, 1, 0] * overlap).sum()
    expected = projection_kernel_by_qr(symmetric.systems(), skew.systems())
    np.testing.assert_allclose(kernel, expected, rtol=1e-9)
    assert abs(as_printed - expected) > 1e-3


def _contracted(system):
    norm = np.linalg.norm(system.A[0], ord=2)
    return type(system)(0.9 * system.A / norm, system.C)
