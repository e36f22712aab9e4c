"""Judge candidates by folds of the training sequences, on kernel matrices computed once."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from ldslearn._types import Floats, Indices
from ldslearn.auto.calibration import chances, fit_factor
from ldslearn.auto.candidates import PARTS, Description, Rule
from ldslearn.auto.scaling import ChannelScaler
from ldslearn.coding import sparse_code
from ldslearn.coding.class_residuals import residual_reductions
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.models import LDS


@dataclass(frozen=True)
class Grams:
    """Kernel matrices of one description of the training sequences, each of unit variance.

    They are computed when a rule first asks for them.

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
    def of(cls, description: Description, X: list[NDArray[Any]], n_jobs: int | None) -> "Grams":
        """Describe the sequences."""
        sequences = ChannelScaler().fit_transform(X) if description.scaled else X
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
            return cls(description.encoder(n_jobs).fit_transform(sequences), n_jobs)

    def mixed(self, rule: Rule) -> Floats:
        """Return the mixture of a rule."""
        return sum(  # type: ignore[return-value]
            weight * self._matrix(part)
            for part, weight in zip(PARTS, rule.weights, strict=True)
            if weight > 0
        )

    def _matrix(self, part: str) -> Floats:
        if part not in self.matrices:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of windows at rest
                fitted = FittedKernel.fit(self.systems, part, {}, self.n_jobs)
            if "bandwidth" in fitted.parts[0][2]:
                self.bandwidths[part] = fitted.parts[0][2]["bandwidth"]
            # The variance in feature space: what is left of the diagonal without the mean.
            spread = float(np.trace(fitted.gram) / len(fitted.gram) - fitted.gram.mean())
            self.scales[part] = spread if spread > 1e-12 else 1.0
            self.matrices[part] = fitted.gram / self.scales[part]
        return self.matrices[part]


@dataclass(frozen=True)
class Trial:
    """How a candidate did on sequences whose fold was held out.

    Attributes
    ----------
    description : Description
    rule : Rule
    correct : (n_repeats, n_tested) array of bool
        Whether each sequence was labelled correctly.
    losses : (n_repeats, n_tested) array
        Minus the logarithm of the chance given to the true class.
    factor : float
        Chances are the softmax of this times the scores.
    """

    description: Description
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
        """Mean over sequences and repeats: what candidates are compared by.

        It tells apart candidates that label equally many correctly, and is less of a lottery.
        """
        return float(self.losses.mean())

    @property
    def size(self) -> tuple[int, int]:
        """Simpler candidates first."""
        return (self.description.size, self.rule.size)


def judge(
    grams: Grams,
    description: Description,
    rules: Iterable[Rule],
    labels: Indices,
    folds: Floats,
    n_jobs: int | None,
) -> list[Trial]:
    """Return the trials of some rules.

    Parameters
    ----------
    grams : Grams
    description : Description
    rules : iterable of Rule
    labels : (N,) array
        Classes from 0.
    folds : (n_repeats, N) array
        Number of the fold of each sequence; -1 is in no fold, always trained on.
    n_jobs : int or None
    """
    tested = np.flatnonzero(folds[0] >= 0)
    truth = labels[tested]
    trials = []
    for rule in rules:
        K = grams.mixed(rule)
        scores = np.concatenate(
            [_held_out(K, rule, labels, fold, n_jobs)[tested] for fold in folds]
        )
        repeated = np.tile(truth, len(folds))
        factor = fit_factor(scores, repeated, len(folds))
        losses = -np.log(chances(scores, factor)[np.arange(len(scores)), repeated])
        correct = scores.argmax(axis=1) == repeated
        shape = (len(folds), len(tested))
        trials.append(
            Trial(description, rule, correct.reshape(shape), losses.reshape(shape), factor)
        )
    return trials


def _held_out(K: Floats, rule: Rule, labels: Indices, fold: Floats, n_jobs: int | None) -> Floats:
    """Scores of every sequence by those of other folds, (N, n_classes)."""
    n_classes = int(labels.max()) + 1
    if rule.kind == "svm":
        scores = np.full((len(K), n_classes), -np.inf)
        for number in np.unique(fold[fold >= 0]):
            test = np.flatnonzero(fold == number)
            train = np.flatnonzero(fold != number)
            scores[test] = _machine_scores(K, labels, train, test, rule.value, n_classes)
        return scores
    allowed = (fold[:, None] != fold[None, :]) | (fold[None, :] < 0)
    np.fill_diagonal(allowed, False)
    pursuit = 1 if rule.kind == "nearest" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of codes on an indefinite part
        codes = sparse_code(K, K, rule.value, n_nonzero=pursuit, allowed=allowed, n_jobs=n_jobs)
    explained = residual_reductions(K, K, codes, labels, n_classes)
    empty = np.flatnonzero(~codes.any(axis=1))
    nearest = np.where(allowed[empty], K[empty], -np.inf).argmax(axis=1)
    return coding_scores(explained, K.diagonal(), empty, labels[nearest])


def coding_scores(explained: Floats, own: Floats, empty: Indices, winners: Indices) -> Floats:
    """Return the share of k(x, x) that each class explains, (N, n_classes).

    Rows `empty` have codes of zeros: the class of the most similar one wins them, by a hair.
    """
    scores = explained / np.maximum(own, 1e-12)[:, None]
    scores[empty] = 1e-12 * np.eye(explained.shape[1])[winners]
    return scores


def machine_scores(decisions: Floats, winners: Indices) -> Floats:
    """Return decisions of a machine by class, ties of votes broken as the machine does."""
    scores = decisions.copy()
    if decisions.ndim == 1:
        scores = np.stack([-decisions, decisions], axis=1)
    scores[np.arange(len(scores)), winners] = scores.max(axis=1) + 1e-9
    return scores


def _machine_scores(
    K: Floats, labels: Indices, train: Indices, test: Indices, C: float, n_classes: int
) -> Floats:
    scores = np.full((len(test), n_classes), -np.inf)
    present = np.unique(labels[train])
    if len(present) == 1:
        scores[:, present] = 0.0
        return scores
    machine = SVC(kernel="precomputed", C=C).fit(K[np.ix_(train, train)], labels[train])
    cross = K[np.ix_(test, train)]
    winners = np.searchsorted(present, machine.predict(cross))
    scores[:, present] = machine_scores(machine.decision_function(cross), winners)
    return scores
