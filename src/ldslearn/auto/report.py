"""The report of an automatic search: candidates tried, their scores, the choice and its reason."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Report:
    """The record of a search; ``print(report)`` prints a summary.

    Attributes
    ----------
    chosen : dict
        Parameters of the chosen candidate as plain values; ``pipeline_`` is the same as an
        estimator.
    expected_accuracy, standard_error : float
        Of the choice on new sequences, from folds of the training sequences, corrected for the
        bias of the choice.
    why : str
        Reason for the choice.
    tried : list of dict
        Every candidate: its parameters, accuracy and loss (minus the mean logarithm of the
        probability of the true class), the smallest loss first.
    n_descriptions : int
        Number of encodings that were tried.
    n_trained : int
        Sequences of the final fit; fewer than given if the budget allows no more.
    seconds, time_budget : float
    stopped : str
        Why the search ended, in words.
    """

    chosen: dict[str, Any]
    expected_accuracy: float
    standard_error: float
    why: str
    tried: list[dict[str, Any]] = field(repr=False)
    n_descriptions: int
    n_trained: int
    seconds: float
    time_budget: float
    stopped: str

    def as_dict(self) -> dict[str, Any]:
        """Return all attributes as plain values for JSON."""
        return dict(vars(self))

    def __str__(self) -> str:
        lines = [
            f"expected accuracy {100 * self.expected_accuracy:.1f} "
            f"± {100 * self.standard_error:.1f} % (folds of the training sequences)",
            "chosen: " + ", ".join(f"{name}={value}" for name, value in self.chosen.items()),
            f"why: {self.why}",
            f"{len(self.tried)} settings of {self.n_descriptions} encodings tried in "
            f"{self.seconds:.1f} of {self.time_budget:g} s; {self.stopped}",
            "best settings:",
        ]
        for one in self.tried[:8]:
            measured = ("accuracy", "loss")
            rest = ", ".join(
                f"{name}={value}" for name, value in one.items() if name not in measured
            )
            lines.append(f"  {100 * one['accuracy']:5.1f} %, loss {one['loss']:.3f}:  {rest}")
        return "\n".join(lines)
