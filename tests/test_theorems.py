"""Statements of the paper that belong to no single function (docs/statements.md)."""

import numpy as np
import pytest

from ldslearn import LDS, LDSEncoder
from ldslearn.datasets import load_japanese_vowels
from ldslearn.geometry import (
    finite_projection_kernel,
    martin_distance,
    principal_angles,
    projection_kernel,
)
from ldslearn.models import canonical_skew, canonical_symmetric, stabilize
from ldslearn.models.certificate import reconstruction_errors
from ldslearn.paper.plans import load_plan

from support.makers import contractions, ragged_sequences, random_systems
from support.oracles import (
    angles_by_recursion,
    lasso_objective,
    literal_s,
    long_projector,
    observability,
    structured_least_squares,
)


def projectors(systems):
    return [long_projector(A, C) for A, C in zip(systems.A, systems.C, strict=True)]


def test_angles_are_those_of_the_recursive_definition():
    """Eq. (5)."""
    X = random_systems(2, n_channels=4, n_states=3, seed=1, radius=0.6)
    V1, V2 = (np.linalg.qr(observability(X.A[i], X.C[i], 60))[0] for i in (0, 1))
    np.testing.assert_allclose(
        principal_angles(X[0], X[1])[0, 0], angles_by_recursion(V1, V2), atol=1e-5
    )


@pytest.mark.parametrize("n_states", [1, 2, 3])
def test_the_norm_of_a_combination_is_a_quadratic_form_of_the_kernel(n_states):
    """Theorem 1, with coefficients of both signs."""
    X = random_systems(5, n_channels=4, n_states=n_states, seed=n_states, radius=0.8)
    y = np.random.default_rng(0).standard_normal(5)
    combined = sum(c * P for c, P in zip(y, projectors(X), strict=True))
    assert np.linalg.norm(combined) ** 2 == pytest.approx(y @ projection_kernel(X) @ y, rel=1e-9)


def test_a_subspace_comes_back_from_its_embedding():
    """Sec. 5.2: V V' determines the span of V, that of its leading eigenvectors."""
    X = random_systems(1, n_channels=4, n_states=3, seed=2, radius=0.8)
    values, vectors = np.linalg.eigh(projectors(X)[0])
    np.testing.assert_allclose(values[-3:], 1.0)
    np.testing.assert_allclose(values[:-3], 0.0, atol=1e-12)
    V = np.linalg.qr(observability(X.A[0], X.C[0], 150))[0]
    assert np.linalg.norm(vectors[:, -3:].T @ V) ** 2 == pytest.approx(3.0)


def test_finite_observability_subspaces_are_not_compact():
    """The appendix says they are: lines (1, a) with |a| < 1 tend to (1, 1), which is none."""
    stable = LDS(np.array([0.5, 0.9, 0.99, 0.999])[:, None, None], np.ones((4, 1, 1)))
    limit = LDS([[1.0]], [[1.0]], allow_unstable=True)
    gaps = 1.0 - finite_projection_kernel(stable, limit, order=2)[:, 0]
    a = stable.A[:, 0, 0]
    np.testing.assert_allclose(gaps, (1 - a) ** 2 / (2 * (1 + a**2)), rtol=1e-6)
    assert (gaps > 0).all()
    assert gaps[-1] < 1e-6


def test_the_second_form_of_the_objective_lacks_a_constant():
    """Eqs. (11) and (12) differ by k(X, X) = n, whatever the code is."""
    X = random_systems(5, n_channels=4, n_states=2, seed=3, radius=0.8)
    P, K = projectors(X), projection_kernel(X)
    for z in np.random.default_rng(1).standard_normal((3, 4)):
        rebuilt = sum(c * Q for c, Q in zip(z, P[1:], strict=True))
        first = np.linalg.norm(P[0] - rebuilt) ** 2 + 0.1 * np.abs(z).sum()
        assert first - lasso_objective(K[1:, 1:], K[0, 1:], z, 0.1) == pytest.approx(2.0)


def test_the_martin_distance_is_no_metric():
    """Sec. 4.3 calls it a distance; a way of two steps may be shorter than one."""
    angles = np.deg2rad([0.0, 44.0, 88.0])
    lines = LDS(np.zeros((3, 1, 1)), np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, :, None])
    D = martin_distance(lines)
    assert D[0, 2] > 1.5 * (D[0, 1] + D[1, 2])


def test_an_unstable_system_leaves_the_range_of_its_sequence():
    """Sec. 4.2: continued without noise, the fits that are not stable grow without end."""
    X = load_japanese_vowels()[0]
    fitted = LDSEncoder(5, stabilizer="none").fit_transform(X)
    unstable = np.flatnonzero(fitted.spectral_radius > 1.02)
    assert len(unstable) > 10
    stable = LDSEncoder(5).fit_transform(X)
    for i in unstable:
        largest = np.abs(X[i]).max()
        ends = [np.abs(s[i].simulate(2000, noise=False)[0][:, -1]).max() for s in (fitted, stable)]
        assert ends[0] > 100 * largest
        assert ends[1] <= largest


