"""Times of one update of all atoms: Fig. 14."""

from collections.abc import Callable
from functools import partial
from math import log
from typing import Any

import numpy as np

from ldslearn.models import LDS
from ldslearn.paper.codes import build_dictionary, encode_for_dictionary
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import (
    Evidence,
    average_logs,
    compare_times,
    estimate_log_ratio,
    estimate_mean,
)
from ldslearn.paper.ledger import Run
from ldslearn.paper.rounds import Numbers
from ldslearn.paper.timing import measure_in_turn, time_calls

FINITE_METHODS = {2: "glds-dl-2", 3: "glds-dl-3"}


_MOST_PASSES = 64


_FACTOR = 3.0  # by which passes take longer than what comes before them


def time_updates(run: Run, *, n_atoms: int, methods: list[str], sparsity: float) -> Numbers:
    """Seconds of one update of all atoms and codes, from the same start.

    The time of some updates less that of none, in which systems are prepared, measured next to it,
    divided by the number of updates. So many updates that they take several times as long as the
    preparation. Repeats in which load on the machine turned a difference negative are dropped.
    """
    train, _ = run.data_set.split_halves(1)[0]
    systems = encode_for_dictionary(run, [run.data_set.data.X[i] for i in train])
    start = systems[np.random.default_rng(0).choice(len(train), n_atoms, replace=False)]

    def build(method: str, passes: int) -> Any:
        options = {"init": start, "max_iter": passes, "tol": 0.0}
        return build_dictionary(run, method, n_atoms, sparsity, 0, **options)

    calls: dict[str, Callable[[], Any]] = {}
    n_passes = {}
    for method in methods:
        long = build(method, _count_passes(method, build, systems)).fit(systems)
        n_passes[method] = long.n_iter_
        calls[method] = partial(long.fit, systems)
        calls[f"{method}, none"] = partial(build(method, 0).fit, systems)
    return {"seconds": subtract_preparation(measure_in_turn(calls), n_passes)}


def subtract_preparation(
    seconds: dict[str, list[float]], n_passes: dict[str, int]
) -> dict[str, list[float]]:
    """Return the seconds per pass of each method, for the repeats in which all are positive."""
    differences = {
        method: np.subtract(seconds[method], seconds[f"{method}, none"]) for method in n_passes
    }
    kept = np.min(list(differences.values()), axis=0) > 0
    return {method: (own[kept] / n_passes[method]).tolist() for method, own in differences.items()}


def _count_passes(method: str, build: Callable[[str, int], Any], systems: LDS) -> int:
    """How many updates outweigh their preparation, if the fit does not end before."""
    prepare = partial(build(method, 0).fit, systems)
    prepare()  # loads compiled code
    enough, passes = _FACTOR * time_calls(prepare), 2
    while (
        passes < _MOST_PASSES and time_calls(partial(build(method, passes).fit, systems)) < enough
    ):
        passes *= 2
    return passes


def judge_updates(data_set: DataSet, seconds: dict[int, Any]) -> list[Evidence]:
    """The times of one update of all atoms; `seconds` by J, then by method.

    Sizes of which fewer than two repeats could be measured say nothing.
    """
    sizes = [
        J
        for J, own in seconds.items()
        if set(FINITE_METHODS.values()) <= set(own) and min(map(len, own.values())) > 1
    ]
    if not sizes:
        return []
    evidence = []
    for claim, slow, quick in (
        *((f"update-cheaper-{L}", method, "covlds-dl") for L, method in FINITE_METHODS.items()),
        ("update-order", FINITE_METHODS[3], FINITE_METHODS[2]),
    ):
        ratios = {J: estimate_log_ratio(seconds[J][slow], seconds[J][quick]) for J in sizes}
        logs = average_logs(seconds, sizes, slow, quick)
        decisive = estimate_mean(logs)
        who = f"gLDS-DL, L = {slow[-1]},"
        evidence.append(compare_times(claim, data_set.title, decisive, ratios, who, "J"))
    # Without covariance, which gLDS-DL does not have; half of L^2 / 2 counts as "about".
    logs_by_order = {
        L: np.array(average_logs(seconds, sizes, method, "lds-dl"))
        for L, method in FINITE_METHODS.items()
    }
    ratios_by_order = {L: estimate_mean(logs.tolist()) for L, logs in logs_by_order.items()}
    parts = [logs - log(L**2 / 4) for L, logs in logs_by_order.items()]
    decisive = estimate_mean(np.mean(parts, axis=0).tolist())
    evidence.append(
        compare_times("update-factor", data_set.title, decisive, ratios_by_order, "gLDS-DL", "L")
    )
    return evidence
