"""Evaluate candidates by folds of the training sequences, on kernel matrices computed once."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import Encoding, RandomBank, Rule
from ldslearn.auto.rules import score_held_out_codes
from ldslearn.auto.scaling import ChannelScaler
from ldslearn.auto.support_vectors import score_held_out_pairs
from ldslearn.classify.calibration import calibrated_probabilities, fit_factor
from ldslearn.classify.ridge_path import RidgePath, make_targets
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.models import LDS
from ldslearn.random_systems import RandomSystemsClassifier


@dataclass(frozen=True)
class KernelMatrices:
    """Kernel matrices of the encoded training sequences, each of unit variance.

    They are computed when a rule first needs them.

    Attributes
    ----------
    systems : LDS
    n_jobs : int or None
    matrices : dict of str to (N, N) array
        Those computed so far, by kernel.
    scales : dict of str to float
        Variances that they were divided by.
    bandwidths : dict of str to float
        Of the kernels that have one.
    paths : dict of weights to RidgePath
        Ridge regressions on those weighted sums that were needed so far.
    expansions : dict of Rule to (weights, intercepts)
        Of the ridge regressions on all sequences that were evaluated.
    """

    systems: LDS
    n_jobs: int | None
    matrices: dict[str, Floats] = field(default_factory=dict)
    scales: dict[str, float] = field(default_factory=dict)
    bandwidths: dict[str, float] = field(default_factory=dict)
    paths: dict[tuple[float, ...], RidgePath] = field(default_factory=dict)
    expansions: dict[Rule, tuple[Floats, Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, encoding: Encoding, X: list[NDArray[Any]], n_jobs: int | None) -> "KernelMatrices":
        """Encode the sequences."""
        sequences = ChannelScaler().fit_transform(X) if encoding.scaled else X
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
            return cls(encoding.make_encoder(n_jobs).fit_transform(sequences), n_jobs)

    def mix(self, rule: Rule) -> Floats:
        """Return the weighted sum of a rule, (N, N)."""
        for part in rule.parts:
            self._compute(part)
        return rule.mix(self.matrices)

    def decompose(self, rule: Rule) -> RidgePath:
        """Return the ridge regressions on the weighted sum of a rule."""
        if rule.weights not in self.paths:
            self.paths[rule.weights] = RidgePath.decompose(self.mix(rule))
        return self.paths[rule.weights]

    def _compute(self, part: str) -> None:
        if part not in self.matrices:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of windows at rest
                fitted = FittedKernel.fit(self.systems, part, {}, self.n_jobs)
            if "bandwidth" in fitted.parts[0][2]:
                self.bandwidths[part] = fitted.parts[0][2]["bandwidth"]
            # The variance in feature space: the mean of the diagonal without that of the matrix.
            variance = float(np.trace(fitted.gram) / len(fitted.gram) - fitted.gram.mean())
            self.scales[part] = variance if variance > 1e-12 else 1.0
            self.matrices[part] = fitted.gram / self.scales[part]


@dataclass(frozen=True)
class Trial:
    """The results of a candidate on held-out sequences.

    Attributes
    ----------
    source : Encoding or RandomBank
        What describes the sequences.
    rule : Rule or None
        How encoded sequences are classified; None for random systems.
    logs : (n_repeats, n_tested, n_classes) array
        Logarithms of the calibrated probabilities.
    truth : (n_tested,) array
        Classes of the sequences.
    factor : float
        Probabilities are the softmax of this times the scores.
    """

    source: Encoding | RandomBank
    rule: Rule | None
    logs: Floats
    truth: Indices
    factor: float

    @classmethod
    def of(
        cls, source: Encoding | RandomBank, rule: Rule | None, scores: Floats, truth: Indices
    ) -> "Trial":
        """Calibrate scores, (n_repeats, n_tested, n_classes), and return the trial."""
        n_repeats, _, n_classes = scores.shape
        rows = scores.reshape(-1, n_classes)
        factor = fit_factor(rows, np.tile(truth, n_repeats), n_repeats)
        logs = np.log(calibrated_probabilities(rows, factor)).reshape(scores.shape)
        return cls(source, rule, logs, truth, factor)

    @property
    def losses(self) -> Floats:
        """Minus the logarithms of the probabilities of the true classes, (n_repeats, n_tested)."""
        return -self.logs[:, np.arange(len(self.truth)), self.truth]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each sequence was labelled correctly, (n_repeats, n_tested)."""
        return self.logs.argmax(axis=2) == self.truth

    @property
    def accuracy(self) -> float:
        """Mean over sequences and repeats."""
        return float(self.correct.mean())

    @property
    def headline(self) -> str:
        """The result in a word, for lines of progress."""
        return f"{self.accuracy:.1%}"

    @property
    def loss(self) -> float:
        """Mean over sequences and repeats, by which candidates are compared.

        It also ranks candidates of equal accuracy, and is less noisy.
        """
        return float(self.losses.mean())

    @property
    def size(self) -> tuple[int, int]:
        """States, and kernels; simpler candidates come first."""
        return (self.source.size, 0 if self.rule is None else len(self.rule.parts))


