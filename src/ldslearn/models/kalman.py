"""Compiled Kalman filter and smoother in the states: square roots, measurements as information.

The measurements of a time point enter as J = C' R^-1 C and h = C' R^-1 y over the channels that are
observed, so that the cost here does not depend on the number of channels, and a time point without
any is J = 0, h = 0. The filter keeps roots of covariances, P = L L'. The smoother collects the
information of all later measurements on the way back, and joins it to that of the filter. Only
matrices I + X'X are inverted: noise and first state may have singular covariances.

Several sequences are worked on at once, the last axis of every array. Shorter ones end earlier, and
are zero after that.
"""

import numpy as np

from ldslearn._compiling import njit
from ldslearn.models.small_matrices import (
    OPTIONS,
    add_transposed_product,
    complement_product,
    divide_right,
    divide_right_lower,
    factor_sum,
    multiply,
    multiply_lower,
    multiply_transposed,
    multiply_vector,
    square,
    triangularize,
)


@njit(**OPTIONS)
def filter_states(A, B, start, root, J, h, lengths, x, roots, totals):  # type: ignore[no-untyped-def]
    """Write the filtered states of sequences, and a part of their log-likelihoods.

    That part is the sum over time of log |I + L' J L| + |w|^2, where the filter moves the predicted
    state by L w and L is the root of its covariance. With the residuals of the filtered states it
    makes the likelihood: :func:`ldslearn.models.measurements.estimate_states`.

    Parameters
    ----------
    A : (n, n, N) array
    B : (n, n, N) array
        Lower triangular roots of the covariances of the process noise.
    start : (n, N) array
        Expected first states.
    root : (n, n, N) array
        Lower triangular roots of their covariances.
    J : (tau, n, n, N) array
        Zero after the end of a sequence.
    h : (tau, n, N) array
        Likewise.
    lengths : (N,) array of int
    x : (tau, n, N) array
        Written: the states.
    roots : (tau, n, n, N) array
        Written: roots of their covariances.
    totals : (N,) array
        Written.
    """
    tau, n, n_systems = h.shape
    L, K, T = root.copy(), np.empty((n, n, n_systems)), np.empty((n, n, n_systems))
    M, v = np.empty((2 * n, n, n_systems)), np.empty((2 * n, n_systems))
    u, r, predicted = np.empty((n, n_systems)), np.empty((n, n_systems)), start.copy()
    sums, scales = np.empty(n_systems), np.empty(n_systems)
    totals[:] = 0.0
    for t in range(tau):
        # P <- L (I + L'JL)^-1 L', x <- x + L w with w = (I + L'JL)^-1 L'(h - Jx).
        multiply_lower(J[t], L, T)
        factor_sum(L, T, K)
        multiply_vector(J[t], predicted, r)
        for i in range(n):
            for s in range(n_systems):
                r[i, s] = h[t, i, s] - r[i, s]
        for i in range(n):
            for s in range(n_systems):
                totals[s] += 2 * np.log(K[i, i, s])
                u[i, s] = 0.0
            for k in range(i, n):
                for s in range(n_systems):
                    u[i, s] += L[k, i, s] * r[k, s]
            for k in range(i):
                for s in range(n_systems):
                    u[i, s] -= K[i, k, s] * u[k, s]
            for s in range(n_systems):
                u[i, s] /= K[i, i, s]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                for s in range(n_systems):
                    u[i, s] -= K[k, i, s] * u[k, s]
            for s in range(n_systems):
                u[i, s] /= K[i, i, s]
                totals[s] += u[i, s] * u[i, s]
        for i in range(n):
            for s in range(n_systems):
                x[t, i, s] = predicted[i, s]
            for k in range(i + 1):
                for s in range(n_systems):
                    x[t, i, s] += L[i, k, s] * u[k, s]
        divide_right(L, K, roots[t])
        # The root of A P A' + B B' is the triangular factor of [L'A'; B'].
        multiply(A, roots[t], T)
        for i in range(n):
            for j in range(n):
                for s in range(n_systems):
                    M[i, j, s] = T[j, i, s]
                    M[n + i, j, s] = B[j, i, s]
        triangularize(M, v, sums, scales)
        for i in range(n):
            for j in range(n):
                for s in range(n_systems):
                    L[i, j, s] = M[j, i, s] if j <= i else 0.0
        multiply_vector(A, x[t], predicted)
        for s in range(n_systems):
            if t + 1 >= lengths[s]:  # a system that is not stable would grow beyond all numbers
                L[:, :, s] = 0.0
                predicted[:, s] = 0.0


@njit(**OPTIONS)
def smooth_states(A, B, J, h, lengths, x, roots, cross):  # type: ignore[no-untyped-def]
    """Replace filtered states by smoothed ones, and roots of covariances by covariances.

    Parameters
    ----------
    A, B, J, h, lengths
        As for :func:`filter_states`.
    x : (tau, n, N) array
        Filtered states; overwritten.
    roots : (tau, n, n, N) array
        Roots of their covariances; overwritten by the covariances of the smoothed states.
    cross : (n, n, N) array
        Written: the sum over time of the covariances of x(t + 1) and x(t).
    """
    tau, n, n_systems = h.shape
    size = (n, n, n_systems)
    # Parts of one array would be slow: they might overlap, for all that the compiler knows.
    Jt, N, F = np.empty(size), np.empty(size), np.empty(size)
    T, K, D = np.empty(size), np.empty(size), np.empty(size)
    information = np.zeros(size)
    vector, r, u = np.zeros((n, n_systems)), np.empty((n, n_systems)), np.empty((n, n_systems))
    cross[:] = 0.0
    for t in range(tau - 1, -1, -1):
        if t < tau - 1:
            # With J and h of x(t + 1) from y(t + 1) on, M = (I + B B' J)^-1 and N = M A, the
            # information about x(t) is A' M' J A. Joseph's form, N'JN + A'FF'A with
            # F = J B (I + B'JB)^-1, does not cancel.
            for i in range(n):
                for j in range(n):
                    for s in range(n_systems):
                        Jt[i, j, s] = J[t + 1, i, j, s] + information[i, j, s]
                for s in range(n_systems):
                    r[i, s] = h[t + 1, i, s] + vector[i, s]
            multiply_lower(Jt, B, T)
            factor_sum(B, T, K)
            divide_right(T, K, F)
            divide_right(B, K, D)
            complement_product(D, F, T)  # M = I - B (I + B'JB)^-1 B'J
            multiply(T, A, N)
            divide_right_lower(F, K)
            multiply_transposed(A, F, D)
            square(D, information)
            multiply(Jt, N, T)
            add_transposed_product(N, T, information)
            for i in range(n):
                for s in range(n_systems):
                    vector[i, s] = N[0, i, s] * r[0, s]
                for k in range(1, n):
                    for s in range(n_systems):
                        vector[i, s] += N[k, i, s] * r[k, s]
        L = roots[t]
        multiply(information, L, T)
        factor_sum(L, T, K)
        divide_right(L, K, T)
        square(T, L)
        multiply_vector(information, x[t], r)
        for i in range(n):
            for s in range(n_systems):
                r[i, s] = vector[i, s] - r[i, s]
        multiply_vector(L, r, u)
        for i in range(n):
            for s in range(n_systems):
                x[t, i, s] += u[i, s]
        if t < tau - 1:  # cov(x(t + 1), x(t)) = N P(t)
            multiply(N, L, T)
            for i in range(n):
                for j in range(n):
                    for s in range(n_systems):
                        cross[i, j, s] += T[i, j, s] if t + 1 < lengths[s] else 0.0
