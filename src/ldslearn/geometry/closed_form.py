"""Compiled sums over the entries of C1'C2 of all pairs: closed-form kernels (Table 2)."""

from ldslearn._compiling import njit
from ldslearn.geometry.stein import OPTIONS


@njit(**OPTIONS)
def plain_sums(first, second, G, out):  # type: ignore[no-untyped-def]
    """Fill `out` with |H1'H2|_F^2 of every pair; G is H1'H2, `first` and `second` are unused."""
    rows, k1, columns, k2 = G.shape
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for a in range(k1):
                for b in range(k2):
                    total += G[i, a, j, b] * G[i, a, j, b]
            out[i, j] = total


@njit(**OPTIONS)
def symmetric_sums(first, second, G, out):  # type: ignore[no-untyped-def]
    """Table 2 for real eigenvalues: sum_ab (1-l_a^2)(1-m_b^2)/(1-l_a m_b)^2 (u_a'w_b)^2.

    Parameters
    ----------
    first, second : (rows, n1) and (columns, n2) arrays
        Eigenvalues l and m.
    G : (rows, n1, columns, n2) array
        U1'U2.
    out : (rows, columns) array
    """
    rows, n1, columns, n2 = G.shape
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for a in range(n1):
                l = first[i, a]  # noqa: E741
                inner = 0.0
                for b in range(n2):
                    m = second[j, b]
                    ratio = G[i, a, j, b] / (1.0 - l * m)
                    inner += (1.0 - m * m) * ratio * ratio
                total += (1.0 - l * l) * inner
            out[i, j] = total


@njit(**OPTIONS)
def skew_sums(first, second, G, out):  # type: ignore[no-untyped-def]
    """Table 2 for conjugate imaginary eigenvalues, over the planes of the real pairs (Theta, Q).

    For planes (q1, q2) of theta and (w1, w2) of phi, the four terms of Table 2 add up to
    (1-theta^2)(1-phi^2)/2 [((q1w1+q2w2)^2 + (q1w2-q2w1)^2) / (1-theta phi)^2
    + ((q1w1-q2w2)^2 + (q1w2+q2w1)^2) / (1+theta phi)^2].
    The lone column of an odd order is a real one with eigenvalue 0.

    Parameters
    ----------
    first, second : (rows, n1 // 2) and (columns, n2 // 2) arrays
        theta and phi.
    G : (rows, n1, columns, n2) array
        Q1'Q2.
    out : (rows, columns) array
    """
    rows, n1, columns, n2 = G.shape
    planes1, planes2 = n1 // 2, n2 // 2
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for a in range(planes1):
                t = first[i, a]
                inner = 0.0
                for b in range(planes2):
                    p = second[j, b]
                    g11, g12 = G[i, 2 * a, j, 2 * b], G[i, 2 * a, j, 2 * b + 1]
                    g21, g22 = G[i, 2 * a + 1, j, 2 * b], G[i, 2 * a + 1, j, 2 * b + 1]
                    same = ((g11 + g22) ** 2 + (g12 - g21) ** 2) / (1.0 - t * p) ** 2
                    other = ((g11 - g22) ** 2 + (g12 + g21) ** 2) / (1.0 + t * p) ** 2
                    inner += 0.5 * (1.0 - p * p) * (same + other)
                if n2 % 2:
                    inner += G[i, 2 * a, j, n2 - 1] ** 2 + G[i, 2 * a + 1, j, n2 - 1] ** 2
                total += (1.0 - t * t) * inner
            if n1 % 2:
                for b in range(planes2):
                    p = second[j, b]
                    total += (1.0 - p * p) * (
                        G[i, n1 - 1, j, 2 * b] ** 2 + G[i, n1 - 1, j, 2 * b + 1] ** 2
                    )
                if n2 % 2:
                    total += G[i, n1 - 1, j, n2 - 1] ** 2
            out[i, j] = total
