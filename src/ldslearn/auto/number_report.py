"""The report of an automatic search for a regression."""

from dataclasses import dataclass

from ldslearn.auto.report import SearchReport
from ldslearn.auto.report_html import describe_member
from ldslearn.drawing.card import count_nouns, format_card


@dataclass(frozen=True, kw_only=True, repr=False)
class RegressionReport(SearchReport):
    """The record of a search; ``print(report)`` prints a summary, a notebook shows a table.

    Attributes
    ----------
    expected_error : list of float
        Root mean squared error to expect for new sequences, per output, in units of y: from folds
        of the training sequences, corrected for the bias of the choice. NaN if nothing could be
        held out.
    standard_error : list of float
        Of the expected error, per output: how far chance in the training sequences may have moved
        it.
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
    standard_error: list[float]
    expected_score: float

    def __repr__(self) -> str:
        return (
            f"RegressionReport(expected error {self._format_error()}, "
            f"{count_nouns(len(self.members), 'member')} of {len(self.tried)} tried)"
        )

    def _format_error(self) -> str:
        both = zip(self.expected_error[:5], self.standard_error, strict=False)
        some = ", ".join(f"{error:.4g} ± {spread:.2g}" for error, spread in both)
        return some + (", ..." if len(self.expected_error) > 5 else "")

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = [
            ("expected error", self._format_error()),
            ("expected score", f"{self.expected_score:.3f}"),
            ("search", self._describe_effort()),
            ("members", ", ".join(describe_member(one) for one in self.members[:3])),
            ("trained on", count_nouns(self.n_trained, "sequence")),
        ]  # fmt: skip
        return format_card("Automatic search of a regression", rows, "", "")

    def __str__(self) -> str:
        lines = [
            f"expected error {self._format_error()}, score {self.expected_score:.3f} (folds of the "
            "training sequences)",
            self._describe_effort(),
            "members (weight, relative error alone):",
            *self._list_members(lambda one: one["loss"] ** 0.5),
        ]
        return "\n".join(lines)
