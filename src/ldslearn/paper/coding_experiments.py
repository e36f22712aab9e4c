"""Experiments of Sec. 9.2: stability, finite against infinite, states, the table, covariance."""

from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.evidence import Evidence, difference, gaps, quicker, told
from ldslearn.paper.experiment import Experiment, Results, Shown
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.sources import Source

TITLES = {
    "lds-svm": "LDS-SVM",
    "lds-martin": "LDS-Martin",
    "lds-sc-martin": "LDS-SC-Martin",
    "lds-sc-grass": "LDS-SC-Grass",
    "none": "none",
    "soft": "SN",
    "dwls": "DWLS",
}
Settings = dict[str, Any]


def _classify(source: Source, settings: Settings, method: str, **parameters: Any) -> Run:
    """A run of one method, with those of the plan's parameters that matter to it."""
    chosen = {
        "method": method,
        "n_states": source.settings["n_states"],
        "sparsity": settings["sparsity"],
        **parameters,
    }
    if method in ("lds-svm", "lds-sc-martin"):
        chosen["bandwidth"] = settings["bandwidth"]
    return Run("classify", source, chosen)


def _states(source: Source, settings: Settings) -> list[int]:
    return source.states(settings.get("most_states"))


def _compared(claim: str, source: Source, first: Any, second: Any, words: str) -> Evidence:
    mean, low, high = difference(gaps(first, second), first["n_train"])
    found = (
        f"{panels.percent(first['accuracy'])} against {panels.percent(second['accuracy'])} %{words}"
        f" ({told(mean, low, high)})"
    )
    return Evidence(claim, source.title, low, high, found)


class Soft(Experiment):
    """Fig. 2."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """One run."""
        n_states = source.settings["n_states"]
        return {0: Run("soften", source, {"n_states": n_states, "scales": settings["scales"]})}

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """The curve of Eq. (2), and eigenvalues before and after."""
        source = sources[0]
        numbers = results[source.name][0]
        s = np.linspace(0, 2, 21)
        curves = {
            f"a = {a:g}": (s.tolist(), [[float(np.tanh(a * value / 2))] for value in s])
            for a in settings[source.name]["scales"]
        }
        outside = np.hypot(*numbers["eigenvalues"]["least squares"]) >= 1
        words = f"{source.title}, {numbers['n_systems']} systems, {int(outside.sum())} outside"
        return Shown([
            panels.lines("Eq. (2): 2 Sig(a s) - 1", "singular value", "after", curves),
            panels.eigenvalues(f"eigenvalues, {words}", numbers["eigenvalues"]),
        ])  # fmt: skip


class Stability(Experiment):
    """Fig. 4."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Accuracy at the states of the first panel, and error and time, of every stabilizer."""
        found: dict[Any, Run] = {}
        for name in settings["stabilizers"]:
            bound = {"bound": settings["bound"]} if name == "dwls" else {}
            further: dict[str, Any] = {"stabilizer": name, **bound}
            fixed = source.settings["n_states"]
            for n in _states(source, settings) if settings["first"] else [fixed]:
                found[name, n] = _classify(source, settings, "lds-sc-grass", n_states=n, **further)
            found[name, "error"] = Run("stabilize", source, {"n_states": fixed, **further})
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """Accuracy against n; then accuracy, error and time of every collection."""
        first, names = sources[0], plan.parameters["stabilizers"]
        orders = sorted({n for _, n in results[first.name] if n != "error"})
        curves = {
            TITLES[name]: (orders, [results[first.name][name, n]["accuracy"] for n in orders])
            for name in names
        }
        accuracy, errors, seconds, evidence = [], [], [], []
        for source in sources:
            found, fixed = results[source.name], source.settings["n_states"]
            accuracy.append(
                [source.title, str(fixed)]
                + [panels.percent(found[name, fixed]["accuracy"]) for name in names]
            )
            errors.append(
                [source.title] + [f"{found[name, 'error']['error']:.4g}" for name in names]
                + [f"{found['soft', 'error']['n_unstable']} of {len(source.data)}"]
            )  # fmt: skip
            seconds.append(
                [source.title] + [f"{found[name, 'error']['seconds']:.3f}" for name in names]
            )
            soft, none, dwls = (found[name, fixed] for name in ("soft", "none", "dwls"))
            evidence.append(_compared("soft-none", source, soft, none, ""))
            evidence.append(_compared("soft-dwls", source, soft, dwls, ""))
            slow, quick = (found[name, "error"]["seconds"] for name in ("dwls", "soft"))
            evidence.append(quicker("soft-quick", source.title, [fixed], [slow / quick], "n"))
            high, low = (found[name, "error"]["error"] for name in ("soft", "dwls"))
            words = f"{low:.4g} against {high:.4g}"
            evidence.append(Evidence("dwls-error", source.title, high - low, high - low, words))
        heads = [TITLES[name] for name in names]
        return Shown(
            [
                panels.lines(
                    f"accuracy against n, {first.title}", "states n", "accuracy (%)", curves,
                    percent=True,
                ),
                panels.table("accuracy (%) of LDS-SC-Grass", ["", "n", *heads], accuracy),
                panels.table(
                    "reconstruction error of states, root mean square",
                    ["", *heads, "unstable fits"], errors,
                ),
                panels.table("seconds to learn all systems", ["", *heads], seconds),
            ],
            evidence,
        )  # fmt: skip


