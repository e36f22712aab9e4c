"""Evaluate candidates by folds of the training sequences, on kernel matrices computed once."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from ldslearn._types import Floats, Indices
from ldslearn.auto.calibration import calibrated_probabilities, fit_factor
from ldslearn.auto.candidates import PARTS, Encoding, Rule
from ldslearn.auto.scaling import ChannelScaler
from ldslearn.classify.class_scores import relative_scores, svm_scores
from ldslearn.coding import sparse_code
from ldslearn.coding.class_residuals import residual_reductions
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.models import LDS


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
    """

    systems: LDS
    n_jobs: int | None
    matrices: dict[str, Floats] = field(default_factory=dict)
    scales: dict[str, float] = field(default_factory=dict)
    bandwidths: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, encoding: Encoding, X: list[NDArray[Any]], n_jobs: int | None) -> "KernelMatrices":
        """Encode the sequences."""
        sequences = ChannelScaler().fit_transform(X) if encoding.scaled else X
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
            return cls(encoding.make_encoder(n_jobs).fit_transform(sequences), n_jobs)

    def mix(self, rule: Rule) -> Floats:
        """Return the weighted sum of a rule, (N, N)."""
        return sum(  # type: ignore[return-value]
            weight * self._compute(part)
            for part, weight in zip(PARTS, rule.weights, strict=True)
            if weight > 0
        )

    def _compute(self, part: str) -> Floats:
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
        return self.matrices[part]


@dataclass(frozen=True)
class Trial:
    """The results of a candidate on held-out sequences.

    Attributes
    ----------
    encoding : Encoding
    rule : Rule
    correct : (n_repeats, n_tested) array of bool
        Whether each sequence was labelled correctly.
    losses : (n_repeats, n_tested) array
        Minus the logarithm of the probability of the true class.
    factor : float
        Probabilities are the softmax of this times the scores.
    """

    encoding: Encoding
    rule: Rule
    correct: NDArray[np.bool_]
    losses: Floats
    factor: float

    @property
    def accuracy(self) -> float:
        """Mean over sequences and repeats."""
        return float(self.correct.mean())

    @property
    def loss(self) -> float:
        """Mean over sequences and repeats, by which candidates are compared.

        It also ranks candidates of equal accuracy, and is less noisy.
        """
        return float(self.losses.mean())

    @property
    def size(self) -> tuple[int, int]:
        """States, and kernels; simpler candidates come first."""
        return (self.encoding.size, self.rule.size)


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
    truth = labels[tested]
    trials = []
    for rule in rules:
        K = kernels.mix(rule)
        scores = np.concatenate(
            [_score_held_out(K, rule, labels, fold, n_jobs)[tested] for fold in folds]
        )
        repeated = np.tile(truth, len(folds))
        factor = fit_factor(scores, repeated, len(folds))
        probabilities = calibrated_probabilities(scores, factor)
        losses = -np.log(probabilities[np.arange(len(scores)), repeated])
        correct = scores.argmax(axis=1) == repeated
        shape = (len(folds), len(tested))
        trials.append(Trial(encoding, rule, correct.reshape(shape), losses.reshape(shape), factor))
    return trials


def _score_held_out(
    K: Floats, rule: Rule, labels: Indices, fold: Floats, n_jobs: int | None
) -> Floats:
    """Scores of every sequence, trained on the other folds, (N, n_classes)."""
    n_classes = int(labels.max()) + 1
    if rule.kind == "svm":
        scores = np.full((len(K), n_classes), -np.inf)
        for number in np.unique(fold[fold >= 0]):
            test = np.flatnonzero(fold == number)
            train = np.flatnonzero(fold != number)
            scores[test] = _score_by_svm(K, labels, train, test, rule.value, n_classes)
        return scores
    allowed = (fold[:, None] != fold[None, :]) | (fold[None, :] < 0)
    np.fill_diagonal(allowed, False)
    pursuit = 1 if rule.kind == "nearest" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of codes on an indefinite part
        codes = sparse_code(K, K, rule.value, n_nonzero=pursuit, allowed=allowed, n_jobs=n_jobs)
    reductions = residual_reductions(K, K, codes, labels, n_classes)
    nearest = np.full(len(K), -1)
    empty = np.flatnonzero(~codes.any(axis=1))
    nearest[empty] = labels[np.where(allowed[empty], K[empty], -np.inf).argmax(axis=1)]
    return relative_scores(reductions, K.diagonal(), nearest)


def _score_by_svm(
    K: Floats, labels: Indices, train: Indices, test: Indices, C: float, n_classes: int
) -> Floats:
    scores = np.full((len(test), n_classes), -np.inf)
    present = np.unique(labels[train])
    if len(present) == 1:
        scores[:, present] = 0.0
        return scores
    svc = SVC(kernel="precomputed", C=C).fit(K[np.ix_(train, train)], labels[train])
    cross = K[np.ix_(test, train)]
    winners = np.searchsorted(present, svc.predict(cross))
    scores[:, present] = svm_scores(svc.decision_function(cross), winners)
    return scores
