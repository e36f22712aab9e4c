"""The regressor of sequences by random systems and ridge regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from ldslearn._parallel import limit_blas_threads
from ldslearn._types import Floats
from ldslearn.models.imputation import fill_or_check, fit_imputer
from ldslearn.random_systems.base import RandomSystemsModel
from ldslearn.random_systems.regression import fit_targets
from ldslearn.regress.targets import scale_targets
from ldslearn.sequences.orientation import warn_if_transposed

_PENALTIES = np.logspace(-6, 2, 17)  # per feature


class RandomSystemsRegressor(RegressorMixin, RandomSystemsModel):
    r"""Predict numbers by ridge regression on the features of random systems.

    Parameters
    ----------
    n_systems : int, default=1000
        Number of systems; see :class:`~ldslearn.RandomSystems`.
    n_thresholds : int, default=8
        Thresholds per system.
    n_components : int, "auto" or None, default="auto"
        Project the channels on this many principal directions first; as in
        :class:`~ldslearn.RandomSystems`.
    missing : "raise" or "smooth", default="raise"
        What to do with missing samples, NaN. "smooth" fills them by a system of each sequence.
    random_state : int, RandomState, Generator or None, default=None
        Of the systems.
    n_jobs : int or None, default=None
        Threads, as in joblib. The result does not depend on it.

    Attributes
    ----------
    transformer_ : RandomSystems
        The fitted transformer.
    mean_, scale_ : (n_features,) arrays
        Mean and standard deviation of the training features; 1 where the deviation is 0.
    coef_ : (n_features, n_outputs) array
        Weights of scaled features.
    intercept_ : (n_outputs,) array
        Prediction for a sequence whose features are the mean ones.
    penalty_ : float
        Penalty of the regression.
    left_out_predictions_ : (N,) or (N, n_outputs) array
        Prediction of every training sequence by the regression without it.
    n_channels_in_ : int
        Channels of the training sequences.
    imputer_ : LDSImputer or None
        Fills missing samples, with ``missing="smooth"``.

    Notes
    -----
    With the scaled features :math:`z`, a prediction is :math:`w^T z + c`. Weights minimise
    :math:`\sum_i (w^T z_i + c - y_i)^2 + a |w|^2`, where the penalty :math:`a` has the smallest
    squared error of left-out sequences [1]_. Targets have the variance 1 inside.

    References
    ----------
    .. [1] R. D. Cook, S. Weisberg, *Residuals and Influence in Regression*, 1982, Sec. 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.random_systems import RandomSystemsRegressor
    >>> rng, t = np.random.default_rng(0), np.arange(100)
    >>> frequency = rng.uniform(0.05, 0.2, 60)  # cycles per sample
    >>> X = [np.sin(2 * np.pi * f * t + rng.uniform(0, 6))[None] for f in frequency]
    >>> model = RandomSystemsRegressor(200, random_state=0).fit(X[:40], frequency[:40])
    >>> model.score(X[40:], frequency[40:]) > 0.9
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Draw the systems, and fit the regression.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : (N,) or (N, n_outputs) array of numbers

        Returns
        -------
        self
        """
        imputer = fit_imputer(X, self.missing, self.n_jobs)
        sequences = fill_or_check(X, imputer)
        warn_if_transposed(X, sequences)
        targets = scale_targets(y, len(sequences), "sequences")
        systems = self._fit_transformer(sequences)
        features = systems._transform(sequences, self.n_jobs)
        found = fit_targets(features, targets.values, _PENALTIES)
        left_out = found.left_out * targets.scale + targets.mean
        # All at once: a fit that is interrupted leaves the model of the one before.
        self.transformer_, self.n_channels_in_ = systems, len(sequences[0])
        self.mean_, self.scale_, self.penalty_ = found.mean, found.scale, found.penalty
        self.coef_ = found.coef * targets.scale
        self.intercept_ = found.intercept * targets.scale + targets.mean
        self.left_out_predictions_ = left_out[:, 0] if targets.is_column else left_out
        self.imputer_, self._is_column = imputer, targets.is_column
        return self

    def predict(self, X: Any) -> Floats:
        """Return the numbers of every sequence.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        (N,) or (N, n_outputs) array
        """
        features = self.compute_features(X)
        with limit_blas_threads():
            found = features @ self.coef_ + self.intercept_
        return found[:, 0] if self._is_column else found
