"""Observability cut after L blocks, [C; CA; ...; CA^(L-1)]: bases, and the kernel of their spans.

With R its triangular factor, V = [C P_0; C P_1; ...] is orthonormal, P_t = A^t R^-1, and V1'V2 the
sum of P1_t' (C1'C2) P2_t: where channels are many, they occur once, in C1'C2. No P_t is longer
than 1, so that nothing cancels, however large the powers of A are. (Sums built by doubling, as
powers are, would cost less for many blocks, and lose all digits where A is far from normal.)
"""

from collections.abc import Callable, Iterator

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._types import Floats
from ldslearn.geometry.closed_form import plain_sums
from ldslearn.geometry.pairs import BatchBases, make_bases, sum_pairs
from ldslearn.geometry.tiles import compute_by_tiles
from ldslearn.geometry.window_means import mean_over_windows
from ldslearn.models import LDS

_LARGEST_DEVIATION = 1e-6  # of V'V from I
MANY_CHANNELS = 8  # per state: beyond, products of states cost less than those of channels


@compute_by_tiles
@mean_over_windows
def finite_projection_kernel(
    X: LDS, Y: LDS | None = None, *, order: int = 5, n_jobs: int | None = None
) -> Floats:
    r"""Return the projection kernels of finite observability subspaces of all pairs, Equation (3).

    Parameters
    ----------
    X, Y : LDS or LDSStore
        Of the same channels; orders may differ. `Y` is `X` when None. Systems may be unstable, as
        long as their powers are not too large.
    order : int, default=5
        Blocks of the observability matrix, the paper's :math:`L`.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    :math:`k = \| V_1^\top V_2 \|_F^2`, where the columns of :math:`V` are an orthonormal basis of
    the span of :math:`[C; CA; \dots; CA^{L-1}]`. The gLDS methods of the paper use this kernel. It
    tends to :func:`projection_kernel` as `order` grows, at a cost that grows slowly with it.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.3. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import finite_projection_kernel
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> finite_projection_kernel(X, order=20).round(3)
    array([[1.   , 0.172],
           [0.172, 1.   ]])
    """
    check_whole("order", order)

    def make_stacked(systems: LDS) -> BatchBases:
        return BatchBases((len(systems), systems.n_states), _make_basis(systems, order))

    def make_small(systems: LDS) -> BatchBases:
        return BatchBases(
            (len(systems), systems.n_states),
            systems.C.__getitem__,
            _stack_first_steps(systems, order),
        )

    def add_up(first: Floats, second: Floats, G: Floats, out: Floats) -> None:
        total = np.zeros_like(G)
        for P, Q in zip(_iterate_steps(first, order), _iterate_steps(second, order), strict=True):
            total += multiply_both_sides(P, G, Q)
        np.einsum("iajb,iajb->ij", total, total, out=out)

    if X.n_channels > MANY_CHANNELS * X.n_states:
        return sum_pairs(add_up, *make_bases(make_small, X, Y), n_jobs, "finite kernel")
    return sum_pairs(plain_sums, *make_bases(make_stacked, X, Y), n_jobs, "finite kernel")


def finite_bases(systems: LDS, order: int) -> Floats:
    """Return orthonormal bases of the spans of [C; CA; ...], (N, order n_channels, n_states)."""
    return _make_basis(systems, order)(slice(None))


def _make_basis(systems: LDS, order: int) -> Callable[[slice], Floats]:
    """Return a function that computes the bases of a slice of systems."""
    pairs = _stack_first_steps(systems, order)

    def compute_basis(block: slice) -> Floats:
        C = systems.C[block]
        return np.concatenate([C @ P for P in _iterate_steps(pairs[block], order)], axis=1)

    return compute_basis


def _stack_first_steps(systems: LDS, order: int) -> Floats:
    """Return (A, P_0), from which all P_t follow, (N, 2, n, n)."""
    return np.stack([systems.A, _first_steps(systems, order)], axis=1)


def _iterate_steps(pairs: Floats, order: int) -> Iterator[Floats]:
    """Yield P_0 to P_(order-1), each (N, n, n), of pairs (A, P_0)."""
    A, P = pairs[:, 0], pairs[:, 1]
    for _ in range(order - 1):
        yield P
        P = A @ P
    yield P


def multiply_both_sides(P: Floats, G: Floats, Q: Floats) -> Floats:
    """Return P'GQ of all pairs; G is (rows, n1, columns, n2)."""
    rows, n1, columns, n2 = G.shape
    half = (P.swapaxes(1, 2) @ G.reshape(rows, n1, -1)).reshape(rows * n1, columns, n2)
    out = np.empty_like(half)
    np.matmul(half.swapaxes(0, 1), Q, out=out.swapaxes(0, 1))  # one product per column
    return out.reshape(G.shape)


def _first_steps(systems: LDS, order: int) -> Floats:
    """Return P_0 = R^-1, R the triangular factors of [C; CA; ...], (N, n, n)."""
    first = np.asarray(np.linalg.qr(systems.C, mode="r"))
    identity = np.eye(systems.n_states)
    with np.errstate(over="ignore", invalid="ignore"):
        block = R = first
        for _ in range(order - 1):
            block = block @ systems.A
            R = np.asarray(np.linalg.qr(np.concatenate([R, block], axis=1), mode="r"))
        diagonal = np.diagonal(R, axis1=1, axis2=2)
        singular = ~(np.isfinite(R).all(axis=(1, 2)) & diagonal.all(axis=1))
        P = np.linalg.inv(np.where(singular[:, None, None], identity, R))
        blocks = (first @ step for step in _iterate_steps(np.stack([systems.A, P], axis=1), order))
        products = sum(V.swapaxes(1, 2) @ V for V in blocks)
        deviations = np.abs(products - identity).max(axis=(1, 2))
    bad = np.flatnonzero(singular | ~(deviations < _LARGEST_DEVIATION))
    if len(bad):
        raise _errors.SystemsError(
            f"order must be small enough for the powers of {{systems}}; got {order}, with "
            "which its observability matrix is numerically singular. Lower order, or "
            "stabilize it.",
            list(bad),
        )
    return P
