"""The classifier to use first: it needs no settings."""

import warnings
from copy import copy
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import as_random_state, check_channel_count
from ldslearn._parallel import limit_blas_threads
from ldslearn._types import Floats
from ldslearn.auto.base import AutoEstimator
from ldslearn.auto.ensemble import KINDS
from ldslearn.auto.ensemble_search import search_ensemble
from ldslearn.auto.scaling import channels_are_scaled
from ldslearn.classify.calibration import calibrated_probabilities
from ldslearn.classify.folds import check_groups
from ldslearn.classify.labels import check_labels
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems
from ldslearn.models.imputation import fill_or_check
from ldslearn.sequences.padding import pad_short_sequences


class AutoLDSClassifier(ClassifierMixin, AutoEstimator):
    r"""Classify sequences by their dynamics; all parameters are chosen on the training data.

    It is an ensemble of two kinds of members. *Fitted systems* are kernels of the systems that
    sequences are encoded by, with ridge regression or sparse coding; their states, delays, windows,
    scaling and kernel weights are chosen by folds of the training sequences within a time budget.
    *Random systems* are banks of random systems that sequences drive.

    Parameters
    ----------
    time_budget : float, default=60
        Seconds for the search and the training. Checks of the data, and compiling functions at
        their first call ever, take additional time.
        The commands have a default of their own, `ldslearn.evaluate.settings.COMMAND_BUDGET`.
    max_members : int, default=20
        Largest number of members, which bounds the time of a prediction. 1 is the best candidate
        alone.
    missing : "raise" or "smooth", default="raise"
        What to do with missing samples, NaN. "smooth" fills them by a system of each sequence
        (:class:`~ldslearn.models.LDSImputer`), in training and in new sequences.
    random_state : int, RandomState, Generator or None, default=None
        Of the folds and of the random systems. With a seed, results are the same unless the time
        budget stops the search (``report_.stopped``).
    n_jobs : int or None, default=None
        Threads, as in joblib.

    Attributes
    ----------
    classes_ : (n_classes,) array
        Labels.
    pipelines_ : list of sklearn.pipeline.Pipeline
        The members of fitted systems, one fitted pipeline per encoding, the best first. Its steps
        are a scaler if channels are scaled, the encoder, and the classifiers of its systems.
    random_systems_ : list of RandomSystemsClassifier
        The members of random systems.
    weights_ : (n_members,) array
        Of the classifiers of all pipelines, then of random systems.
    report_ : Report
        The members, what each reaches alone, and what was tried; ``print(model.report_)``.
    n_channels_in_ : int
        Channels of the training sequences.
    imputer_ : LDSImputer or None
        Fills missing samples, with ``missing="smooth"``.

    Notes
    -----
    Member :math:`i` gives a sequence the probabilities :math:`p_i`: softmax of its scores times one
    factor, which is fitted to held-out scores [1]_. Those of the ensemble are

    .. math:: p \propto \exp\Bigl(f \sum_i w_i \log p_i\Bigr),

    with equal weights :math:`w_i` of the members of a kind, equal weights of both kinds, and a
    factor :math:`f` that is fitted likewise. The expected accuracy is corrected for the bias of
    the choice by the bootstrap of [2]_, and by what the same candidates reach with shuffled labels.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, *On calibration of modern neural networks*,
       ICML 2017.
    .. [2] I. Tsamardinos, E. Greasidou, G. Borboudakis, *Bootstrapping the out-of-sample
       predictions for efficient and accurate cross-validation*, Machine Learning 107 (2018)
       1895-1922. doi:10.1007/s10994-018-5714-4

    Examples
    --------
    >>> from ldslearn import AutoLDSClassifier
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = AutoLDSClassifier(time_budget=3, random_state=0).fit(X_train, y_train)
    >>> bool(model.score(X_test, y_test) > 0.9)
    True
    """

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose the parameters, and train on the sequences.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : (N,) array of labels
        groups : (N,) array, optional
            Group of each sequence, such as the subject. Folds keep groups whole.

        Returns
        -------
        self
        """
        imputer, sequences = self._prepare(X)
        classes, labels = check_labels(y, len(sequences), "sequences")
        groups = check_groups(groups, len(sequences))
        with limit_blas_threads():  # threads of BLAS wait for each other longer than they compute
            members, report = search_ensemble(
                sequences,
                classes,
                labels,
                groups,
                time_budget=self.time_budget,
                max_members=self.max_members,
                random=as_random_state(self.random_state),
                n_jobs=self.n_jobs,
                clock=self._clock,
            )
        # All at once: a fit that is interrupted leaves the model of the one before.
        self.classes_, self.report_, self.n_channels_in_ = classes, report, len(sequences[0])
        self.pipelines_, self.random_systems_ = members.pipelines, members.random_systems
        self.weights_, self._factor = members.weights, members.factor
        self.imputer_ = imputer
        self._random_factors, self._kind_factors = members.random_factors, members.kind_factors
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of every sequence.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays, 3-D array, LDS or LDSStore
            Systems only if all members share one encoding and scale no channels; they must be
            encoded by ``pipelines_[0][-2]``.

        Returns
        -------
        (N,) array
        """
        scores = self._score_classes(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of all classes, calibrated on held-out data.

        Parameters
        ----------
        X : list of arrays, 3-D array, LDS or LDSStore
            As in `predict`.

        Returns
        -------
        (N, n_classes) array
        """
        scores = self._score_classes(X)
        return calibrated_probabilities(scores, self._factor)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of all classes; of two, their difference.

        Parameters
        ----------
        X : list of arrays, 3-D array, LDS or LDSStore
            As in `predict`.

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
        X : list of arrays, 3-D array, LDS or LDSStore
            As in `predict`.

        Returns
        -------
        labels : (N,) array
        probabilities : (N, n_classes) array
        """
        scores = self._score_classes(X)
        return self.classes_[scores.argmax(axis=1)], calibrated_probabilities(scores, self._factor)

    def keep_kind(self, kind: Literal["fitted systems", "random systems"]) -> Self:
        """Return a copy with the members of one kind only, to see what they do alone.

        Parameters
        ----------
        kind : "fitted systems" or "random systems"

        Returns
        -------
        AutoLDSClassifier
        """
        check_is_fitted(self)
        if kind not in KINDS:
            raise _errors.unknown_name("kind", kind, KINDS)
        n_fitted = len(self.weights_) - len(self.random_systems_)
        kept = slice(n_fitted) if kind == KINDS[0] else slice(n_fitted, None)
        if not len(self.weights_[kept]):
            raise _errors.invalid("kind", "be that of a member", kind, "")
        model = copy(self)
        if kind == KINDS[0]:
            model.random_systems_, model._random_factors = [], []
        else:
            model.pipelines_ = []
        model.weights_ = self.weights_[kept] / self.weights_[kept].sum()
        model._factor = self._kind_factors[kind]
        model.report_ = self.report_.keep_kind(kind, model.weights_.tolist())
        return model

    def check_systems_suffice(self) -> None:
        """Raise unless the systems of one encoding, in memory or a store, are all it needs."""
        if self.random_systems_ or len(self.pipelines_) > 1:
            several = "an ensemble whose members encode sequences in different ways"
            raise _errors.invalid(
                "the model", "have one encoding to label systems",
                several if self.pipelines_ else "random systems, which sequences drive",
                "Predict from the sequences or files, or train another method, such as "
                "lds-sc-grass.",
            )  # fmt: skip
        if len(self.pipelines_[0]) > 2:
            raise channels_are_scaled()

    @property
    def pipeline_(self) -> Pipeline:
        """Its best encoding as a pipeline; the random systems if no encoding is a member."""
        if self.pipelines_:
            return self.pipelines_[0]
        return make_pipeline(self.random_systems_[0])

    def _score_classes(self, X: Any) -> Floats:
        """Return the weighted mean of the members' log-probabilities, (N, n_classes)."""
        check_is_fitted(self)
        with limit_blas_threads():
            return self._mix_members(X)

    def _mix_members(self, X: Any) -> Floats:
        if isinstance(X, LDS | StoredSystems):
            self.check_systems_suffice()
            logs = [self.pipelines_[0][-1].score_rules(X)]
        else:
            sequences = fill_or_check(X, self.imputer_)
            check_channel_count("X", len(sequences[0]), self.n_channels_in_)
            needed = [p[-2].n_states_ + p[-2].delays for p in self.pipelines_]
            long = pad_short_sequences(sequences, max(needed, default=1), stacklevel=4)
            logs = [_score_sequences(pipeline, long) for pipeline in self.pipelines_]
            for member, factor in zip(self.random_systems_, self._random_factors, strict=True):
                scores = member.decision_function(sequences)
                if scores.ndim == 1:  # the difference of two classes
                    scores = np.stack([-scores / 2, scores / 2], axis=1)
                logs.append(np.log(calibrated_probabilities(scores, factor))[:, None])
        return np.einsum("nmc,m->nc", np.concatenate(logs, axis=1), self.weights_)


def _score_sequences(pipeline: Pipeline, sequences: list[NDArray[Any]]) -> Floats:
    """Return the log-probabilities of the rules of one encoding, (N, n_rules, n_classes)."""
    inputs: Any = sequences
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
        for step in pipeline[:-1]:
            inputs = step.transform(inputs)
        return pipeline[-1].score_rules(inputs)
