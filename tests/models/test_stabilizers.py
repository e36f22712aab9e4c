import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import LDS, LDSEncoder
from ldslearn.datasets import load_japanese_vowels
from ldslearn.geometry import (
    covariance_kernel,
    finite_projection_kernel,
    martin_distance,
    martin_kernel,
    projection_distance,
    projection_kernel,
)
from ldslearn.models import STABILIZERS, stabilize
from ldslearn.models.spectrum import LARGEST_GRAMIAN

from support.makers import jordan_block, random_orthogonal, unstable_matrices
from support.oracles import radius, soft_normalise

STABILIZING = [name for name in STABILIZERS if name != "none"]
SEARCHING = ["dwls", "wls", "constraint"]
BOUNDED = [name for name in STABILIZING if name != "soft"]


def states_for(A, n_timepoints=30, seed=0):
    """Short noisy runs of each system, scaled so that unstable ones do not overflow."""
    random = np.random.default_rng(seed)
    states = []
    for matrix in A:
        X = np.empty((len(matrix), n_timepoints))
        X[:, 0] = random.standard_normal(len(matrix))
        for t in range(1, n_timepoints):
            X[:, t] = matrix @ X[:, t - 1]
            X[:, t] = X[:, t] / max(1.0, np.linalg.norm(X[:, t])) + random.standard_normal(len(X))
        states.append(X)
    return states


def unstable_fits(n_systems=20, n_states=5, n_timepoints=16):
    """Least-squares transitions of short growing sequences, with their states."""
    random = np.random.default_rng(1)
    A, states = [], []
    while len(A) < n_systems:
        X = random.standard_normal((n_states, n_timepoints)).cumsum(axis=1)
        X *= 1.1 ** np.arange(n_timepoints) * np.logspace(0, -1, n_states)[:, None]
        matrix = X[:, 1:] @ np.linalg.pinv(X[:, :-1])
        if radius(matrix) > 1:
            A.append(matrix)
            states.append(X)
    return np.stack(A), states


