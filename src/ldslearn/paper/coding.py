"""Sparse coding: Figs. 5 to 10, and the covariance of Sec. 9.2."""

from functools import partial
from math import log
from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.classification import (
    TITLES,
    build_classifier,
    compare_over_states,
    compare_runs,
    plan_classification,
    take_larger_half,
)
from ldslearn.paper.data_sets import DataSet
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
from ldslearn.paper.rounds import Numbers, build_encoder, get_labels
from ldslearn.paper.timing import measure_in_turn

_TACTILE = ("sd", "spr", "bdh", "sdh2", "hcs10")


_LEAST_ORDER, _LEAST_TACTILE_ORDER = 3, 8  # from which the paper calls gLDS-SC the slower


_SPARSE = {"grass": "lds-sc-grass", "martin": "lds-sc-martin"}


class Coding(Experiment):
    """Figs. 5 to 10."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """The orders L of gLDS-SC, three methods at several n, and times."""
        fixed, n_rows = data_set.n_states, len(data_set.data.X[0]) * data_set.delays
        orders = [order for order in settings["orders"] if order * n_rows >= fixed]
        found = {
            ("glds-sc", order): plan_classification(data_set, settings, "glds-sc", order=order)
            for order in orders
        }
        for method in settings["methods"]:
            for n in data_set.list_states(settings.get("most_states")):
                found[method, n] = plan_classification(data_set, settings, method, n_states=n)
        wanted = {"n_states": fixed, "orders": orders, "sparsity": settings["sparsity"]}
        found["seconds", fixed] = Run("time-coding", data_set, wanted)
        return found

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Panels a, b and c."""
        outcome = Outcome([])
        for data_set in data_sets:
            found, fixed = results[data_set.name], data_set.n_states
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
                for method in settings[data_set.name]["methods"]
            }
            outcome.panels += [
                panels.make_lines(
                    f"(a) accuracy against L, n = {fixed}, {data_set.title}", "order L",
                    "accuracy (%)", accuracies, percent=True,
                ),
                panels.make_lines(
                    f"(b) time to train against L, {data_set.title}", "order L", "seconds", times
                ),
                panels.make_lines(
                    f"(c) accuracy against n, {data_set.title}", "states n", "accuracy (%)",
                    curves, percent=True,
                ),
            ]  # fmt: skip
            outcome.evidence += judge_orders(data_set, orders, found)
            outcome.evidence += judge_times(data_set, orders, seconds)
            outcome.evidence += judge_states(data_set, states, found)
        return outcome


def judge_orders(data_set: DataSet, orders: list[int], found: Any) -> list[Evidence]:
    """Whether the accuracy of gLDS-SC arrives at that of LDS-SC-Grass as L grows.

    Two conditions, of which the less certain decides: at the largest L the accuracies are within
    the margin; and, unless they are so at every L, the share of test sequences on which both are
    correct or both wrong grows with L. The trend is over all L.
    """
    if len(orders) == 1:
        return []
    infinite = found["lds-sc-grass", data_set.n_states]
    n_train = infinite["n_train"]
    gaps = [compute_gaps(found["glds-sc", order], infinite) for order in orders]
    agreement = [[1 - np.abs(gap) for gap in of_order] for of_order in gaps]
    differences = [estimate_difference(gap, n_train) for gap in gaps]
    first, last = differences[0], differences[-1]
    trend = estimate_difference(estimate_trend(agreement, orders), n_train)
    conditions = [last.compare_to_margin(MARGIN)]
    if any(one.compare_to_margin(MARGIN).low <= 0 for one in differences):
        conditions.append(trend)
    words = (
        f"gap {100 * first.value:+.1f} points at L = {orders[0]}, {format_interval(last)} at "
        f"L = {orders[-1]}; the fraction of sequences on which they agree grows by "
        f"{format_interval(trend)} points per doubling of L"
    )
    return [Evidence("converges", data_set.title, max(conditions, key=lambda one: one.p), words)]


