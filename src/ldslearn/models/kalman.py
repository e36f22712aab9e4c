"""Compiled Kalman filter and smoother in the states: square roots, measurements as information.

The measurements of a time point enter as J = C' R^-1 C and h = C' R^-1 y over the channels that are
observed, so that the cost here does not depend on the number of channels, and a time point without
any is J = 0, h = 0. The filter keeps roots of covariances, P = L L'. The smoother collects the
information of all later measurements on the way back, and joins it to that of the filter. Only
matrices I + X'X are inverted: noise and first state may have singular covariances.
"""

import numpy as np
from numba import njit

from ldslearn.models.small_matrices import (
    OPTIONS,
    divide_right,
    factor_sum,
    multiply,
    multiply_transposed,
    multiply_vector,
    square,
    triangularize,
)


@njit(**OPTIONS)
def filter_states(A, B, start, root, J, h, x, roots):  # type: ignore[no-untyped-def]
    """Write the filtered states of a sequence, and return a part of its log-likelihood.

    That part is the sum over time of log |I + L' J L| + |w|^2, where the filter moves the predicted
    state by L w and L is the root of its covariance. With the residuals of the filtered states it
    makes the likelihood: :func:`ldslearn.models.measurements.estimate_states`.

    Parameters
    ----------
    A : (n, n) array
    B : (n, n) array
        Lower triangular root of the covariance of the process noise.
    start : (n,) array
        Expected first state.
    root : (n, n) array
        Root of its covariance.
    J : (tau, n, n) array
    h : (tau, n) array
    x : (tau, n) array
        Written: the states.
    roots : (tau, n, n) array
        Written: roots of their covariances.
    """
    tau, n = h.shape
    L, K, T = root.copy(), np.empty((n, n)), np.empty((n, n))
    M, v, s = np.empty((2 * n, n)), np.empty(2 * n), np.empty(n)
    u, predicted = np.empty(n), start.copy()
    total = 0.0
    for t in range(tau):
        # P <- L (I + L'JL)^-1 L', x <- x + L w with w = (I + L'JL)^-1 L'(h - Jx).
        multiply(J[t], L, T)
        factor_sum(L, T, K)
        multiply_vector(J[t], predicted, s)
        for i in range(n):
            total += 2 * np.log(K[i, i])
            value = 0.0
            for k in range(n):
                value += L[k, i] * (h[t, k] - s[k])
            for k in range(i):
                value -= K[i, k] * u[k]
            u[i] = value / K[i, i]
        for i in range(n - 1, -1, -1):
            value = u[i]
            for k in range(i + 1, n):
                value -= K[k, i] * u[k]
            u[i] = value / K[i, i]
            total += u[i] * u[i]
        multiply_vector(L, u, x[t])
        for i in range(n):
            x[t, i] += predicted[i]
        divide_right(L, K, roots[t])
        # The root of A P A' + B B' is the triangular factor of [L'A'; B'].
        multiply(A, roots[t], T)
        for i in range(n):
            for j in range(n):
                M[i, j] = T[j, i]
                M[n + i, j] = B[j, i]
        triangularize(M, v, s)
        for i in range(n):
            for j in range(n):
                L[i, j] = M[j, i] if j <= i else 0.0
        multiply_vector(A, x[t], predicted)
    return total


@njit(**OPTIONS)
def smooth_states(A, B, J, h, x, roots, cross):  # type: ignore[no-untyped-def]
    """Replace filtered states by smoothed ones, and roots of covariances by covariances.

    Parameters
    ----------
    A, B, J, h
        As for :func:`filter_states`.
    x : (tau, n) array
        Filtered states; overwritten.
    roots : (tau, n, n) array
        Roots of their covariances; overwritten by the covariances of the smoothed states.
    cross : (n, n) array
        Written: the sum over time of the covariances of x(t + 1) and x(t).
    """
    tau, n = h.shape
    Jt, N, F, T, K, D = np.empty((6, n, n))
    information = np.zeros((n, n))
    vector, r, u = np.zeros(n), np.empty(n), np.empty(n)
    for i in range(n):
        for j in range(n):
            cross[i, j] = 0.0
    for t in range(tau - 1, -1, -1):
        if t < tau - 1:
            # With J and h of x(t + 1) from y(t + 1) on, M = (I + B B' J)^-1 and N = M A, the
            # information about x(t) is A' M' J A. Joseph's form, N'JN + A'FF'A with
            # F = J B (I + B'JB)^-1, does not cancel.
            for i in range(n):
                for j in range(n):
                    Jt[i, j] = J[t + 1, i, j] + information[i, j]
                r[i] = h[t + 1, i] + vector[i]
            multiply(Jt, B, F)
            factor_sum(B, F, K)
            divide_right(F, K, F)
            divide_right(B, K, D)
            for i in range(n):  # M = I - B (I + B'JB)^-1 B'J
                for j in range(n):
                    value = 1.0 if i == j else 0.0
                    for k in range(n):
                        value -= D[i, k] * F[j, k]
                    T[i, j] = value
            multiply(T, A, N)
            for i in range(n):
                for j in range(n - 1, -1, -1):
                    value = F[i, j]
                    for k in range(j + 1, n):
                        value -= F[i, k] * K[k, j]
                    F[i, j] = value / K[j, j]
            multiply_transposed(A, F, D)
            square(D, information)
            multiply(Jt, N, T)
            for k in range(n):
                for i in range(n):
                    factor = N[k, i]
                    for j in range(n):
                        information[i, j] += factor * T[k, j]
            for i in range(n):
                vector[i] = 0.0
            for k in range(n):
                for i in range(n):
                    vector[i] += N[k, i] * r[k]
        L = roots[t]
        multiply(information, L, T)
        factor_sum(L, T, K)
        divide_right(L, K, T)
        square(T, L)
        multiply_vector(information, x[t], r)
        for i in range(n):
            r[i] = vector[i] - r[i]
        multiply_vector(L, r, u)
        for i in range(n):
            x[t, i] += u[i]
        if t < tau - 1:  # cov(x(t + 1), x(t)) = N P(t)
            multiply(N, L, T)
            for i in range(n):
                for j in range(n):
                    cross[i, j] += T[i, j]
