"""Slow and simple versions of what the library computes."""

import warnings

import numpy as np
import scipy.linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso


def hankel_by_loop(sequence, delays):
    columns = []
    for t in range(sequence.shape[1] - delays + 1):
        columns.append(np.concatenate([sequence[:, t + k] for k in range(delays)]))
    return np.array(columns).T


def fit_literally(Y, n_states):
    """A, C and the states of Sec. 4.1 as printed: one SVD, one pseudo-inverse."""
    U, s, Vt = np.linalg.svd(Y, full_matrices=False)
    C = U[:, :n_states]
    X = np.diag(s[:n_states]) @ Vt[:n_states]
    A = X[:, 1:] @ np.linalg.pinv(X[:, :-1])
    return A, C, X


def soft_normalise(A, scale):
    """Eq. (2) as printed."""
    U, s, Vt = np.linalg.svd(A)
    return U @ np.diag(2 / (1 + np.exp(-scale * s)) - 1) @ Vt


def radius(A):
    return np.abs(scipy.linalg.eigvals(A)).max()


def simulate_by_loop(A, C, mean, x0, n_timepoints):
    x, samples = x0, []
    for _ in range(n_timepoints):
        samples.append(C @ x + mean)
        x = A @ x
    return np.array(samples).T


def structured_least_squares(X, sign):
    """The S = sign * S' that minimises |X(1) - S X(0)|_F, by least squares on its free entries."""
    n = len(X)
    basis = []
    for i in range(n):
        for j in range(i, n):
            E = np.zeros((n, n))
            E[i, j] += 1.0
            E[j, i] += sign * 1.0
            if np.any(E):
                basis.append(E)
    if not basis:
        return np.zeros((n, n))
    design = np.stack([(E @ X[:, :-1]).ravel() for E in basis], axis=1)
    coefficients = np.linalg.lstsq(design, X[:, 1:].ravel(), rcond=None)[0]
    return sum(c * E for c, E in zip(coefficients, basis, strict=True))


def block_skew(theta, n_states):
    K = np.zeros((n_states, n_states))
    for k, t in enumerate(theta):
        K[2 * k, 2 * k + 1], K[2 * k + 1, 2 * k] = t, -t
    return K


def observability(A, C, n_blocks):
    """[C; CA; CA^2; ...], cut after n_blocks."""
    blocks = [C]
    for _ in range(n_blocks - 1):
        blocks.append(blocks[-1] @ A)
    return np.vstack(blocks)


def projection_kernel_by_qr(first, second, n_blocks=3000):
    """|V1'V2|_F^2 of two single systems, V an orthonormal basis of a long observability matrix."""
    V1, V2 = (
        np.linalg.qr(observability(system.A[0], system.C[0], n_blocks))[0]
        for system in (first, second)
    )
    return np.linalg.norm(V1.T @ V2) ** 2


def cross_gramian_by_kronecker(A1, C1, A2, C2):
    """O1'O2, which solves X = A1' X A2 + C1'C2."""
    return solve_stein_by_kronecker(A1, A2, C1.T @ C2)


def solve_stein_by_kronecker(A1, A2, G):
    """X = A1' X A2 + G from the linear system vec(X) = (A1' kron A2') vec(X) + vec(G)."""
    system = np.eye(G.size) - np.kron(A1.T, A2.T)
    return np.linalg.solve(system, G.ravel()).reshape(G.shape)


def angles_by_qr(first, second, n_blocks=3000):
    """Principal angles of two single systems from long observability matrices."""
    return np.sort(
        scipy.linalg.subspace_angles(
            observability(first.A[0], first.C[0], n_blocks),
            observability(second.A[0], second.C[0], n_blocks),
        )
    )


def angles_by_recursion(V1, V2, n_starts=20, n_steps=2000):
    """Eq. (5) as printed: the best pair of unit vectors, then the best pair orthogonal to it, ...

    Each maximum is found by improving u and v in turn, from several starts.
    """
    random = np.random.default_rng(0)
    left, right, cosines = np.zeros((len(V1), 0)), np.zeros((len(V2), 0)), []
    for _ in range(V1.shape[1]):
        best = (-1.0, None, None)
        for _ in range(n_starts):
            v = V2 @ random.standard_normal(V2.shape[1])
            v -= right @ (right.T @ v)
            for _ in range(n_steps):
                u = V1 @ (V1.T @ v)
                u -= left @ (left.T @ u)
                u /= np.linalg.norm(u)
                v = V2 @ (V2.T @ u)
                v -= right @ (right.T @ v)
                v /= np.linalg.norm(v)
            best = max(best, (float(u @ v), u, v), key=lambda found: found[0])
        cosines.append(best[0])
        left, right = np.column_stack([left, best[1]]), np.column_stack([right, best[2]])
    return np.arccos(np.clip(cosines, -1.0, 1.0))


