"""The candidates of a search: encodings of sequences, weights of kernels, classifiers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldslearn.models import LDSEncoder
from ldslearn.random_systems import RandomSystemsClassifier

PARTS = ("projection", "mean", "covariance", "deviation", "twofold")
ORDERS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
DELAYS = (1, 2, 3, 5, 10, 20)
WINDOWS: tuple[tuple[int, ...], ...] = ((1,), (2,), (4,), (1, 2, 4), (8,), (1, 4, 8), (16,))
_MOST_STACKED = 3000  # channels with delays


@dataclass(frozen=True)
class Encoding:
    """Parameters of the encoder, and whether channels are scaled before it."""

    n_states: int
    delays: int
    windows: tuple[int, ...] = (1,)
    scaled: bool = False
    center: bool = True

    @property
    def n_windows(self) -> int:
        """Systems per sequence."""
        return sum(self.windows)

    @property
    def size(self) -> int:
        """States per sequence; simpler encodings have fewer."""
        return self.n_windows * self.n_states * self.delays

    def make_encoder(self, n_jobs: int | None) -> LDSEncoder:
        """Return the encoder."""
        return LDSEncoder(
            self.n_states,
            delays=self.delays,
            windows=self.windows if len(self.windows) > 1 else self.windows[0],
            center=self.center,
            constant="rest",
            n_jobs=n_jobs,
        )

    def shares_windows(self, other: "Encoding") -> bool:
        """Whether another encoding differs in the number of states only."""
        return self == replace(other, n_states=self.n_states)

    def find_neighbours(self, step: int, n_channels: int, shortest: int) -> Iterator["Encoding"]:
        """Yield encodings that differ in one property; `step` selects which property varies."""
        # Windows early: the best number of states for one window is too large for many.
        alternatives = (
            [replace(self, scaled=not self.scaled)],
            [replace(self, windows=windows) for windows in _select_near(WINDOWS, self.windows, 2)],
            [replace(self, n_states=n) for n in _select_near(ORDERS, self.n_states, 3)],
            [
                replace(self, delays=delays, n_states=n)
                for delays in _select_near(DELAYS, self.delays, 2)
                for n in (self.n_states, 2 * self.n_states)
            ],
            [replace(self, center=not self.center)],
        )
        for candidate in alternatives[step % len(alternatives)]:
            if candidate != self and candidate.is_feasible(n_channels, shortest):
                yield candidate

    def is_feasible(self, n_channels: int, shortest: int) -> bool:
        """Whether channels and time points suffice, and windows do not overlap too much."""
        stacked = n_channels * self.delays
        needed = self.n_states + self.delays
        return (
            self.n_states <= stacked
            and needed <= shortest
            and (stacked <= _MOST_STACKED or self.delays == 1)
            and max(self.windows) <= max(1, 4 * shortest // needed)
            and not (self.scaled and n_channels == 1)
        )


def _select_near(values: Sequence[Any], value: Any, reach: int) -> Sequence[Any]:
    """Return the values within `reach` steps of a value, or of its place in the order."""
    place = values.index(value) if value in values else sum(other < value for other in values)
    return values[max(0, place - reach) : place + reach + 1]


@dataclass(frozen=True)
class RandomBank:
    """A bank of random systems, which depends on nothing but its seed."""

    seed: int

    @property
    def size(self) -> int:
        """States: two per system."""
        return 2 * RandomSystemsClassifier().n_systems

    def make_classifier(self, n_jobs: int | None) -> RandomSystemsClassifier:
        """Return the classifier."""
        return RandomSystemsClassifier(random_state=self.seed, n_jobs=n_jobs)


@dataclass(frozen=True)
class Rule:
    """How encoded sequences are classified: weights of the kernels, and the classifier.

    Attributes
    ----------
    weights : tuple of float
        Of the kernels of :data:`PARTS`, each divided by its variance.
    kind : "ridge", "svm" or "coding"
    value : float
        Penalty per unit of weight, sparsity, or C.
    """

    weights: tuple[float, ...]
    kind: str
    value: float

    @property
    def penalty(self) -> float:
        """Of ridge regression on the weighted sum of kernels."""
        return self.value * sum(self.weights)

    @property
    def parts(self) -> list[str]:
        """The kernels with a weight."""
        return [part for part, weight in zip(PARTS, self.weights, strict=True) if weight > 0]

    def weigh(self, part: str) -> float:
        """Return the weight of a kernel."""
        return self.weights[PARTS.index(part)]

    def mix(self, values: Mapping[str, Any]) -> Any:
        """Return the weighted sum of one array per kernel."""
        return sum(self.weigh(part) * values[part] for part in self.parts)


WEIGHTS = (
    (1.0, 0.0, 0.0, 0.0, 0.0),
    (1.0, 0.3, 0.0, 0.0, 0.0),
    (1.0, 1.0, 0.0, 0.0, 0.0),
    (0.3, 1.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0, 0.0),
    (1.0, 0.3, 0.3, 0.0, 0.0),
    (1.0, 1.0, 0.5, 0.0, 0.0),
    (1.0, 0.0, 0.0, 0.5, 0.0),
    (1.0, 1.0, 0.0, 0.5, 0.0),
    (0.3, 1.0, 0.0, 0.5, 0.0),
    (1.0, 1.0, 0.5, 0.5, 0.0),
    (1.0, 0.3, 0.3, 0.3, 0.0),
    (0.0, 0.0, 0.0, 0.0, 1.0),
    (0.0, 1.0, 0.0, 0.5, 1.0),
)
# Encodings are compared by these rules.
QUICK_RULES = (
    Rule(WEIGHTS[8], "ridge", 0.1),
    Rule(WEIGHTS[8], "svm", 10.0),
    Rule(WEIGHTS[10], "svm", 10.0),
    Rule(WEIGHTS[8], "coding", 0.1),
)
# Every encoding is evaluated by these with shuffled labels, too.
SHUFFLED_RULES = tuple(Rule(WEIGHTS[i], "ridge", 0.1) for i in (2, 8, 10))
# All rules of the best encodings.
RIDGE_RULES = tuple(Rule(weights, "ridge", value) for weights in WEIGHTS for value in (0.1, 1.0))
OTHER_RULES = tuple(
    Rule(weights, kind, value)
    for weights in WEIGHTS
    for kind, value in (("svm", 10.0), ("coding", 0.1))
)
