import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import LDS, LDSEncoder
from ldslearn.models import canonical_skew, canonical_symmetric, structured_parts

from support.makers import ragged_sequences, random_orthogonal, random_systems
from support.oracles import block_skew, structured_least_squares

sizes = {"seed": st.integers(0, 10_000), "n_states": st.integers(1, 9)}


def softly_stable(n_systems, n_channels, n_states, seed):
    """Systems whose singular values are below 1, as soft normalisation leaves them."""
    batch = random_systems(n_systems, n_channels, n_states, seed)
    norms = np.linalg.norm(batch.A, ord=2, axis=(1, 2))[:, None, None]
    return LDS(0.95 * batch.A / norms, batch.C)


def t(stack):
    return np.conj(np.swapaxes(stack, 1, 2))


@given(**sizes)
def test_symmetric_form_is_the_symmetric_part(seed, n_states):
    batch = softly_stable(3, 10, n_states, seed)
    form = canonical_symmetric(batch)
    U = form.measurement
    np.testing.assert_allclose(t(U) @ U, np.broadcast_to(np.eye(n_states), (3, n_states, n_states)), atol=1e-12)  # noqa: E501  # fmt: skip
    np.testing.assert_allclose(
        (U * form.eigenvalues[:, None]) @ t(U),
        batch.C @ (batch.A + t(batch.A)) / 2 @ t(batch.C),
        atol=1e-12,
    )
    assert (np.diff(form.eigenvalues, axis=1) <= 0).all()
    assert (np.abs(form.eigenvalues) < 1).all()
    part = LDS((batch.A + t(batch.A)) / 2, batch.C)
    assert form.systems().equivalent(part).all()


