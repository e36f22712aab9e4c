"""The search: coarse over encodings, then fine over rules, within a time budget."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import (
    ALL_RULES,
    ORDERS,
    QUICK_RULES,
    USUAL_RULES,
    Encoding,
    Rule,
)
from ldslearn.auto.scaling import pooled_deviations
from ldslearn.auto.trials import KernelMatrices, Trial, evaluate_rules

_UNITS_DIFFER = 5.0  # ratio of the channels' deviations (90 % to 10 %) that suggests units
_FINALISTS = 4
_COARSE_FRACTION = 0.6  # of the budget
_N_PROPERTIES = 5  # in which encodings differ, varied in turn: stop when none of them helps
_MIN_IMPROVEMENT = 0.01  # relative decrease of the loss that counts as progress, not noise
# A simpler candidate may be worse by this many standard errors. A whole one cost a point of
# accuracy on average over halves of five collections, a tenth nothing.
_TOLERANCE = 0.1
# Estimates of running times. They decide only which candidates fit into the time budget.
_COST_PER_STATE = 50  # per pair of states, in units of the cost per stacked channel
_SAFETY = 1.3  # factor on the estimated time of an encoding
_MIN_COST_RATIO = 0.3  # the estimate is never below this fraction of a measured time
_RULE_SAFETY = 1.5  # factor on the time of the slowest rule so far
_MAX_KERNEL_FRACTION = 1 / 3  # of the time left, for the kernel matrices of one finalist


class Search:
    """One search and its results.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays
    labels : (N,) array
    folds : (n_repeats, N) array
    deadline : float
        In the time of `clock`.
    n_jobs : int or None
    report_progress : callable
        ``report_progress(text)`` is called after each step.
    sample : (n,) array of int
        Sequences on which encodings are compared first.
    sample_folds : (1, n) array
    clock : callable
        Returns the time in seconds.

    Attributes
    ----------
    coarse_losses : dict of Encoding to float
        Smallest loss on the sample, of every encoding that was tried.
    coarse_trials : list of Trial
        On the sample.
    trials : dict of (Encoding, Rule) to Trial
        On all sequences and repeats.
    kernels : dict of Encoding to KernelMatrices
        Of the best encodings.
    kernel_seconds : dict of Encoding to float
        Time to encode the sample and compute its kernel matrices.
    out_of_time : bool
        Whether the budget was too short to try everything.
    """

    def __init__(
        self,
        X: list[NDArray[Any]],
        labels: Indices,
        folds: Floats,
        *,
        deadline: float,
        n_jobs: int | None,
        report_progress: Callable[[str], None],
        sample: Indices,
        sample_folds: Floats,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.X, self.labels, self.folds = X, labels, folds
        self.deadline, self.n_jobs, self.report_progress = deadline, n_jobs, report_progress
        self.sample, self.sample_folds, self.clock = sample, sample_folds, clock
        self.n_channels = len(X[0])
        self.shortest = min(x.shape[1] for x in X)
        self.kernels: dict[Encoding, KernelMatrices] = {}
        self.trials: dict[tuple[Encoding, Rule], Trial] = {}
        self.coarse_losses: dict[Encoding, float] = {}
        self.coarse_trials: list[Trial] = []
        self.kernel_seconds: dict[Encoding, float] = {}
        self.out_of_time = False
        self._seconds: dict[Encoding, float] = {}

    @property
    def growth(self) -> float:
        """Ratio of the times for all sequences and for the sample."""
        return (len(self.X) / len(self.sample)) ** 2

    def run(self) -> None:
        """Search until nothing improves or the time is over."""
        start = self.clock()
        coarse_end = start + _COARSE_FRACTION * (self.deadline - start)
        best = self.make_initial_encoding()
        self._warm_up(best)
        self._try_encoding(best)
        n_without_progress, step = 0, 0
        while n_without_progress < _N_PROPERTIES and self.clock() < coarse_end:
            before = best
            for candidate in best.find_neighbours(step, self.n_channels, self.shortest):
                if candidate in self.coarse_losses:
                    continue
                if self.clock() + self._estimate_seconds(candidate) > coarse_end:
                    self.out_of_time = True  # a cheaper one may still fit
                    continue
                try:
                    self._try_encoding(candidate)
                except (ValueError, np.linalg.LinAlgError):  # impossible for these sequences
                    self.coarse_losses[candidate] = np.inf
            top = self._rank_encodings(self.coarse_losses)[0]
            if self.coarse_losses[top] < (1 - _MIN_IMPROVEMENT) * self.coarse_losses[best]:
                best = top
            n_without_progress = 0 if best != before else n_without_progress + 1
            step += 1
        self._compare_finalists()

    def list_comparable_trials(self) -> list[Trial]:
        """Return every candidate that was evaluated on all sequences, in all repeats or in one."""
        trials = list(self.trials.values())
        if len(self.sample) == len(self.X):
            finalists = {trial.encoding for trial in trials}
            trials += [trial for trial in self.coarse_trials if trial.encoding not in finalists]
        return trials

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
        """Estimate the time to try an encoding from those tried before."""

        def count_operations(e: Encoding) -> float:
            pairs = (len(self.sample) * e.n_states) ** 2 * e.n_windows
            return pairs * (self.n_channels * e.delays + _COST_PER_STATE * e.n_states)

        wanted = count_operations(encoding)
        known = min(self._seconds, key=lambda e: abs(np.log(count_operations(e) / wanted)))
        ratio = max(wanted / count_operations(known), _MIN_COST_RATIO)
        return _SAFETY * self._seconds[known] * ratio

    def _warm_up(self, encoding: Encoding) -> None:
        """Load compiled code, which is not part of the time of the first encoding."""
        few = np.concatenate([np.flatnonzero(self.labels == c)[:2] for c in (0, 1)])
        kernels = KernelMatrices.of(encoding, [self.X[i] for i in few], self.n_jobs)
        folds = np.arange(len(few), dtype=np.float64)[None]
        evaluate_rules(kernels, encoding, QUICK_RULES, self.labels[few], folds, self.n_jobs)

    def _try_encoding(self, encoding: Encoding) -> None:
        """Evaluate an encoding by a few rules, in one repeat of the folds of the sample."""
        start = self.clock()
        kernels = KernelMatrices.of(encoding, [self.X[i] for i in self.sample], self.n_jobs)
        for rule in QUICK_RULES:
            kernels.mix(rule)
        self.kernel_seconds[encoding] = self.clock() - start
        trials = evaluate_rules(
            kernels, encoding, QUICK_RULES, self.labels[self.sample], self.sample_folds,
            self.n_jobs,
        )  # fmt: skip
        best = min(trials, key=lambda trial: trial.loss)
        self.coarse_trials += trials
        self.coarse_losses[encoding] = best.loss
        self.kernels[encoding] = kernels
        finalists = self._rank_encodings(self.kernels)[:_FINALISTS]
        self.kernels = {e: self.kernels[e] for e in finalists}
        self._seconds[encoding] = self.clock() - start
        self.report_progress(f"{len(self.coarse_losses)} encodings tried, last {best.accuracy:.1%}")

    def _compare_finalists(self) -> None:
        """Evaluate the best encodings by all rules, on all sequences and repeats."""
        finalists = self._rank_encodings(self.kernels)
        if len(self.sample) < len(self.X):
            self.kernels = {}
        slowest = 0.0
        usual = tuple(rule for rule in USUAL_RULES if rule not in QUICK_RULES)
        rest = tuple(rule for rule in ALL_RULES if rule not in (*QUICK_RULES, *usual))
        for rules in (QUICK_RULES, usual, rest):
            for encoding in finalists:
                if encoding not in self.kernels:
                    now, cost = self.clock(), self.growth * self.kernel_seconds[encoding]
                    late = rules is not QUICK_RULES
                    if self.kernels and (
                        late or cost > _MAX_KERNEL_FRACTION * (self.deadline - now)
                    ):
                        self.out_of_time = True
                        continue
                    self.kernels[encoding] = KernelMatrices.of(encoding, self.X, self.n_jobs)
                for rule in rules:
                    start = self.clock()
                    if self.trials and start + _RULE_SAFETY * slowest > self.deadline:
                        self.out_of_time = True
                        return
                    (trial,) = evaluate_rules(
                        self.kernels[encoding], encoding, [rule], self.labels, self.folds,
                        self.n_jobs,
                    )  # fmt: skip
                    self.trials[encoding, rule] = trial
                    slowest = max(slowest, self.clock() - start)
                leader = min(self.trials.values(), key=lambda trial: trial.loss)
                self.report_progress(
                    f"{len(self.trials)} settings tried, best {leader.accuracy:.1%}"
                )


def pick_simplest(trials: list[Trial]) -> tuple[Trial, Trial]:
    """Return the simplest of the good trials, and the best one.

    The one-standard-error rule with a tenth of the error: a trial is good if its loss, compared
    with the smallest one sequence by sequence, is not larger by more than that.
    """
    best = min(trials, key=lambda trial: (trial.loss, trial.size))
    for trial in sorted(trials, key=lambda trial: (trial.size, trial.loss)):
        gaps = (trial.losses - best.losses).mean(axis=0)
        if gaps.mean() <= _TOLERANCE * gaps.std() / np.sqrt(len(gaps)) + 1e-12:
            return trial, best
    return best, best
