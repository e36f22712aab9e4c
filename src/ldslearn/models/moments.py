"""Expected products of states, from which the transition and the noise of a process follow."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from ldslearn._types import Floats
from ldslearn.models.measurements import StateEstimates


@dataclass(frozen=True)
class Moments:
    """Sums over time of expected products of the states of N sequences, or of one.

    Attributes
    ----------
    before, after : (N, n, n) arrays
        Of x(t) x(t)' and of x(t + 1) x(t + 1)', over all transitions.
    lagged : (N, n, n) array
        Of x(t + 1) x(t)'.
    first : (N, n, n) array
        Covariance of the first state.
    n_timepoints : (N, 1, 1) array
    """

    before: Floats
    after: Floats
    lagged: Floats
    first: Floats
    n_timepoints: Floats

    def residual_covariance(self, A: Floats) -> Floats:
        """Return the expected covariance of x(t + 1) - A x(t), and of the first state."""
        moved = A @ self.lagged.swapaxes(-1, -2)
        total = self.first + self.after - moved - moved.swapaxes(-1, -2)
        total += A @ self.before @ A.swapaxes(-1, -2)
        return (total + total.swapaxes(-1, -2)) / (2 * self.n_timepoints)

    def add_prior(self, weight: float, states: Floats, process: Floats) -> Self:
        """Return the moments with those of `weight` pseudo-samples that predict nothing.

        Their states have the variances `states`, (N, n), their noise the covariances `process`.
        """
        return type(self)(
            self.before + weight * states[:, :, None] * np.eye(states.shape[1]),
            self.after + weight * process,
            self.lagged,
            self.first,
            self.n_timepoints + weight,
        )

    def change_basis(self, T: Floats) -> Self:
        """Return the moments of T x."""
        parts = (self.before, self.after, self.lagged, self.first)
        before, after, lagged, first = (T @ M @ T.swapaxes(-1, -2) for M in parts)
        return type(self)(before, after, lagged, first, self.n_timepoints)

    def __getitem__(self, index: int) -> Self:
        """Return the moments of one sequence."""
        return type(self)(*(getattr(self, each.name)[index] for each in fields(self)))


def sum_moments(estimates: StateEstimates) -> Moments:
    """Return the moments of smoothed states."""
    X, P = estimates.states, estimates.covariances
    total = X.transpose(0, 2, 1) @ X + P.sum(axis=1)
    ends = np.arange(len(X)), estimates.lengths - 1
    last = X[ends][:, :, None] * X[ends][:, None] + P[ends]
    return Moments(
        total - last,
        total - X[:, 0, :, None] * X[:, 0, None] - P[:, 0],
        X[:, 1:].transpose(0, 2, 1) @ X[:, :-1] + estimates.cross,
        P[:, 0],
        estimates.lengths[:, None, None].astype(np.float64),
    )


def solve_transition(before: Floats, lagged: Floats) -> Floats:
    """Return the A, (N, n, n), with A before = lagged."""
    solved = np.linalg.solve(before, lagged.transpose(0, 2, 1)).transpose(0, 2, 1)
    return np.asarray(solved, dtype=np.float64)
