"""Kernels in rational arithmetic: nothing is rounded, whatever the condition."""

from fractions import Fraction

import numpy as np


def exactly(array):
    return np.vectorize(Fraction, otypes=[object])(np.asarray(array, dtype=float))


def solve(M, B):
    """M^-1 B by Gauss and Jordan."""
    M, B = M.copy(), B.copy()
    for k in range(len(M)):
        pivot = next(i for i in range(k, len(M)) if M[i, k] != 0)
        M[[k, pivot]], B[[k, pivot]] = M[[pivot, k]], B[[pivot, k]]
        M[k], B[k] = M[k] / M[k, k], B[k] / M[k, k]
        for i in range(len(M)):
            if i != k:
                B[i], M[i] = B[i] - M[i, k] * B[k], M[i] - M[i, k] * M[k]
    return B


def finite_cross_gramian(first, second, order):
    """Sum of (A1')^t C1'C2 A2^t over `order` terms."""
    (A1, C1), (A2, C2) = ((exactly(s.A[0]), exactly(s.C[0])) for s in (first, second))
    term, total = C1.T @ C2, 0
    for _ in range(order):
        total, term = total + term, A1.T @ term @ A2
    return total


def cross_gramian(first, second):
    """The solution of X = A1' X A2 + C1'C2."""
    (A1, C1), (A2, C2) = ((exactly(s.A[0]), exactly(s.C[0])) for s in (first, second))
    n1, n2 = len(A1), len(A2)
    system = exactly(np.eye(n1 * n2)) - np.kron(A1.T, A2.T)
    return solve(system, (C1.T @ C2).reshape(-1, 1)).reshape(n1, n2)


def kernel(first, second, gramian, **parameters):
    """|V1'V2|_F^2, the trace of W1^-1 X W2^-1 X'."""
    W1, W2, X = (
        gramian(a, b, **parameters) for a, b in ((first, first), (second, second), (first, second))
    )
    return float(np.trace(solve(W1, X) @ solve(W2, X.T)))
