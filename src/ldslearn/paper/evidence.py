"""Differences between methods with their uncertainty, and what they say of a claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Floats = NDArray[np.float64]

_SURE = 0.975  # two-sided 95 %
_CLOCK = 0.25  # of a ratio of times: as much as it differs from run to run of some milliseconds


@dataclass(frozen=True)
class Evidence:
    """What one collection says of a claim.

    Attributes
    ----------
    claim : str
        A name of :data:`ldslearn.paper.claims.CLAIMS`.
    collection : str
        Title.
    low, high : float
        95 % interval of a quantity that is positive if the claim holds. Equal for what has no
        spread.
    words : str
        The numbers found.
    """

    claim: str
    collection: str
    low: float
    high: float
    words: str

    @property
    def verdict(self) -> str:
        """What it says, or "undecided" where the interval has both signs."""
        if self.low > 0:
            return "confirmed"
        return "refuted" if self.high < 0 else "undecided"


def gaps(first: Any, second: Any) -> list[Floats]:
    """Return for each round who was right on each test sequence: 1 the first, -1 the second, 0.

    Parameters
    ----------
    first, second : numbers of runs
        With ``correct``: for each round a digit for each test sequence, 1 where it was right.
    """
    pairs = zip(first["correct"], second["correct"], strict=True)
    return [_digits(a) - _digits(b) for a, b in pairs]


def difference(found: Sequence[Floats], n_train: Sequence[int]) -> tuple[float, float, float]:
    """Return the mean of :func:`gaps`, a difference of accuracies, and its 95 % interval.

    Random rounds share sequences: their variance is enlarged as by Nadeau and Bengio (2003). One
    round alone is judged by its sequences.

    Parameters
    ----------
    found : sequence of arrays
    n_train : sequence of int
        Training sequences of each round.
    """
    means = [float(gap.mean()) for gap in found]
    mean, k = float(np.mean(means)), len(found)
    if k == 1:
        n = len(found[0])
        reach = student.ppf(_SURE, max(n - 1, 1)) * found[0].std(ddof=1) / sqrt(n)
    else:
        size = float(np.mean([len(gap) for gap in found]))
        share = size / float(np.mean(n_train))
        # Few rounds may agree by chance: never surer than their sequences allow.
        spread = max(np.var(means, ddof=1), np.mean([gap.var() for gap in found]) / size)
        reach = student.ppf(_SURE, k - 1) * sqrt((1 / k + share) * spread)
    return mean, mean - float(reach), mean + float(reach)


def told(mean: float, low: float, high: float) -> str:
    """Return a difference of accuracies in points, with its interval."""
    return f"{100 * mean:+.1f}, {100 * low:+.1f} to {100 * high:+.1f}"


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of independent values; one value is itself."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, mean
    spread = float(np.std(values, ddof=1))
    reach = float(student.ppf(_SURE, len(values) - 1)) * spread / sqrt(len(values))
    return mean - reach, mean + reach


def _digits(text: str) -> Floats:
    return np.frombuffer(text.encode(), dtype=np.uint8).astype(np.float64) - ord("0")


def quicker(
    claim: str, collection: str, sizes: Sequence[int], ratios: Sequence[float], what: str
) -> Evidence:
    """Return what ratios of times say: that they are above one.

    Clocks of shared machines are rough: ratios within a quarter of one say nothing.
    """
    words = ", ".join(f"{r:.1f} times at {what} = {s}" for s, r in zip(sizes, ratios, strict=True))
    gains = [ratio - 1 if abs(ratio - 1) > _CLOCK else 0.0 for ratio in ratios]
    return Evidence(claim, collection, min(gains), max(gains), words)
