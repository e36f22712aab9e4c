import ctypes
import dataclasses
import re

import numpy as np
import pytest
import scipy.linalg.cython_lapack
from hypothesis import given
from hypothesis import strategies as st

import ldslearn
from ldslearn.geometry import (
    cross_gramian,
    martin_distance,
    output_normal,
    pairs,
    pairwise_kernel,
    schur_forms,
    stein,
)
from ldslearn.geometry.output_normal import output_normal_form
from ldslearn.geometry.schur_forms import (
    arrange_in_lanes,
    find_schur_forms,
    pad_to_even,
    split_in_blocks,
)
from ldslearn.geometry.stein import LANES
from ldslearn.models import LDS

from support.makers import contractions, jordan_block, random_orthogonal, random_systems
from support.oracles import solve_stein_by_kronecker


def t(stack):
    return np.swapaxes(stack, -1, -2)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 9),
    coupling=st.sampled_from([1.0, 1e-4, 1e-9, 1e-14, 0.0]),
    scale=st.sampled_from([1e-150, 1.0, 1e150]),
)
def test_schur_forms_have_blocks_of_two_rows(seed, n, coupling, scale):
    """From random matrices to those whose eigenvalues almost coincide, real and complex."""
    random = np.random.default_rng(seed)
    P = random_orthogonal(n, random)
    nearly_equal = P @ jordan_block(n, 0.9) @ P.T + 1e-9 * random.standard_normal((n, n))
    A = scale * np.stack([
        coupling * random.standard_normal((n, n)) + 0.9 * np.eye(n),
        nearly_equal,
        random.standard_normal((n, n)),
    ])  # fmt: skip
    S, Z, radii = find_schur_forms(A)
    np.testing.assert_allclose(t(Z) @ Z, np.broadcast_to(np.eye(n), A.shape), atol=1e-13)
    np.testing.assert_allclose(Z @ (S / scale) @ t(Z), A / scale, atol=1e-12)
    assert not np.tril(S, -2).any()
    assert not np.diagonal(S, -1, axis1=1, axis2=2)[:, 1::2].any()
    expected = np.abs(np.linalg.eigvals(S)).max(axis=1)
    np.testing.assert_allclose(radii, expected, rtol=1e-6)


def test_systems_without_schur_forms_are_named(monkeypatch):
    """LAPACK's iterations may not converge; no matrix is known for which they do not."""
    real = schur_forms.decompose

    def fail_at_the_second(*arguments):
        real(*arguments)
        failures, forms = arguments[-1], arguments[4]
        failures[forms[:, 0, 0] == 0.25] = 1

    monkeypatch.setattr(schur_forms, "decompose", fail_at_the_second)
    sizes = np.full(100, 0.5)
    sizes[70] = 0.25  # in the second block
    systems = LDS(sizes[:, None, None] * np.eye(2), [np.eye(3, 2)] * 100)
    message = "^system 70 must have eigenvalues that can be computed and ordered; LAPACK failed"
    with pytest.raises(ValueError, match=message):
        output_normal_form(systems)


def test_blocks_at_odd_places_are_refused(monkeypatch):
    """LAPACK may not be able to exchange eigenvalues that almost coincide."""
    A = np.array([[[0.5, 0.0, 0.0], [0.0, 0.0, 0.7], [0.0, -0.7, 0.0]]])
    np.testing.assert_allclose(find_schur_forms(A)[2], 0.7)
    real = schur_forms.decompose

    def leave_a_block_behind(*arguments):
        real(*arguments)
        arguments[4][0, 1, 2] = 0.1  # S, columns first

    monkeypatch.setattr(schur_forms, "decompose", leave_a_block_behind)
    with pytest.raises(ValueError, match="must have eigenvalues that can be computed and ordered"):
        find_schur_forms(A)


