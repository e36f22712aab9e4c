"""Regressors of the same systems, which share their kernel matrices."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn._places import locate_systems
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats
from ldslearn.auto.candidates import Rule
from ldslearn.auto.committee import SharedKernels
from ldslearn.classify.ridge_path import RidgePath
from ldslearn.geometry.fitted_kernels import check_same_layout, cut_rows
from ldslearn.models.blocks import apply_by_blocks
from ldslearn.models.lds import LDS, as_systems


class RegressionCommittee(SharedKernels, NonTabularMixin, RegressorMixin, BaseEstimator):
    """Predict numbers of systems by several ridge regressions.

    Parameters
    ----------
    rules : sequence of Rule
        Weights of kernels.
    penalties : sequence of float
        Of each regression.
    scales : mapping of str to float
        Variance of each kernel, which it is divided by.
    bandwidths : mapping of str to float
        Of the kernels that have one.
    n_jobs : int or None, default=None
        Threads, as in joblib.

    Attributes
    ----------
    systems_ : LDS
        The training systems.
    weights_ : (n_rules, n_systems, n_outputs) array
        Of the kernels with the training systems.
    intercepts_ : (n_rules, n_outputs) array
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        penalties: Sequence[float],
        scales: Mapping[str, float],
        bandwidths: Mapping[str, float],
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.rules = rules
        self.penalties = penalties
        self.scales = scales
        self.bandwidths = bandwidths
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any) -> Self:
        """Fit every regression to systems and targets, (N, n_outputs)."""
        systems = as_systems(X, "X", at_least_one=True)
        return self.fit_matrices(systems, self._compute_matrices(systems, self.n_jobs), y)

    def fit_matrices(self, systems: LDS, matrices: Mapping[str, Floats], y: Floats) -> Self:
        """Fit every regression to kernel matrices that are known.

        Parameters
        ----------
        systems : LDS
        matrices : mapping of str to (N, N) array
            Kernels of the training systems, divided by their scales.
        y : (N, n_outputs) array
        """
        found = [
            RidgePath.decompose(rule.mix(matrices)).fit(y, penalty)
            for rule, penalty in zip(self.rules, self.penalties, strict=True)
        ]
        self.systems_ = systems
        self.weights_ = np.stack([weights for weights, _ in found])
        self.intercepts_ = np.stack([intercepts for _, intercepts in found])
        return self

    def predict(self, X: LDS) -> Floats:
        """Return the mean prediction of all rules, (len(X), n_outputs)."""
        return self.predict_rules(X).mean(axis=1)

    @apply_by_blocks
    def predict_rules(self, X: LDS) -> Floats:
        """Return the predictions of every rule, (len(X), n_rules, n_outputs)."""
        check_is_fitted(self)
        kernels = self._make_kernels(self.systems_)
        systems = check_same_layout(X, self.systems_, "the model was fitted with")
        found = []
        for block in cut_rows(len(systems), len(self.systems_)):
            with locate_systems(block.start):
                cross = {
                    part: kernel.cross(systems[block], self.n_jobs)
                    for part, kernel in kernels.items()
                }
            rows = [rule.mix(cross) @ w for rule, w in zip(self.rules, self.weights_, strict=True)]
            found.append(np.stack(rows, axis=1) + self.intercepts_)
        return np.concatenate(found)
