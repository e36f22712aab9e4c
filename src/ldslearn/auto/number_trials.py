"""Candidates that predict numbers, evaluated by folds of the training sequences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import WEIGHTS, Encoding, RandomBank, Rule
from ldslearn.auto.trials import KernelMatrices
from ldslearn.classify.ridge_path import RidgePath
from ldslearn.random_systems import RandomSystemsRegressor

_PENALTIES = np.logspace(-6, 1, 15)  # per unit of weight: kernels have the variance 1
# The value of a rule is not used: every trial has the penalty with the smallest error.
_RIDGE_RULES = tuple(Rule(weights, "ridge", 1.0) for weights in WEIGHTS)
_QUICK_RULES = tuple(_RIDGE_RULES[i] for i in (2, 8, 10))


@dataclass(frozen=True)
class NumberTrial:
    """The predictions of a candidate for held-out sequences.

    Attributes
    ----------
    source : Encoding or RandomBank
        What describes the sequences.
    rule : Rule or None
        Weights of the kernels; None for random systems.
    predictions : (n_repeats, n_tested, n_outputs) array
        Of targets with the variance 1.
    truth : (n_tested, n_outputs) array
    penalty : float
        Of the ridge regression.
    """

    source: Encoding | RandomBank
    rule: Rule | None
    predictions: Floats
    truth: Floats
    penalty: float

    @property
    def losses(self) -> Floats:
        """Squared errors, mean over outputs, (n_repeats, n_tested)."""
        return np.square(self.predictions - self.truth).mean(axis=2)

    @property
    def loss(self) -> float:
        """Mean over sequences and repeats, by which candidates are compared."""
        return float(self.losses.mean())

    @property
    def headline(self) -> str:
        """The result in a word, for lines of progress."""
        return f"error {np.sqrt(self.loss):.3f} of a deviation"

    @property
    def size(self) -> tuple[int, int]:
        """States, and kernels; simpler candidates come first."""
        return (self.source.size, 0 if self.rule is None else len(self.rule.parts))


@dataclass(frozen=True)
class NumberTask:
    """Numbers to predict.

    Attributes
    ----------
    targets : (N, n_outputs) array
        With the variance 1.
    """

    targets: Floats
    quick_rules: Sequence[Rule] = _QUICK_RULES
    ridge_rules: Sequence[Rule] | None = _RIDGE_RULES
    tries_others: bool = False
    n_shuffles: int = 0

    def select(self, indices: Indices) -> "NumberTask":
        """Return the task of some of the sequences."""
        return NumberTask(self.targets[indices])

    def pick_few(self) -> Indices:
        """Return the first four sequences."""
        return np.arange(min(4, len(self.targets)))

    def evaluate_rules(
        self,
        kernels: KernelMatrices,
        encoding: Encoding,
        rules: Iterable[Rule],
        folds: Floats,
        n_jobs: int | None,
    ) -> list[Any]:
        """Return one trial per rule, with the best penalty."""
        return [
            _evaluate_path(
                kernels.decompose(rule), encoding, rule, self.targets, folds,
                sum(rule.weights) * _PENALTIES,
            )
            for rule in rules
        ]  # fmt: skip

    def evaluate_bank(
        self, bank: RandomBank, X: list[NDArray[Any]], folds: Floats, n_jobs: int | None
    ) -> tuple[Any, list[Any], Any]:
        """Return the trial of random systems, no others, and the fitted regressor."""
        model = RandomSystemsRegressor(random_state=bank.seed, n_jobs=n_jobs)
        model.fit(X, self.targets)
        path = RidgePath.decompose_features(model.compute_features(X))
        trial = _evaluate_path(path, bank, None, self.targets, folds, [model.penalty_])
        return trial, [], model

    def evaluate_shuffled(
        self, kernels: KernelMatrices, encoding: Encoding, fold: Floats
    ) -> list[list[Any]]:
        """Return nothing: the expected error has no correction by chance."""
        return []


def _evaluate_path(
    path: RidgePath,
    source: Encoding | RandomBank,
    rule: Rule | None,
    targets: Floats,
    folds: Floats,
    penalties: Sequence[float] | Floats,
) -> NumberTrial:
    """Return the trial of the penalty with the smallest error in the folds."""
    tested = np.flatnonzero(folds[0] >= 0)
    trials = []
    for penalty in penalties:
        found = [path.predict_held_out(targets, penalty, fold)[tested] for fold in folds]
        trials.append(NumberTrial(source, rule, np.stack(found), targets[tested], float(penalty)))
    return min(trials, key=lambda trial: trial.loss)
