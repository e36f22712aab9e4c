"""Experiments of Sec. 9.3: convergence, dictionaries of several kinds, pictures of atoms."""

from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.evidence import Evidence, difference, gaps, interval, quicker, told
from ldslearn.paper.experiment import Experiment, Results, Shown
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.sources import Source

TITLES = {
    "covlds-dl": "covLDS-DL",
    "lds-dl": "LDS-DL",
    "ldsst-dl": "LDSST-DL",
    "covlds-rand": "covLDS-Rand",
    "glds-dl-2": "gLDS-DL, L = 2",
    "glds-dl-3": "gLDS-DL, L = 3",
}
# What each pair of methods says, and from which J down the paper says it.
_CLAIMS = (
    ("twofold", "lds-dl", "ldsst-dl", None),
    ("covariance-learning", "covlds-dl", "lds-dl", None),
    ("learned", "covlds-dl", "covlds-rand", None),
    ("infinite-learning", "covlds-dl", "glds-dl-3", 16),
)
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

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """The objective against iterations."""
        shown = Shown([])
        for source in sources:
            found, own = results[source.name], settings[source.name]
            seeds, iterations = own["seeds"], own["iterations"]
            curves: dict[str, Any] = {}
            ends: dict[str, list[float]] = {}
            for init, name in (("random", "atoms drawn at random"), ("kmeans", "k-means")):
                histories = [_filled(found[init, s]["objective"], iterations) for s in seeds]
                steps = list(zip(*histories, strict=True))
                curves[name] = (list(range(len(steps))), steps)
                ends[init] = [history[-1] for history in histories]
            shown.panels.append(
                panels.lines(
                    f"objective a system, {source.title}, J = {own['n_atoms']}",
                    "iteration", "objective", curves,
                )
            )  # fmt: skip
            gains = [a - b for a, b in zip(ends["random"], ends["kmeans"], strict=True)]
            low, high = interval(gains)
            words = (
                f"ends at {np.mean(ends['kmeans']):.4g} against {np.mean(ends['random']):.4g} "
                f"({len(seeds)} seeds, lower by {low:+.3g} to {high:+.3g})"
            )
            shown.evidence.append(Evidence("kmeans-lower", source.title, low, high, words))
        return shown


def _filled(history: list[float], iterations: int) -> list[float]:
    """A history that ended early stays where it was."""
    return history + [history[-1]] * (iterations + 1 - len(history))


class Dictionaries(Experiment):
    """Figs. 12 and 14."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Every method at every J that half of the sequences allow."""
        most = min(len(train) for train, _ in source.halves(settings.get("splits")))
        extra = {"splits": settings["splits"]} if "splits" in settings else {}
        return {
            (method, J): Run(
                "codes",
                source,
                {"method": method, "n_atoms": J, "sparsity": settings["sparsity"], **extra},
            )
            for method in settings["methods"]
            for J in settings["atoms"]
            if most >= J
        }

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """Accuracy, and the time of one update of all atoms, against J."""
        shown = Shown([])
        for source in sources:
            found, methods = results[source.name], settings[source.name]["methods"]
            sizes = sorted({J for _, J in found})
            curves = {TITLES[m]: (sizes, [found[m, J]["accuracy"] for J in sizes]) for m in methods}
            shown.panels.append(
                panels.lines(
                    f"accuracy against J, {source.title}", "atoms J", "accuracy (%)", curves,
                    percent=True,
                )
            )  # fmt: skip
            learned = [m for m in methods if m != "covlds-rand"]
            times = {
                TITLES[m]: (sizes, [[found[m, J]["pass_seconds"]] for J in sizes]) for m in learned
            }
            shown.panels.append(
                panels.lines(
                    "seconds of one update of all atoms and codes",
                    "atoms J",
                    "seconds",
                    times,
                    log=True,
                )
            )
            rows = [
                [str(J), *(f"{np.mean(found[m, J]['objective']):.3f}" for m in methods)]
                for J in sizes
            ]
            note = "Methods have objectives of different terms: compare covLDS-DL with covLDS-Rand."
            heads = ["J", *(TITLES[m] for m in methods)]
            shown.panels.append(panels.table("objective a system", heads, rows, note))
            shown.evidence += self._evidence(source, found, sizes)
        return shown

    def _evidence(self, source: Source, found: Any, sizes: list[int]) -> list[Evidence]:
        evidence = []
        for claim, first, second, below in _CLAIMS:
            compared = [J for J in sizes if below is None or below > J]
            if not compared or any((m, compared[0]) not in found for m in (first, second)):
                continue
            apart = [gaps(found[first, J], found[second, J]) for J in compared]
            n_train = found[first, compared[0]]["n_train"]
            # Rounds test the same sequences at every J: mean over J first.
            mean, low, high = difference(
                [np.mean(of_round, axis=0) for of_round in zip(*apart, strict=True)], n_train
            )
            each = [
                f"{100 * difference(a, n_train)[0]:+.1f} at J = {J}"
                for J, a in zip(compared, apart, strict=True)
            ]
            words = f"{', '.join(each)} (all J: {told(mean, low, high)})"
            evidence.append(Evidence(claim, source.title, low, high, words))
        if ("glds-dl-3", sizes[0]) in found:
            ratios = [
                found["glds-dl-3", J]["pass_seconds"] / found["covlds-dl", J]["pass_seconds"]
                for J in sizes
            ]
            evidence.append(quicker("learning-cheaper", source.title, sizes, ratios, "J"))
        return evidence