def judge_times(data_set: DataSet, orders: list[int], seconds: Any) -> list[Evidence]:
    """How the times of gLDS-SC compare with that of LDS-SC-Grass, and how they grow with L."""
    infinite = seconds["infinite"]
    ratios = {L: estimate_log_ratio(seconds[str(L)], infinite) for L in orders}
    tactile = data_set.name in _TACTILE
    evidence = []
    least = _LEAST_TACTILE_ORDER if tactile else _LEAST_ORDER
    larger = {L: ratio for L, ratio in ratios.items() if least <= L}
    if larger:  # the claim is about all of these: the smallest decides
        decisive = larger[min(larger)]
        evidence.append(compare_times("cheaper", data_set.title, decisive, larger, "gLDS-SC", "L"))
    smaller = [L for L in orders if _LEAST_ORDER <= L < _LEAST_TACTILE_ORDER]
    if tactile and smaller:
        decisive = estimate_log_ratio(infinite, seconds[str(smaller[-1])])
        ratio = {smaller[-1]: decisive}
        evidence.append(
            compare_times("tactile-slower", data_set.title, decisive, ratio, "LDS-SC-Grass", "L")
        )
    if len(orders) > 1:
        x = np.log2(orders) - np.mean(np.log2(orders))
        logs = np.log([seconds[str(L)] for L in orders])  # (n_orders, repeats)
        slopes = estimate_mean((x @ logs / (x @ x)).tolist())
        words = f"{format_ratio(slopes)} per doubling of L"
        evidence.append(Evidence("order-cost", data_set.title, slopes, words))
    factors = [
        float(np.mean([log(2 * seconds[str(L)][i] / infinite[i] / L) for L in larger]))
        for i in range(len(infinite))
    ]
    if larger:
        decisive = estimate_mean(factors)
        evidence.append(
            compare_times("order-factor", data_set.title, decisive, larger, "gLDS-SC", "L")
        )
    return evidence


def judge_states(data_set: DataSet, states: list[int], found: Any) -> list[Evidence]:
    """Compare both sparse methods with the nearest neighbour, with each other, and over n.

    Uses the larger half of the n, the median included.
    """
    large = take_larger_half(states)
    present = {method for method, _ in found}
    evidence = []
    for name, method in _SPARSE.items():
        if method not in present:
            continue
        evidence.append(_judge_steadiness(f"{name}-steady", data_set, found, method, large))
        if "lds-martin" in present:
            pair = (method, "lds-martin")
            evidence.append(compare_over_states(f"{name}-nearest", data_set, found, *pair, large))
    if present.issuperset(_SPARSE.values()):
        pair = (_SPARSE["grass"], _SPARSE["martin"])
        evidence.append(compare_over_states("grass-martin", data_set, found, *pair, large))
        if data_set.title in ("UCSD", "UCLA"):
            pair = pair[::-1]
            evidence.append(compare_over_states("martin-grass", data_set, found, *pair, large))
    return evidence


def _judge_steadiness(
    claim: str, data_set: DataSet, found: Any, method: str, states: list[int]
) -> Evidence:
    """Whether the smallest and the largest of these n are within the margin of each other."""
    first, last = found[method, states[0]], found[method, states[-1]]
    change = estimate_difference(compute_gaps(last, first), last["n_train"])
    accuracies = [panels.format_percent(found[method, n]["accuracy"]) for n in states]
    words = (
        f"{', '.join(accuracies)} % at n = "
        f"{', '.join(map(str, states))}; last minus first {format_interval(change)} points"
    )
    return Evidence(claim, data_set.title, change.compare_to_margin(MARGIN), words)


class Covariance(Experiment):
    """Last paragraph of Sec. 9.2."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """Every weight of the covariance."""
        return {
            mix: plan_classification(data_set, settings, "hybrid", mix=mix)
            for mix in settings["mixes"]
        }

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Accuracy against the weight."""
        rows, evidence, mixes = [], [], plan.parameters["mixes"]
        for data_set in data_sets:
            found = results[data_set.name]
            printed = plan.paper.get(data_set.name, {})
            words = f"{printed['without']}, with {printed['with']}" if printed else ""
            accuracies = [panels.format_percent(found[m]["accuracy"]) for m in mixes]
            rows.append([data_set.title, *accuracies, words])
            even = min(mixes[1:], key=lambda m: abs(m - 0.5))  # the best would flatter
            words = f", beta = {even:g}"
            evidence.append(
                compare_runs("covariance-coding", data_set, found[even], found[1.0], words)
            )
        heads = ["without" if m == 1 else f"beta = {m:g}" for m in mixes]
        columns = ["", *heads, "paper, without"]
        return Outcome([panels.make_table("accuracy (%) of LDS-SC-Grass", columns, rows)], evidence)


def time_coding(run: Run, *, n_states: int, orders: list[int], sparsity: float) -> Numbers:
    """Seconds to train gLDS-SC of each order, and LDS-SC-Grass, on the first training part."""
    train, _ = run.data_set.splits()[0]
    systems = build_encoder(run, n_states).fit_transform([run.data_set.data.X[i] for i in train])
    y, jobs = get_labels(run)[train], run.data_set.n_jobs
    models = {str(L): build_classifier("glds-sc", sparsity, jobs, order=L) for L in orders}
    models["infinite"] = build_classifier("lds-sc-grass", sparsity, jobs)
    calls = {name: partial(model.fit, systems, y) for name, model in models.items()}
    return {"seconds": measure_in_turn(calls)}
