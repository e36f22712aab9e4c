"""Compiled terms of the objective in one atom: sum_s c_s k(atom, columns_s), c_s of either sign.

With W all other columns side by side and G = W'U, the objective is sum_k u_k* S_k u_k, and
S_k u_k is W times a column H_k that follows from G entry by entry: nothing m x m is ever formed.
The functions are compiled at their first call and cached on disk.
"""

from ldslearn._compiling import njit
from ldslearn.geometry.stein import OPTIONS


@njit(**OPTIONS)
def weigh_real(G, own, eigenvalues, weights, H):  # type: ignore[no-untyped-def]
    """Fill H with d_k(l) * G, and return sum d G^2, for real eigenvalues.

    Parameters
    ----------
    G, H : (n_sets, n1, n) arrays
    own : (n,) array
        Eigenvalues l of the atom.
    eigenvalues : (n_sets, n1) array
    weights : (n_sets,) array
    """
    total = 0.0
    for s in range(G.shape[0]):
        for b in range(G.shape[1]):
            m = eigenvalues[s, b]
            c = weights[s] * (1.0 - m * m)
            for k in range(G.shape[2]):
                ratio = 1.0 / (1.0 - own[k] * m)
                d = c * (1.0 - own[k] * own[k]) * ratio * ratio
                H[s, b, k] = d * G[s, b, k]
                total += d * G[s, b, k] * G[s, b, k]
    return total


@njit(**OPTIONS)
def weigh_plain(G, weights, H):  # type: ignore[no-untyped-def]
    """:func:`weigh_real` with all eigenvalues zero."""
    total = 0.0
    for s in range(G.shape[0]):
        for b in range(G.shape[1]):
            for k in range(G.shape[2]):
                H[s, b, k] = weights[s] * G[s, b, k]
                total += H[s, b, k] * G[s, b, k]
    return total


@njit(**OPTIONS)
def weigh_planes(G, own, theta, weights, H):  # type: ignore[no-untyped-def]
    """:func:`weigh_real` for planes (q1, q2) with eigenvalues +-i theta; see ``skew_sums``.

    G and H are (n_sets, n1, n); `own` (n // 2,) and `theta` (n_sets, n1 // 2) the moduli. The real
    and imaginary part of S_k u_k are in the columns of q1 and q2, times sqrt 2. The cross term
    (delta in the paper) is included.
    """
    n_sets, n1, n = G.shape
    total = 0.0
    for s in range(n_sets):
        c = weights[s]
        for b in range(n1 // 2):
            p = theta[s, b]
            v = c * (1.0 - p * p)
            for a in range(n // 2):
                t = own[a]
                same = 0.5 * v * (1.0 - t * t) / (1.0 - t * p) ** 2
                other = 0.5 * v * (1.0 - t * t) / (1.0 + t * p) ** 2
                g11, g12 = G[s, 2 * b, 2 * a], G[s, 2 * b + 1, 2 * a]
                g21, g22 = G[s, 2 * b, 2 * a + 1], G[s, 2 * b + 1, 2 * a + 1]
                A, B = same * (g11 + g22), same * (g12 - g21)
                C, D = other * (g11 - g22), other * (g12 + g21)
                H[s, 2 * b, 2 * a], H[s, 2 * b + 1, 2 * a] = A + C, B + D
                H[s, 2 * b, 2 * a + 1], H[s, 2 * b + 1, 2 * a + 1] = D - B, A - C
                total += A * (g11 + g22) + B * (g12 - g21) + C * (g11 - g22) + D * (g12 + g21)
            if n % 2:
                for row in (2 * b, 2 * b + 1):
                    H[s, row, n - 1] = v * G[s, row, n - 1]
                    total += v * G[s, row, n - 1] ** 2
        if n1 % 2:
            for a in range(n // 2):
                d = c * (1.0 - own[a] * own[a])
                for column in (2 * a, 2 * a + 1):
                    H[s, n1 - 1, column] = d * G[s, n1 - 1, column]
                    total += d * G[s, n1 - 1, column] ** 2
            if n % 2:
                H[s, n1 - 1, n - 1] = c * G[s, n1 - 1, n - 1]
                total += c * G[s, n1 - 1, n - 1] ** 2
    return total


@njit(**{**OPTIONS, "fastmath": {"contract", "reassoc"}})  # sums in any order, as BLAS does
def multiply_weighted_gram(W, d, v, out):  # type: ignore[no-untyped-def]
    """Fill `out` with W' diag(d) W v, two rows of W at a time: memory is read once, not twice."""
    n_rows, m = W.shape
    out[:] = 0.0
    for i in range(0, n_rows, 2):
        k = min(i + 1, n_rows - 1)
        first, second = 0.0, 0.0
        for j in range(m):
            first += W[i, j] * v[j]
            second += W[k, j] * v[j]
        first *= d[i]
        second *= d[k] if k > i else 0.0  # an odd last row counts once
        for j in range(m):
            out[j] += first * W[i, j] + second * W[k, j]


@njit(**OPTIONS)
def fill_real_terms(G, eigenvalues, weights, p, m):  # type: ignore[no-untyped-def]
    """Fill p (n, T) and m (T,): column k adds (1-l^2) sum_i p_ki / (1-l m_i)^2 to the objective.

    T is n_sets n1, the number of the other columns.
    """
    n_sets, n1, n = G.shape
    for s in range(n_sets):
        for b in range(n1):
            mu = eigenvalues[s, b]
            weight = weights[s] * (1.0 - mu * mu)
            m[s * n1 + b] = mu
            for k in range(n):
                p[k, s * n1 + b] = weight * G[s, b, k] ** 2


@njit(**OPTIONS)
def fill_plane_terms(G, theta, weights, p, m):  # type: ignore[no-untyped-def]
    """:func:`fill_real_terms` for planes: p (n // 2, T)."""
    n_sets, n1, n = G.shape
    for s in range(n_sets):
        for b in range(n1 // 2):
            i = s * n1 + 2 * b
            phi = theta[s, b]
            v = 0.5 * weights[s] * (1.0 - phi * phi)
            m[i], m[i + 1] = phi, -phi
            for a in range(n // 2):
                g11, g12 = G[s, 2 * b, 2 * a], G[s, 2 * b + 1, 2 * a]
                g21, g22 = G[s, 2 * b, 2 * a + 1], G[s, 2 * b + 1, 2 * a + 1]
                p[a, i] = v * ((g11 + g22) ** 2 + (g12 - g21) ** 2)
                p[a, i + 1] = v * ((g11 - g22) ** 2 + (g12 + g21) ** 2)
        if n1 % 2:
            i = s * n1 + n1 - 1
            m[i] = 0.0
            for a in range(n // 2):
                p[a, i] = weights[s] * (G[s, n1 - 1, 2 * a] ** 2 + G[s, n1 - 1, 2 * a + 1] ** 2)


@njit(**OPTIONS)
def fill_values(points, p, m, values):  # type: ignore[no-untyped-def]
    """Fill `values` (k, n_points) with (1-x^2) sum_i p_ki / (1-x m_i)^2 at points x (k, n_points).

    The innermost loop is over points, so that it is one of vector instructions.
    """
    k, n_points = points.shape
    values[:] = 0.0
    for row in range(k):
        for i in range(len(m)):
            for j in range(n_points):
                rest = 1.0 - points[row, j] * m[i]
                values[row, j] += p[row, i] / (rest * rest)
        for j in range(n_points):
            values[row, j] *= 1.0 - points[row, j] * points[row, j]
