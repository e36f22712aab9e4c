"""What a search predicts: labels or numbers, and how candidates are evaluated by them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import QUICK_RULES, SHUFFLED_RULES, Encoding, RandomBank, Rule
from ldslearn.auto.trials import (
    KernelMatrices,
    evaluate_random_systems,
    evaluate_rules,
    evaluate_shuffled,
)


class Task(Protocol):
    """The targets of a search: class labels (:class:`LabelTask`) or numbers.

    Trials have `source`, `rule`, `loss`, `losses`, `size` and `headline`.
    """

    @property
    def n_shuffles(self) -> int:
        """Number of shuffled targets."""

    @property
    def quick_rules(self) -> Sequence[Rule]:
        """Rules that encodings are compared by."""

    @property
    def ridge_rules(self) -> Sequence[Rule] | None:
        """All ridge regressions; None are those of classifiers."""

    @property
    def tries_others(self) -> bool:
        """Whether support vectors and sparse coding are candidates."""

    def select(self, indices: Indices) -> "Task":
        """Return the task of some of the sequences."""

    def pick_few(self) -> Indices:
        """Return a few sequences that functions can be compiled with."""

    def evaluate_rules(
        self,
        kernels: KernelMatrices,
        encoding: Encoding,
        rules: Iterable[Rule],
        folds: Floats,
        n_jobs: int | None,
    ) -> list[Any]:
        """Return one trial per rule."""

    def evaluate_bank(
        self, bank: RandomBank, X: list[NDArray[Any]], folds: Floats, n_jobs: int | None
    ) -> tuple[Any, list[Any], Any]:
        """Return the trial of random systems, those of shuffled targets, and the fitted model."""

    def evaluate_shuffled(
        self, kernels: KernelMatrices, encoding: Encoding, fold: Floats
    ) -> list[list[Any]]:
        """Return trials with shuffled targets: per rule, one per shuffle."""


@dataclass(frozen=True)
class LabelTask:
    """Class labels.

    Attributes
    ----------
    labels : (N,) array
        Classes from 0.
    shuffled : (n_shuffles, N) array
        Shuffled labels, for what the same candidates reach by chance.
    """

    labels: Indices
    shuffled: Indices
    quick_rules: Sequence[Rule] = QUICK_RULES
    ridge_rules: Sequence[Rule] | None = None
    tries_others: bool = True

    @property
    def n_shuffles(self) -> int:
        """Number of shuffles."""
        return len(self.shuffled)

    def select(self, indices: Indices) -> "LabelTask":
        """Return the task of some of the sequences, whose labels are not shuffled.

        Shuffled labels of a part may lack classes that the part has, or have others.
        """
        labels = self.labels[indices]
        return LabelTask(labels, labels[None])

    def pick_few(self) -> Indices:
        """Return two sequences of each of two classes."""
        return np.concatenate([np.flatnonzero(self.labels == c)[:2] for c in (0, 1)])

    def evaluate_rules(
        self,
        kernels: KernelMatrices,
        encoding: Encoding,
        rules: Iterable[Rule],
        folds: Floats,
        n_jobs: int | None,
    ) -> list[Any]:
        """Return one trial per rule."""
        return evaluate_rules(kernels, encoding, rules, self.labels, folds, n_jobs)

    def evaluate_bank(
        self, bank: RandomBank, X: list[NDArray[Any]], folds: Floats, n_jobs: int | None
    ) -> tuple[Any, list[Any], Any]:
        """Return the trial of random systems, those of shuffled labels, and the classifier."""
        return evaluate_random_systems(bank, X, self.labels, folds, self.shuffled, n_jobs)

    def evaluate_shuffled(
        self, kernels: KernelMatrices, encoding: Encoding, fold: Floats
    ) -> list[list[Any]]:
        """Return ridge regressions with shuffled labels: per rule, one trial per shuffle."""
        return [
            evaluate_shuffled(
                kernels.decompose(rule), encoding, rule, rule.penalty, self.shuffled, fold
            )
            for rule in SHUFFLED_RULES
        ]
