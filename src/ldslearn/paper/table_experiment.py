"""Table 4."""

from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.comparing import TITLES, Settings, compare, list_states, plan_classification
from ldslearn.paper.evidence import Evidence
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import COLLECTIONS, Plan, read_config
from ldslearn.paper.sources import Source


class Table(Experiment):
    """Table 4."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Every method at every n, and n chosen on training data."""
        found: dict[Any, Run] = {
            (method, n): plan_classification(source, settings, method, n_states=n)
            for method in settings["methods"]
            for n in list_states(source, settings)
        }
        for method in settings["chosen"]:
            wanted = {"method": method, "sparsity": settings["sparsity"]}
            found[method, "chosen"] = Run("choose", source, wanted)
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """The best over n, as in print, and the paper's numbers."""
        methods = plan.parameters["methods"]
        chosen = list(dict.fromkeys(m for own in settings.values() for m in own["chosen"]))
        proposed = [method for method in methods if method.startswith("lds-sc")]
        rows, evidence = [], []
        for source in sources:
            found, best = results[source.name], {}
            for method in methods:
                tried = {n: one for (m, n), one in found.items() if m == method and n != "chosen"}
                n = max(tried, key=lambda n: np.mean(tried[n]["accuracy"]))
                best[method] = (float(np.mean(tried[n]["accuracy"])), n, tried[n]["accuracy"])
            ours = max(proposed, key=lambda method: best[method][0])
            evidence.append(self._judge(source, found, best, methods, ours))
            rows.append([
                source.title,
                *(f"{panels.percent(best[m][2])} (n = {best[m][1]})" for m in methods),
                panels.percent(best[ours][2]),
                *(panels.percent(found.get((m, "chosen"), {}).get("accuracy", [])) for m in chosen),
                "",
            ])  # fmt: skip
        known = read_config(COLLECTIONS)
        for name, printed in plan.paper.items():
            rows.append([
                f"{known[name]['title']}, in print",
                *(str(printed[method]) for method in methods),
                str(max(printed[method] for method in proposed)),
                *[""] * len(chosen),
                printed["cited"],
            ])  # fmt: skip
        note = (
            "The paper reports the best over n on the test part, which flatters"
            + ("; “n chosen” has it chosen by folds of the training part. " if chosen else ". ")
            + "“Proposed” is the best of the paper's own methods, sparse coding. Rows “in print” "
            "are the paper's, on its own sets: compare them with rows of the same set only. Those "
            "cited there are of other authors."
        )
        heads = [TITLES[method] for method in methods]
        chosen_heads = [f"{TITLES[method]}, n chosen" for method in chosen]
        columns = ["", *heads, "proposed", *chosen_heads, "cited in print"]
        return Outcome([panels.table("accuracy (%)", columns, rows, note)], evidence)

    def _judge(
        self, source: Source, found: Any, best: Any, methods: list[str], ours: str
    ) -> Evidence:
        others = [method for method in methods if not method.startswith("lds-sc")]
        other = max(others, key=lambda method: best[method][0])
        words = (
            f", {TITLES[ours]} at n = {best[ours][1]} against {TITLES[other]} at "
            f"n = {best[other][1]}"
        )
        first, second = (found[method, best[method][1]] for method in (ours, other))
        return compare("table-best", source, first, second, words)
