"""Mistakes of the paper, shown (docs/errata.md); those about one function stand with its tests."""

import numpy as np

from ldslearn import LDSEncoder
from ldslearn.dictionary.algorithm import Group
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom, AtomProblem, evaluate_terms
from ldslearn.geometry import skew_kernel
from ldslearn.models import canonical_skew, canonical_symmetric
from ldslearn.models.identification import principal_factors

from support.makers import contractions, ragged_sequences, random_systems
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


def test_b_is_of_the_residuals_of_the_stabilized_transition():
    """Sec. 4.1 estimates B "when A and C are obtained"; A is the stabilized one here."""
    sequences = ragged_sequences(3, n_channels=6)
    systems = LDSEncoder(4, n_noise=4, scale=1.0).fit_transform(sequences)
    for A, B, X in zip(systems.A, systems.B, systems.states(sequences), strict=True):
        residuals = X[:, 1:] - A @ X[:, :-1]
        covariance = residuals @ residuals.T / residuals.shape[1]
        np.testing.assert_allclose(B @ B.T, covariance, atol=1e-8 * np.abs(covariance).max())
        least_squares = X[:, 1:] @ np.linalg.pinv(X[:, :-1])
        assert np.abs(A - least_squares).max() > 0.1


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


def symmetric_columns(systems):
    return Columns.of(canonical_symmetric(systems))


def _contracted(system):
    norm = np.linalg.norm(system.A[0], ord=2)
    return type(system)(0.9 * system.A / norm, system.C)


def test_samples_count_once_in_the_objective_of_an_atom():
    """Eq. (15) and S_cov bracket k(D_r, X_i) inside the sum over j, counting it J - 1 times."""
    X = contractions(9, 6, 3, seed=1)
    data = symmetric_columns(X)
    group = Group([data], [data[:4].copy()], [1.0], 0.1)
    before = group.update_codes()
    Z, r = group.codes, 0
    others, stranger = np.arange(1, 4), symmetric_columns(contractions(1, 6, 3, seed=9))

    def gamma(atom, times):
        k_atoms = atom.kernel(group.atoms[0][others])[0]
        k_data = atom.kernel(data)[0]
        return sum(Z[i, r] * (Z[i, others] @ k_atoms - times * k_data[i]) for i in range(len(data)))

    change = {times: 2 * (gamma(stranger, times) - gamma(data[:1], times)) for times in (1, 3)}
    changed = Columns.concatenate([stranger, group.atoms[0][others]])
    true = Group([data], [changed], [1.0], 0.1, codes=Z).objective() - before
    np.testing.assert_allclose(change[1], true, rtol=1e-9)  # Table 2
    assert abs(change[3] - true) > 0.1 * abs(true)  # Eq. (15), J - 1 = 3


def test_the_orientation_of_a_plane_matters():
    """The paper neglects delta; turning the planes of one system over changes the kernel by it."""
    X = contractions(2, 6, 4, seed=2, norm=0.98)
    form = canonical_skew(X)
    turned = form.basis.copy()
    turned[:, :, 1::2] *= -1.0
    kernel = skew_kernel(X[:1], X[1:])[0, 0]
    other = skew_kernel(type(form)(form.theta[:1], turned[:1]).systems(), X[1:])[0, 0]
    assert abs(kernel - other) > 0.05 * kernel


def test_the_derivative_in_an_eigenvalue_has_no_spare_two():
    """After Eq. (22) the chain rule is printed with a factor 2 in front."""
    columns = symmetric_columns(contractions(5, 6, 3, seed=3))
    problem = AtomProblem(columns[1:], np.array([0.5, -1.0, 0.3, -0.7]))
    atom = Atom(columns.rows[0], columns.eigenvalues[0])
    p, m = problem.eigenvalue_terms(problem.products(atom.rows))
    scale, rho = 2.5, 0.4

    def phi(rho):
        x = 2 / (1 + np.exp(-scale * rho)) - 1
        return evaluate_terms(np.full((len(p), 1), x), p, m)[0, 0]

    numeric = (phi(rho + 1e-6) - phi(rho - 1e-6)) / 2e-6
    sigmoid = 1 / (1 + np.exp(-scale * rho))
    x = 2 * sigmoid - 1
    slope = (p[0] * (2 * m * (1 - x**2) / (1 - x * m) ** 3 - 2 * x / (1 - x * m) ** 2)).sum()
    chain = slope * 2 * scale * sigmoid * (1 - sigmoid)
    np.testing.assert_allclose(chain, numeric, rtol=1e-6)
