"""The report of an automatic search: candidates tried, their scores, the choice and its reason."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from ldslearn.auto.report_html import describe_member, format_accuracy, render_report
from ldslearn.drawing.card import count_nouns

STOPPED_BY_BUDGET = "stopped by the time budget"  # `stopped` begins so if the search was cut short


@dataclass(frozen=True, kw_only=True)
class SearchReport:
    """What reports of all searches hold; see :class:`Report`."""

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

    def _describe_effort(self) -> str:
        return (
            f"{count_nouns(len(self.tried), 'setting')} of "
            f"{count_nouns(self.n_descriptions, 'encoding')} tried in "
            f"{self.seconds:.1f} of {self.time_budget:g} s; {self.stopped}"
        )

    def _list_members(self, measure: Callable[[Mapping[str, Any]], float]) -> list[str]:
        """Return one line per member: weight, what it reaches alone in per cent, parameters."""
        return [
            f"  {one['weight']:.3f}  {100 * measure(one):5.1f} %  {describe_member(one)}"
            for one in self.members
        ]


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(SearchReport):
    """The record of a search; ``print(report)`` prints a summary, a notebook shows a table.

    Attributes
    ----------
    chosen : dict
        Parameters of the best member of fitted systems, or of the only member, as plain values.
        `kernel` and `kernel_params` are as classifiers of systems take them.
    members : list of dict
        The members of the ensemble: weight, what each reaches alone in the folds (accuracy, its
        standard error, loss), and its parameters; the best of fitted systems first, then random
        systems.
    alone : dict of str to dict
        What an ensemble of "fitted systems" only and one of "random systems" only would reach:
        expected accuracy and its standard error.
    expected_accuracy, standard_error : float
        Of the ensemble on new sequences, from folds of the training sequences, corrected for the
        bias of the choice. Of new subjects it is an upper bound, unless `groups` were given.
    why : str
        Reason for the choice.
    tried : list of dict
        Every candidate that was evaluated on all sequences: its parameters, accuracy, its standard
        error, and loss (minus the mean logarithm of the probability of the true class), the
        smallest loss first.
    n_descriptions : int
        Number of encodings that were tried.
    n_trained : int
        Sequences of the final fit; fewer than given if the budget allows no more.
    seconds, time_budget : float
        Time of the search and the training, and the limit for it.
    stopped : str
        Why the search ended, in words.

    Examples
    --------
    >>> from ldslearn import AutoLDSClassifier
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = AutoLDSClassifier(time_budget=3, random_state=0).fit(X_train, y_train)
    >>> model.report_.expected_accuracy > 0.9
    True
    >>> model.report_.tried[0]["accuracy"] > 0.9
    True
    """

    alone: dict[str, dict[str, float]] = field(repr=False)
    expected_accuracy: float
    standard_error: float
    why: str

    def keep_kind(self, kind: str, weights: Sequence[float]) -> "Report":
        """Return the report of the members of one kind alone.

        Parameters
        ----------
        kind : "fitted systems" or "random systems"
        weights : sequence of float
            Of these members.

        Returns
        -------
        Report
        """
        own = [one for one in self.members if one["kind"] == kind]
        members = [{**one, "weight": w} for one, w in zip(own, weights, strict=True)]
        expected: Any = self.alone.get(kind, {})
        kept = {kind: expected} if expected else {}
        return replace(self, members=members, alone=kept, **expected)

    def __repr__(self) -> str:
        return (
            f"Report(expected accuracy {format_accuracy(self)}, "
            f"{count_nouns(len(self.members), 'member')} of {len(self.tried)} tried)"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return render_report(self)

    def __str__(self) -> str:
        lines = [
            f"expected accuracy {format_accuracy(self)} (folds of the training sequences)",
            *(
                f"  {kind} alone: {format_accuracy(SimpleNamespace(**one))}"
                for kind, one in self.alone.items()
            ),
            f"chosen: {self.why}",
            self._describe_effort(),
            "members (weight, accuracy alone):",
            *self._list_members(lambda one: one["accuracy"]),
        ]
        return "\n".join(lines)