def projection_kernel_by_scipy(first, second):
    """The plain way for one pair: three discrete Lyapunov equations."""

    def gramian(A1, C1, A2, C2):
        # scipy solves A X A' - X + Q = 0 for one A; two systems go in as one block-diagonal A.
        n1 = len(A1)
        A = scipy.linalg.block_diag(A1, A2)
        C = np.hstack([C1, C2])
        W = scipy.linalg.solve_discrete_lyapunov(A.T, C.T @ C)
        return W[:n1, :n1], W[:n1, n1:], W[n1:, n1:]

    W1, W12, W2 = gramian(first.A[0], first.C[0], second.A[0], second.C[0])
    return np.trace(np.linalg.solve(W1, W12) @ np.linalg.solve(W2, W12.T))


def divergence_rate_by_covariance(first, second, n_timepoints):
    """KL divergence of long stretches of two Gaussian processes, the growth per time point."""

    def moments(system, length):
        A, C, B = system.A[0], system.C[0], system.B[0]
        P = scipy.linalg.solve_discrete_lyapunov(A, B @ B.T)
        m = len(C)
        cov = np.zeros((length * m, length * m))
        for s in range(length):
            for t in range(length):
                lag = abs(s - t)
                block = C @ np.linalg.matrix_power(A, lag) @ P @ C.T
                cov[s * m : (s + 1) * m, t * m : (t + 1) * m] = block if s >= t else block.T
        cov += np.diag(np.tile(system.noise_variance[0], length))
        return np.tile(system.mean[0], length), cov

    def divergence(length):
        (m1, S1), (m2, S2) = moments(first, length), moments(second, length)
        inverse = np.linalg.inv(S2)
        return 0.5 * (
            np.trace(inverse @ S1)
            + (m1 - m2) @ inverse @ (m1 - m2)
            - len(S1)
            + np.linalg.slogdet(S2)[1]
            - np.linalg.slogdet(S1)[1]
        )

    return divergence(n_timepoints + 1) - divergence(n_timepoints)


def kkt_residual(K, k, z, sparsity, nonnegative=False):
    """Distance of zero from the subdifferential of z'Kz - 2z'k + sparsity |z|_1, over 2."""
    worst = 0.0
    for j in range(len(K)):
        slope = sum(K[j, i] * z[i] for i in range(len(K))) - k[j]
        if z[j] > 0:
            worst = max(worst, abs(slope + sparsity / 2))
        elif z[j] < 0:
            worst = max(worst, np.inf if nonnegative else abs(slope - sparsity / 2))
        elif nonnegative:
            worst = max(worst, -slope - sparsity / 2)
        else:
            worst = max(worst, abs(slope) - sparsity / 2)
    return worst


