"""The classifier to use first: it needs no settings."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn._checks import as_random_state, check_positive
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats
from ldslearn.auto.calibration import calibrated_probabilities
from ldslearn.auto.pipeline_search import search_pipeline
from ldslearn.auto.scaling import channels_are_scaled
from ldslearn.classify import SparseCodingClassifier
from ldslearn.classify.folds import check_groups
from ldslearn.classify.labels import check_labels
from ldslearn.classify.sparse import score_by_reductions
from ldslearn.classify.svm import score_by_margin
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems, apply_by_blocks
from ldslearn.models.defaults import too_short_for_any
from ldslearn.sequences import as_collection, name_sequence, pad_short_sequences
from ldslearn.sequences.offsets import warn_of_offsets
from ldslearn.sequences.orientation import warn_if_transposed

_SHORTEST = 3  # time points: one state and two transitions
_ENOUGH_TIMEPOINTS = 20  # sequences of this length hardly limit the number of states
_SHORT_FRACTION = 0.2  # of the median length: shorter sequences cause a warning


class AutoLDSClassifier(NonTabularMixin, ClassifierMixin, BaseEstimator):
    """Classify sequences by their dynamics; all parameters are chosen on the training data.

    States, delays, windows, scaling, the weights of projection, mean and covariance kernels, and
    the classifier (sparse coding, nearest, SVM) are chosen by stratified folds of the training
    sequences, coarse to fine, within a time budget.

    Parameters
    ----------
    time_budget : float, default=60
        Seconds for the search and the training. Checks of the data, and compiling functions at
        their first call ever, take additional time.
        The commands have a default of their own, ``ldslearn.evaluate.methods.COMMAND_BUDGET``.
    random_state : int, RandomState, Generator or None, default=None
        Of the folds. With a seed, results are the same unless the time budget stops the search
        (``report_.stopped``).
    n_jobs : int or None, default=None
        Threads, as in joblib.

    Attributes
    ----------
    classes_ : (n_classes,) array
    pipeline_ : sklearn.pipeline.Pipeline
        The chosen candidate as an ordinary fitted pipeline on sequences, with all parameters fixed.
    report_ : Report
        The candidates tried, their scores, the choice and its reason; ``print(model.report_)``.

    Examples
    --------
    >>> from ldslearn import AutoLDSClassifier
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = AutoLDSClassifier(random_state=0).fit(X_train, y_train)
    >>> bool(model.score(X_test, y_test) > 0.9)
    True
    """

    def __init__(
        self, time_budget: float = 60, *, random_state: Any = None, n_jobs: int | None = None
    ) -> None:
        self.time_budget = time_budget
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose the parameters, and train on the sequences.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : (N,) array of labels
        groups : (N,) array, optional
            Group of each sequence, such as the subject. Folds keep groups whole.
        """
        check_positive("time_budget", self.time_budget)
        sequences = as_collection(X)
        warn_if_transposed(X, sequences)
        warn_of_offsets(sequences)
        _check_shortest(sequences)
        classes, labels = check_labels(y, len(sequences), "sequences")
        found = search_pipeline(
            sequences,
            classes,
            labels,
            check_groups(groups, len(sequences)),
            time_budget=self.time_budget,
            random=as_random_state(self.random_state),
            n_jobs=self.n_jobs,
        )
        # All at once: a fit that is interrupted leaves the model of the one before.
        self.classes_, self.pipeline_, self.report_ = classes, found.pipeline, found.report
        self.n_channels_in_, self._factor = len(sequences[0]), found.factor
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of every sequence, (N,).

        X may also be an LDS batch or an LDSStore of systems, encoded by ``pipeline_[-2]`` from
        sequences whose channels are not scaled; so for the other methods.
        """
        scores = self._score_classes(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of all classes, (N, n_classes), calibrated on held-out data."""
        scores = self._score_classes(X)
        return calibrated_probabilities(scores, self._factor)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of all classes, (N, n_classes); of two, their difference, (N,)."""
        scores = self._score_classes(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_with_proba(self, X: Any) -> tuple[NDArray[Any], Floats]:
        """Return labels and probabilities, in the time of one of them."""
        scores = self._score_classes(X)
        return self.classes_[scores.argmax(axis=1)], calibrated_probabilities(scores, self._factor)

    def _score_classes(self, X: Any) -> Floats:
        """Return the scores of every class, on the scale of those of the folds."""
        check_is_fitted(self)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            if isinstance(X, LDS | StoredSystems):
                if len(self.pipeline_) > 2:
                    raise channels_are_scaled()
                return self._score_systems(X)
        encoder = self.pipeline_[-2]
        least = encoder.n_states + encoder.delays
        sequences = pad_short_sequences(as_collection(X), least, stacklevel=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            inputs: Any = sequences
            for step in self.pipeline_[:-1]:
                inputs = step.transform(inputs)
            return self._score_systems(inputs)

    @apply_by_blocks
    def _score_systems(self, systems: LDS) -> Floats:
        classifier = self.pipeline_[-1]
        if isinstance(classifier, SparseCodingClassifier):
            return score_by_reductions(classifier, systems)
        return score_by_margin(classifier, systems)


def _check_shortest(sequences: list[NDArray[Any]]) -> None:
    """Raise for sequences too short for any system; warn if one limits all others."""
    lengths = np.array([x.shape[1] for x in sequences])
    short = np.flatnonzero(lengths < _SHORTEST)
    if len(short):
        raise too_short_for_any(sequences, short.tolist())
    least = int(lengths.argmin())
    if lengths[least] < min(_ENOUGH_TIMEPOINTS, _SHORT_FRACTION * np.median(lengths)):
        text = (
            f"{name_sequence(sequences, least)} has {int(lengths[least])} time points; the median "
            f"is {float(np.median(lengths)):.0f}. The shortest sequence limits the number of "
            "states for all. Consider removing it."
        )
        warnings.warn(text, stacklevel=3)