def evaluate_rules(
    kernels: KernelMatrices,
    encoding: Encoding,
    rules: Iterable[Rule],
    labels: Indices,
    folds: Floats,
    n_jobs: int | None,
) -> list[Trial]:
    """Return one trial per rule, on one encoding.

    Parameters
    ----------
    kernels : KernelMatrices
    encoding : Encoding
    rules : iterable of Rule
    labels : (N,) array
        Classes from 0.
    folds : (n_repeats, N) array
        Number of the fold of each sequence; -1 for those that are always trained on.
    n_jobs : int or None
    """
    tested = np.flatnonzero(folds[0] >= 0)
    trials = []
    for rule in rules:
        held_out = _score_held_out(kernels, rule, labels, folds, n_jobs)
        scores = [found[tested] for found in held_out]
        trials.append(Trial.of(encoding, rule, np.stack(scores), labels[tested]))
    return trials


def _score_held_out(
    kernels: KernelMatrices, rule: Rule, labels: Indices, folds: Floats, n_jobs: int | None
) -> list[Floats]:
    """Return the scores of every sequence by the rule without its fold, (N, n_classes) per repeat.

    Ridge regressions on all sequences are kept, as the decomposition is not.
    """
    if rule.kind == "ridge":
        path, targets = kernels.decompose(rule), make_targets(labels)
        kernels.expansions[rule] = path.fit(targets, rule.penalty)
        return [path.predict_held_out(targets, rule.penalty, fold) for fold in folds]
    K = kernels.mix(rule)
    if rule.kind == "svm":
        return [score_held_out_pairs(K, labels, fold, rule.value) for fold in folds]
    return [score_held_out_codes(rule, K, labels, fold, n_jobs) for fold in folds]


def evaluate_shuffled(
    path: RidgePath,
    source: Encoding | RandomBank,
    rule: Rule | None,
    penalty: float,
    shuffled: Indices,
    fold: Floats,
) -> list[Trial]:
    """Return what ridge regression reaches with shuffled labels: one trial per shuffle.

    Parameters
    ----------
    path : RidgePath
    source, rule
        Of the trials.
    penalty : float
    shuffled : (n_shuffles, N) array
        Classes from 0.
    fold : (N,) array
        Number of the fold of each sequence.
    """
    tested = np.flatnonzero(fold >= 0)
    targets = np.concatenate([make_targets(labels) for labels in shuffled], axis=1)
    scores = path.predict_held_out(targets, penalty, fold)[tested]
    parts = np.split(scores, len(shuffled), axis=1)
    return [
        Trial.of(source, rule, part[None], labels[tested])
        for part, labels in zip(parts, shuffled, strict=True)
    ]


def evaluate_random_systems(
    bank: RandomBank,
    X: list[NDArray[Any]],
    labels: Indices,
    folds: Floats,
    shuffled: Indices,
    n_jobs: int | None,
) -> tuple[Trial, list[Trial], RandomSystemsClassifier]:
    """Return the trials of a bank of random systems, and the classifier trained on all sequences.

    The first trial is with the labels, the others with shuffled labels.

    Systems, thresholds and scales of features are those of all sequences, as they do not depend on
    labels. The penalty, one number, is chosen with all labels.

    Parameters
    ----------
    bank : RandomBank
    X : list of (n_channels, n_timepoints) arrays
    labels : (N,) array
    folds : (n_repeats, N) array
        As in :func:`evaluate_rules`.
    shuffled : (n_shuffles, N) array
        As in :func:`evaluate_shuffled`.
    n_jobs : int or None
    """
    classifier = bank.make_classifier(n_jobs)
    path = classifier._fit(X, labels)
    tested, penalty = np.flatnonzero(folds[0] >= 0), classifier.penalty_
    targets = make_targets(labels)
    scores = [path.predict_held_out(targets, penalty, fold)[tested] for fold in folds]
    trial = Trial.of(bank, None, np.stack(scores), labels[tested])
    return trial, evaluate_shuffled(path, bank, None, penalty, shuffled, folds[0]), classifier
