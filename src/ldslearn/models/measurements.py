"""Measurements with gaps as information about the states, and their likelihood."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.models.kalman import filter_states, smooth_states

# Sequences that are worked on at once: enough for vector instructions, few enough for a cache.
GROUP_SIZE = 16
_GROUP_SAMPLES = 2**18
_LANES = 4  # numbers in a vector


@dataclass(frozen=True, slots=True)
class StateModel:
    """N systems as processes of Eq. (1): x(t + 1) = A x(t) + v(t), y(t) = C x(t) + w(t).

    Attributes
    ----------
    A : (N, n, n) array
    C : (N, m, n) array
    process : (N, n, n) array
        Covariances of v(t).
    variances : (N, m) array
        Variances of w(t), positive.
    start : (N, n) array
        Expected first states.
    start_covariance : (N, n, n) array
    """

    A: Floats
    C: Floats
    process: Floats
    variances: Floats
    start: Floats
    start_covariance: Floats


@dataclass(frozen=True, slots=True)
class StateEstimates:
    """States of one sequence per system given its samples; zero after its end.

    Attributes
    ----------
    states : (N, tau, n) array
        Filtered, or smoothed.
    covariances : (N, tau, n, n) array
    cross : (N, n, n) array
        Sums over time of the covariances of x(t + 1) and x(t), if smoothed.
    log_likelihood : (N,) array
        Of the observed samples.
    lengths : (N,) array of int
        Time points of each sequence.
    """

    states: Floats
    covariances: Floats
    cross: Floats
    log_likelihood: Floats
    lengths: Indices


def estimate_states(
    model: StateModel, Y: Floats, observed: Floats, lengths: Indices, *, smooth: bool
) -> StateEstimates:
    """Return the states of one sequence per system, with covariances and log-likelihoods.

    Parameters
    ----------
    model : StateModel
    Y : (N, m, tau) array
        Samples less their mean; 0 where none is observed, and after the end of a sequence.
    observed : (N, m, tau) array
        1 where a sample is observed, else 0.
    lengths : (N,) array of int
        Time points of each sequence.
    smooth : bool
        Use all samples for each state, and not only those up to it.
    """
    A, C, variances = model.A, model.C, model.variances
    n_systems, _, tau = Y.shape
    n = A.shape[1]
    rows, columns, places = list_pairs(n)
    weighted = C / variances[:, :, None]
    J = observed.transpose(0, 2, 1) @ (weighted[:, :, rows] * C[:, :, columns])
    h = Y.transpose(0, 2, 1) @ weighted
    B = find_roots(model.process)
    alike = model.start_covariance is model.process
    roots = B if alike else find_roots(model.start_covariance)
    width = 1 if n_systems == 1 else -(-n_systems // _LANES) * _LANES
    A, B, h, start, roots, J = (_put_last(one, width) for one in (A, B, h, model.start, roots, J))
    J = np.take(J, places, axis=1).reshape(tau, n, n, width)  # an index would not be C-contiguous
    x, P, cross = np.empty((tau, n, width)), np.empty((tau, n, n, width)), np.empty((n, n, width))
    ends, totals = np.zeros(width, dtype=np.intp), np.empty(width)
    ends[:n_systems] = lengths
    filter_states(A, B, start, roots, J, h, ends, x, P, totals)
    totals = totals[:n_systems]
    residuals = C @ _put_first(x, n_systems).transpose(0, 2, 1)
    np.subtract(Y, residuals, out=residuals)
    residuals *= observed
    squares = np.einsum("aij,aij->ai", residuals, residuals)
    totals += (observed.sum(axis=2) * np.log(2 * np.pi * variances)).sum(axis=1)
    totals += (squares / variances).sum(axis=1)
    if smooth:
        smooth_states(A, B, J, h, ends, x, P, cross)
    x, P, cross = (_put_first(one, n_systems) for one in (x, P, cross))
    if not smooth:
        P = P @ P.transpose(0, 1, 3, 2)
    return StateEstimates(x, P, cross, -0.5 * totals, lengths)


def _put_last(array: Floats, width: int) -> Floats:
    """Return an array whose first axis, the systems, is the last one, and padded by zeros."""
    padded = np.zeros((*array.shape[1:], width))
    padded[..., : len(array)] = np.moveaxis(array, 0, -1)
    return padded


def _put_first(array: Floats, n_systems: int) -> Floats:
    """Return an array whose last axis, the systems, is the first one, without padding."""
    return np.ascontiguousarray(np.moveaxis(array[..., :n_systems], -1, 0))


def group_by_length(lengths: list[int], n_rows: int) -> list[list[int]]:
    """Return indices of sequences that are worked on together, of about equal lengths."""
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i], reverse=True):
        longest = lengths[groups[-1][0]] if groups else 0
        most = min(GROUP_SIZE, _GROUP_SAMPLES // (n_rows * max(longest, 1)))
        if not groups or len(groups[-1]) >= most:
            groups.append([])
        groups[-1].append(index)
    return groups


def pad(arrays: Sequence[NDArray[Any]], length: int) -> Floats:
    """Return matrices (m, tau) of different lengths as one array, zero after their ends."""
    padded = np.zeros((len(arrays), len(arrays[0]), length))
    for row, array in zip(padded, arrays, strict=True):
        row[:, : array.shape[1]] = array
    return padded


_pairs: dict[int, tuple[Indices, Indices, Indices]] = {}


def list_pairs(n: int) -> tuple[Indices, Indices, Indices]:
    """Return rows and columns of an upper triangle, and the place in it of each matrix entry."""
    if n not in _pairs:
        rows, columns = np.triu_indices(n)
        places = np.empty((n, n), dtype=np.intp)
        places[rows, columns] = places[columns, rows] = np.arange(len(rows))
        _pairs[n] = rows, columns, places.ravel()
    return _pairs[n]


def find_roots(covariances: Floats) -> Floats:
    """Return lower triangular roots of covariances, (N, n, n), which may be singular."""
    try:
        return np.asarray(np.linalg.cholesky(covariances), dtype=np.float64)
    except np.linalg.LinAlgError:
        if len(covariances) > 1:  # the others keep their digits
            return np.concatenate([find_roots(each[None]) for each in covariances])
        values, vectors = np.linalg.eigh(covariances)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
    factors: Floats = np.asarray(np.linalg.qr(roots.transpose(0, 2, 1), mode="r"))
    return np.ascontiguousarray(factors.transpose(0, 2, 1))
