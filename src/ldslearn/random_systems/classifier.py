"""The classifier of sequences by random systems and ridge regression."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ldslearn import _errors
from ldslearn._checks import check_positive
from ldslearn._parallel import limit_blas_threads
from ldslearn._types import Floats, Indices
from ldslearn.classify.calibration import calibrated_probabilities, fit_factor
from ldslearn.classify.labels import check_labels
from ldslearn.classify.ridge_path import RidgePath
from ldslearn.models.imputation import fill_or_check, fit_imputer
from ldslearn.random_systems.base import RandomSystemsModel
from ldslearn.random_systems.explanation import Explanation, name_channels, share_channels
from ldslearn.random_systems.regression import fit_ridge
from ldslearn.sequences.orientation import warn_if_transposed


class RandomSystemsClassifier(ClassifierMixin, RandomSystemsModel):
    r"""Classify sequences by ridge regression on the features of random systems.

    It is fast, needs no choice of parameters, and accepts sequences of one time point and more,
    constant ones, and classes with one sequence.

    Parameters
    ----------
    n_systems : int, default=1000
        Number of systems; see :class:`~ldslearn.RandomSystems`.
    n_thresholds : int, default=8
        Thresholds per system.
    n_components : int, "auto" or None, default="auto"
        Project the channels on this many principal directions first. "auto" is 20 directions above
        30 channels, else None: the channels themselves.
    missing : "raise" or "smooth", default="raise"
        What to do with missing samples, NaN. "smooth" fills them by a system of each sequence
        (:class:`~ldslearn.models.LDSImputer`), in training and in new sequences.
    random_state : int, RandomState, Generator or None, default=None
        Of the systems.
    n_jobs : int or None, default=None
        Threads, as in joblib: None is one, -1 is all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : (n_classes,) array
        Labels.
    transformer_ : RandomSystems
        The fitted transformer.
    mean_, scale_ : (n_features,) arrays
        Mean and standard deviation of the training features; 1 where the deviation is 0.
    coef_ : (n_features, n_classes) array
        Weights of scaled features.
    intercept_ : (n_classes,) array
        Scores of a sequence whose features are the mean ones.
    penalty_ : float
        Penalty of the regression.
    left_out_scores_ : (N, n_classes) array
        Scores of every training sequence by the regression without it.
    n_channels_in_ : int
        Channels of the training sequences.
    imputer_ : LDSImputer or None
        Fills missing samples, with ``missing="smooth"``.

    Notes
    -----
    With the scaled features :math:`z`, the score of a class is :math:`w^T z + c`. Targets are 1 for
    sequences of the class and -1 for others. Weights minimise

    .. math:: \sum_i (w^T z_i + c - y_i)^2 + a |w|^2.

    The penalty :math:`a` has the smallest squared error of left-out sequences, which is known in
    closed form [1]_. It is at most 0.3 per feature: larger ones fit the person and not the class
    where each person is recorded once per class. Thresholds and scales are those of all training
    sequences. Probabilities are ``softmax(factor * scores)``, with one factor fitted to the scores
    of left-out sequences [2]_.

    References
    ----------
    .. [1] R. D. Cook, S. Weisberg, *Residuals and Influence in Regression*, 1982, Sec. 2.2.
    .. [2] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, *On calibration of modern neural networks*,
       ICML 2017.

    Examples
    --------
    >>> from ldslearn import RandomSystemsClassifier
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = RandomSystemsClassifier(random_state=0).fit(X_train, y_train)
    >>> model.score(X_test, y_test)
    1.0
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Draw the systems, and fit the regression.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : (N,) array of labels

        Returns
        -------
        self
        """
        self._fit(X, y)
        return self

    def _fit(self, X: Any, y: Any) -> RidgePath:
        """Fit, and return the regressions for all penalties."""
        imputer = fit_imputer(X, self.missing, self.n_jobs)
        sequences = fill_or_check(X, imputer)
        warn_if_transposed(X, sequences)
        classes, labels = check_labels(y, len(sequences), "sequences")
        systems = self._fit_transformer(sequences)
        found = fit_ridge(systems._transform(sequences, self.n_jobs), labels)
        # All at once: a fit that is interrupted leaves the model of the one before.
        self.classes_, self.transformer_, self.n_channels_in_ = classes, systems, len(sequences[0])
        self.mean_, self.scale_, self.penalty_ = found.mean, found.scale, found.penalty
        self.coef_, self.intercept_ = found.coef, found.intercept
        self.left_out_scores_, self.imputer_ = found.left_out, imputer
        self._factor = fit_factor(found.left_out, labels)
        return found.path

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of every sequence.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        (N,) array
        """
        scores = self._score_classes(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of all classes, calibrated on left-out sequences.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        (N, n_classes) array
        """
        return calibrated_probabilities(self._score_classes(X), self._factor)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of all classes; of two, their difference.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        (N, n_classes) array, or (N,) of two classes
        """
        scores = self._score_classes(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_with_proba(self, X: Any) -> tuple[NDArray[Any], Floats]:
        """Return labels and probabilities, in the time of one of them.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        labels : (N,) array
        probabilities : (N, n_classes) array
        """
        scores = self._score_classes(X)
        return self.classes_[scores.argmax(axis=1)], calibrated_probabilities(scores, self._factor)

    def explain(
        self,
        X: Any,
        label: Any = None,
        against: Any = None,
        *,
        rate: float | None = None,
        channel_names: Sequence[str] | None = None,
    ) -> Explanation:
        """Return the contribution of every channel and every system to the choice of a class.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        label : label, optional
            The class to explain; by default the predicted one of each sequence.
        against : label, optional
            The class that it is compared with; by default the one with the largest score of the
            others.
        rate : float, optional
            Time points per second, for frequencies in Hz and times in seconds.
        channel_names : sequence of str, optional
            Names of the channels, such as ``collection.channel_names``.

        Returns
        -------
        Explanation
            ``print(model.explain(X)[0])`` prints that of the first sequence.
        """
        if rate is not None:
            check_positive("rate", rate)
        features = self.compute_features(X)
        names = name_channels(channel_names, self.n_channels_in_)
        scores, rows = self._score_features(features), np.arange(len(features))
        own = scores.argmax(axis=1) if label is None else self._find_class("label", label, rows)
        if against is None:
            others = scores.copy()
            others[rows, own] = -np.inf
            other = others.argmax(axis=1)
        else:
            other = self._find_class("against", against, rows)
        same = np.flatnonzero(own == other)
        if len(same):
            raise _errors.invalid(
                "against", f"be another class than that of sequence {same[0]}",
                repr(against), "Leave it out, or name the class to explain as label.",
            )  # fmt: skip
        bank = self.transformer_.bank_
        parts = features * (self.coef_[:, own] - self.coef_[:, other]).T
        systems = parts.reshape(len(features), *bank.thresholds.shape).sum(axis=2)
        shares = share_channels(bank, self.transformer_.components_, self.n_channels_in_)
        return Explanation(
            labels=self.classes_[own],
            against=self.classes_[other],
            differences=scores[rows, own] - scores[rows, other],
            intercepts=self.intercept_[own] - self.intercept_[other],
            systems=systems,
            channels=systems @ shares,
            shares=shares,
            bank=bank,
            rate=None if rate is None else float(rate),
            channel_names=names,
        )

    def _find_class(self, name: str, label: Any, rows: Indices) -> Indices:
        """Return the index of a class, once per row."""
        found = np.flatnonzero(self.classes_ == label)
        if len(found) != 1:
            known = _errors.list_some(self.classes_.tolist())
            raise _errors.invalid_parameter(name, f"be one of the classes, {known}", label)
        return np.full(len(rows), found[0])

    def _score_classes(self, X: Any) -> Floats:
        return self._score_features(self.compute_features(X))

    def _score_features(self, features: Floats) -> Floats:
        with limit_blas_threads():
            return features @ self.coef_ + self.intercept_