class Pictures(Experiment):
    """Fig. 13."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """One run."""
        names = ("n_atoms", "n_states", "sparsity", "iterations", "seed")
        classes = settings.get("classes", source.data.classes[: settings["n_classes"]])
        wanted = {**{key: settings[key] for key in names}, "classes": classes}
        return {0: Run("picture", source, wanted)}

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """Eigenvalues and columns before and after, and films of the atoms."""
        source = sources[0]
        numbers = results[source.name][0]
        shape, atoms = numbers["frame_shape"], numbers["atoms"]
        classes = ", ".join(numbers["classes"])
        shown = Shown([])
        if settings[source.name]["samples"]:
            note = "Rows are classes."
            shown.panels.append(panels.images("samples", numbers["samples"], shape, note))
        for part in ("symmetric", "skew"):
            groups = {
                when: [np.ravel(values).tolist() for values in atoms[when][part]["eigenvalues"]]
                for when in ("before", "after")
            }
            shown.panels.append(panels.eigenvalues(f"eigenvalues of the {part} parts", groups))
        for part in ("symmetric", "skew"):
            for when in ("before", "after"):
                title = f"measurement columns of the {part} parts, {when} learning"
                note = "Rows are atoms, columns states."
                shown.panels.append(panels.images(title, atoms[when][part]["columns"], shape, note))
        note = (
            f"{source.title}, classes {classes}; atoms start from class {numbers['classes'][0]}. "
            f"Of {len(numbers['movie'])} atoms {_moved(atoms, 'symmetric')} have left the space of "
            f"their symmetric part by learning, {_moved(atoms, 'skew')} that of their skew part. "
            "Films are simulated from the symmetric parts of the learned atoms."
        )
        shown.panels.append(panels.movies("the atoms, moving", numbers["movie"], shape, note))
        history = [[value] for value in numbers["objective"]]
        curve = {"LDS-DL": (list(range(len(history))), history)}
        shown.panels.append(panels.lines("objective a system", "iteration", "objective", curve))
        return shown


def _moved(atoms: dict[str, Any], part: str) -> int:
    """Atoms whose columns have less than nine tenths of their space in common with before."""
    columns = (np.asarray(atoms[when][part]["columns"], float) for when in ("before", "after"))
    first, second = (np.linalg.qr(np.swapaxes(rows, 1, 2))[0] for rows in columns)
    shared = np.square(np.swapaxes(first, 1, 2) @ second).sum(axis=(1, 2))
    return int((shared < 0.9 * first.shape[2]).sum())


class Hierarchical(Experiment):
    """Fig. 15."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Atoms a class, and as many for all."""
        halves = source.halves(settings.get("splits"))
        y = source.data.y
        assert y is not None  # a library gives labelled collections only
        smallest = min(np.unique(y[train], return_counts=True)[1].min() for train, _ in halves)
        extra = {"splits": settings["splits"]} if "splits" in settings else {}
        common = {"method": settings["method"], "sparsity": settings["sparsity"], **extra}
        found: dict[Any, Run] = {}
        for J in (J for J in settings["atoms"] if smallest >= J):
            found["apart", J] = Run("codes", source, {**common, "n_atoms": J, "per_class": True})
            together = J * len(source.data.classes)
            if together <= settings["most_together"]:
                found["together", J] = Run("codes", source, {**common, "n_atoms": together})
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Shown:
        """Accuracy against atoms a class."""
        shown = Shown([])
        for source in sources:
            found = results[source.name]
            sizes = sorted({J for _, J in found})
            both = [J for J in sizes if ("together", J) in found]
            curves = {
                "learned class by class": (sizes, [found["apart", J]["accuracy"] for J in sizes]),
            }
            if both:
                together = [found["together", J]["accuracy"] for J in both]
                curves["as many for all"] = (both, together)
            printed = {int(J): value for J, value in plan.paper.get(source.name, {}).items()}
            if printed:
                curves["in print"] = (list(printed), [[value / 100] for value in printed.values()])
            shown.panels.append(
                panels.lines(
                    f"accuracy, {source.title}", "atoms a class", "accuracy (%)", curves,
                    percent=True,
                )
            )  # fmt: skip
            first, last = found["apart", sizes[0]], found["apart", sizes[-1]]
            mean, low, high = difference(gaps(last, first), last["n_train"])
            words = (
                f"{panels.percent(first['accuracy'])} % with {sizes[0]}, "
                f"{panels.percent(last['accuracy'])} % with {sizes[-1]} atoms a class "
                f"({told(mean, low, high)})"
            )
            shown.evidence.append(Evidence("hierarchical-grows", source.title, low, high, words))
            ratios = [
                min(found["together", J]["fit_seconds"]) / min(found["apart", J]["fit_seconds"])
                for J in both
            ]
            if both:
                shown.evidence.append(
                    quicker("hierarchical-quick", source.title, both, ratios, "J_c")
                )
        return shown