def test_every_system_has_its_own_schur_form():
    """Wherever it is in the batch; LAPACK has other algorithms for many states."""
    for n in (1, 2, 5, 80):
        A = np.random.default_rng(n).standard_normal((3, n, n))
        S, Z, radii = find_schur_forms(A)
        np.testing.assert_allclose(Z @ S @ t(Z), A, atol=1e-12)
        np.testing.assert_allclose(t(Z) @ Z, np.broadcast_to(np.eye(n), A.shape), atol=1e-12)
        np.testing.assert_allclose(radii, np.abs(np.linalg.eigvals(A)).max(axis=1))


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrices_with_columns_first_are_not_overwritten(n, dtype):
    """As those of MATLAB files; LAPACK works in place."""
    given = np.random.default_rng(0).standard_normal((5, n, n)).astype(dtype)
    before = given.copy()
    A = t(given)
    given.flags.writeable = False
    S, Z, _ = find_schur_forms(A)
    np.testing.assert_allclose(Z @ S @ t(Z), A, atol=1e-12)
    np.testing.assert_array_equal(given, before)


def test_kernels_leave_systems_with_columns_first_as_they_are():
    systems = contractions(6, 8, 4, seed=0)
    columns_first = LDS(t(np.ascontiguousarray(t(systems.A))), systems.C)
    found = pairwise_kernel(columns_first, kernel="projection")
    np.testing.assert_array_equal(columns_first.A, systems.A)
    np.testing.assert_allclose(found, pairwise_kernel(systems, kernel="projection"), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*is unstable and has no Gramian")
def test_unstable_systems_without_schur_forms_are_named(monkeypatch):
    """Their formal coordinates need other Schur forms, of some systems of the batch."""
    real, n_done = schur_forms.decompose, 0

    def fail_after_three(*arguments):
        nonlocal n_done
        real(*arguments)
        failures = arguments[-1]
        n_done += len(failures)
        failures[:] = n_done > 3

    monkeypatch.setattr(schur_forms, "decompose", fail_after_three)
    A = np.array([0.5, 0.25, 1.75])[:, None, None] * np.eye(2)
    systems = LDS(A, [np.eye(3, 2)] * 3, allow_unstable=True)
    with pytest.raises(ValueError, match="^system 2 must have eigenvalues that can be computed"):
        output_normal_form(systems)
    assert n_done == 4


def test_integers_of_64_bits_are_refused(monkeypatch):
    """A LAPACK with other integers would read and write beyond its arguments."""
    capsules = scipy.linalg.cython_lapack.__pyx_capi__
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    name = b"void (char *, long *)"
    monkeypatch.setitem(capsules, "dgees", make(1, name, None))
    schur_forms._find_routine.cache_clear()
    with pytest.raises(ImportError, match=r"integers of 32 bits; got void \(char \*, long \*\)"):
        find_schur_forms(np.eye(2)[None])


@pytest.mark.parametrize("kernel", ["projection", "twofold", "covariance"])
def test_kernels_do_not_depend_on_what_is_kept_between_tiles(kernel, monkeypatch):
    X, Y = (contractions(n, 20, 2, seed=n) for n in (40, 70))
    pairs_of = [(X, None), (X, Y)]
    expected = [pairwise_kernel(*one, kernel=kernel) for one in pairs_of]
    monkeypatch.setattr(pairs, "_KEPT_BYTES", 0)
    monkeypatch.setattr(pairs, "_TILE_STATES", (32, 64))
    for one, found in zip(pairs_of, expected, strict=True):
        np.testing.assert_allclose(pairwise_kernel(*one, kernel=kernel), found, rtol=1e-12)


def test_blocks_are_read_row_by_row_and_odd_orders_end_with_zeros():
    S = np.arange(1.0, 10.0).reshape(1, 3, 3)
    blocks = split_in_blocks(S)
    np.testing.assert_array_equal(blocks[0, 0], [[1, 2, 4, 5], [3, 0, 6, 0]])
    np.testing.assert_array_equal(blocks[0, 1], [[7, 8, 0, 0], [9, 0, 0, 0]])
    assert pad_to_even(np.ones((3, 4)), (1,)).shape == (3, 4)
    np.testing.assert_array_equal(pad_to_even(np.ones((1, 1)), (0,)), [[1.0], [0.0]])


def draw_schur_forms(random, n_systems, n, radius):
    S = find_schur_forms(random.standard_normal((n_systems, n, n)))[0]
    return S * (radius / np.linalg.norm(S, 2, axis=(1, 2)))[:, None, None]


@given(
    seed=st.integers(0, 10_000),
    orders=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    n_systems=st.sampled_from([1, 3, LANES, LANES + 1, 2 * LANES + 5]),
    radius=st.sampled_from([0.5, 0.99, 1.7]),
)
def test_solutions_of_all_pairs(seed, orders, n_systems, radius):
    """Of contractions, and of others: a formal solution exists as long as no product is 1."""
    random = np.random.default_rng(seed)
    S1, S2 = (
        draw_schur_forms(random, size, n, radius)
        for size, n in zip((2, n_systems), orders, strict=True)
    )
    G = random.standard_normal((2, orders[0], n_systems, orders[1]))
    arguments = split_in_blocks(S1), arrange_in_lanes(split_in_blocks(S2)), pad_to_even(G, (1, 3))
    groups = -(-n_systems // LANES)
    X, norms = np.empty((2, groups * LANES, *orders)), np.empty((2, groups * LANES))
    stein.solutions(*arguments, X)
    stein.squared_norms(*arguments, norms)
    for i in range(2):
        for j in range(n_systems):
            expected = solve_stein_by_kronecker(S1[i], S2[j], G[i, :, j])
            condition = np.linalg.cond(np.eye(X[i, j].size) - np.kron(S1[i], S2[j]))
            tolerance = 1e-13 * condition * np.abs(expected).max()
            np.testing.assert_allclose(X[i, j], expected, rtol=0, atol=tolerance)
            np.testing.assert_allclose(norms[i, j], np.sum(X[i, j] ** 2), rtol=1e-12)
    if orders[0] == orders[1]:
        logs = np.empty(norms.shape)
        stein.log_determinants(*arguments, logs, order=orders[0])
        np.testing.assert_allclose(
            logs[:, :n_systems], np.linalg.slogdet(X[:, :n_systems])[1], rtol=1e-8, atol=1e-8
        )


@pytest.mark.parametrize("n", [3, 4])
def test_pairs_do_not_depend_on_how_many_are_solved_at_once(n, monkeypatch):
    systems = contractions(LANES + 4, 8, n, seed=n)
    functions = martin_distance, cross_gramian
    expected = [function(systems[:]) for function in functions]
    monkeypatch.setattr(stein, "_BYTES_IN_CACHE", 1)  # one row at a time
    for function, found in zip(functions, expected, strict=True):
        np.testing.assert_array_equal(function(systems[:]), found)


@pytest.mark.parametrize("n", [2, 5])
def test_systems_are_prepared_alike_on_one_thread_and_two(n, monkeypatch):
    monkeypatch.setattr(output_normal, "_WORTH_THREADS", 0)
    systems = contractions(150, 8, n, seed=n)
    one, two = (output_normal_form(systems[:], n_jobs) for n_jobs in (1, 2))
    for field in ("transform", "gramian", "S", "rows", "lanes", "stable"):
        np.testing.assert_array_equal(getattr(one, field), getattr(two, field))


@pytest.mark.filterwarnings("ignore:.*least-squares")
def test_the_remedy_for_unstable_systems_works():
    """As it is printed."""
    A = np.stack([0.5 * np.eye(2), 1.5 * np.eye(2)])
    X = LDS(A, [np.eye(3, 2)] * 2)
    with pytest.raises(ValueError, match="system 1 must be stable to have a Gramian") as caught:
        output_normal_form(X)
    remedy = re.search(r"dataclasses\.replace\(.*?\)\)", str(caught.value)).group()
    names = {"X": X, "dataclasses": dataclasses, "ldslearn": ldslearn}
    stable = eval(remedy, names)
    assert output_normal_form(stable).stable.all()


@pytest.mark.parametrize("n_systems", [1, LANES - 1, LANES, 2 * LANES + 1])
@pytest.mark.parametrize("n", [1, 4, 5])
def test_solutions_of_systems_with_themselves(n_systems, n):
    random = np.random.default_rng(n)
    S = draw_schur_forms(random, n_systems, n, 0.95)
    G = random.standard_normal(S.shape)
    blocks = split_in_blocks(S)
    X = stein.own_solutions(blocks, arrange_in_lanes(blocks), pad_to_even(G, (1, 2)))
    for i in range(n_systems):
        np.testing.assert_allclose(
            X[i, :n, :n], solve_stein_by_kronecker(S[i], S[i], G[i]), atol=1e-11
        )


def log_abs_determinants(stack):
    """Of an (N, n, n) stack; a row and a column of zeros follow an odd order."""
    n_systems, order, _ = stack.shape
    M = pad_to_even(np.moveaxis(stack, 0, -1), (0, 1)).reshape(-1, n_systems).copy()
    is_larger, factors, found = (
        np.empty(n_systems, dtype=dtype) for dtype in (np.bool_, np.float64, np.float64)
    )
    stein.log_abs_determinants(M, order, is_larger, factors, found)
    return found


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 9),
    n_systems=st.integers(1, 40),
    exponent=st.integers(-300, 300),
)
def test_log_determinant(seed, n, n_systems, exponent):
    """Pivots as large and as small as there are, in no order."""
    random = np.random.default_rng(seed)
    stack = random.standard_normal((n_systems, n, n))
    stack[:, 0, 0] = 0.0  # needs pivoting
    stack[:, n // 2] *= 10.0**exponent
    expected = np.linalg.slogdet(stack)[1]
    np.testing.assert_allclose(log_abs_determinants(stack), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 20, 40])
