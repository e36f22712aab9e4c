"""An experiment: the runs it needs, and what it makes of their numbers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import Evidence
from ldslearn.paper.ledger import Run
from ldslearn.paper.panels import Panel
from ldslearn.paper.plans import Plan

Results = dict[str, dict[Any, Any]]
"""For each collection the numbers of its runs, under the keys that ``runs`` gave them."""


@dataclass
class Outcome:
    """Panels of a figure, and evidence on the paper's claims."""

    panels: list[Panel]
    evidence: list[Evidence] = field(default_factory=list)


class Experiment(ABC):
    """One kind of figure or table."""

    @abstractmethod
    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """Return the runs on one collection, by keys of the experiment's own."""

    @abstractmethod
    def show(
        self,
        plan: Plan,
        data_sets: list[DataSet],
        results: Results,
        settings: dict[str, dict[str, Any]],
    ) -> Outcome:
        """Return panels and evidence; `settings` are those of every collection."""
