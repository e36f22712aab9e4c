"""Sums over the entries of C1'C2 of all pairs: closed-form kernels (Table 2).

The compiled functions have one long loop over the columns of all systems of the second side, which
is made of vector instructions.
"""

import numpy as np

from ldslearn._compiling import njit
from ldslearn._types import Floats
from ldslearn.geometry.schur_forms import pad_to_even
from ldslearn.geometry.stein import OPTIONS


def plain_sums(first: Floats, second: Floats, G: Floats, out: Floats) -> None:
    """Fill `out` with |H1'H2|_F^2 of every pair; G is H1'H2, `first` and `second` are unused."""
    rows, n1, columns, n2 = G.shape
    symmetric_sums(np.zeros((rows, n1)), np.zeros((columns, n2)), G, out)


def symmetric_sums(first: Floats, second: Floats, G: Floats, out: Floats) -> None:
    """Table 2 for real eigenvalues: sum_ab (1-l_a^2)(1-m_b^2)/(1-l_a m_b)^2 (u_a'w_b)^2.

    Parameters
    ----------
    first, second : (rows, n1) and (columns, n2) arrays
        Eigenvalues l and m.
    G : (rows, n1, columns, n2) array
        U1'U2.
    out : (rows, columns) array
    """
    sums = np.zeros((len(G), second.size))
    add_real(np.ascontiguousarray(first), second.reshape(-1), G.reshape(*G.shape[:2], -1), sums)
    np.einsum("ijb,jb->ij", sums.reshape(-1, *second.shape), 1.0 - second * second, out=out)


def skew_sums(first: Floats, second: Floats, G: Floats, out: Floats) -> None:
    """Table 2 for conjugate imaginary eigenvalues, over the planes of the real pairs (Theta, Q).

    For planes (q1, q2) of theta and (w1, w2) of phi, the four terms of Table 2 add up to
    (1-theta^2)(1-phi^2)/2 [((q1w1+q2w2)^2 + (q1w2-q2w1)^2) / (1-theta phi)^2
    + ((q1w1-q2w2)^2 + (q1w2+q2w1)^2) / (1+theta phi)^2].
    The lone column of an odd order is a plane with eigenvalue 0 and a second column of zeros.

    Parameters
    ----------
    first, second : (rows, n1 // 2) and (columns, n2 // 2) arrays
        theta and phi.
    G : (rows, n1, columns, n2) array
        Q1'Q2.
    out : (rows, columns) array
    """
    first, second = (
        np.pad(theta, [(0, 0), (0, 1)]) if n % 2 else np.ascontiguousarray(theta)
        for theta, n in zip((first, second), G.shape[1::2], strict=True)
    )
    G = pad_to_even(G, (1, 3))
    sums = np.zeros((len(G), second.size))
    add_planes(first, second.reshape(-1), G.reshape(*G.shape[:2], -1), sums)
    np.einsum("ijb,jb->ij", sums.reshape(-1, *second.shape), 1.0 - second * second, out=out)


@njit(**OPTIONS, no_rewrites=True)  # no expressions of arrays: nothing to rewrite
def add_real(first, second, G, sums):  # type: ignore[no-untyped-def]
    """Add (1-l_a^2)/(1-l_a m_q)^2 (u_a'w_q)^2 over a to `sums`, (rows, all columns).

    `first` is (rows, n1), `second` (all columns,) and G (rows, n1, all columns).
    """
    rows, n1, n_columns = G.shape
    for i in range(rows):
        for a in range(n1):
            l = first[i, a]  # noqa: E741
            for q in range(n_columns):
                ratio = G[i, a, q] / (1.0 - l * second[q])
                sums[i, q] += (1.0 - l * l) * (ratio * ratio)


@njit(**OPTIONS, no_rewrites=True)
def add_planes(first, second, G, sums):  # type: ignore[no-untyped-def]
    """Add the terms of :func:`skew_sums` without (1-phi^2) to `sums`, (rows, all planes).

    `first` is (rows, planes), `second` (all planes,) and G (rows, 2 planes, 2 all planes).
    """
    rows, n_planes = first.shape
    for i in range(rows):
        for a in range(n_planes):
            t = first[i, a]
            for q in range(len(second)):
                g11, g12 = G[i, 2 * a, 2 * q], G[i, 2 * a, 2 * q + 1]
                g21, g22 = G[i, 2 * a + 1, 2 * q], G[i, 2 * a + 1, 2 * q + 1]
                c, d, e, f = g11 + g22, g12 - g21, g11 - g22, g12 + g21
                same, other = 1.0 - t * second[q], 1.0 + t * second[q]
                total = (c * c + d * d) / (same * same) + (e * e + f * f) / (other * other)
                sums[i, q] += 0.5 * (1.0 - t * t) * total
