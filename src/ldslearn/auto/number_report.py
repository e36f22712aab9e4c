"""The report of an automatic search for a regression."""

from dataclasses import dataclass, field
from typing import Any

from ldslearn.auto.report_html import describe_member
from ldslearn.drawing.card import count_nouns, format_card


@dataclass(frozen=True)
class RegressionReport:
    """The record of a search; ``print(report)`` prints a summary, a notebook shows a table.

    Attributes
    ----------
    expected_error : list of float
        Root mean squared error to expect for new sequences, per output, in units of y: from folds
        of the training sequences, corrected for the bias of the choice. NaN if nothing could be
        held out.
    expected_score : float
        Coefficient of determination to expect, mean over outputs.
    chosen : dict
        Parameters of the best member of fitted systems, or of the only member.
    members : list of dict
        The members of the ensemble: weight, loss (mean squared error in the folds, of targets with
        the variance 1) and parameters.
    tried : list of dict
        Every candidate that was evaluated on all sequences, the smallest loss first.
    n_descriptions : int
        Number of encodings that were tried.
    n_trained : int
        Sequences of the final fit; fewer than given if there are very many.
    seconds, time_budget : float
        Time of the search and the training, and the limit for it.
    stopped : str
        Why the search ended, in words.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import AutoLDSRegressor
    >>> rng, t = np.random.default_rng(0), np.arange(60)
    >>> frequency = rng.uniform(0.05, 0.2, 30)
    >>> X = [np.sin(2 * np.pi * f * t + rng.uniform(0, 6))[None] for f in frequency]
    >>> model = AutoLDSRegressor(time_budget=2, random_state=0).fit(X, frequency)
    >>> model.report_.expected_score > 0.5
    True
    """

    expected_error: list[float]
    expected_score: float
    chosen: dict[str, Any]
    members: list[dict[str, Any]] = field(repr=False)
    tried: list[dict[str, Any]] = field(repr=False)
    n_descriptions: int
    n_trained: int
    seconds: float
    time_budget: float
    stopped: str

    def as_dict(self) -> dict[str, Any]:
        """Return all attributes as plain values for JSON."""
        return dict(vars(self))

    def __repr__(self) -> str:
        return (
            f"RegressionReport(expected error {self._format_error()}, "
            f"{count_nouns(len(self.members), 'member')} of {len(self.tried)} tried)"
        )

    def _format_error(self) -> str:
        some = ", ".join(f"{error:.4g}" for error in self.expected_error[:5])
        return some + (", ..." if len(self.expected_error) > 5 else "")

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = [
            ("expected error", self._format_error()),
            ("expected score", f"{self.expected_score:.3f}"),
            ("tried", f"{count_nouns(len(self.tried), 'setting')} of "
             f"{count_nouns(self.n_descriptions, 'encoding')}; {self.stopped}"),
            ("members", ", ".join(describe_member(one) for one in self.members[:3])),
            ("trained on", count_nouns(self.n_trained, "sequence")),
        ]  # fmt: skip
        return format_card("Automatic search of a regression", rows, "", "")

    def __str__(self) -> str:
        lines = [
            f"expected error {self._format_error()}, score {self.expected_score:.3f} (folds of the "
            "training sequences)",
            f"{len(self.tried)} settings of {self.n_descriptions} encodings tried in "
            f"{self.seconds:.1f} of {self.time_budget:g} s; {self.stopped}",
            "members (weight, relative error alone):",
        ]
        for one in self.members:
            alone = f"{100 * one['loss'] ** 0.5:5.1f} %"
            lines.append(f"  {one['weight']:.3f}  {alone}  {describe_member(one)}")
        return "\n".join(lines)
