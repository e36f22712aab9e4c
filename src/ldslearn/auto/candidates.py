"""The candidates of a search: encodings of sequences, weights of kernels, classifiers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline

from ldslearn.auto.scaling import ChannelScaler
from ldslearn.classify import LDSSVC, SparseCodingClassifier
from ldslearn.models import LDSEncoder

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
class Rule:
    """How encoded sequences are classified: weights of the kernels, and the classifier.

    Attributes
    ----------
    weights : tuple of float
        Of the kernels of :data:`PARTS`, each divided by its variance.
    kind : "coding", "nearest" or "svm"
    value : float
        Sparsity, or C.
    """

    weights: tuple[float, ...]
    kind: str
    value: float

    @property
    def size(self) -> int:
        """Number of kernels; simpler rules have fewer."""
        return sum(weight > 0 for weight in self.weights)


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
# Rules are tried in this order: those that compare encodings, then every mixture with a usual
# classifier, then the rest. A budget that is too short ends the search within the last.
QUICK_RULES = (
    Rule(WEIGHTS[8], "svm", 10.0),
    Rule(WEIGHTS[8], "coding", 0.1),
    Rule(WEIGHTS[2], "svm", 10.0),
    Rule(WEIGHTS[10], "svm", 10.0),
)
USUAL_RULES = tuple(
    Rule(w, kind, value) for w in WEIGHTS for kind, value in (("svm", 10.0), ("coding", 0.1))
)
ALL_RULES = (
    *USUAL_RULES,
    *(Rule(w, "coding", s) for w in WEIGHTS for s in (0.02, 0.3)),
    *(Rule(w, "svm", C) for w in WEIGHTS for C in (1.0, 100.0)),
    *(Rule(w, "nearest", 1.0) for w in (WEIGHTS[0], WEIGHTS[2], WEIGHTS[8])),
)


def build_candidate(
    encoding: Encoding,
    rule: Rule,
    scales: dict[str, float],
    bandwidths: dict[str, float],
    n_jobs: int | None,
) -> Pipeline:
    """Return a candidate as an ordinary pipeline with all parameters fixed.

    Parameters
    ----------
    encoding, rule
    scales : dict of str to float
        Variance of each kernel among the training systems.
    bandwidths : dict of str to float
        Of the kernels that have one.
    n_jobs : int or None
    """
    kernel = {
        part: weight / scales[part]
        for part, weight in zip(PARTS, rule.weights, strict=True)
        if weight > 0
    }
    settings: dict[str, Any] = {"kernel": kernel, "n_jobs": n_jobs}
    settings["kernel_params"] = {
        part: {"bandwidth": bandwidths[part]} for part in kernel if part in bandwidths
    }
    if rule.kind == "svm":
        classifier: Any = LDSSVC(C=rule.value, **settings)
    elif rule.kind == "nearest":
        classifier = SparseCodingClassifier(n_nonzero=1, **settings)
    else:
        classifier = SparseCodingClassifier(sparsity=rule.value, **settings)
    steps = [ChannelScaler()] if encoding.scaled else []
    return make_pipeline(*steps, encoding.make_encoder(n_jobs), classifier)
