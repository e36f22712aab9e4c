"""Estimates with their uncertainty, and what they say about a claim."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import Any

import numpy as np
from scipy.stats import t as student

from ldslearn._types import Floats

CONFIRMED, REFUTED, MIXED = "confirmed", "refuted", "mixed"
UNDECIDED, NOT_JUDGED = "undecided", "not judged"
VERDICTS = (CONFIRMED, REFUTED, MIXED, UNDECIDED, NOT_JUDGED)

MARGIN = 0.05  # accuracies that differ by less than five points are called the same
_UPPER_QUANTILE = 0.975  # of a two-sided 95 % interval


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error and degrees of freedom, as of Student's t.

    A mean of one value has no known spread: its standard error is infinite.
    """

    value: float
    error: float
    df: int

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.value - self._reach

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.value + self._reach

    @property
    def _reach(self) -> float:
        return float(student.ppf(_UPPER_QUANTILE, self.df)) * self.error if self.df else inf

    @property
    def p(self) -> float:
        """One-sided p-value of a mean above zero; 1 minus it is that of one below."""
        if not self.df or (self.error == 0 and self.value == 0):
            return 0.5
        if self.error == 0:
            return 0.0 if self.value > 0 else 1.0
        return float(student.sf(self.value / self.error, self.df))

    def __add__(self, shift: float) -> "Estimate":
        """Return the estimate of the quantity plus a constant."""
        return Estimate(self.value + shift, self.error, self.df)

    def compare_to_margin(self, margin: float) -> "Estimate":
        """Return the estimate of how far the absolute value stays below `margin`."""
        return Estimate(margin - abs(self.value), self.error, self.df)


@dataclass(frozen=True)
class Evidence:
    """What one collection says about a claim.

    Attributes
    ----------
    claim : str
        A name of :data:`ldslearn.paper.claims.CLAIMS`.
    collection : str
        Title.
    estimate : Estimate
        Of a quantity that is positive if the claim holds.
    words : str
        The numbers found.
    """

    claim: str
    collection: str
    estimate: Estimate
    words: str

    @property
    def verdict(self) -> str:
        """Whether the 95 % interval is above zero, below, or has both signs ("undecided")."""
        if self.estimate.low > 0:
            return CONFIRMED
        return REFUTED if self.estimate.high < 0 else UNDECIDED


def read_correct(numbers: Any) -> list[Floats]:
    """Return for each round 1 where a test sequence was classified correctly, else 0."""
    return [
        np.frombuffer(text.encode(), dtype=np.uint8).astype(np.float64) - ord("0")
        for text in numbers["correct"]
    ]


def compute_gaps(first: Any, second: Any) -> list[Floats]:
    """Return for each round and test sequence 1 if only the first was correct, -1 the second."""
    return [a - b for a, b in zip(read_correct(first), read_correct(second), strict=True)]


def average_settings(
    parts: Iterable[Sequence[Floats]], weights: Sequence[float] | None = None
) -> Any:
    """Return the mean over settings, round by round: settings share rounds and test sequences."""
    return [np.average(of_round, axis=0, weights=weights) for of_round in zip(*parts, strict=True)]


def estimate_trend(parts: Sequence[Sequence[Floats]], sizes: Sequence[float]) -> list[Floats]:
    """Return for each round and test sequence the slope per doubling of `sizes`, least squares."""
    x = np.log2(np.asarray(sizes, float))
    x -= x.mean()
    weights = x / (x @ x)
    # Rounded, so that what does not change has a slope of exactly zero.
    return [np.tensordot(weights, one, axes=1).round(12) for one in zip(*parts, strict=True)]


def estimate_difference(gaps: Sequence[Floats], n_train: Sequence[int]) -> Estimate:
    """Return the mean of gaps of accuracies with its standard error.

    Random rounds share sequences: their variance is enlarged as by Nadeau and Bengio (2003). One
    round alone is tested by its sequences.

    Parameters
    ----------
    gaps : sequence of arrays
        For each round one value per test sequence.
    n_train : sequence of int
        Training sequences of each round.
    """
    means = [float(gap.mean()) for gap in gaps]
    mean, k = float(np.mean(means)), len(gaps)
    if k == 1:
        n = len(gaps[0])
        error = float(gaps[0].std(ddof=1)) / sqrt(n) if n > 1 else inf
        return Estimate(mean, error, n - 1)
    size = float(np.mean([len(gap) for gap in gaps]))
    share = size / float(np.mean(n_train))
    # Few rounds may agree by chance: the spread is at least that of their sequences.
    spread = max(np.var(means, ddof=1), np.mean([gap.var() for gap in gaps]) / size)
    return Estimate(mean, sqrt((1 / k + share) * spread), k - 1)


def estimate_mean(values: Sequence[float]) -> Estimate:
    """Return the mean of independent values."""
    n = len(values)
    error = float(np.std(values, ddof=1)) / sqrt(n) if n > 1 else inf
    return Estimate(float(np.mean(values)), error, n - 1)


def estimate_log_ratio(slow: Sequence[float], quick: Sequence[float]) -> Estimate:
    """Return the mean logarithm of ratios of times measured in turn."""
    return estimate_mean([log(a / b) for a, b in zip(slow, quick, strict=True)])


def average_logs(seconds: dict[int, Any], sizes: list[int], slow: str, quick: str) -> list[float]:
    """Logarithms of ratios, mean over J, one per repeat that all J have."""
    logs = [
        [log(a / b) for a, b in zip(seconds[J][slow], seconds[J][quick], strict=True)]
        for J in sizes
    ]
    fewest = min(map(len, logs))
    return [float(np.mean([own[i] for own in logs])) for i in range(fewest)]


def compare_times(
    claim: str,
    collection: str,
    decisive: Estimate,
    ratios: Mapping[Any, Estimate],
    who: str,
    what: str,
) -> Evidence:
    """Return evidence from ratios of times: `decisive` decides, all are listed in the words."""
    words = ", ".join(f"{format_ratio(ratio)} at {what} = {s}" for s, ratio in ratios.items())
    return Evidence(claim, collection, decisive, f"{who} takes {words}")


def format_interval(estimate: Estimate) -> str:
    """Return a difference of accuracies in points, with its interval."""
    if not estimate.df:
        return f"{100 * estimate.value:+.1f}"
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.value:+.1f}, {low:+.1f} to {high:+.1f}"


def format_ratio(estimate: Estimate) -> str:
    """Return the ratio of a mean logarithm, with its interval."""
    ratio = f"{exp(estimate.value):.3g} times as long"
    if not estimate.df:
        return ratio
    return f"{ratio} ({exp(estimate.low):.3g} to {exp(estimate.high):.3g})"
