"""Atoms learned per class: Fig. 15."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from ldslearn.classify import DictionaryClassifier
from ldslearn.paper import panels
from ldslearn.paper.codes import build_dictionary, encode_for_dictionary
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import (
    Evidence,
    average_logs,
    estimate_difference,
    estimate_log_ratio,
    estimate_mean,
    estimate_trend,
    format_interval,
    format_ratio,
    read_correct,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.rounds import Numbers, get_labels
from ldslearn.paper.timing import measure_in_turn

_SAME_ITERATIONS = 5  # of dictionaries per class and for all


class AtomsPerClass(Experiment):
    """Fig. 15."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """Atoms per class, as many for all classes, and the times of both."""
        halves = data_set.split_halves(settings.get("splits"))
        y = data_set.data.y
        assert y is not None  # a library gives labelled collections only
        smallest = min(np.unique(y[train], return_counts=True)[1].min() for train, _ in halves)
        extra = {"splits": settings["splits"]} if "splits" in settings else {}
        common = {"method": settings["method"], "sparsity": settings["sparsity"]}
        found: dict[Any, Run] = {}
        for J in (J for J in settings["atoms"] if smallest >= J):
            own = {**common, **extra}
            found["apart", J] = Run("codes", data_set, {**own, "n_atoms": J, "per_class": True})
            together = J * len(data_set.data.classes)
            if together <= settings["most_together"]:
                found["together", J] = Run("codes", data_set, {**own, "n_atoms": together})
                if settings.get("timed", True):
                    found["seconds", J] = Run("time-classes", data_set, {**common, "n_atoms": J})
        return found

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Accuracy against atoms per class."""
        outcome = Outcome([])
        for data_set in data_sets:
            found = results[data_set.name]
            sizes = sorted({J for _, J in found})
            both = [J for J in sizes if ("together", J) in found]
            curves = {
                "learned per class": (sizes, [found["apart", J]["accuracy"] for J in sizes]),
            }
            if both:
                together = [found["together", J]["accuracy"] for J in both]
                curves["as many for all classes"] = (both, together)
            printed = {int(J): value for J, value in plan.paper.get(data_set.name, {}).items()}
            if printed:
                curves["paper"] = (list(printed), [[value / 100] for value in printed.values()])
            outcome.panels.append(
                panels.make_lines(
                    f"accuracy, {data_set.title}", "atoms per class", "accuracy (%)", curves,
                    percent=True,
                )
            )  # fmt: skip
            outcome.evidence += judge_atoms_per_class(data_set, found, sizes, both)
        return outcome


def judge_atoms_per_class(
    data_set: DataSet, found: Any, sizes: list[int], both: list[int]
) -> list[Evidence]:
    """Whether accuracy grows with the atoms per class, and what learning per class saves."""
    evidence = []
    if len(sizes) > 1:
        runs = [found["apart", J] for J in sizes]
        slopes = estimate_trend([read_correct(run) for run in runs], sizes)
        trend = estimate_difference(slopes, runs[0]["n_train"])
        each = [
            f"{panels.format_percent(run['accuracy'])} % with {J}"
            for J, run in zip(sizes, runs, strict=True)
        ]
        words = f"{', '.join(each)} atoms per class (per doubling {format_interval(trend)})"
        evidence.append(Evidence("hierarchical-grows", data_set.title, trend, words))
    both = [J for J in both if ("seconds", J) in found]
    seconds = {J: found["seconds", J]["seconds"] for J in both}
    ratios = {
        J: estimate_log_ratio(own["together"], own["per class"]) for J, own in seconds.items()
    }
    if ratios:
        decisive = estimate_mean(average_logs(seconds, both, "together", "per class"))
        words = ", ".join(
            f"{format_ratio(ratio)} for all classes at J_c = {J}" for J, ratio in ratios.items()
        )
        evidence.append(Evidence("hierarchical-quick", data_set.title, decisive, words))
    return evidence


def time_classes(run: Run, *, method: str, n_atoms: int, sparsity: float) -> Numbers:
    """Seconds to learn atoms per class, and as many for all classes, in as many iterations."""
    train, _ = run.data_set.split_halves(1)[0]
    systems = encode_for_dictionary(run, [run.data_set.data.X[i] for i in train])
    y = get_labels(run)[train]
    options = {"max_iter": _SAME_ITERATIONS, "tol": 0.0}
    calls = {}
    for name, per_class in (("per class", True), ("together", False)):
        number = n_atoms if per_class else n_atoms * len(np.unique(y))
        dictionary = build_dictionary(run, method, number, sparsity, 0, **options)
        model = DictionaryClassifier(
            dictionary, LinearSVC(C=10, random_state=0), per_class=per_class
        )
        calls[name] = partial(model.fit, systems, y)
    return {"seconds": measure_in_turn(calls)}
