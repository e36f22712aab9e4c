"""The classifier to use first: sequences in, labels out, nothing to set."""

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn._checks import check_positive, random_source
from ldslearn._parallel import show_progress
from ldslearn._tags import NoTable
from ldslearn._types import Floats, Indices
from ldslearn.auto.calibration import chances
from ldslearn.auto.candidates import PARTS, QUICK_RULES, Description, Rule, build
from ldslearn.auto.expectation import expected_accuracy
from ldslearn.auto.folds import make_folds
from ldslearn.auto.report import Report
from ldslearn.auto.scaling import channels_are_scaled
from ldslearn.auto.search import Search, choose
from ldslearn.auto.trials import Grams, Trial, coding_scores, machine_scores
from ldslearn.classify.folds import check_groups
from ldslearn.classify.labels import check_labels
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems, apply_by_blocks
from ldslearn.models.defaults import too_short_for_any
from ldslearn.sequences import as_collection, name_sequence, pad_short_sequences, select
from ldslearn.sequences.offsets import warn_of_offsets
from ldslearn.sequences.orientation import warn_if_transposed

_MOST_SEARCHED = 1000  # sequences; the choice needs no more, and kernels grow with the square
_MOST_SAMPLED = 400  # of those, to look at descriptions
_SEARCH_SHARE = 0.75  # of the budget; the rest is for the final fit
_SEARCH_SHARE_OF_MANY = 0.5  # where the final fit takes longer than anything before
_REPEATS = ((100, 5), (300, 3), (600, 2))  # of the folds, by number of sequences
_SHORTEST = 3  # time points: one state and two transitions
_AMPLE = 20  # time points that limit no description much
_LIMITING = 0.2  # of the median length


