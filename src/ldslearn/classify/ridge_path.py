"""Ridge regression on a kernel matrix, with the predictions of held-out folds in closed form."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ldslearn._types import Floats, Indices

_ROUNDING = 1e-12  # relative to the largest eigenvalue; smaller ones are rounding errors


@dataclass(frozen=True)
class RidgePath:
    r"""Ridge regressions with an intercept for all penalties, from one decomposition.

    Attributes
    ----------
    values : (rank,) array
        Positive eigenvalues of the centred kernel matrix; negative ones, of an indefinite kernel,
        are left out.
    vectors : (N, rank) array
        Their eigenvectors.
    row_means : (N,) array
        Mean of every column of the kernel matrix.

    Notes
    -----
    With the centred kernel matrix :math:`K_c` and the penalty :math:`a`, predictions of the
    training examples are :math:`H y`, :math:`H = 1 1^T / N + K_c (K_c + a I)^{-1}`. If the
    examples S are held out, their errors are :math:`(I - H_{SS})^{-1} (y - H y)_S` [1]_: the
    regression without them need not be computed.

    References
    ----------
    .. [1] R. D. Cook, S. Weisberg, *Residuals and Influence in Regression*, 1982, Sec. 2.2 and 3.3.
    """

    values: Floats
    vectors: Floats
    row_means: Floats

    @classmethod
    def decompose(cls, K: Floats) -> "RidgePath":
        """Decompose the kernel matrix of the training examples, (N, N)."""
        means = K.mean(axis=0)
        values, vectors = linalg.eigh(K - means - means[:, None] + means.mean())
        kept = values > _ROUNDING * max(values[-1], 0.0)
        return cls(values[kept], np.ascontiguousarray(vectors[:, kept]), means)

    @classmethod
    def decompose_features(cls, Z: Floats) -> "RidgePath":
        """Decompose the linear kernel matrix of features with mean zero, (N, n_features).

        The smaller of the two products of the matrix with itself is decomposed.
        """
        if len(Z) <= Z.shape[1]:
            return cls.decompose(Z @ Z.T)
        values, vectors = linalg.eigh(Z.T @ Z)
        kept = values > _ROUNDING * max(values[-1], 0.0)
        return cls(values[kept], Z @ (vectors[:, kept] / np.sqrt(values[kept])), np.zeros(len(Z)))

    def fit(self, targets: Floats, penalty: float) -> tuple[Floats, Floats]:
        """Return weights and intercepts: a prediction is ``k(x, X) @ weights + intercepts``.

        Parameters
        ----------
        targets : (N, n_outputs) array
        penalty : float

        Returns
        -------
        weights : (N, n_outputs) array
        intercepts : (n_outputs,) array
        """
        means = targets.mean(axis=0)
        inside = self.vectors / (self.values + penalty)
        weights = inside @ (self.vectors.T @ (targets - means))
        return weights, means - self.row_means @ weights

    def predict_held_out(self, targets: Floats, penalty: float, fold: Floats) -> Floats:
        """Return the prediction of every example by the regression without its fold.

        Parameters
        ----------
        targets : (N, n_outputs) array
        penalty : float
        fold : (N,) array
            Number of the fold of each example, from 0; -1 for those that are never held out.

        Returns
        -------
        (N, n_outputs) array
            NaN where an example is never held out.
        """
        n = len(self.vectors)
        means = targets.mean(axis=0)
        shrunk = self.vectors * (self.values / (self.values + penalty))
        errors = targets - means - shrunk @ (self.vectors.T @ (targets - means))
        found = np.full(targets.shape, np.nan)
        for number in range(int(fold.max()) + 1):
            held = np.flatnonzero(fold == number)
            left = np.eye(len(held)) - shrunk[held] @ self.vectors[held].T - 1 / n
            found[held] = targets[held] - np.linalg.solve(left, errors[held])
        return found

    def predict_left_out(self, targets: Floats, penalty: float) -> Floats:
        """Return the prediction of every example by the regression without it.

        The same as :meth:`predict_held_out` with one example per fold, in one step.

        Parameters
        ----------
        targets : (N, n_outputs) array
        penalty : float

        Returns
        -------
        (N, n_outputs) array
        """
        means = targets.mean(axis=0)
        factors = self.values / (self.values + penalty)
        fitted = self.vectors @ (factors[:, None] * (self.vectors.T @ (targets - means)))
        return targets - (targets - means - fitted) / self.measure_freedom(penalty)[:, None]

    def measure_freedom(self, penalty: float) -> Floats:
        """Return how far an example does not decide its own prediction, 1 - H_ii, (N,).

        Parameters
        ----------
        penalty : float

        Returns
        -------
        (N,) array
            Above 0 and at most 1.
        """
        factors = self.values / (self.values + penalty)
        free = 1 - np.square(self.vectors) @ factors - 1 / len(self.vectors)
        # Zero only for a penalty of almost zero, where an example decides its own prediction.
        return np.maximum(free, _ROUNDING)


def make_targets(labels: Indices) -> Floats:
    """Return the targets of a regression, (N, n_classes): 1 for the own class, -1 for others."""
    return np.where(labels[:, None] == np.arange(labels.max() + 1), 1.0, -1.0)