@pytest.mark.parametrize(("scale", "unchanged"), [(2.5, 0.7104), (4.0, 0.9575)])
def test_soft_normalisation_raises_small_singular_values(scale, unchanged):
    """Sec. 4.2 says that it penalises values near and beyond 1; for a > 2 it raises the others."""
    assert np.tanh(scale * unchanged / 2) == pytest.approx(unchanged, abs=1e-4)
    s = np.array([0.1, 0.5, 0.7])
    assert (np.diag(stabilize(np.diag(s), scale=scale)) > s).all()
    assert stabilize([[1.0]], scale=scale)[0, 0] < 1
    small = stabilize([[1e-4]], scale=scale)[0, 0]
    assert small == pytest.approx(scale / 2 * 1e-4, rel=1e-6)


def test_stable_matrices_are_not_a_convex_set():
    """Sec. 6.1, the second difficulty."""
    A = np.array([[0.0, 3.0], [0.0, 0.0]])
    systems = LDS(np.stack([A, A.T, (A + A.T) / 2]), np.tile(np.eye(2), (3, 1, 1)))
    np.testing.assert_array_equal(systems.is_stable, [True, True, False])


def test_parts_of_softly_normalised_systems_are_contractions():
    """Appendix B, Eqs. (45) and (46)."""
    A = stabilize(3.0 * np.random.default_rng(0).standard_normal((50, 4, 4)))
    norms = [np.linalg.norm(M, ord=2, axis=(1, 2)) for M in (A, _part(A, 1), _part(A, -1))]
    assert norms[0].max() < 1
    assert (norms[1] <= norms[0] + 1e-12).all()
    assert (norms[2] <= norms[0] + 1e-12).all()


def _part(A, sign):
    return 0.5 * (A + sign * np.swapaxes(A, 1, 2))


def tuples(seed, norm=0.95):
    """Eigenvalues and measurements of symmetric and skew parts, as plain complex arrays."""
    X = contractions(4, n_channels=6, n_states=4, seed=seed, norm=norm)
    forms = canonical_symmetric(X), canonical_skew(X)
    return [(form.eigenvalues.astype(complex), form.measurement.astype(complex)) for form in forms]


WEIGHTS = np.array([0.7, -1.1, 0.4, -0.6])


@pytest.mark.parametrize("others", [0, 1])
def test_s_of_a_symmetric_atom_is_real_and_symmetric(others):
    """Property 7.1 and Eqs. (36) to (38), beside symmetric and beside skew systems."""
    own, (Lambda, U) = tuples(1)[0], tuples(2)[others]
    for eigenvalue in own[0][0]:
        S = literal_s(eigenvalue, Lambda, U, WEIGHTS)
        np.testing.assert_allclose(S.imag, 0.0, atol=1e-12)
        np.testing.assert_allclose(S, S.T, atol=1e-12)
        if others:  # a_i of Eq. (36)
            theta = np.abs(Lambda[0])
            a = (1 - abs(eigenvalue) ** 2) * (1 - theta**2) / (1 + (eigenvalue * theta) ** 2)
            F = literal_s(eigenvalue, Lambda[:1], U[:1], [1.0])
            np.testing.assert_allclose(U[0].conj().T @ F @ U[0], np.diag(a), atol=1e-12)


def plane_of(seed, k, others=1, norm=0.95):
    """q1, q2, S of both eigenvalues of plane k, and the atom's and the others' eigenvalues."""
    (values, U), (Lambda, V) = tuples(seed, norm)[1], tuples(seed + 1, norm)[others]
    own = values[0, 2 * k : 2 * k + 2]
    S1, S2 = (literal_s(eigenvalue, Lambda, V, WEIGHTS) for eigenvalue in own)
    u = U[0, :, 2 * k]
    return np.sqrt(2) * u.real, np.sqrt(2) * u.imag, S1, S2, own, Lambda


@pytest.mark.parametrize("k", [0, 1])
def test_s_of_a_plane_is_real_in_the_mean(k):
    """Property 7.2; one S alone is not real."""
    _, _, S1, S2, _, _ = plane_of(3, k)
    mean = (S1 + S2) / 2
    np.testing.assert_allclose(mean.imag, 0.0, atol=1e-12)
    np.testing.assert_allclose(mean, mean.T, atol=1e-12)
    assert np.abs(S1.imag).max() > 1e-3


