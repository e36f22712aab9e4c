"""Observability cut after L blocks, [C; CA; ...; CA^(L-1)]: bases, and the kernel of their spans.

Sums of L terms are built by doubling, as powers are: X_2k = X_k + (A1^k)' X_k A2^k and, where L
has an odd digit, X_k+1 = X_1 + A1' X_k A2. Only X_1 = C1'C2 knows of the channels.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn.geometry.pairs import Side, both_sides, sum_pairs
from ldslearn.geometry.spreading import over_blocks
from ldslearn.geometry.windows import mean_over_windows
from ldslearn.models import LDS

Floats = NDArray[np.float64]


@over_blocks
@mean_over_windows
def finite_projection_kernel(
    X: LDS, Y: LDS | None = None, *, order: int = 5, n_jobs: int | None = None
) -> Floats:
    """Return the projection kernel of the subspaces of [C; CA; ...; CA^(order-1)], Eq. (3).

    The finite Grassmannian of the gLDS methods; it tends to :func:`projection_kernel` as
    `order` grows, at a cost that grows with the logarithm of it.

    Parameters
    ----------
    X, Y : LDS
        Of the same channels; orders may differ. Y is X when None. Unstable systems are welcome, as
        long as their powers are.
    order : int
        Blocks of the observability matrix, the paper's L.
    n_jobs : int or None
    """
    check_whole("order", order)

    def side(systems: LDS) -> Side:
        R = _factors(systems, order)
        inverse = np.linalg.inv(R)

        def measurement(block: slice) -> Floats:
            return systems.C[block] @ inverse[block]

        powers = _powers(R @ systems.A @ inverse, order)
        return Side((len(systems), systems.n_states), measurement, powers)

    def sums(first: Floats, second: Floats, G: Floats, out: Floats) -> None:
        total = G
        for k, odd in enumerate(_doublings(order)):
            total = total + _between(first[:, k], total, second[:, k])
            if odd:
                total = G + _between(first[:, 0], total, second[:, 0])
        np.einsum("iajb,iajb->ij", total, total, out=out)

    return sum_pairs(sums, *both_sides(side, X, Y), n_jobs, "finite kernel")


def finite_bases(systems: LDS, order: int) -> Floats:
    """Return orthonormal bases of the spans of [C; CA; ...], (N, order n_channels, n_states)."""
    step = np.linalg.inv(_factors(systems, order))
    blocks = []
    for _ in range(order):
        blocks.append(systems.C @ step)
        step = systems.A @ step
    return np.concatenate(blocks, axis=1)


def _doublings(order: int) -> Iterator[bool]:
    """Whether one is added after each doubling on the way from 1 to `order`."""
    return (digit == "1" for digit in f"{order:b}"[1:])


def _powers(A: Floats, order: int) -> Floats:
    """The power of A that each doubling takes, (N, doublings, n, n); that of the first is A."""
    powers, power = [], A
    for odd in _doublings(order):
        powers.append(power)
        power = power @ power @ A if odd else power @ power
    return np.stack(powers, axis=1) if powers else np.empty((len(A), 0, *A.shape[1:]))


def _between(left: Floats, X: Floats, right: Floats) -> Floats:
    """A1' X A2 of all pairs; X is (rows, n1, columns, n2)."""
    rows, n1, columns, n2 = X.shape
    half = (left.swapaxes(1, 2) @ X.reshape(rows, n1, -1)).reshape(rows * n1, columns, n2)
    out = np.empty_like(half)
    np.matmul(half.swapaxes(0, 1), right, out=out.swapaxes(0, 1))  # a product a column
    return out.reshape(X.shape)


def _factors(systems: LDS, order: int) -> Floats:
    """R of the QR decompositions of [C; CA; ...], (N, n, n)."""
    R = first = np.asarray(np.linalg.qr(systems.C, mode="r"))
    with np.errstate(over="ignore", invalid="ignore"):
        powers = _powers(systems.A, order)
        for k, odd in enumerate(_doublings(order)):
            R = _stacked(R, R @ powers[:, k])
            if odd:
                R = _stacked(first, R @ systems.A)
    finite = np.isfinite(R).all(axis=(1, 2))
    s = np.linalg.svd(np.where(finite[:, None, None], R, 0.0), compute_uv=False)
    bad = np.flatnonzero(~(s[:, -1] > 1e-10 * s[:, 0]))
    if len(bad):
        raise _errors.order_too_large(list(bad), order)
    return R


def _stacked(upper: Floats, lower: Floats) -> Floats:
    """R of the QR decomposition of two factors on top of each other."""
    return np.asarray(np.linalg.qr(np.concatenate([upper, lower], axis=1), mode="r"))
