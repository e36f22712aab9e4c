"""Table 4: methods at their best number of states, and with the number chosen."""

from typing import Any

import numpy as np

from ldslearn.evaluate import evaluate
from ldslearn.evaluate.settings import Settings
from ldslearn.paper import panels
from ldslearn.paper.classification import (
    TITLES,
    compare_runs,
    plan_classification,
)
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import (
    Evidence,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import COLLECTIONS, Plan, read_config
from ldslearn.paper.rounds import Numbers


class Table4(Experiment):
    """Table 4."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """Every method at every n, and n chosen on training data."""
        found: dict[Any, Run] = {
            (method, n): plan_classification(data_set, settings, method, n_states=n)
            for method in settings["methods"]
            for n in data_set.list_states(settings.get("most_states"))
        }
        for method in settings["chosen"]:
            wanted = {"method": method, "sparsity": settings["sparsity"]}
            found[method, "chosen"] = Run("choose", data_set, wanted)
        return found

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """The best over n, as in the paper, and the paper's numbers."""
        methods = plan.parameters["methods"]
        chosen = list(dict.fromkeys(m for own in settings.values() for m in own["chosen"]))
        proposed = [method for method in methods if method.startswith("lds-sc")]
        rows, evidence = [], []
        for data_set in data_sets:
            found, best = results[data_set.name], {}
            for method in methods:
                tried = {n: one for (m, n), one in found.items() if m == method and n != "chosen"}
                n = max(tried, key=lambda n: np.mean(tried[n]["accuracy"]))
                best[method] = (float(np.mean(tried[n]["accuracy"])), n, tried[n]["accuracy"])
            ours = max(proposed, key=lambda method: best[method][0])
            evidence.append(self._compare_best(data_set, found, best, methods, ours))
            at_chosen = [found.get((m, "chosen"), {}).get("accuracy", []) for m in chosen]
            rows.append([
                data_set.title,
                *(f"{panels.format_percent(best[m][2])} (n = {best[m][1]})" for m in methods),
                panels.format_percent(best[ours][2]),
                *map(panels.format_percent, at_chosen),
                "",
            ])  # fmt: skip
        known = read_config(COLLECTIONS)
        for name, printed in plan.paper.items():
            rows.append([
                f"{known[name]['title']}, paper",
                *(str(printed[method]) for method in methods),
                str(max(printed[method] for method in proposed)),
                *[""] * len(chosen),
                printed["cited"],
            ])  # fmt: skip
        note = (
            "The paper reports the best over n on the test part, which is optimistic"
            + ("; for “n chosen” it is chosen by folds of the training part. " if chosen else ". ")
            + "“Proposed” is the best of the paper's own methods, sparse coding. Rows “paper” are "
            "printed in the paper, on its own sets: compare them with rows of the same set only. "
            "Cited accuracies are of other authors."
        )
        heads = [TITLES[method] for method in methods]
        chosen_heads = [f"{TITLES[method]}, n chosen" for method in chosen]
        columns = ["", *heads, "proposed", *chosen_heads, "cited in the paper"]
        return Outcome([panels.make_table("accuracy (%)", columns, rows, note)], evidence)

    def _compare_best(
        self, data_set: DataSet, found: Any, best: Any, methods: list[str], ours: str
    ) -> Evidence:
        others = [method for method in methods if not method.startswith("lds-sc")]
        other = max(others, key=lambda method: best[method][0])
        words = (
            f", {TITLES[ours]} at n = {best[ours][1]} against {TITLES[other]} at "
            f"n = {best[other][1]}"
        )
        first, second = (found[method, best[method][1]] for method in (ours, other))
        return compare_runs("table-best", data_set, first, second, words)


def classify_at_chosen_states(run: Run, *, method: str, sparsity: float) -> Numbers:
    """Classify with the number of states chosen by folds of each training part."""
    data_set = run.data_set
    encoder = {"scale": data_set.settings["scale"]}
    if "stabilizer" in data_set.settings:
        encoder["stabilizer"] = data_set.settings["stabilizer"]
    rounds = evaluate(
        data_set.data, method, data_set.protocol, sparsity=sparsity, delays=data_set.delays,
        encoder=encoder, settings=Settings(n_jobs=data_set.n_jobs),
    )["rounds"]  # fmt: skip
    return {
        "accuracy": [one["accuracy"] for one in rounds],
        "n_states": [one["n_states"] for one in rounds],
    }