@given(**sizes)
def test_skew_form_is_the_skew_part(seed, n_states):
    batch = softly_stable(3, 10, n_states, seed)
    form = canonical_skew(batch)
    U, expected = form.measurement, batch.C @ (batch.A - t(batch.A)) / 2 @ t(batch.C)
    assert form.theta.shape == (3, n_states // 2)
    assert form.basis.shape == (3, 10, n_states)
    np.testing.assert_allclose(t(U) @ U, np.broadcast_to(np.eye(n_states), (3, n_states, n_states)), atol=1e-12)  # noqa: E501  # fmt: skip
    np.testing.assert_allclose(t(form.basis) @ form.basis, (t(U) @ U).real, atol=1e-12)
    np.testing.assert_allclose((U * form.eigenvalues[:, None]) @ t(U), expected, atol=1e-12)
    assert (np.diff(form.theta, axis=1) <= 0).all()
    assert ((form.theta >= 0) & (form.theta < 1)).all()
    assert form.systems().equivalent(LDS((batch.A - t(batch.A)) / 2, batch.C)).all()


@given(**sizes)
def test_forms_do_not_depend_on_the_basis_of_the_states(seed, n_states):
    batch = softly_stable(2, 10, n_states, seed)
    P = random_orthogonal(n_states, np.random.default_rng(seed))
    for canonical in (canonical_symmetric, canonical_skew):
        first, second = canonical(batch), canonical(batch.change_basis(P))
        np.testing.assert_allclose(first.eigenvalues, second.eigenvalues, atol=1e-10)
        assert first.systems().equivalent(second.systems(), atol=1e-7).all()


def test_the_two_forms_together_are_the_system():
    batch = softly_stable(4, 9, 5, seed=0)
    parts = 0
    for form in (canonical_symmetric(batch), canonical_skew(batch)):
        U = form.measurement
        parts = parts + (U * form.eigenvalues[:, None]) @ t(U)
    np.testing.assert_allclose(parts, batch.C @ batch.A @ t(batch.C), atol=1e-12)


@pytest.mark.parametrize(
    "theta",
    [(0.8, 0.8), (0.8, 0), (0, 0), (0.8, 1e-9), (0.8, 1e-13), (0.5, 0.5 - 1e-14), (0.9, 1e-17)],
)
@pytest.mark.parametrize("n_states", [4, 5, 6, 7])
def test_repeated_and_vanishing_planes(theta, n_states):
    random = np.random.default_rng(0)
    P, C = (
        random_orthogonal(n_states, random),
        np.linalg.qr(random.standard_normal((12, n_states)))[0],
    )
    K = P @ block_skew(theta, n_states) @ P.T
    form = canonical_skew(LDS((K - K.T) / 2, C))
    Q = form.basis[0]
    np.testing.assert_allclose(Q.T @ Q, np.eye(n_states), atol=1e-12)
    np.testing.assert_allclose(
        Q @ block_skew(form.theta[0], n_states) @ Q.T, C @ K @ C.T, atol=1e-12
    )
    np.testing.assert_allclose(form.theta[0, :2], theta, atol=1e-12)


def test_odd_order_has_one_zero_eigenvalue_and_a_real_column():
    form = canonical_skew(softly_stable(2, 9, 5, seed=1))
    assert (np.count_nonzero(form.eigenvalues, axis=1) == 4).all()
    np.testing.assert_array_equal(form.eigenvalues[:, -1], 0.0)
    np.testing.assert_array_equal(form.measurement[:, :, -1].imag, 0.0)


def test_one_state():
    batch = LDS([[0.7]], [[0.6], [0.8]])
    np.testing.assert_allclose(canonical_symmetric(batch).eigenvalues, [[0.7]])
    skew = canonical_skew(batch)
    assert skew.theta.shape == (1, 0)
    np.testing.assert_array_equal(skew.eigenvalues, [[0.0]])
    np.testing.assert_array_equal(skew.basis, [[[0.6], [0.8]]])


def test_signs_and_phases_are_fixed():
    batch = softly_stable(3, 8, 4, seed=2)
    U = canonical_symmetric(batch).measurement
    assert (np.take_along_axis(U, np.abs(U).argmax(axis=1)[:, None], axis=1) > 0).all()
    U = canonical_skew(batch).measurement[:, :, ::2]
    largest = np.take_along_axis(U, np.abs(U).argmax(axis=1)[:, None], axis=1)
    np.testing.assert_allclose(largest.imag, 0.0, atol=1e-15)
    assert (largest.real > 0).all()


@pytest.mark.parametrize("n_states", [4, 5])
def test_planes_are_turned_in_blocks_of_any_size(n_states, monkeypatch):
    batch = softly_stable(5, 8, n_states, seed=2)
    expected = canonical_skew(batch).basis
    monkeypatch.setattr(structured_parts, "_BLOCK", 2 * batch[:1].C.nbytes)
    np.testing.assert_array_equal(canonical_skew(batch).basis, expected)


@pytest.mark.parametrize(("canonical", "sign"), [(canonical_symmetric, 1), (canonical_skew, -1)])
@pytest.mark.parametrize("n_states", [1, 4, 5])
def test_least_squares_parts(canonical, sign, n_states):
    X = ragged_sequences(4, n_channels=6)
    systems = LDSEncoder(n_states, stabilizer="none").fit_transform(X)
    states = systems.states(X)
    expected = [structured_least_squares(x, sign) for x in states]
    fitted = canonical(systems, states, scale=None)
    U = fitted.measurement
    np.testing.assert_allclose(
        (U * fitted.eigenvalues[:, None]) @ t(U),
        systems.C @ np.stack(expected) @ t(systems.C),
        atol=1e-10,
    )
    softened = canonical(systems, states, scale=4.0)
    np.testing.assert_allclose(
        np.abs(softened.eigenvalues), np.tanh(2 * np.abs(fitted.eigenvalues)), atol=1e-12
    )


def test_least_squares_parts_reconstruct_better_than_the_halves():
    X = ragged_sequences(6)
    systems = LDSEncoder(4, stabilizer="none").fit_transform(X)
    states = systems.states(X)
    for i, x in enumerate(states):
        best = structured_least_squares(x, 1)
        half = (systems.A[i] + systems.A[i].T) / 2
        assert np.linalg.norm(x[:, 1:] - best @ x[:, :-1]) < np.linalg.norm(
            x[:, 1:] - half @ x[:, :-1]
        )


def test_states_that_never_visit_a_direction():
    X = np.zeros((3, 10))
    X[0] = np.random.default_rng(0).standard_normal(10)
    batch = LDS(np.zeros((3, 3)), np.eye(5, 3))
    for canonical, sign in ((canonical_symmetric, 1), (canonical_skew, -1)):
        fitted = canonical(batch, [X], scale=None)
        U = fitted.measurement[0]
        np.testing.assert_allclose(
            ((U * fitted.eigenvalues[0]) @ np.conj(U.T))[:3, :3],
            structured_least_squares(X, sign),
            atol=1e-12,
        )


def test_parts_outside_the_unit_disc_are_limited_with_one_warning():
    """A stable non-normal matrix may have unstable parts."""
    A = np.array([[[0.5, 6.0], [0.0, 0.5]], [[0.5, 0.0], [0.0, 0.5]]])
    batch = LDS(A, np.broadcast_to(np.eye(3, 2), (2, 3, 2)))
    assert batch.is_stable.all()
    with pytest.warns(UserWarning, match="the symmetric part of system 0 has eigenvalues") as seen:
        form = canonical_symmetric(batch)
    assert len(seen) == 1
    np.testing.assert_allclose(form.eigenvalues[0], [0.99, -0.99])
    with pytest.warns(UserWarning, match="the skew-symmetric part of system 0 .* to modulus 0.99"):
        assert canonical_skew(batch).theta[0] == pytest.approx(0.99)


def test_bad_arguments():
    batch = softly_stable(2, 6, 3, seed=0)
    with pytest.raises(ValueError, match="scale must be positive or None; got 0"):
        canonical_symmetric(batch, np.ones((2, 3, 5)), scale=0)
    with pytest.raises(ValueError, match="states must be one array for each of 2 systems; got 1"):
        canonical_skew(batch, np.ones((1, 3, 5)))
    with pytest.raises(TypeError, match="systems must be an LDS batch; got list"):
        canonical_skew([np.zeros((3, 5))])


def test_empty_batches_have_empty_forms():
    batch = softly_stable(2, 6, 3, seed=0)[:0]
    assert len(canonical_symmetric(batch)) == len(canonical_skew(batch)) == 0


def test_a_system_does_not_depend_on_its_neighbours():
    """Values below 1 stay as they are, next to whatever."""
    A = np.stack([np.diag([0.995, 0.2]), np.diag([1.5, 0.995])])
    batch = LDS(A, np.broadcast_to(np.eye(3, 2), (2, 3, 2)))
    with pytest.warns(UserWarning, match="the symmetric part of system 1 has"):
        form = canonical_symmetric(batch)
    np.testing.assert_array_equal(form.eigenvalues, [[0.995, 0.2], [0.99, 0.995]])


def test_saturated_soft_values_stay_below_one():
    batch = LDS([[0.5]], [[1.0]])
    form = canonical_symmetric(batch, [np.array([[1.0, 40.0, 1600.0]])])
    assert 1 - 1e-9 < form.eigenvalues[0, 0] < 1


def test_forms_keep_the_delays_and_check_the_scale():
    batch = LDS(np.zeros((2, 2)), np.eye(4, 2), delays=2)
    assert canonical_symmetric(batch).systems().delays == 2
    assert canonical_skew(batch).systems().delays == 2
    with pytest.raises(ValueError, match="scale must be positive or None; got -3"):
        canonical_symmetric(batch, scale=-3)


def test_the_lone_column_has_a_sign():
    lone = canonical_skew(softly_stable(6, 9, 5, seed=1)).basis[:, :, -1]
    assert (np.take_along_axis(lone, np.abs(lone).argmax(axis=1)[:, None], axis=1) > 0).all()