@pytest.mark.parametrize("k", [0, 1])
def test_a_plane_adds_two_real_terms_and_delta(k):
    """Eq. (39); its sixth term is printed with q1 in front, where q2 must stand."""
    q1, q2, S1, S2, _, _ = plane_of(5, k)
    u1, u2 = (q1 + 1j * q2) / np.sqrt(2), (q1 - 1j * q2) / np.sqrt(2)
    whole = u1.conj() @ S1 @ u1 + u2.conj() @ S2 @ u2
    mean, product = (S1 + S2) / 2, q1 @ (S1 - S2) @ q2
    delta = 0.5j * (product - np.conj(product))
    np.testing.assert_allclose(whole, q1 @ mean @ q1 + q2 @ mean @ q2 + delta, atol=1e-12)
    as_printed = whole + 0.5 * (q1 @ S2 @ q2 - q2 @ S2 @ q2)
    assert abs(as_printed - whole) > 1e-3


def test_delta_vanishes_beside_symmetric_systems_only():
    """Property 8.1: S'' is then zero, and real."""
    for others, vanishes in ((0, True), (1, False)):
        q1, q2, S1, S2, _, _ = plane_of(7, 0, others)
        assert (abs((q1 @ (S1 - S2) @ q2).imag) < 1e-12) == vanishes


@pytest.mark.parametrize("norm", [0.5, 0.95])
def test_delta_is_within_its_bound_which_is_not_small(norm):
    """Property 8.2, Eqs. (42) to (44): right as a bound, with b up to 1."""
    q1, q2, S1, S2, own, Lambda = plane_of(9, 0, norm=norm)
    t, p = abs(own[0]), np.abs(Lambda)
    b = 4 * (1 - t**2) * (1 - p**2) * t * p / ((1 - t * p) ** 2 * (1 + t * p) ** 2)
    E = [(1 - t**2) * (1 - p**2) / np.abs(1 - value * Lambda.conj()) ** 2 for value in own]
    np.testing.assert_allclose(np.abs(E[0] - E[1]), b, atol=1e-12)
    bound = np.abs(WEIGHTS) @ b.max(axis=1)
    assert abs((q1 @ (S1 - S2) @ q2).imag) <= bound + 1e-12
    for t, value in ((0.5, 0.64), (0.7, 0.88), (0.9, 0.99)):  # equal moduli
        largest = 4 * (1 - t**2) ** 2 * t**2 / ((1 - t * t) ** 2 * (1 + t * t) ** 2)
        assert largest == pytest.approx(4 * t**2 / (1 + t**2) ** 2)
        assert largest == pytest.approx(value, abs=0.005)


def test_every_column_of_an_atom_has_a_matrix_of_its_own():
    """Sec. 8 counts the cost of one S_{r,k} for an atom, which has n that differ."""
    (values, _), (Lambda, U) = tuples(11)[0], tuples(12)[0]
    S = [literal_s(eigenvalue, Lambda, U, WEIGHTS) for eigenvalue in values[0]]
    assert all(np.abs(S[k] - S[j]).max() > 1e-3 for k in range(4) for j in range(k))


def test_the_next_sample_is_normal_with_the_mean_and_covariance_of_section_7():
    """p(y(t+1) | x(t)) has mean C A x(t) + mean and covariance C B B'C' + R."""
    X = random_systems(1, n_channels=3, n_states=2, seed=4, radius=0.8)
    samples = np.asarray(X[np.zeros(40_000, dtype=int)].simulate(2, random_state=0))[:, :, 1]
    A, B, C = X.A[0], X.B[0], X.C[0]
    expected = C @ B @ B.T @ C.T + X.noise_variance[0] * np.eye(3)
    scale = np.sqrt(np.trace(expected))
    np.testing.assert_allclose(samples.mean(axis=0), C @ A @ X.x0[0] + X.mean[0], atol=0.03 * scale)
    np.testing.assert_allclose(np.cov(samples.T), expected, atol=0.03 * scale**2)


def test_no_part_reconstructs_states_better_than_the_whole():
    """Sec. 7 says that two-fold systems model a sequence better; A is the least-squares fit."""
    X = ragged_sequences(10, n_channels=5)
    fitted = LDSEncoder(3, stabilizer="none").fit_transform(X)
    states = fitted.states(X)
    whole = reconstruction_errors(fitted.A, states)
    for sign in (1, -1):
        halves = reconstruction_errors(_part(fitted.A, sign), states)
        best = [structured_least_squares(x, sign) for x in states]
        assert (halves >= whole).all()
        assert (reconstruction_errors(np.stack(best), states) > 1.001 * whole).all()


def test_in_print_the_proposed_methods_are_not_alone_in_front():
    """Sec. 9.2 says that the best of them outperforms all others on all sets; SD is a tie."""
    printed = load_plan("table4").paper
    ahead = {}
    for name, row in printed.items():
        cited = [float(part.split()[0]) for part in row["cited"].split(", ")]
        ours = max(row["lds-sc-martin"], row["lds-sc-grass"])
        ahead[name] = ours - max(row["lds-svm"], row["lds-martin"], *cited)
    assert [name for name, gap in ahead.items() if gap <= 0] == ["sd"]
    assert ahead["sd"] == 0
