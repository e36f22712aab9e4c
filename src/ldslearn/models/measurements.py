"""Measurements with gaps as information about the states, and their likelihood."""

from dataclasses import dataclass

import numpy as np

from ldslearn._types import Floats, Indices
from ldslearn.models.kalman import filter_states, smooth_states


@dataclass(frozen=True, slots=True)
class StateModel:
    """One system as the process of Eq. (1): x(t + 1) = A x(t) + v(t), y(t) = C x(t) + w(t).

    Attributes
    ----------
    A : (n, n) array
    C : (m, n) array
    process : (n, n) array
        Covariance of v(t).
    variances : (m,) array
        Variances of w(t), positive.
    start : (n,) array
        Expected first state.
    start_covariance : (n, n) array
    """

    A: Floats
    C: Floats
    process: Floats
    variances: Floats
    start: Floats
    start_covariance: Floats


@dataclass(frozen=True, slots=True)
class StateEstimates:
    """States of one sequence given its samples.

    Attributes
    ----------
    states : (tau, n) array
        Filtered, or smoothed.
    covariances : (tau, n, n) array
    cross : (n, n) array
        Sum over time of the covariances of x(t + 1) and x(t), if smoothed.
    log_likelihood : float
        Of the observed samples.
    """

    states: Floats
    covariances: Floats
    cross: Floats
    log_likelihood: float


def estimate_states(
    model: StateModel, Y: Floats, observed: Floats, *, smooth: bool
) -> StateEstimates:
    """Return the states of one sequence, with covariances and the log-likelihood.

    Parameters
    ----------
    model : StateModel
    Y : (m, tau) array
        Samples less their mean; 0 where none is observed.
    observed : (m, tau) array
        1 where a sample is observed, else 0.
    smooth : bool
        Use all samples for each state, and not only those up to it.
    """
    A, C, variances = model.A, model.C, model.variances
    tau, n = Y.shape[1], len(A)
    rows, columns, places = _list_pairs(n)
    weighted = C / variances[:, None]
    J = (observed.T @ (weighted[:, rows] * C[:, columns]))[:, places].reshape(tau, n, n)
    h = Y.T @ weighted
    x, P, cross = np.empty((tau, n)), np.empty((tau, n, n)), np.empty((n, n))
    B = find_root(model.process)
    alike = model.start_covariance is model.process
    root = B if alike else find_root(model.start_covariance)
    total = filter_states(A, B, model.start, root, J, h, x, P)
    residuals = C @ x.T
    np.subtract(Y, residuals, out=residuals)
    residuals *= observed
    squares = np.einsum("ij,ij->i", residuals, residuals)
    total += float(observed.sum(axis=1) @ np.log(2 * np.pi * variances))
    total += float((squares / variances).sum())
    if smooth:
        smooth_states(A, B, J, h, x, P, cross)
    else:
        P = P @ P.transpose(0, 2, 1)
    return StateEstimates(x, P, cross, -0.5 * total)


_pairs: dict[int, tuple[Indices, Indices, Indices]] = {}


def _list_pairs(n: int) -> tuple[Indices, Indices, Indices]:
    """Return rows and columns of an upper triangle, and the place in it of each matrix entry."""
    if n not in _pairs:
        rows, columns = np.triu_indices(n)
        places = np.empty((n, n), dtype=np.intp)
        places[rows, columns] = places[columns, rows] = np.arange(len(rows))
        _pairs[n] = rows, columns, places.ravel()
    return _pairs[n]


def find_root(covariance: Floats) -> Floats:
    """Return a lower triangular root of a covariance, which may be singular."""
    try:
        return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))
        factor: Floats = np.asarray(np.linalg.qr(roots.T, mode="r"))
        return np.ascontiguousarray(factor.T)
