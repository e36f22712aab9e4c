"""The search: coarse over encodings, then fine over rules, within a time budget."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._progress import describe_work
from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import (
    ORDERS,
    OTHER_RULES,
    RIDGE_RULES,
    Encoding,
    RandomBank,
    Rule,
)
from ldslearn.auto.costs import estimate_seconds
from ldslearn.auto.shared_encodings import SharedEncodings
from ldslearn.auto.tasks import Task
from ldslearn.auto.trials import KernelMatrices
from ldslearn.random_systems.standardization import share_standardizations
from ldslearn.sequences.moments import pooled_deviations

_IMPOSSIBLE = (ValueError, np.linalg.LinAlgError)  # an encoding for these sequences
_UNITS_DIFFER = 5.0  # ratio of the channels' deviations (90 % to 10 %) that suggests units
_FINALISTS = 4
_COARSE_FRACTION = 0.6  # of the budget
_N_PROPERTIES = 5  # in which encodings differ, varied in turn: stop when none of them helps
_MIN_IMPROVEMENT = 0.01  # relative decrease of the loss that counts as progress, not noise
_N_WEIGHTS = 5  # weights of kernels per encoding that SVMs and sparse coding are tried with
_BANK_FRACTION = 0.1  # of the budget, for each bank of random systems but the first
_RULE_SAFETY = 1.5  # factor on the time of the slowest rule so far
_MAX_KERNEL_FRACTION = 1 / 3  # of the time left, for the kernel matrices of one finalist


class Search:
    """One search and its results.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays
    task : Task
        Targets of the sequences, and how candidates are evaluated.
    folds : (n_repeats, N) array
    deadline : float
        In the time of `clock`.
    n_jobs : int or None
    report_progress : callable
        ``report_progress(text)`` is called after each step.
    sample : (n,) array of int
        Sequences on which encodings are compared first.
    sample_folds : (1, n) array
    shortest : int
        Time points of the shortest sequence, also of those that are not searched.
    banks : sequence of RandomBank
    clock : callable
        Returns the time in seconds.

    Attributes
    ----------
    coarse_losses : dict of Encoding to float
        Smallest loss on the sample, of every encoding that was tried.
    coarse_trials : list of Trial
        On the sample.
    shuffled_trials : list of list of Trial
        Per shuffle of the labels, ridge regressions on all encodings and banks.
    trials : list of Trial
        On all sequences and repeats.
    random_models : dict of RandomBank to estimator
        Of the banks that were tried, trained on all sequences.
    kernels : dict of Encoding to KernelMatrices
        Of the best encodings.
    kernel_seconds : dict of Encoding to float
        Time to encode the sample and compute its kernel matrices.
    warm_up_seconds : float
        Time to compile functions or to load them, which the budget does not count.
    left_out : list of str
        What the budget was too short for, in words.
    """

    def __init__(
        self,
        X: list[NDArray[Any]],
        task: Task,
        folds: Floats,
        *,
        deadline: float,
        n_jobs: int | None,
        report_progress: Callable[[str], None],
        sample: Indices,
        sample_folds: Floats,
        shortest: int,
        banks: Sequence[RandomBank],
        clock: Callable[[], float],
    ) -> None:
        self.X, self.task, self.folds = X, task, folds
        self.deadline, self.n_jobs, self.report_progress = deadline, n_jobs, report_progress
        self.sample, self.sample_folds, self.banks = sample, sample_folds, banks
        self.clock = clock
        self.n_channels = len(X[0])
        self.shortest, self.warm_up_seconds = shortest, 0.0
        self.kernels: dict[Encoding, KernelMatrices] = {}
        self.trials: list[Any] = []
        self.random_models: dict[RandomBank, Any] = {}
        self.coarse_losses: dict[Encoding, float] = {}
        self.coarse_trials: list[Any] = []
        self.shuffled_trials: list[list[Any]] = [[] for _ in range(task.n_shuffles)]
        self.kernel_seconds: dict[Encoding, float] = {}
        self.left_out: list[str] = []
        self._seconds: dict[Encoding, float] = {}
        self._encodings = SharedEncodings([X[i] for i in sample], n_jobs)

    @property
    def growth(self) -> float:
        """Ratio of the times for all sequences and for the sample."""
        return (len(self.X) / len(self.sample)) ** 2

    def run(self) -> None:
        """Search until nothing improves or the time is over."""
        best = self.make_initial_encoding()
        with suppress(*_IMPOSSIBLE):
            self._warm_up(best)
        self._try_random_systems()
        start = self.clock()
        coarse_end = start + _COARSE_FRACTION * (self.deadline - start)
        self._try_encoding_if_possible(best)
        n_without_progress, step = 0, 0
        skipped: set[Encoding] = set()
        while n_without_progress < _N_PROPERTIES and self.clock() < coarse_end:
            before = best
            found = best.find_neighbours(step, self.n_channels, self.shortest)
            candidates = [one for one in found if one not in self.coarse_losses]
            for i, candidate in enumerate(candidates):
                if self.clock() + self._estimate_seconds(candidate) > coarse_end:
                    skipped.add(candidate)  # a cheaper one may still fit
                    continue
                self._try_encoding_if_possible(candidate, candidates[i + 1 :])
            top = self._rank_encodings(self.coarse_losses)[0]
            if self.coarse_losses[top] < (1 - _MIN_IMPROVEMENT) * self.coarse_losses[best]:
                best = top
            n_without_progress = 0 if best != before else n_without_progress + 1
            step += 1
        if n_without_progress < _N_PROPERTIES or skipped:
            self.left_out.append("encodings")
        self._compare_finalists()

    def list_comparable_trials(self) -> list[Any]:
        """Return every candidate that was evaluated on all sequences, in all repeats or in one."""
        if len(self.sample) < len(self.X):
            return self.trials
        finalists = {trial.source for trial in self.trials}
        return self.trials + [
            trial for trial in self.coarse_trials if trial.source not in finalists
        ]

    def make_initial_encoding(self) -> Encoding:
        """Return an encoding that suits most data: ten stacked channels, five states."""
        delays = int(np.clip(-(-10 // self.n_channels), 1, max(1, self.shortest // 8)))
        most = min(self.n_channels * delays, max(1, (self.shortest - delays) // 2))
        n_states = max((n for n in ORDERS if n <= min(5, most)), default=1)
        return Encoding(n_states, delays, scaled=self._has_different_units())

    def _has_different_units(self) -> bool:
        if self.n_channels == 1:
            return False
        deviations = pooled_deviations(self.X)
        low, high = (
            np.quantile(deviations[deviations > 0], [0.1, 0.9]) if deviations.any() else (1, 1)
        )
        return bool(high > _UNITS_DIFFER * low)

    def _rank_encodings(self, encodings: dict[Encoding, Any]) -> list[Encoding]:
        """Encodings by loss on the sample, the simpler of equals first."""
        return sorted(encodings, key=lambda e: (self.coarse_losses[e], e.size))

    def _estimate_seconds(self, encoding: Encoding) -> float:
        return estimate_seconds(encoding, self._seconds, len(self.sample), self.n_channels)

    @describe_work("loading functions, which the first run compiles")
    def _warm_up(self, encoding: Encoding) -> None:
        """Compile functions, or load what was compiled; that time is not part of the budget."""
        start = self.clock()
        few = self.task.pick_few()
        X, task = [self.X[i] for i in few], self.task.select(few)
        folds = np.arange(len(few), dtype=np.float64)[None]
        kernels = KernelMatrices.of(encoding, X, self.n_jobs)
        task.evaluate_rules(kernels, encoding, task.quick_rules, folds, self.n_jobs)
        if self.banks:
            task.evaluate_bank(self.banks[0], X, folds, self.n_jobs)
        self.warm_up_seconds = self.clock() - start
        self.deadline += self.warm_up_seconds

    def _try_encoding_if_possible(
        self, encoding: Encoding, others: Sequence[Encoding] = ()
    ) -> None:
        try:
            self._try_encoding(encoding, others)
        except _IMPOSSIBLE:
            self.coarse_losses[encoding] = np.inf

    def _try_encoding(self, encoding: Encoding, others: Sequence[Encoding]) -> None:
        """Evaluate an encoding by a few rules, in one repeat of the folds of the sample."""
        start = self.clock()
        kernels = KernelMatrices(self._encodings.encode(encoding, others), self.n_jobs)
        for rule in self.task.quick_rules:
            kernels.mix(rule)
        self.kernel_seconds[encoding] = self.clock() - start
        part = self.task.select(self.sample)
        trials = part.evaluate_rules(
            kernels, encoding, part.quick_rules, self.sample_folds, self.n_jobs
        )
        best = min(trials, key=lambda trial: trial.loss)
        self.coarse_trials += trials
        self.coarse_losses[encoding] = best.loss
        self.kernels[encoding] = kernels
        if len(self.sample) == len(self.X):
            self._shuffle_labels(encoding)
        finalists = self._rank_encodings(self.kernels)[:_FINALISTS]
        self.kernels = {e: self.kernels[e] for e in finalists}
        self._seconds[encoding] = self.clock() - start
        self.report_progress(f"encoding {len(self.coarse_losses)} tried, {best.headline}")

    @share_standardizations()
    def _try_random_systems(self) -> None:
        """Evaluate the first bank of random systems, and others if they take little time."""
        for bank in self.banks:
            start = self.clock()
            trial, chance, model = self.task.evaluate_bank(bank, self.X, self.folds, self.n_jobs)
            self.trials.append(trial)
            self._keep_shuffled(chance)
            self.random_models[bank] = model
            self.report_progress(f"random systems tried, {trial.headline}")
            now = self.clock()
            if now - start > _BANK_FRACTION * (self.deadline - now) and bank != self.banks[-1]:
                self.left_out.append("banks of random systems")
                return

    def _shuffle_labels(self, encoding: Encoding) -> None:
        """Evaluate ridge regressions on an encoding with shuffled labels."""
        found = self.task.evaluate_shuffled(self.kernels[encoding], encoding, self.folds[0])
        for trials in found:
            self._keep_shuffled(trials)

    def _keep_shuffled(self, trials: list[Any]) -> None:
        for kept, trial in zip(self.shuffled_trials, trials, strict=True):
            kept.append(trial)

    def _compare_finalists(self) -> None:
        """Evaluate the best encodings by all rules, on all sequences and repeats."""
        finalists = self._rank_encodings(self.kernels)
        if len(self.sample) < len(self.X):
            self.kernels = {}
        slowest = 0.0
        for kind in ("quick", "ridge", "others"):
            for encoding in finalists:
                if encoding not in self.kernels:
                    now, cost = self.clock(), self.growth * self.kernel_seconds[encoding]
                    late = kind != "quick"
                    if self.kernels and (
                        late or cost > _MAX_KERNEL_FRACTION * (self.deadline - now)
                    ):
                        if not late:
                            self.left_out.append("encodings on all sequences")
                        continue
                    try:
                        self.kernels[encoding] = KernelMatrices.of(encoding, self.X, self.n_jobs)
                    except _IMPOSSIBLE:
                        continue
                for rule in self._list_rules(kind, encoding):
                    start = self.clock()
                    tried = any(isinstance(trial.source, Encoding) for trial in self.trials)
                    if tried and start + _RULE_SAFETY * slowest > self.deadline:
                        self.left_out.append("kernel weights")
                        return
                    self.trials += self.task.evaluate_rules(
                        self.kernels[encoding], encoding, [rule], self.folds, self.n_jobs
                    )
                    slowest = max(slowest, self.clock() - start)
                if kind == "quick" and len(self.sample) < len(self.X):
                    self._shuffle_labels(encoding)
                if kind == "ridge":
                    self.kernels[encoding].paths.clear()  # as large as kernel matrices
                leader = min(self.trials, key=lambda trial: trial.loss)
                self.report_progress(f"{len(self.trials)} settings tried, best {leader.headline}")

    def _list_rules(self, kind: str, encoding: Encoding) -> list[Rule]:
        """Return the rules to try next: all regressions, then others with the best weights."""
        if kind == "quick":
            return list(self.task.quick_rules)
        done = {trial.rule: trial.loss for trial in self.trials if trial.source == encoding}
        if kind == "ridge":
            known = RIDGE_RULES if self.task.ridge_rules is None else self.task.ridge_rules
            return [rule for rule in known if rule not in done]
        if not self.task.tries_others:
            return []
        losses: dict[tuple[float, ...], float] = {}
        for rule, loss in done.items():
            if rule is not None and rule.kind == "ridge":
                losses[rule.weights] = min(loss, losses.get(rule.weights, np.inf))
        best = sorted(losses, key=lambda weights: losses[weights])[:_N_WEIGHTS]
        return [rule for rule in OTHER_RULES if rule.weights in best and rule not in done]
