"""Compiled regression of every channel on the states, the second step of expectation-maximisation.

A channel has products of its own, of the time points at which it is observed. Channels are worked
on side by side, so that one instruction serves several of them.
"""

import numpy as np

from ldslearn._compiling import njit
from ldslearn.models.small_matrices import OPTIONS

_SIDE_BY_SIDE = 16
_TINY = float(np.finfo(np.float64).tiny)


@njit(**OPTIONS)
def regress_channels(products, b, last, anchor, rows, squares):  # type: ignore[no-untyped-def]
    """Write the coefficients of the states in all channels, and sums of squared residuals.

    With the matrix G of a channel the coefficients are (G + W)^-1 (b + W last), where W is `anchor`
    times the diagonal of G. One weight per input, in its own unit: the result does not depend on
    the units of the data.

    Parameters
    ----------
    products : (N, k (k + 1) / 2, m) array
        Upper triangles of G: sums over time of products of inputs.
    b : (N, k, m) array
        Sums over time of products of inputs and samples.
    last : (N, k, m) array
        Coefficients that hold without samples.
    anchor : float
    rows : (N, k, m) array
        Written.
    squares : (N, m) array
        Sums of the squared samples; overwritten by those of the residuals.
    """
    n_sequences, k, m = b.shape
    G, K = np.empty((k, k, _SIDE_BY_SIDE)), np.empty((k, k, _SIDE_BY_SIDE))
    weight, u = np.empty((k, _SIDE_BY_SIDE)), np.empty((k, _SIDE_BY_SIDE))
    for a in range(n_sequences):
        for start in range(0, m, _SIDE_BY_SIDE):
            width = min(_SIDE_BY_SIDE, m - start)
            place = 0
            for i in range(k):
                for j in range(i, k):
                    for c in range(width):
                        G[j, i, c] = products[a, place, start + c]
                        K[j, i, c] = G[j, i, c]
                    place += 1
                for c in range(width):
                    weight[i, c] = anchor * G[i, i, c] + _TINY
                    K[i, i, c] += weight[i, c]
                    u[i, c] = b[a, i, start + c] + weight[i, c] * last[a, i, start + c]
            for i in range(k):
                for j in range(i):
                    for e in range(j):
                        for c in range(width):
                            K[i, j, c] -= K[i, e, c] * K[j, e, c]
                    for c in range(width):
                        K[i, j, c] /= K[j, j, c]
                for e in range(i):
                    for c in range(width):
                        K[i, i, c] -= K[i, e, c] * K[i, e, c]
                        u[i, c] -= K[i, e, c] * u[e, c]
                for c in range(width):
                    # A pivot is at least its weight, but for rounding.
                    K[i, i, c] = np.sqrt(max(K[i, i, c], weight[i, c]))
                    u[i, c] /= K[i, i, c]
            for i in range(k - 1, -1, -1):
                for e in range(i + 1, k):
                    for c in range(width):
                        u[i, c] -= K[e, i, c] * u[e, c]
                for c in range(width):
                    u[i, c] /= K[i, i, c]
            for i in range(k):
                for c in range(width):
                    value = u[i, c] * G[i, i, c] - 2 * b[a, i, start + c]
                    squares[a, start + c] += u[i, c] * value
                    rows[a, i, start + c] = u[i, c]
                for j in range(i):
                    for c in range(width):
                        squares[a, start + c] += 2 * u[i, c] * u[j, c] * G[i, j, c]
