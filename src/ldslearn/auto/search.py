"""The search: coarse over descriptions, then fine over rules, within a budget of time."""

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
    Description,
    Rule,
)
from ldslearn.auto.scaling import channel_deviations
from ldslearn.auto.trials import Grams, Trial, judge

_UNITS_DIFFER = 5.0  # ratio of the channels' deviations (90 % to 10 %) that looks like units
_FINALISTS = 4
_COARSE_SHARE = 0.6  # of the budget
_RESPECTS = 5  # in which descriptions differ
_WORTHWHILE = 0.01  # share of the loss that must be gained to move on: noise is no progress
# Standard errors that a simpler candidate may be worse: a whole one cost a point of accuracy on
# average over halves of five collections, a tenth nothing.
_ERRORS = 0.1


class Search:
    """One search; holds what was found.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays
    labels : (N,) array
    folds : (n_repeats, N) array
    deadline : float
        Of ``time.monotonic()``.
    n_jobs : int or None
    advance : callable
        ``advance(text)`` is called after each step.
    sample : (n,) array of int
        Sequences that descriptions are first looked at with.
    sample_folds : (1, n) array
    """

    def __init__(
        self,
        X: list[NDArray[Any]],
        labels: Indices,
        folds: Floats,
        deadline: float,
        n_jobs: int | None,
        advance: Callable[[str], None],
        sample: Indices,
        sample_folds: Floats,
    ) -> None:
        self.X, self.labels, self.folds = X, labels, folds
        self.deadline, self.n_jobs, self.advance = deadline, n_jobs, advance
        self.sample, self.sample_folds = sample, sample_folds
        self.n_channels = len(X[0])
        self.shortest = min(x.shape[1] for x in X)
        self.grams: dict[Description, Grams] = {}
        self.trials: dict[tuple[Description, Rule], Trial] = {}
        self.quick: dict[Description, float] = {}
        self.looked: list[Trial] = []
        self.seconds: dict[Description, float] = {}
        self.gram_seconds: dict[Description, float] = {}
        self.bound = False  # whether the budget kept anything from being tried

    @property
    def growth(self) -> float:
        """How much longer all sequences take than the sample."""
        return (len(self.X) / len(self.sample)) ** 2

    def run(self) -> None:
        """Search until nothing gets better or the time is over."""
        begun = time.monotonic()
        coarse_end = begun + _COARSE_SHARE * (self.deadline - begun)
        best = self.start()
        self._warm_up(best)
        self._look(best)
        idle, step = 0, 0
        while idle < _RESPECTS and time.monotonic() < coarse_end:
            found = best
            for candidate in best.neighbours(step, self.n_channels, self.shortest):
                if candidate in self.quick:
                    continue
                if time.monotonic() + self._cost(candidate) > coarse_end:
                    self.bound = True  # a cheaper one may still fit
                    continue
                try:
                    self._look(candidate)
                except (ValueError, np.linalg.LinAlgError):  # what the first could, this cannot
                    self.quick[candidate] = np.inf
            top = min(self.quick, key=lambda d: (self.quick[d], d.size))
            if self.quick[top] < (1 - _WORTHWHILE) * self.quick[best]:
                best = top
            idle = 0 if best != found else idle + 1
            step += 1
        self._refine()

    def judged(self) -> list[Trial]:
        """Every candidate that was judged on all sequences; by all repeats or by one."""
        done = list(self.trials.values())
        if len(self.sample) == len(self.X):
            finalists = {trial.description for trial in done}
            done += [trial for trial in self.looked if trial.description not in finalists]
        return done

    def start(self) -> Description:
        """A description that suits most: ten stacked channels, five states."""
        delays = int(np.clip(-(-10 // self.n_channels), 1, max(1, self.shortest // 8)))
        most = min(self.n_channels * delays, max(1, (self.shortest - delays) // 2))
        n_states = max((n for n in ORDERS if n <= min(5, most)), default=1)
        return Description(n_states, delays, scaled=self._units_differ())

    def _units_differ(self) -> bool:
        if self.n_channels == 1:
            return False
        deviations = channel_deviations(self.X)
        low, high = (
            np.quantile(deviations[deviations > 0], [0.1, 0.9]) if deviations.any() else (1, 1)
        )
        return bool(high > _UNITS_DIFFER * low)

    def _cost(self, description: Description) -> float:
        """Seconds that looking at a description will take, from those looked at before."""

        def work(d: Description) -> float:
            pairs = (len(self.sample) * d.n_states) ** 2 * d.n_windows
            return pairs * (self.n_channels * d.delays + 50 * d.n_states)

        known = min(self.seconds, key=lambda d: abs(np.log(work(d) / work(description))))
        return 1.3 * self.seconds[known] * max(work(description) / work(known), 0.3)

    def _warm_up(self, description: Description) -> None:
        """Load compiled code, so that the first look is not thought to be slow."""
        some = [np.flatnonzero(self.labels == c)[:2] for c in (0, 1)]
        few = np.concatenate(some)
        grams = Grams.of(description, [self.X[i] for i in few], self.n_jobs)
        folds = np.arange(len(few), dtype=np.float64)[None]
        judge(grams, description, QUICK_RULES, self.labels[few], folds, self.n_jobs)

    def _look(self, description: Description) -> None:
        """Judge a description by a few rules, on one cut of the sample into folds."""
        start = time.monotonic()
        grams = Grams.of(description, [self.X[i] for i in self.sample], self.n_jobs)
        for rule in QUICK_RULES:
            grams.mixed(rule)
        self.gram_seconds[description] = time.monotonic() - start
        trials = judge(
            grams, description, QUICK_RULES, self.labels[self.sample], self.sample_folds,
            self.n_jobs,
        )  # fmt: skip
        best = min(trials, key=lambda trial: trial.loss)
        self.looked += trials
        self.quick[description] = best.loss
        self.grams[description] = grams
        keep = sorted(self.grams, key=lambda d: (self.quick[d], d.size))[:_FINALISTS]
        self.grams = {d: self.grams[d] for d in keep}
        self.seconds[description] = time.monotonic() - start
        self.advance(f"looked at {len(self.quick)} descriptions, now {best.accuracy:.1%}")

    def _refine(self) -> None:
        """Judge the best descriptions by all rules, on all sequences and repeats."""
        finalists = sorted(self.grams, key=lambda d: (self.quick[d], d.size))
        if len(self.sample) < len(self.X):
            self.grams = {}
        slowest = 0.0
        usual = tuple(rule for rule in USUAL_RULES if rule not in QUICK_RULES)
        rest = tuple(rule for rule in ALL_RULES if rule not in (*QUICK_RULES, *usual))
        for rules in (QUICK_RULES, usual, rest):
            for description in finalists:
                if description not in self.grams:
                    now, cost = time.monotonic(), self.growth * self.gram_seconds[description]
                    late = rules is not QUICK_RULES
                    if self.grams and (late or cost > (self.deadline - now) / 3):
                        self.bound = True
                        continue
                    self.grams[description] = Grams.of(description, self.X, self.n_jobs)
                for rule in rules:
                    start = time.monotonic()
                    if self.trials and start + 1.5 * slowest > self.deadline:
                        self.bound = True
                        return
                    (trial,) = judge(
                        self.grams[description], description, [rule], self.labels, self.folds,
                        self.n_jobs,
                    )  # fmt: skip
                    self.trials[description, rule] = trial
                    slowest = max(slowest, time.monotonic() - start)
                leader = min(self.trials.values(), key=lambda trial: trial.loss)
                self.advance(f"compared {len(self.trials)} candidates, best {leader.accuracy:.1%}")


def choose(trials: list[Trial]) -> tuple[Trial, Trial]:
    """Return the chosen trial and the best one.

    The one-standard-error rule with a tenth of the error: of the candidates whose loss is not
    larger than the smallest by more than that, the difference taken sequence by sequence, the
    simplest.
    """
    best = min(trials, key=lambda trial: (trial.loss, trial.size))
    for trial in sorted(trials, key=lambda trial: (trial.size, trial.loss)):
        gaps = (trial.losses - best.losses).mean(axis=0)
        if gaps.mean() <= _ERRORS * gaps.std() / np.sqrt(len(gaps)) + 1e-12:
            return trial, best
    return best, best
