"""Tables of accuracy beyond the paper: one column per method, one row per collection."""

import time
from typing import Any

import numpy as np

from ldslearn.auto.ensemble import KINDS
from ldslearn.evaluate.fitting import fit_method
from ldslearn.evaluate.methods import METHODS
from ldslearn.evaluate.protocols import Split
from ldslearn.evaluate.settings import Settings
from ldslearn.paper import panels
from ldslearn.paper.classification import plan_classification
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.rounds import Numbers


class Accuracy(Experiment):
    """Columns of methods, at given settings or with parameters chosen on training data."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """One run per column; those without a kind classify at the collection's settings."""
        found = {}
        for column in settings["columns"]:
            own = {key: value for key, value in column.items() if key not in ("title", "kind")}
            if "kind" in column:
                own |= {key: settings[key] for key in ("rounds", "budget") if key in settings}
                found[column["title"]] = Run(column["kind"], data_set, own)
            else:
                found[column["title"]] = plan_classification(data_set, settings, **own)
        return found

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Accuracies and times; where there are any, choices and expected accuracies."""
        titles = [column["title"] for column in plan.parameters["columns"]]
        columns = ["", *titles]
        found = {data_set.title: results[data_set.name] for data_set in data_sets}

        def tabulate(title: str, format_cell: Any, note: str = "") -> dict[str, Any]:
            rows = [
                [name, *(format_cell(own[t]) if t in own else "" for t in titles)]
                for name, own in found.items()
            ]
            return panels.make_table(title, columns, rows, note)

        shown = [
            tabulate("accuracy (%)", lambda one: panels.format_percent(one["accuracy"])),
            tabulate("seconds to train, median over rounds", _format_seconds),
        ]
        numbers = [one for own in found.values() for one in own.values()]
        if any("chosen" in one for one in numbers):
            shown.append(tabulate("chosen most often", _find_most_frequent))
        for kind in KINDS:
            if any(kind in one for one in numbers):
                shown.append(
                    tabulate(
                        f"accuracy (%) of {kind} alone",
                        lambda one, kind=kind: panels.format_percent(one[kind]),
                    )
                )
        if any("expected" in one for one in numbers):
            note = "Rounds in which the accuracy is within two standard errors of the expected one."
            shown.append(tabulate("expected accuracy", _count_as_expected, note))
        return Outcome(shown)


def _format_seconds(numbers: Numbers) -> str:
    """Seconds to train, the encoding of the training sequences included."""
    encoding = 0.0
    if "encode_seconds" in numbers:  # of all sequences
        n_train, n_test = numbers["n_train"][0], len(numbers["correct"][0])
        encoding = numbers["encode_seconds"] * n_train / (n_train + n_test)
    return f"{np.median(numbers['fit_seconds']) + encoding:.3g}"


def _find_most_frequent(numbers: Numbers) -> str:
    chosen = numbers.get("chosen", [""])
    return max(chosen, key=chosen.count)


def _count_as_expected(numbers: Numbers) -> str:
    """How many rounds are as accurate as the method itself expected."""
    if "expected" not in numbers:
        return ""
    accuracy, expected, error, n_test = (
        np.asarray(numbers[name]) for name in ("accuracy", "expected", "error", "n_test")
    )
    spread = np.hypot(error, np.sqrt(np.maximum(expected * (1 - expected), 0.01) / n_test))
    within = np.abs(accuracy - expected) <= 2 * spread
    return f"{within.sum()} of {len(within)}"


def list_rounds(data_set: DataSet, rounds: int) -> list[Split]:
    """Return the first random splits, or the given split once per round."""
    splits = data_set.splits()
    return splits[:rounds] if len(splits) > 1 else splits * rounds


def search_automatically(run: Run, *, budget: float, rounds: int) -> Numbers:
    """Fit AutoLDSClassifier in the first random splits, or with several seeds on the given one."""
    data, protocol = run.data_set.data, run.data_set.protocol
    numbers: Numbers = {
        name: [] for name in ("accuracy", "expected", "error", "n_test", "fit_seconds", *KINDS)
    }
    for seed, (train, test) in enumerate(list_rounds(run.data_set, rounds)):
        settings = Settings(time_budget=budget, seed=seed, n_jobs=run.data_set.n_jobs)
        start = time.perf_counter()
        fit = fit_method(METHODS["auto"], data[train], settings, outer=protocol)
        numbers["fit_seconds"].append(time.perf_counter() - start)
        report, unknown = fit.estimator.report_, data[test]
        numbers["accuracy"].append(float(np.mean(fit.estimator.predict(unknown.X) == unknown.y)))
        for kind in KINDS:
            alone = fit.estimator.keep_kind(kind).predict(unknown.X)
            numbers[kind].append(float(np.mean(alone == unknown.y)))
        numbers["expected"].append(float(report.expected_accuracy))
        numbers["error"].append(float(report.standard_error))
        numbers["n_test"].append(len(test))
    return numbers
