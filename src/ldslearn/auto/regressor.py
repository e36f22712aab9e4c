"""The regressor to use first: it needs no settings."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import as_random_state, check_channel_count
from ldslearn._parallel import limit_blas_threads
from ldslearn._types import Floats
from ldslearn.auto.base import AutoEstimator
from ldslearn.auto.number_search import search_regressors
from ldslearn.classify.folds import check_groups
from ldslearn.models.imputation import fill_or_check
from ldslearn.regress.targets import scale_targets
from ldslearn.sequences.padding import pad_short_sequences


class AutoLDSRegressor(RegressorMixin, AutoEstimator):
    r"""Predict numbers from sequences; all parameters are chosen on the training data.

    It is an ensemble like that of :class:`~ldslearn.AutoLDSClassifier`, with the same encodings
    and kernels and with ridge regression alone: the mean of the best candidates of *fitted systems*
    and of *random systems*, both kinds weighted equally.

    Parameters
    ----------
    time_budget : float, default=60
        Seconds for the search and the training.
    max_members : int, default=20
        Largest number of members, which bounds the time of a prediction.
    missing : "raise" or "smooth", default="raise"
        What to do with missing samples, NaN. "smooth" fills them by a system of each sequence
        (:class:`~ldslearn.models.LDSImputer`).
    random_state : int, RandomState, Generator or None, default=None
        Of the folds and of the random systems. With a seed, results are the same unless the time
        budget stops the search (``report_.stopped``).
    n_jobs : int or None, default=None
        Threads, as in joblib.

    Attributes
    ----------
    pipelines_ : list of sklearn.pipeline.Pipeline
        The members of fitted systems, one fitted pipeline per encoding.
    random_systems_ : list of RandomSystemsRegressor
        The members of random systems.
    weights_ : (n_members,) array
        Of the regressions of all pipelines, then of random systems.
    report_ : RegressionReport
        The members, what was tried, and the error to expect; ``print(model.report_)``.
    n_channels_in_ : int
        Channels of the training sequences.
    imputer_ : LDSImputer or None
        Fills missing samples, with ``missing="smooth"``.

    Notes
    -----
    Targets are scaled to mean 0 and variance 1 per output. The prediction is
    :math:`\sum_i w_i f_i(x)` of the members :math:`f_i`. Each is a ridge regression whose penalty
    has the smallest squared error in ten folds of the training sequences, in closed form. Above
    2000 sequences, a random sample of 2000 is used. The expected error is corrected for the bias
    of the choice by the bootstrap of [1]_. Of new subjects it is too small unless `groups` are
    given.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, *Bootstrapping the out-of-sample
       predictions for efficient and accurate cross-validation*, Machine Learning 107 (2018)
       1895-1922. doi:10.1007/s10994-018-5714-4

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import AutoLDSRegressor
    >>> rng, t = np.random.default_rng(0), np.arange(60)
    >>> frequency = rng.uniform(0.05, 0.2, 40)  # cycles per sample
    >>> X = [np.sin(2 * np.pi * f * t + rng.uniform(0, 6))[None] for f in frequency]
    >>> model = AutoLDSRegressor(time_budget=2, random_state=0).fit(X[:30], frequency[:30])
    >>> model.score(X[30:], frequency[30:]) > 0.8
    True
    """

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose the parameters, and train on the sequences.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
            At least four sequences.
        y : (N,) or (N, n_outputs) array of numbers
        groups : (N,) array, optional
            Group of each sequence, such as the subject. Folds keep groups whole.

        Returns
        -------
        self
        """
        imputer, sequences = self._prepare(X)
        targets = scale_targets(y, len(sequences), "sequences")
        if len(sequences) < 4:
            raise _errors.invalid(
                "X", "hold at least four sequences", len(sequences), "Add examples."
            )
        groups = check_groups(groups, len(sequences))
        with limit_blas_threads():  # threads of BLAS wait for each other longer than they compute
            members, report = search_regressors(
                sequences,
                targets,
                groups,
                time_budget=self.time_budget,
                max_members=self.max_members,
                random=as_random_state(self.random_state),
                n_jobs=self.n_jobs,
                clock=self._clock,
            )
        # All at once: a fit that is interrupted leaves the model of the one before.
        self.report_, self.n_channels_in_ = report, len(sequences[0])
        self.pipelines_, self.random_systems_ = members.pipelines, members.random_systems
        self.weights_, self.imputer_ = members.weights, imputer
        self._mean, self._scale, self._is_column = targets.mean, targets.scale, targets.is_column
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
        check_is_fitted(self)
        sequences = fill_or_check(X, self.imputer_)
        check_channel_count("X", len(sequences[0]), self.n_channels_in_)
        needed = [p[-2].n_states_ + p[-2].delays for p in self.pipelines_]
        long = pad_short_sequences(sequences, max(needed, default=1), stacklevel=3)
        found = []
        with limit_blas_threads(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
            for pipeline in self.pipelines_:
                inputs: Any = long
                for step in pipeline[:-1]:
                    inputs = step.transform(inputs)
                found.append(pipeline[-1].predict_rules(inputs))
            found += [model.predict(sequences)[:, None] for model in self.random_systems_]
            mean = np.einsum("nmo,m->no", np.concatenate(found, axis=1), self.weights_)
        mean = mean * self._scale + self._mean
        return mean[:, 0] if self._is_column else mean
