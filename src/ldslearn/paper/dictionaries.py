"""Learned dictionaries of several kinds: Figs. 12 and 14."""

from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import (
    MARGIN,
    Evidence,
    average_settings,
    compute_gaps,
    estimate_difference,
    format_interval,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.update_times import FINITE_METHODS, judge_updates

TITLES = {
    "covlds-dl": "covLDS-DL",
    "lds-dl": "LDS-DL",
    "lds-dl-random": "LDS-DL, random start",
    "ldsst-dl": "LDSST-DL",
    "covlds-rand": "covLDS-Rand",
    "lds-rand": "LDS-Rand",
    "glds-dl-2": "gLDS-DL, L = 2",
    "glds-dl-3": "gLDS-DL, L = 3",
    "glds-dl-eigen-2": "gLDS-DL, L = 2",
    "glds-dl-eigen-3": "gLDS-DL, L = 3",
}


_LARGE = 16  # atoms: the paper's "J is small" is J < 16


_PAIRS = (
    ("kmeans-accuracy", "lds-dl", "lds-dl-random"),
    ("twofold", "lds-dl", "ldsst-dl"),
    ("covariance-learning", "covlds-dl", "lds-dl"),
    ("learned", "covlds-dl", "covlds-rand"),
)


class Dictionaries(Experiment):
    """Figs. 12 and 14."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """Every method at every J that half of the sequences allow, and times of updates."""
        most = min(len(train) for train, _ in data_set.split_halves(settings.get("splits")))
        extra = {"splits": settings["splits"]} if "splits" in settings else {}
        common = {"sparsity": settings["sparsity"]}
        sizes = [J for J in settings["atoms"] if most >= J]
        found = {
            (method, J): Run("codes", data_set, {"method": method, "n_atoms": J, **common, **extra})
            for method in settings["methods"]
            for J in sizes
        }
        for J in (J for J in settings["timed_atoms"] if J in sizes):
            wanted = {"methods": settings["timed_methods"], "n_atoms": J, **common}
            found["seconds", J] = Run("time-updates", data_set, wanted)
        return found

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Accuracy, and the time of one update of all atoms, against J."""
        outcome = Outcome([])
        for data_set in data_sets:
            found, own = results[data_set.name], settings[data_set.name]
            methods, timed = own["methods"], own["timed_methods"]
            sizes = sorted({J for method, J in found if method != "seconds"})
            curves = {TITLES[m]: (sizes, [found[m, J]["accuracy"] for J in sizes]) for m in methods}
            outcome.panels.append(
                panels.make_lines(
                    f"accuracy against J, {data_set.title}", "atoms J", "accuracy (%)", curves,
                    percent=True,
                )
            )  # fmt: skip
            seconds = {J: found["seconds", J]["seconds"] for J in sizes if ("seconds", J) in found}
            if seconds:
                times = {
                    TITLES[m]: (list(seconds), [seconds[J][m] for J in seconds]) for m in timed
                }
                title = f"seconds of one update of all atoms and codes, {data_set.title}"
                outcome.panels.append(
                    panels.make_lines(title, "atoms J", "seconds", times, log=True)
                )
            rows = [[str(J), *(_format_cell(found[m, J]) for m in methods)] for J in sizes]
            note = "Methods have objectives of different terms: compare covLDS-DL with covLDS-Rand."
            heads = ["J", *(TITLES[m] for m in methods)]
            title = f"accuracy (%) and, in brackets, objective per system, {data_set.title}"
            outcome.panels.append(panels.make_table(title, heads, rows, note))
            outcome.evidence += judge_methods(data_set, found, sizes) + judge_updates(
                data_set, seconds
            )
        return outcome


def _format_cell(numbers: dict[str, Any]) -> str:
    return f"{panels.format_percent(numbers['accuracy'])} ({np.mean(numbers['objective']):.3f})"


def judge_methods(data_set: DataSet, found: Any, sizes: list[int]) -> list[Evidence]:
    """Pairs of methods that learn dictionaries, over all J or over small and large ones."""
    compared = [(claim, first, second, sizes) for claim, first, second in _PAIRS]
    small, large = [J for J in sizes if J < _LARGE], [J for J in sizes if J >= _LARGE]
    for L, method in FINITE_METHODS.items():
        compared.append((f"infinite-{L}", "covlds-dl", method, small))
        compared.append((f"parity-{L}", "covlds-dl", method, large))
    evidence = []
    for claim, first, second, own in compared:
        if not own or any((method, own[0]) not in found for method in (first, second)):
            continue
        gaps = [compute_gaps(found[first, J], found[second, J]) for J in own]
        n_train = found[first, own[0]]["n_train"]
        # Rounds test the same sequences at every J: mean over J first.
        estimate = estimate_difference(average_settings(gaps), n_train)
        by_size = [estimate_difference(gap, n_train) for gap in gaps]
        each = [f"{100 * one.value:+.1f} at J = {J}" for J, one in zip(own, by_size, strict=True)]
        words = f"{', '.join(each)} (mean over these J: {format_interval(estimate)})"
        decisive = estimate
        if claim.startswith("parity"):  # at every J: the least certain decides
            decisive = max(
                (one.compare_to_margin(MARGIN) for one in by_size), key=lambda one: one.p
            )
        evidence.append(Evidence(claim, data_set.title, decisive, words))
    return evidence
