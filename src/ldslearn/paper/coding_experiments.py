"""Experiments on coding: Figs. 5 to 10, and the covariance of Sec. 9.2."""

from math import log
from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.comparing import (
    TITLES,
    Settings,
    compare,
    compare_over_states,
    list_states,
    plan_classification,
    take_larger_half,
)
from ldslearn.paper.evidence import (
    MARGIN,
    Evidence,
    compare_times,
    compute_gaps,
    estimate_difference,
    estimate_log_ratio,
    estimate_mean,
    estimate_trend,
    format_interval,
    format_ratio,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.sources import Source

_TACTILE = ("sd", "spr", "bdh", "sdh2", "hcs10")
_LEAST_ORDER, _LEAST_TACTILE_ORDER = 3, 8  # from which the paper calls gLDS-SC the slower
_SPARSE = {"grass": "lds-sc-grass", "martin": "lds-sc-martin"}


class Coding(Experiment):
    """Figs. 5 to 10."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """The orders L of gLDS-SC, three methods at several n, and times."""
        fixed, n_rows = source.n_states, len(source.data.X[0]) * source.delays
        orders = [order for order in settings["orders"] if order * n_rows >= fixed]
        found = {
            ("glds-sc", order): plan_classification(source, settings, "glds-sc", order=order)
            for order in orders
        }
        for method in settings["methods"]:
            for n in list_states(source, settings):
                found[method, n] = plan_classification(source, settings, method, n_states=n)
        wanted = {"n_states": fixed, "orders": orders, "sparsity": settings["sparsity"]}
        found["seconds", fixed] = Run("time-coding", source, wanted)
        return found

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """Panels a, b and c."""
        outcome = Outcome([])
        for source in sources:
            found, fixed = results[source.name], source.n_states
            orders = [order for method, order in found if method == "glds-sc"]
            infinite = found["lds-sc-grass", fixed]["accuracy"]
            seconds = found["seconds", fixed]["seconds"]
            accuracies = {
                "gLDS-SC": (orders, [found["glds-sc", order]["accuracy"] for order in orders]),
                "LDS-SC-Grass": (orders, [infinite] * len(orders)),
            }
            times = {
                "gLDS-SC": (orders, [seconds[str(order)] for order in orders]),
                "LDS-SC-Grass": (orders, [seconds["infinite"]] * len(orders)),
            }
            states = sorted({n for method, n in found if method.startswith("lds-")})
            curves = {
                TITLES[method]: (states, [found[method, n]["accuracy"] for n in states])
                for method in settings[source.name]["methods"]
            }
            outcome.panels += [
                panels.lines(
                    f"(a) accuracy against L, n = {fixed}, {source.title}", "order L",
                    "accuracy (%)", accuracies, percent=True,
                ),
                panels.lines("(b) time to train against L", "order L", "seconds", times),
                panels.lines(
                    "(c) accuracy against n", "states n", "accuracy (%)", curves, percent=True
                ),
            ]  # fmt: skip
            outcome.evidence += judge_orders(source, orders, found)
            outcome.evidence += judge_times(source, orders, seconds)
            outcome.evidence += judge_states(source, states, found)
        return outcome


def judge_orders(source: Source, orders: list[int], found: Any) -> list[Evidence]:
    """Whether the accuracy of gLDS-SC arrives at that of LDS-SC-Grass as L grows.

    Two conditions, of which the less certain decides: at the largest L the accuracies are within
    the margin; and, unless they are so at every L, the share of test sequences on which both are
    correct or both wrong grows with L. The trend is over all L.
    """
    if len(orders) == 1:
        return []
    infinite = found["lds-sc-grass", source.n_states]
    n_train = infinite["n_train"]
    gaps = [compute_gaps(found["glds-sc", order], infinite) for order in orders]
    agreement = [[1 - np.abs(gap) for gap in of_order] for of_order in gaps]
    differences = [estimate_difference(gap, n_train) for gap in gaps]
    first, last = differences[0], differences[-1]
    trend = estimate_difference(estimate_trend(agreement, orders), n_train)
    conditions = [last.within(MARGIN)]
    if any(one.within(MARGIN).low <= 0 for one in differences):
        conditions.append(trend)
    words = (
        f"gap {100 * first.value:+.1f} points at L = {orders[0]}, {format_interval(last)} at "
        f"L = {orders[-1]}; the share of sequences on which they agree grows per doubling of L by "
        f"{format_interval(trend)} points"
    )
    return [Evidence("converges", source.title, max(conditions, key=lambda one: one.p), words)]


def judge_times(source: Source, orders: list[int], seconds: Any) -> list[Evidence]:
    """How the times of gLDS-SC compare with that of LDS-SC-Grass, and how they grow with L."""
    infinite = seconds["infinite"]
    ratios = {L: estimate_log_ratio(seconds[str(L)], infinite) for L in orders}
    tactile = source.name in _TACTILE
    evidence = []
    least = _LEAST_TACTILE_ORDER if tactile else _LEAST_ORDER
    larger = {L: ratio for L, ratio in ratios.items() if least <= L}
    if larger:  # the claim is about all of these: the smallest decides
        judged = larger[min(larger)]
        evidence.append(compare_times("cheaper", source.title, judged, larger, "gLDS-SC", "L"))
    smaller = [L for L in orders if _LEAST_ORDER <= L < _LEAST_TACTILE_ORDER]
    if tactile and smaller:
        judged = estimate_log_ratio(infinite, seconds[str(smaller[-1])])
        ratio = {smaller[-1]: judged}
        evidence.append(
            compare_times("tactile-slower", source.title, judged, ratio, "LDS-SC-Grass", "L")
        )
    if len(orders) > 1:
        x = np.log2(orders) - np.mean(np.log2(orders))
        logs = np.log([seconds[str(L)] for L in orders])  # (n_orders, repeats)
        slopes = estimate_mean((x @ logs / (x @ x)).tolist())
        words = f"{format_ratio(slopes)} per doubling of L"
        evidence.append(Evidence("order-cost", source.title, slopes, words))
    factors = [
        float(np.mean([log(2 * seconds[str(L)][i] / infinite[i] / L) for L in larger]))
        for i in range(len(infinite))
    ]
    if larger:
        judged = estimate_mean(factors)
        evidence.append(compare_times("order-factor", source.title, judged, larger, "gLDS-SC", "L"))
    return evidence


def judge_states(source: Source, states: list[int], found: Any) -> list[Evidence]:
    """Both sparse methods against the nearest neighbour and each other, and how steady they are.

    Over the larger half of the n, the median included.
    """
    large = take_larger_half(states)
    present = {method for method, _ in found}
    evidence = []
    for name, method in _SPARSE.items():
        if method not in present:
            continue
        evidence.append(_judge_steadiness(f"{name}-steady", source, found, method, large))
        if "lds-martin" in present:
            pair = (method, "lds-martin")
            evidence.append(compare_over_states(f"{name}-nearest", source, found, *pair, large))
    if present.issuperset(_SPARSE.values()):
        pair = (_SPARSE["grass"], _SPARSE["martin"])
        evidence.append(compare_over_states("grass-martin", source, found, *pair, large))
        if source.title in ("UCSD", "UCLA"):
            pair = pair[::-1]
            evidence.append(compare_over_states("martin-grass", source, found, *pair, large))
    return evidence


def _judge_steadiness(
    claim: str, source: Source, found: Any, method: str, states: list[int]
) -> Evidence:
    """Whether the smallest and the largest of these n are within the margin of each other."""
    first, last = found[method, states[0]], found[method, states[-1]]
    change = estimate_difference(compute_gaps(last, first), last["n_train"])
    words = (
        f"{', '.join(panels.percent(found[method, n]['accuracy']) for n in states)} % at n = "
        f"{', '.join(map(str, states))}; last less first {format_interval(change)}"
    )
    return Evidence(claim, source.title, change.within(MARGIN), words)


class Covariance(Experiment):
    """Last paragraph of Sec. 9.2."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """Every weight of the covariance."""
        return {
            mix: plan_classification(source, settings, "hybrid", mix=mix)
            for mix in settings["mixes"]
        }

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """Accuracy against the weight."""
        rows, evidence, mixes = [], [], plan.parameters["mixes"]
        for source in sources:
            found = results[source.name]
            printed = plan.paper.get(source.name, {})
            words = f"{printed['without']}, with {printed['with']}" if printed else ""
            accuracies = [panels.percent(found[m]["accuracy"]) for m in mixes]
            rows.append([source.title, *accuracies, words])
            even = min(mixes[1:], key=lambda m: abs(m - 0.5))  # the best would flatter
            words = f", beta = {even:g}"
            evidence.append(compare("covariance-coding", source, found[even], found[1.0], words))
        heads = ["without" if m == 1 else f"beta = {m:g}" for m in mixes]
        columns = ["", *heads, "in print, without"]
        return Outcome([panels.table("accuracy (%) of LDS-SC-Grass", columns, rows)], evidence)