class Coding(Experiment):
    """Figs. 5 to 10."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """The orders L of gLDS-SC, and three methods at several n."""
        fixed = source.settings["n_states"]
        found = {
            ("glds-sc", order): _classify(source, settings, "glds-sc", order=order)
            for order in settings["orders"]
            if order * len(source.data.X[0]) * source.delays >= fixed
        }
        for method in settings["methods"]:
            for n in _states(source, settings):
                found[method, n] = _classify(source, settings, method, n_states=n)
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """Panels a, b and c."""
        shown = Shown([])
        for source in sources:
            found, fixed = results[source.name], source.settings["n_states"]
            orders = [order for method, order in found if method == "glds-sc"]
            infinite = found["lds-sc-grass", fixed]
            finite = [found["glds-sc", order] for order in orders]
            sides: dict[str, Any] = {}
            for what in ("accuracy", "fit_seconds"):
                sides[what] = {
                    "gLDS-SC": (orders, [numbers[what] for numbers in finite]),
                    "LDS-SC-Grass": (orders, [infinite[what]] * len(orders)),
                }
            states = sorted({n for method, n in found if method != "glds-sc"})
            curves = {
                TITLES[method]: (states, [found[method, n]["accuracy"] for n in states])
                for method in settings[source.name]["methods"]
            }
            shown.panels += [
                panels.lines(
                    f"(a) accuracy against L, n = {fixed}, {source.title}", "order L",
                    "accuracy (%)", sides["accuracy"], percent=True,
                ),
                panels.lines(
                    "(b) time to train against L", "order L", "seconds", sides["fit_seconds"]
                ),
                panels.lines(
                    "(c) accuracy against n", "states n", "accuracy (%)", curves, percent=True
                ),
            ]  # fmt: skip
            shown.evidence += self._evidence(source, orders, finite, infinite, found)
        return shown

    def _evidence(
        self, source: Source, orders: list[int], finite: list[Any], infinite: Any, found: Any
    ) -> list[Evidence]:
        fixed = source.settings["n_states"]
        last = finite[-1]
        mean, low, high = difference(gaps(last, infinite), last["n_train"])
        start = abs(np.mean(finite[0]["accuracy"]) - np.mean(infinite["accuracy"]))
        words = (
            f"apart by {100 * start:.1f} at L = {orders[0]}, by {100 * mean:+.1f} at "
            f"L = {orders[-1]} ({100 * low:+.1f} to {100 * high:+.1f})"
        )
        # Within two points it has arrived; farther off it may still be on its way.
        near = 0.02 - abs(mean)
        near = 0.0 if near < 0 and abs(mean) < start else near
        evidence = [Evidence("converges", source.title, near, near, words)]
        dear = {
            order: min(one["fit_seconds"]) / min(infinite["fit_seconds"])
            for order, one in zip(orders, finite, strict=True)
            if order > 2
        }
        if dear:
            evidence.append(quicker("cheaper", source.title, list(dear), list(dear.values()), "L"))
        methods = [(method, fixed) for method in ("lds-sc-grass", "lds-martin", "lds-sc-martin")]
        if all(key in found for key in methods):
            grass, nearest, martin = (found[key] for key in methods)
            evidence.append(_compared("sparse-nearest", source, grass, nearest, f" at n = {fixed}"))
            evidence.append(_compared("grass-martin", source, grass, martin, f" at n = {fixed}"))
        return evidence


class Table(Experiment):
    """Table 4."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Every method at every n, and n chosen on training data."""
        found: dict[Any, Run] = {
            (method, n): _classify(source, settings, method, n_states=n)
            for method in settings["methods"]
            for n in _states(source, settings)
        }
        if not source.trials:
            for method in settings["chosen"]:
                wanted = {"method": method, "sparsity": settings["sparsity"]}
                found[method, "chosen"] = Run("choose", source, wanted)
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """The best over n, as in print, and the paper's numbers."""
        methods = plan.parameters["methods"]
        chosen = [
            method
            for method in plan.parameters["chosen"]
            if any((method, "chosen") in results[source.name] for source in sources)
        ]
        rows = []
        for source in sources:
            found, row = results[source.name], [source.title]
            for method in methods:
                tried = {
                    n: one for (name, n), one in found.items() if name == method and n != "chosen"
                }
                n = max(tried, key=lambda n: np.mean(tried[n]["accuracy"]))
                row.append(f"{panels.percent(tried[n]['accuracy'])} (n = {n})")
            for method in chosen:
                one = found.get((method, "chosen"))
                row.append("" if one is None else panels.percent(one["accuracy"]))
            rows.append(row)
            if source.origin == "paper":
                printed = plan.paper.get(source.name, {})
                row = ["  in print"] + [str(printed.get(method, "")) for method in methods]
                rows.append(row + [""] * len(chosen) + [f"cited: {printed.get('cited', '')}"])
        note = (
            "The paper reports the best over n on the test part, which flatters; "
            "“n chosen” has it chosen by folds of the training part. "
            "Rows “in print” are the paper's; those cited there are of other authors."
        )
        heads = [TITLES[method] for method in methods]
        heads += [f"{TITLES[method]}, n chosen" for method in chosen]
        width = max(len(row) for row in rows)
        columns = ["", *heads, *([""] * (width - 1 - len(heads)))]
        filled = [row + [""] * (width - len(row)) for row in rows]
        return Shown([panels.table("accuracy (%)", columns, filled, note)])


class Covariance(Experiment):
    """Last paragraph of Sec. 9.2."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Every weight of the covariance."""
        return {mix: _classify(source, settings, "hybrid", mix=mix) for mix in settings["mixes"]}

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """Accuracy against the weight."""
        rows, evidence, mixes = [], [], plan.parameters["mixes"]
        for source in sources:
            found = results[source.name]
            rows.append([source.title] + [panels.percent(found[m]["accuracy"]) for m in mixes])
            if source.origin == "paper" and source.name in plan.paper:
                printed = plan.paper[source.name]
                words = f"with: {printed['with']}"
                rows.append(
                    ["  in print", str(printed["without"]), words, *[""] * (len(mixes) - 2)]
                )
            even = min(mixes[1:], key=lambda m: abs(m - 0.5))  # the best would flatter
            words = f", beta = {even:g}"
            evidence.append(_compared("covariance-coding", source, found[even], found[1.0], words))
        heads = ["without" if m == 1 else f"beta = {m:g}" for m in mixes]
        shown = panels.table("accuracy (%) of LDS-SC-Grass", ["", *heads], rows)
        return Shown([shown], evidence)
