"""Experiments on stability: Figs. 2 and 4."""

from dataclasses import replace
from math import exp, log
from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.comparing import TITLES, Settings, compare, list_states, plan_classification
from ldslearn.paper.evidence import (
    MARGIN,
    Evidence,
    compare_times,
    estimate_log_ratio,
    estimate_mean,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.sources import Source

# Of n, the largest kernel of stable systems.
_NO_MEANING = 10.0


class Soft(Experiment):
    """Fig. 2."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """One run."""
        n_states = source.n_states
        return {0: Run("soften", source, {"n_states": n_states, "scales": settings["scales"]})}

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
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
        return Outcome([
            panels.lines("Eq. (2): 2 Sig(a s) - 1", "singular value", "after", curves),
            panels.eigenvalues(f"eigenvalues, {words}", numbers["eigenvalues"]),
        ])  # fmt: skip


class Stability(Experiment):
    """Fig. 4."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Accuracy at the states of the first panel, and error and time, of every stabilizer."""
        found: dict[Any, Run] = {}
        fixed, names, bound = source.n_states, settings["stabilizers"], settings["bound"]
        for name in names:
            further: dict[str, Any] = {"stabilizer": name}
            if name in ("dwls", "scale"):
                further["bound"] = bound
            for n in list_states(source, settings) if settings["first"] else [fixed]:
                found[name, n] = plan_classification(
                    source, settings, "lds-sc-grass", n_states=n, **further
                )
            found[name, "error"] = Run("stabilize", source, {"n_states": fixed, **further})
        wanted = {"n_states": fixed, "stabilizers": names, "bound": bound}
        found["all", "seconds"] = Run("time-encoding", source, wanted)
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """Accuracy against n; then accuracy, error and time of every collection."""
        first, names = sources[0], plan.parameters["stabilizers"]
        orders = sorted({n for _, n in results[first.name] if not isinstance(n, str)})
        curves = {
            TITLES[name]: (orders, [results[first.name][name, n]["accuracy"] for n in orders])
            for name in names
        }
        accuracy, errors, times, evidence = [], [], [], []
        for source in sources:
            found, fixed = results[source.name], source.n_states
            accuracy.append(
                [source.title, str(fixed)]
                + [panels.percent(found[name, fixed]["accuracy"]) for name in names]
                + [f"{found['none', fixed]['largest_kernel']:.1e}"]
            )
            errors.append(
                [source.title] + [f"{found[name, 'error']['error']:.4g}" for name in names]
                + [f"{found['soft', 'error']['n_unstable']} of {len(source.data)}"]
            )  # fmt: skip
            seconds = found["all", "seconds"]["seconds"]
            times.append([source.title] + [f"{np.median(seconds[name]):.3g}" for name in names])
            evidence += _judge_accuracy(source, found) + _judge_cost(source, found)
        heads = [TITLES[name] for name in names]
        note = (
            "The kernel of stable systems is at most n. Where the largest entry without "
            "stabilization is far above, codes rest on rounding errors, and accuracy says nothing "
            "of unstable systems: compare SN with “rescaled” there."
        )
        return Outcome(
            [
                panels.lines(
                    f"accuracy against n, {first.title}", "states n", "accuracy (%)", curves,
                    percent=True,
                ),
                panels.table(
                    "accuracy (%) of LDS-SC-Grass",
                    ["", "n", *heads, "largest kernel entry, none"], accuracy, note,
                ),
                panels.table(
                    "reconstruction error of states, root mean square",
                    ["", *heads, "unstable fits"], errors,
                ),
                panels.table("seconds to learn all systems, median", ["", *heads], times),
            ],
            evidence,
        )  # fmt: skip


def _judge_accuracy(source: Source, found: Any) -> list[Evidence]:
    fixed = source.n_states
    soft = found["soft", fixed]
    largest = found["none", fixed]["largest_kernel"]
    words = f", largest kernel entry without stabilization {largest:.0e}"
    if largest > _NO_MEANING * fixed:
        words += ": numerically meaningless"
    evidence = [compare("soft-none", source, soft, found["none", fixed], words)]
    for name in ("scale", "dwls"):
        if (name, fixed) in found:
            evidence.append(compare(f"soft-{name}", source, soft, found[name, fixed]))
    if source.title in ("SD", "BDH"):
        less = compare("soft-not-tactile", source, found["none", fixed], soft)
        evidence.append(replace(less, estimate=less.estimate + MARGIN))
    return evidence


def _judge_cost(source: Source, found: Any) -> list[Evidence]:
    seconds = found["all", "seconds"]["seconds"]
    ratio = estimate_log_ratio(seconds["dwls"], seconds["soft"])
    evidence = [
        compare_times("soft-quick", source.title, ratio, {source.n_states: ratio}, "DWLS", "n")
    ]
    pairs = zip(found["soft", "error"]["errors"], found["dwls", "error"]["errors"], strict=True)
    logs = [log(a / b) if min(a, b) > 0 else 0.0 for a, b in pairs]
    more = estimate_mean(logs)
    low, value, high = (100 * (exp(x) - 1) for x in (more.low, more.value, more.high))
    words = f"SN errs more by {value:.3g} % ({low:.3g} to {high:.3g}), mean over sequences"
    return [*evidence, Evidence("dwls-error", source.title, more, words)]