def closest_by_slsqp(A, X, bound, T, diagonal):
    """The convex program itself: least |(A' - A) X(0)|^2 with |T^-1 A' T|_2 <= bound, by SLSQP."""
    inverse, n = np.linalg.inv(T), len(A)

    def matrix(z):
        M = inverse @ A @ T
        return T @ (M * z if diagonal else z.reshape(n, n)) @ inverse

    start = np.full(n, 0.1) if diagonal else 0.1 * (inverse @ A @ T).ravel()
    found = scipy.optimize.minimize(
        lambda z: np.square((matrix(z) - A) @ X[:, :-1]).sum() / np.square(A @ X[:, :-1]).sum(),
        start,
        constraints={
            "type": "ineq",
            "fun": lambda z: bound - np.linalg.norm(inverse @ matrix(z) @ T, 2),
        },
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return matrix(found.x)


def balanced(X):
    """T = S P of Huang et al. by the letter: X = S V', V0'V0 = P L P'."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    _, P = np.linalg.eigh(Vt[:, :-1] @ Vt[:, :-1].T)
    return U @ np.diag(s) @ P


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("method", SEARCHING)
def test_the_answer_is_at_least_as_good_as_the_convex_program(method, n):
    """Constraints are generated until the radius is in bounds, which is less than all of them."""
    A, states = unstable_fits(6, n_states=n, n_timepoints=12)
    found = stabilize(A, states, method, bound=0.9)
    for before, after, X in zip(A, found, states, strict=True):
        T = np.eye(n) if method == "constraint" else balanced(X)
        convex = closest_by_slsqp(before, X, 0.9, T, method == "dwls")

        def gap(matrix, before=before, X=X):
            return np.square((matrix - before) @ X[:, :-1]).sum()

        assert gap(after) <= gap(convex) * (1 + 1e-5)


@pytest.mark.parametrize("n", [2, 4])
def test_a_normal_matrix_needs_the_convex_program_only(n):
    """For white states and a symmetric A the answer is known: eigenvalues cut at the bound."""
    random = np.random.default_rng(n)
    P = random_orthogonal(n, random)
    A = P @ np.diag(np.linspace(1.4, 0.3, n)) @ P.T
    X = np.linalg.qr(random.standard_normal((200, n)))[0].T
    expected = P @ np.diag(np.minimum(np.linspace(1.4, 0.3, n), 0.9)) @ P.T
    for method in ("wls", "constraint"):
        np.testing.assert_allclose(stabilize(A, [X], method, bound=0.9), expected, atol=0.02)


def test_a_steep_spectrum_does_not_defeat_the_search(monkeypatch):
    """States that differ in scale by a million, where the solver may give up."""
    # Kernels would refuse some of the answers, which are shrunk for their sake afterwards.
    monkeypatch.setattr("ldslearn.models.stabilizers.shrink_to_gramian", lambda A: A)
    for seed in range(12):
        random = np.random.default_rng(seed)
        X = random.standard_normal((5, 40)).cumsum(axis=1) * 1.1 ** np.arange(40)
        X = np.logspace(0, -6, 5)[:, None] * np.linalg.svd(X, full_matrices=False)[2]
        A = X[:, 1:] @ np.linalg.pinv(X[:, :-1])
        if radius(A) <= 1:
            continue
        scaled = errors([stabilize(A, [X], "scale")], [X])[0]
        for method in SEARCHING:
            stable = stabilize(A, [X], method)
            assert radius(stable) < 1
            assert errors([stable], [X])[0] <= scaled * (1 + 1e-6)


def errors(A, states):
    return np.array(
        [np.linalg.norm(X[:, 1:] - a @ X[:, :-1]) ** 2 for a, X in zip(A, states, strict=True)]
    )


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 6),
    scale=st.floats(0.1, 8),
    size=st.floats(0.01, 5),
)
def test_soft_singular_values_are_tanh(seed, n, scale, size):
    A = size * np.random.default_rng(seed).standard_normal((n, n))
    before = np.linalg.svd(A, compute_uv=False)
    after = stabilize(A, scale=scale)
    np.testing.assert_allclose(
        np.linalg.svd(after, compute_uv=False), np.tanh(scale * before / 2), atol=1e-9
    )
    np.testing.assert_allclose(after, soft_normalise(A, scale), atol=1e-9)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 6))
def test_soft_commutes_with_a_change_of_basis(seed, n):
    random = np.random.default_rng(seed)
    A, P = random.standard_normal((n, n)), random_orthogonal(n, random)
    np.testing.assert_allclose(stabilize(P.T @ A @ P), P.T @ stabilize(A) @ P, atol=1e-10)


@pytest.mark.parametrize("method", STABILIZING)
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_thousand_unstable_matrices_become_stable(method, n):
    A = unstable_matrices(250, n, seed=n)
    assert min(radius(a) for a in A) > 1
    stable = stabilize(A, states_for(A), method)
    assert max(radius(a) for a in stable) < 1


@pytest.mark.parametrize("method", STABILIZING)
def test_huge_and_badly_defective_matrices_become_stable(method):
    A = np.stack([1e3 * np.eye(12), jordan_block(12, 1.5), jordan_block(12, -1.0) * 50])
    stable = stabilize(A, states_for(A), method)
    assert max(radius(a) for a in stable) < 1


@st.composite
def finite_matrices(draw):
    """Transition matrices of any scale and structure, (2, n, n)."""
    n, random = draw(st.integers(1, 5)), np.random.default_rng(draw(st.integers(0, 10_000)))
    A = random.standard_normal((2, n, n))
    kind = draw(st.sampled_from(["dense", "orthogonal", "triangular", "graded", "low rank"]))
    if kind == "orthogonal":
        A = np.linalg.qr(A)[0]
    elif kind == "triangular":
        A = np.triu(A, draw(st.integers(0, 1)))
    elif kind == "graded":
        A = A * 10.0 ** random.uniform(-6, 6, A.shape)
    elif kind == "low rank":
        A = A[:, :, :1] * A[:, :1]
    exponent = draw(st.sampled_from([-300, -150, -20, -3, 0, 1, 3, 20, 150, 300]))
    A = A * 10.0**exponent
    return A.astype(np.float32) if abs(exponent) <= 20 and draw(st.booleans()) else A


@pytest.mark.parametrize("method", STABILIZING)
@given(A=finite_matrices(), bound=st.sampled_from([0.5, 0.99, 1 - 1e-13]))
def test_every_kernel_accepts_what_a_stabilizer_makes(method, A, bound):
    with np.errstate(all="ignore"):
        states = states_for(np.clip(A, -10, 10).astype(float))
    stable = stabilize(A, states, method, bound=bound)
    C = np.eye(2 * A.shape[-1], A.shape[-1]) + np.zeros((2, 1, 1))
    X = LDS(stable, C, B=np.eye(A.shape[-1]) + np.zeros_like(stable))
    assert X.is_stable.all()
    for kernel in (projection_kernel, covariance_kernel, finite_projection_kernel):
        K = kernel(X)
        np.testing.assert_allclose(np.diag(K), A.shape[-1], rtol=1e-5)
    for distance in (martin_distance, projection_distance):
        assert np.isfinite(distance(X)).all()
    K = martin_kernel(X, psd="ignore")
    assert (np.isfinite(K) & (K <= 1)).all()


def test_the_limit_of_soft_normalisation_comes_from_the_gramian():
    for n in (1, 3, 50):
        A = stabilize(1e3 * np.eye(n))
        trace = n / (1 - A[0, 0] ** 2)
        np.testing.assert_allclose(trace, 0.5 * LARGEST_GRAMIAN, rtol=1e-4)
        assert projection_kernel(LDS(A, np.eye(n))).shape == (1, 1)


def test_a_stable_matrix_far_from_normal_is_shrunk_until_kernels_accept_it():
    A = np.array([[0.5, 1e9], [0.0, 0.5]])
    with pytest.raises(
        ValueError,
        match="system 0 is too close to instability: its Gramian is num",
    ):
        projection_kernel(LDS(A, np.eye(2)))
    stable = stabilize(A, method="clip")
    np.testing.assert_allclose(stable / stable[0, 1], A / A[0, 1])
    np.testing.assert_allclose(projection_kernel(LDS(stable, np.eye(2))), 2.0)


@pytest.mark.parametrize("method", BOUNDED)
def test_matrices_within_the_bound_are_not_changed(method):
    A, states = unstable_fits(6)
    A = A * (0.9 / np.array([radius(a) for a in A]))[:, None, None]
    np.testing.assert_array_equal(stabilize(A, states, method), A)


@pytest.mark.parametrize("method", BOUNDED)
@pytest.mark.parametrize("bound", [0.5, 0.99, 0.999])
def test_bound_is_kept_and_reached(method, bound):
    A, states = unstable_fits(6)
    found = np.array([radius(a) for a in stabilize(A, states, method, bound=bound)])
    assert (found <= bound).all()
    np.testing.assert_allclose(found, bound, atol=1e-6)


def test_the_bound_of_clip_holds_however_eigenvalues_are_computed():
    A = 2 * np.random.default_rng(0).standard_normal((300, 3, 3))
    stable = stabilize(A, method="clip", bound=0.9)
    for found in (
        np.linalg.eigvals(stable),
        np.linalg.eigvals(stable.swapaxes(1, 2)),
        np.array([scipy.linalg.eigvals(a) for a in stable]),
        np.linalg.eigvals(stable[:, [2, 0, 1]][:, :, [2, 0, 1]]),
    ):
        assert np.abs(found).max() <= 0.9


def test_clip_moves_only_the_eigenvalues_outside():
    random = np.random.default_rng(0)
    P = random.standard_normal((4, 4))
    A = P @ np.diag([1.7, -1.2, 0.5, 0.1]) @ np.linalg.inv(P)
    found = np.sort(np.linalg.eigvals(stabilize(A, method="clip")).real)
    np.testing.assert_allclose(found, [-0.99, 0.1, 0.5, 0.99], atol=1e-10)


def test_clip_keeps_the_angle_of_complex_pairs():
    A = 1.5 * np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    np.testing.assert_allclose(stabilize(A, method="clip"), A * 0.99 / 1.5, atol=1e-12)


def test_clip_of_a_jordan_block_stays_a_jordan_block():
    np.testing.assert_allclose(
        stabilize(jordan_block(3, 1.2), method="clip", bound=0.9), jordan_block(3, 0.9), atol=1e-12
    )


def test_scale_multiplies():
    A = np.random.default_rng(0).standard_normal((3, 3)) * 3
    np.testing.assert_allclose(stabilize(A, method="scale"), A * 0.99 / radius(A))


def test_none_changes_nothing():
    A = unstable_matrices(4, 3)
    np.testing.assert_array_equal(stabilize(A, method="none"), A)


@pytest.mark.parametrize("method", SEARCHING)
def test_one_state_goes_to_the_boundary(method):
    X = 1.3 ** np.arange(10.0)[None]
    np.testing.assert_allclose(stabilize([[1.3]], [X], method), [[0.99]], atol=1e-6)


@pytest.mark.parametrize("method", SEARCHING)
def test_no_error_below_least_squares_and_none_above_scaling_to_the_boundary(method):
    """The least-squares error is the floor; scaling is within reach of all, dwls of wls."""
    A, states = unstable_fits(30)
    floor, found = errors(A, states), errors(stabilize(A, states, method), states)
    assert (found >= floor * (1 - 1e-9)).all()
    assert (found <= errors(stabilize(A, states, "scale"), states) * (1 + 1e-6)).all()
    if method == "wls":
        assert (found <= errors(stabilize(A, states, "dwls"), states) * (1 + 1e-6)).all()


def test_reconstruction_errors_are_ordered_as_published():
    """Figure 4: dwls below soft normalisation; a full weight matrix below a diagonal one."""
    X = load_japanese_vowels()[0]
    mean = {}
    for method in ("soft", "dwls", "wls"):
        encoder = LDSEncoder(5, stabilizer=method).fit(X)
        _, certificate = encoder.transform(X, return_certificate=True)
        unstable = certificate.radius_before > 1
        assert unstable.sum() > 30
        mean[method] = certificate.error_after[unstable].mean()
    assert mean["wls"] < mean["dwls"] < mean["soft"]


@pytest.mark.parametrize("method", ["wls", "constraint"])
def test_the_answer_is_locally_optimal_along_the_way_back(method):
    """No point nearer to the least-squares matrix on the straight way there is stable."""
    A, states = unstable_fits(8)
    stable = stabilize(A, states, method, bound=0.95)
    for before, after in zip(A, stable, strict=True):
        assert radius(after + 1e-4 * (before - after)) > 0.95 - 1e-9


@given(seed=st.integers(0, 1000))
def test_a_permutation_of_the_batch_permutes_the_result(seed):
    A, states = unstable_fits(5)
    order = np.random.default_rng(seed).permutation(5)
    expected = stabilize(A, states, "dwls")[order]
    found = stabilize(A[order], [states[i] for i in order], "dwls")
    np.testing.assert_array_equal(found, expected)


def test_states_of_lower_rank_are_safe():
    random = np.random.default_rng(0)
    X = np.zeros((4, 20))
    X[:2] = random.standard_normal((2, 20)) * 1.2 ** np.arange(20)
    A = X[:, 1:] @ np.linalg.pinv(X[:, :-1])
    A[0, 0] += 1.5
    for method in SEARCHING:
        stable = stabilize(A, [X], method)
        assert radius(stable) < 1
        np.testing.assert_allclose(stable[2:], 0.0, atol=1e-6)


def test_certificate_reports_what_happened():
    A, states = unstable_fits(15)
    stable, certificate = stabilize(A, states, "dwls", return_certificate=True)
    np.testing.assert_allclose(certificate.radius_before, [radius(a) for a in A])
    np.testing.assert_allclose(certificate.radius_after, [radius(a) for a in stable])
    np.testing.assert_allclose(certificate.error_before, errors(A, states))
    np.testing.assert_allclose(certificate.error_after, errors(stable, states))
    assert len(certificate) == 15
    np.testing.assert_allclose(certificate.error_growth, errors(stable, states) / errors(A, states))
    text = str(certificate)
    assert text.startswith("stabilizer 'dwls': 15 of 15 systems unstable before, 0 after")
    assert len(text.splitlines()) == 2 + 10 + 1 + 1
    _, without = stabilize(A, method="soft", return_certificate=True)
    assert without.error_before is None
    assert "error" not in str(without)


def test_a_single_matrix_keeps_its_shape():
    A = np.random.default_rng(0).standard_normal((3, 3))
    assert stabilize(A).shape == (3, 3)
    X = np.random.default_rng(1).standard_normal((3, 12))
    assert stabilize(3 * A, X, "dwls").shape == (3, 3)
    assert stabilize(3 * A, [X], "dwls").shape == (3, 3)


def test_inputs_are_not_changed():
    A, states = unstable_fits(3)
    A_before, states_before = A.copy(), [X.copy() for X in states]
    for method in STABILIZERS:
        stabilize(A, states, method)
    np.testing.assert_array_equal(A, A_before)
    for X, before in zip(states, states_before, strict=True):
        np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "stabilizer must be one of 'soft', 'scale', .*; got 'magic'"),
        ({"scale": 0.0}, "scale must be positive; got 0.0"),
        ({"scale": np.nan}, "scale must be positive; got nan"),
        ({"bound": 1.0}, "bound must lie strictly between 0 and 1; got 1.0"),
        ({"A": np.zeros((2, 3))}, r"A must have shape \(n_states, n_states\) or .*; got \(2, 3\)"),
        ({"A": np.full((2, 2), np.inf)}, r"A must be finite; got NaN or infinity\."),
        ({"A": np.stack([np.eye(2), np.full((2, 2), np.nan)])}, "A must be finite; .* in system 1"),
        ({"A": np.zeros((0, 2, 2))}, r"with N > 0; got \(0, 2, 2\)"),
        ({"method": "wls"}, "states must be given for method='wls'"),
        (
            {"states": [np.zeros((2, 5))] * 2},
            "states must be one array for each of 1 systems; got 2",
        ),
        ({"states": [np.zeros((3, 5))]}, r"states 0 must have shape \(2, n_timepoints\)"),
        ({"states": [np.full((2, 5), np.nan)]}, "states 0 must be finite"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        stabilize(**{"A": 2 * np.eye(2), **arguments})


def test_bad_types():
    with pytest.raises(TypeError, match="A must hold real numbers; got dtype complex128"):
        stabilize(np.eye(2) + 1j)
    with pytest.raises(TypeError, match="states must be arrays; got 'wls'. Is it method='wls'"):
        stabilize(np.eye(2), "wls")