class AutoLDSClassifier(NoTable, ClassifierMixin, BaseEstimator):
    """Classify sequences by their dynamics; all parameters are chosen on the training data.

    States, delays, windows, scaling, the weights of projection, mean and covariance kernels, and
    the classifier (sparse coding, nearest, support vectors) are chosen by stratified folds of the
    training sequences, coarse to fine, within a budget of time.

    Parameters
    ----------
    time_budget : float, default=60
        Seconds for `fit`. The functions compiled at their first call ever come on top, once.
    random_state : int, RandomState, Generator or None, default=None
        Of the folds. With a seed the result is the same whenever the budget does not bind
        (``report_.stopped``).
    n_jobs : int or None, default=None
        Threads, as in joblib.

    Attributes
    ----------
    classes_ : (n_classes,) array
    pipeline_ : sklearn.pipeline.Pipeline
        The choice as an ordinary pipeline on sequences, every parameter frozen, fitted: use it,
        change it, fit it elsewhere.
    report_ : Report
        What was tried, how each did, what was chosen and why; ``print(model.report_)``.

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
        """Choose the parameters, and train on all sequences.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : (N,) array of labels
        groups : (N,) array, optional
            Who or what was recorded: folds then leave whole groups out, as new ones will be.
        """
        begun = time.monotonic()
        check_positive("time_budget", self.time_budget)
        sequences = as_collection(X)
        warn_if_transposed(X, sequences)
        warn_of_offsets(sequences)
        _check_lengths(sequences)
        classes, labels = check_labels(y, len(sequences), "sequences")
        owners = check_groups(groups, len(sequences))
        random = random_source(self.random_state)
        searched = _subset(labels, random, _MOST_SEARCHED)
        part = select(sequences, searched)
        repeats = next((r for n, r in _REPEATS if len(part) <= n), 1)
        folds = make_folds(
            labels[searched], None if owners is None else owners[searched], repeats, random
        )
        tested = folds[0] >= 0
        lone = [str(c) for c in classes[np.setdiff1d(labels, labels[searched][tested])]]
        if lone:
            warnings.warn(_never_held_out(lone), stacklevel=2)
        growth = (len(sequences) / len(part)) ** 2
        share = _SEARCH_SHARE if growth == 1 else _SEARCH_SHARE_OF_MANY
        with show_progress("choosing", 1) as advance:
            sample = _subset(labels[searched], random, _MOST_SAMPLED)
            sample_folds = folds[:1]
            if len(sample) < len(searched):
                some = None if owners is None else owners[searched][sample]
                sample_folds = make_folds(labels[searched][sample], some, 1, random)
                if not (sample_folds >= 0).any():
                    sample, sample_folds = np.arange(len(searched)), folds[:1]
            search = Search(
                part, labels[searched], folds, begun + share * self.time_budget, self.n_jobs,
                _saying(advance), sample, sample_folds,
            )  # fmt: skip
            if tested.any():
                search.run()
                chosen, best = choose(list(search.trials.values()))
                grams = search.grams[chosen.description]
                seconds = search.gram_seconds[chosen.description]
                expected_seconds = growth * search.growth * seconds
            else:
                description, empty = search.start(), np.empty((1, 0))
                grams, expected_seconds = Grams.of(description, part, self.n_jobs), 0.0
                chosen = best = Trial(description, QUICK_RULES[1], empty > 0, empty, 10.0)
            left = max(begun + self.time_budget - time.monotonic(), 0.1 * self.time_budget)
            kept = np.arange(len(sequences))
            if len(part) < len(sequences) and expected_seconds > left:
                most = int(len(sequences) * np.sqrt(left / expected_seconds))
                kept = _subset(labels, random, max(most, len(part)))
            grams.mixed(chosen.rule)  # its scales and bandwidths
            pipeline = build(
                chosen.description, chosen.rule, grams.scales, grams.bandwidths, self.n_jobs
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
                pipeline.fit(select(sequences, kept), classes[labels[kept]])
        accuracy = error = float("nan")
        if search.trials:
            own = None if owners is None else owners[searched][tested]
            accuracy, error = expected_accuracy(search.judged(), own, random)
        report = self._report(search, chosen, best, pipeline[-1], accuracy, error, len(kept), begun)
        # All at once: a fit that is interrupted leaves the model of the one before.
        self.classes_, self.pipeline_, self.report_ = classes, pipeline, report
        self.n_channels_in_, self._factor = len(sequences[0]), chosen.factor
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of every sequence, (N,).

        X may also be an LDS batch or an LDSStore of systems, encoded by ``pipeline_[-2]`` from
        sequences whose channels are not scaled; so for the other methods.
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of all classes, (N, n_classes), calibrated on held-out data."""
        scores = self._scores(X)
        return chances(scores, self._factor)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of all classes, (N, n_classes); of two, their difference, (N,)."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_with_proba(self, X: Any) -> tuple[NDArray[Any], Floats]:
        """Return what `predict` and `predict_proba` do, in the time of one of them."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)], chances(scores, self._factor)

    def _scores(self, X: Any) -> Floats:
        """Scores of every class, in the units of those of the folds."""
        check_is_fitted(self)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            if isinstance(X, LDS | StoredSystems):
                if len(self.pipeline_) > 2:
                    raise channels_are_scaled()
                return self._system_scores(X)
        encoder = self.pipeline_[-2]
        least = encoder.n_states + encoder.delays
        sequences = pad_short_sequences(as_collection(X), least, stacklevel=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            inputs: Any = sequences
            for step in self.pipeline_[:-1]:
                inputs = step.transform(inputs)
            return class_scores(self.pipeline_[-1], inputs)

    @apply_by_blocks
    def _system_scores(self, systems: LDS) -> Floats:
        return class_scores(self.pipeline_[-1], systems)

    def _report(
        self,
        search: Search,
        chosen: Trial,
        best: Trial,
        final: Any,
        accuracy: float,
        error: float,
        n_trained: int,
        begun: float,
    ) -> Report:
        trials = sorted(search.trials.values(), key=lambda t: (t.loss, t.size))
        why = "no class has two sequences (or groups), so that nothing could be held out"
        if trials:
            why = "no candidate did better, and none that is simpler did as well"
        if chosen is not best:
            why = (
                "the simplest whose loss is within a tenth of a standard error of the smallest, "
                f"{best.loss:.3f} (accuracy {100 * best.accuracy:.1f} %)"
            )
        frozen = {"kernel": dict(final.kernel), "kernel_params": final.kernel_params}
        return Report(
            chosen={**_values(chosen.description, chosen.rule), **frozen},
            expected_accuracy=accuracy,
            standard_error=error,
            why=why,
            tried=[
                {"accuracy": t.accuracy, "loss": t.loss, **_values(t.description, t.rule)}
                for t in trials
            ],
            n_descriptions=len(search.quick),
            n_trained=n_trained,
            seconds=time.monotonic() - begun,
            time_budget=float(self.time_budget),
            stopped="the budget ended it" if search.bound else "nothing better was left to try",
        )


def class_scores(classifier: Any, systems: Any) -> Floats:
    """Return scores of every class, larger for likelier, on the scale that folds used."""
    if hasattr(classifier, "coder_"):
        explained, first_atoms = classifier._explained(systems, warn=False)
        own = classifier.coder_.kernel_.diagonal(systems, classifier.n_jobs)
        empty = np.flatnonzero(first_atoms >= 0)
        return coding_scores(explained, own, empty, classifier.atom_classes_[first_atoms[empty]])
    winners = np.searchsorted(classifier.classes_, classifier.predict(systems))
    return machine_scores(classifier.decision_function(systems), winners)


def _values(description: Description, rule: Rule) -> dict[str, Any]:
    """The parameters of a candidate as plain values."""
    weights = {p: w for p, w in zip(PARTS, rule.weights, strict=True) if w > 0}
    name = {"svm": "C"}.get(rule.kind, "sparsity")
    extra = {} if rule.kind == "nearest" else {name: rule.value}
    return {
        "n_states": description.n_states,
        "delays": description.delays,
        "windows": list(description.windows),
        "scaled": description.scaled,
        "center": description.center,
        "weights": weights,
        "classifier": {"coding": "sparse coding", "svm": "support vectors"}.get(
            rule.kind, "nearest"
        ),
        **extra,
    }


def _subset(labels: Indices, random: np.random.RandomState, most: int) -> Indices:
    """All sequences, or about `most` of many, every class in its share."""
    if len(labels) <= most:
        return np.arange(len(labels))
    share = most / len(labels)
    chosen = []
    for c in np.unique(labels):
        own = random.permutation(np.flatnonzero(labels == c))
        chosen.append(own[: max(2, round(share * len(own)))])
    return np.sort(np.concatenate(chosen))


def _check_lengths(sequences: list[NDArray[Any]]) -> None:
    """Raise for sequences too short for any system; they would limit those of all others."""
    lengths = np.array([x.shape[1] for x in sequences])
    short = np.flatnonzero(lengths < _SHORTEST)
    if len(short):
        raise too_short_for_any(sequences, short.tolist())
    least = int(lengths.argmin())
    if lengths[least] < min(_AMPLE, _LIMITING * np.median(lengths)):
        text = (
            f"{name_sequence(sequences, least)} has {int(lengths[least])} time points, others "
            f"{float(np.median(lengths)):.0f}: all systems must be small enough for it. Leave "
            "it out unless it matters."
        )
        warnings.warn(text, stacklevel=3)


def _saying(advance: Callable[..., None]) -> Callable[[str], None]:
    return lambda text: advance(0, text)


def _never_held_out(classes: Sequence[str]) -> str:
    """Warning about classes that folds cannot test."""
    more = f" and {len(classes) - 5} more" if len(classes) > 5 else ""
    return (
        f"class {', '.join(map(repr, classes[:5]))}{more}: one sequence or group only, which is "
        "trained on, so that the expected accuracy says nothing about it."
    )