def lasso_by_scikit_learn(D, x, sparsity, nonnegative=False):
    """Codes by coordinate descent run until nothing changes; its LARS stops up to 1e-3 short."""
    alpha = sparsity / 2 / D.shape[1]  # scikit-learn divides the squares by their number
    model = Lasso(alpha, fit_intercept=False, positive=nonnegative, tol=1e-16, max_iter=10**5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.array([model.fit(D.T, sample).coef_ for sample in x])


def lasso_objective(K, k, z, sparsity):
    return z @ K @ z - 2 * z @ k + sparsity * np.abs(z).sum()


def long_projector(A, C, n_blocks=150):
    """V V' of the observability matrix cut after many blocks."""
    blocks = [C]
    for _ in range(n_blocks - 1):
        blocks.append(blocks[-1] @ A)
    V = np.linalg.qr(np.vstack(blocks))[0]
    return V @ V.T


def dictionary_objective(samples, atoms, codes, sparsity):
    """Eq. (14) with explicit projectors of samples and atoms."""
    total = sparsity * np.abs(codes).sum()
    for P, z in zip(samples, codes, strict=True):
        rebuilt = sum(coefficient * D for coefficient, D in zip(z, atoms, strict=True))
        total += np.linalg.norm(P - rebuilt) ** 2
    return total


def literal_s(eigenvalue, eigenvalues, measurements, weights):
    """S_{r,k} of Table 2: sum_s c_s U_s E(eigenvalue, Lambda_s) U_s*, m x m."""
    m = measurements.shape[1]
    S = np.zeros((m, m), dtype=complex)
    for c, Lambda, U in zip(weights, eigenvalues, measurements, strict=True):
        top = (1 - abs(eigenvalue) ** 2) * (1 - np.abs(Lambda) ** 2)
        E = np.diag(top / np.abs(1 - eigenvalue * np.conj(Lambda)) ** 2)
        S += c * U @ E @ U.conj().T
    return S


def class_residuals(gram, cross, own, codes, atom_classes):
    """e_c of Eq. (13), (N, n_classes): one system and one pair of atoms after the other."""
    residuals = np.empty((len(codes), atom_classes.max() + 1))
    for i, z in enumerate(codes):
        for c in range(residuals.shape[1]):
            atoms = np.flatnonzero(atom_classes == c)
            linear = sum(z[j] * cross[i, j] for j in atoms)
            square = sum(z[j] * z[k] * gram[j, k] for j in atoms for k in atoms)
            residuals[i, c] = own[i] - 2 * linear + square
    return residuals


def least_on_a_dense_grid(p, m, limit):
    """Least (1-x^2) sum p / (1-x m)^2 in [-limit, limit]: 20,001 points, then golden sections."""
    from scipy.optimize import minimize_scalar

    end = np.arctanh(limit)
    places = np.linspace(-end, end, 20_001)

    def height(u):
        x = np.clip(np.tanh(u), -limit, limit)
        return (1 - x**2) * (p / (1 - np.multiply.outer(x, m)) ** 2).sum(axis=-1)

    heights = height(places)
    at = heights.argmin()
    low, high = places[max(at - 1, 0)], places[min(at + 1, len(places) - 1)]
    return min(heights[at], minimize_scalar(height, bounds=(low, high), method="bounded").fun)


def condition_states(model, Y, observed):
    """All states and samples as one normal vector, conditioned on the observed samples.

    Returns the means (tau, n) and the joint covariance (tau n, tau n) of the states given all
    samples, and the log-likelihood.
    """
    tau, n = Y.shape[1], len(model.A)
    means, cov = [model.start], np.zeros((tau * n, tau * n))
    P = model.start_covariance
    for t in range(tau):
        rows = slice(t * n, (t + 1) * n)
        cov[rows, rows] = P
        for s in range(t + 1, tau):
            later = slice(s * n, (s + 1) * n)
            cov[later, rows] = np.linalg.matrix_power(model.A, s - t) @ P
            cov[rows, later] = cov[later, rows].T
        P = model.A @ P @ model.A.T + model.process
        means.append(model.A @ means[-1])
    prior = np.concatenate(means[:tau])
    C = np.kron(np.eye(tau), model.C)[observed.T.ravel() > 0]
    y = Y.T.ravel()[observed.T.ravel() > 0]
    S = C @ cov @ C.T + np.diag(np.tile(model.variances, tau)[observed.T.ravel() > 0])
    residual = y - C @ prior
    gain = np.linalg.solve(S, C @ cov).T
    log_likelihood = -0.5 * (
        residual @ np.linalg.solve(S, residual)
        + np.linalg.slogdet(S)[1]
        + len(y) * np.log(2 * np.pi)
    )
    return (prior + gain @ residual).reshape(tau, n), cov - gain @ C @ cov, log_likelihood


def nystroem_kernel(rows, gram, columns):
    """K(rows) K^+ K(columns) of a kernel matrix of landmarks, its small eigenvalues left out."""
    eigenvalues, vectors = scipy.linalg.eigh(gram)
    total = 0.0
    for k in range(len(gram)):
        if eigenvalues[k] > 1e-8 * eigenvalues[-1]:
            total = total + np.outer(rows @ vectors[:, k], columns @ vectors[:, k]) / eigenvalues[k]
    return total


def nearest_by_kernel(K, k):
    """Columns of the k largest values of each row, and the values; of equals the first columns."""
    columns = np.array([sorted(range(len(row)), key=lambda j: (-row[j], j))[:k] for row in K])
    return columns, np.take_along_axis(K, columns, axis=1)