@pytest.mark.parametrize("scale", [1.0, 1e-40, 1e40])
def test_log_determinant_of_any_size(n, scale):
    """Their product under- and overflows."""
    stack = scale * np.random.default_rng(n).standard_normal((29, n, n))
    expected = np.linalg.slogdet(stack)[1]
    np.testing.assert_allclose(log_abs_determinants(stack), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_singular_matrices_and_nan_spoil_no_other(n):
    stack = np.random.default_rng(n).standard_normal((9, n, n))
    stack[1] = 0.0
    stack[2, :, n // 2] = 0.0
    stack[3, n // 2] = 0.0
    stack[4] = 1.0 if n > 1 else 0.0
    stack[5, 0, n // 2] = np.nan
    stack[6, n // 2, 0] = np.nan
    stack[7, :, 0], stack[7, -1, 0] = 0.0, np.nan  # no pivot before it
    found = log_abs_determinants(stack)
    np.testing.assert_array_equal(found[1:5], -np.inf)
    np.testing.assert_array_equal(found[5:8], np.nan)
    np.testing.assert_allclose(found[[0, 8]], np.linalg.slogdet(stack[[0, 8]])[1], atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_schur_coordinates_are_output_normal(n):
    systems = random_systems(LANES + 3, n_channels=14, n_states=n, radius=0.95)
    prepared = output_normal_form(systems)
    C = prepared.measurement(systems, slice(None))
    np.testing.assert_allclose(
        t(prepared.S) @ prepared.S + t(C) @ C,
        np.broadcast_to(np.eye(n), prepared.S.shape),
        atol=1e-11,
    )
    F = prepared.transform
    np.testing.assert_allclose(systems.A @ F, F @ prepared.S, atol=1e-10)
    n_blocks = -(-n // 2)
    assert prepared.rows.shape == (LANES + 3, n_blocks, n_blocks, 4)
    assert prepared.lanes.shape == (2, n_blocks, n_blocks, 4, LANES)


def test_prepared_once():
    systems = random_systems(3, 6, 2)
    assert output_normal_form(systems) is output_normal_form(systems)


@pytest.mark.parametrize("n_systems", [1, LANES, LANES + 1, 100])
def test_lanes_hold_every_system_in_order_and_repeat_the_last(n_systems):
    stack = np.arange(2.0 * n_systems).reshape(n_systems, 2)
    lanes = arrange_in_lanes(stack)
    assert lanes.shape == (-(-n_systems // LANES), 2, LANES)
    np.testing.assert_array_equal(lanes[:, 1].ravel()[:n_systems], stack[:, 1])
    np.testing.assert_array_equal(lanes[:, 1].ravel()[n_systems:], stack[-1, 1])


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
