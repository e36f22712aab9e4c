"""Experiments on learned dictionaries: Figs. 11, 12, 14 and 15."""

from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.dictionary_evidence import (
    judge_atoms_per_class,
    judge_convergence,
    judge_methods,
    judge_updates,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.sources import Source

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
Settings = dict[str, Any]


class Convergence(Experiment):
    """Fig. 11."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Both initialisations, several seeds."""
        common = {key: settings[key] for key in ("n_atoms", "sparsity", "iterations")}
        return {
            (init, seed): Run("converge", source, {**common, "init": init, "seed": seed})
            for init in ("random", "kmeans")
            for seed in settings["seeds"]
        }

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """The objective against iterations."""
        outcome = Outcome([])
        for source in sources:
            found, own = results[source.name], settings[source.name]
            histories: dict[str, list[list[float]]] = {
                init: [
                    _extend(found[init, seed]["objective"], own["iterations"])
                    for seed in own["seeds"]
                ]
                for init in ("random", "kmeans")
            }
            curves = {}
            for init, name in (("random", "atoms drawn at random"), ("kmeans", "k-means")):
                steps = list(zip(*histories[init], strict=True))
                curves[name] = (list(range(len(steps))), steps)
            title = f"objective per system, {source.title}, J = {own['n_atoms']}"
            outcome.panels.append(panels.lines(title, "iteration", "objective", curves))
            outcome.evidence += judge_convergence(source, **histories)
        return outcome


def _extend(history: list[float], iterations: int) -> list[float]:
    """A history that ended early stays at its last value."""
    return history + [history[-1]] * (iterations + 1 - len(history))


class Dictionaries(Experiment):
    """Figs. 12 and 14."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Every method at every J that half of the sequences allow, and times of updates."""
        most = min(len(train) for train, _ in source.halves(settings.get("splits")))
        extra = {"splits": settings["splits"]} if "splits" in settings else {}
        common = {"sparsity": settings["sparsity"]}
        sizes = [J for J in settings["atoms"] if most >= J]
        found = {
            (method, J): Run("codes", source, {"method": method, "n_atoms": J, **common, **extra})
            for method in settings["methods"]
            for J in sizes
        }
        for J in (J for J in settings["timed_atoms"] if J in sizes):
            wanted = {"methods": settings["timed_methods"], "n_atoms": J, **common}
            found["seconds", J] = Run("time-updates", source, wanted)
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """Accuracy, and the time of one update of all atoms, against J."""
        outcome = Outcome([])
        for source in sources:
            found, own = results[source.name], settings[source.name]
            methods, timed = own["methods"], own["timed_methods"]
            sizes = sorted({J for method, J in found if method != "seconds"})
            curves = {TITLES[m]: (sizes, [found[m, J]["accuracy"] for J in sizes]) for m in methods}
            outcome.panels.append(
                panels.lines(
                    f"accuracy against J, {source.title}", "atoms J", "accuracy (%)", curves,
                    percent=True,
                )
            )  # fmt: skip
            seconds = {J: found["seconds", J]["seconds"] for J in sizes if ("seconds", J) in found}
            if seconds:
                times = {
                    TITLES[m]: (list(seconds), [seconds[J][m] for J in seconds]) for m in timed
                }
                title = "seconds of one update of all atoms and codes"
                outcome.panels.append(panels.lines(title, "atoms J", "seconds", times, log=True))
            rows = [[str(J), *(_format_cell(found[m, J]) for m in methods)] for J in sizes]
            note = "Methods have objectives of different terms: compare covLDS-DL with covLDS-Rand."
            heads = ["J", *(TITLES[m] for m in methods)]
            title = "accuracy (%) and, in brackets, objective per system"
            outcome.panels.append(panels.table(title, heads, rows, note))
            outcome.evidence += judge_methods(source, found, sizes) + judge_updates(source, seconds)
        return outcome


def _format_cell(numbers: dict[str, Any]) -> str:
    return f"{panels.percent(numbers['accuracy'])} ({np.mean(numbers['objective']):.3f})"


class Hierarchical(Experiment):
    """Fig. 15."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Atoms per class, as many for all classes, and the times of both."""
        halves = source.halves(settings.get("splits"))
        y = source.data.y
        assert y is not None  # a library gives labelled collections only
        smallest = min(np.unique(y[train], return_counts=True)[1].min() for train, _ in halves)
        extra = {"splits": settings["splits"]} if "splits" in settings else {}
        common = {"method": settings["method"], "sparsity": settings["sparsity"]}
        found: dict[Any, Run] = {}
        for J in (J for J in settings["atoms"] if smallest >= J):
            own = {**common, **extra}
            found["apart", J] = Run("codes", source, {**own, "n_atoms": J, "per_class": True})
            together = J * len(source.data.classes)
            if together <= settings["most_together"]:
                found["together", J] = Run("codes", source, {**own, "n_atoms": together})
                if settings.get("timed", True):
                    found["seconds", J] = Run("time-classes", source, {**common, "n_atoms": J})
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """Accuracy against atoms per class."""
        outcome = Outcome([])
        for source in sources:
            found = results[source.name]
            sizes = sorted({J for _, J in found})
            both = [J for J in sizes if ("together", J) in found]
            curves = {
                "learned per class": (sizes, [found["apart", J]["accuracy"] for J in sizes]),
            }
            if both:
                together = [found["together", J]["accuracy"] for J in both]
                curves["as many for all classes"] = (both, together)
            printed = {int(J): value for J, value in plan.paper.get(source.name, {}).items()}
            if printed:
                curves["in print"] = (list(printed), [[value / 100] for value in printed.values()])
            outcome.panels.append(
                panels.lines(
                    f"accuracy, {source.title}", "atoms per class", "accuracy (%)", curves,
                    percent=True,
                )
            )  # fmt: skip
            outcome.evidence += judge_atoms_per_class(source, found, sizes, both)
        return outcome
