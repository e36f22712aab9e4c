"""What can be chosen: descriptions of sequences, mixtures of kernels, classifiers."""

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
_MOST_STACKED = 3000  # channels, unless there are as many without delays


@dataclass(frozen=True)
class Description:
    """How a sequence becomes systems."""

    n_states: int
    delays: int
    windows: tuple[int, ...] = (1,)
    scaled: bool = False
    center: bool = True

    @property
    def n_windows(self) -> int:
        """Systems of a sequence."""
        return sum(self.windows)

    @property
    def size(self) -> int:
        """States that describe a sequence: what is simpler has fewer."""
        return self.n_windows * self.n_states * self.delays

    def encoder(self, n_jobs: int | None) -> LDSEncoder:
        """Return the encoder."""
        return LDSEncoder(
            self.n_states,
            delays=self.delays,
            windows=self.windows if len(self.windows) > 1 else self.windows[0],
            center=self.center,
            constant="rest",
            n_jobs=n_jobs,
        )

    def neighbours(self, step: int, n_channels: int, shortest: int) -> Iterator["Description"]:
        """Descriptions that differ in one respect, the respects taking turns by `step`."""
        # Windows early: what is best for one window is too much for many.
        respects = (
            [replace(self, scaled=not self.scaled)],
            [replace(self, windows=windows) for windows in _near(WINDOWS, self.windows, 2)],
            [replace(self, n_states=n) for n in _near(ORDERS, self.n_states, 3)],
            [
                replace(self, delays=delays, n_states=n)
                for delays in _near(DELAYS, self.delays, 2)
                for n in (self.n_states, 2 * self.n_states)
            ],
            [replace(self, center=not self.center)],
        )
        for candidate in respects[step % len(respects)]:
            if candidate != self and candidate.feasible(n_channels, shortest):
                yield candidate

    def feasible(self, n_channels: int, shortest: int) -> bool:
        """Whether there are channels and time points enough, and windows are not all overlap."""
        stacked = n_channels * self.delays
        needed = self.n_states + self.delays
        return (
            self.n_states <= stacked
            and needed <= shortest
            and (stacked <= _MOST_STACKED or self.delays == 1)
            and max(self.windows) <= max(1, 4 * shortest // needed)
            and not (self.scaled and n_channels == 1)
        )


def _near(values: Sequence[Any], value: Any, reach: int) -> Sequence[Any]:
    """The values that are at most `reach` steps from one of them, or from where it would be."""
    place = values.index(value) if value in values else sum(other < value for other in values)
    return values[max(0, place - reach) : place + reach + 1]


@dataclass(frozen=True)
class Rule:
    """How descriptions become labels: weights of the kernels, and the classifier on top.

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
        """Kernels, and coefficients: what is simpler has fewer."""
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
# Those that descriptions are first looked at with; then every mixture with a usual classifier;
# then the rest. A budget that binds ends within the last.
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


def build(
    description: Description,
    rule: Rule,
    scales: dict[str, float],
    bandwidths: dict[str, float],
    n_jobs: int | None,
) -> Pipeline:
    """Return the choice as an ordinary pipeline, every number frozen.

    Parameters
    ----------
    description, rule
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
    steps = [ChannelScaler()] if description.scaled else []
    return make_pipeline(*steps, description.encoder(n_jobs), classifier)
