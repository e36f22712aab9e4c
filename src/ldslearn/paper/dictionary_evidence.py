"""What learned dictionaries say about the claims of Sec. 9.3."""

from math import log
from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.evidence import (
    MARGIN,
    Evidence,
    average,
    compare_times,
    compute_gaps,
    estimate_difference,
    estimate_log_ratio,
    estimate_mean,
    estimate_trend,
    format_interval,
    format_ratio,
    read_correct,
)
from ldslearn.paper.sources import Source

_FEW, _MOST = 5, 0.9  # iterations, and their share of the decrease of all
_LARGE = 16  # atoms: the paper's "J is small" is J < 16
_PAIRS = (
    ("kmeans-accuracy", "lds-dl", "lds-dl-random"),
    ("twofold", "lds-dl", "ldsst-dl"),
    ("covariance-learning", "covlds-dl", "lds-dl"),
    ("learned", "covlds-dl", "covlds-rand"),
)
_FINITE = {2: "glds-dl-2", 3: "glds-dl-3"}


def judge_convergence(
    source: Source, random: list[list[float]], kmeans: list[list[float]]
) -> list[Evidence]:
    """How soon the objective settles, and what a start from k-means gains; one value per seed."""
    shares = [
        (history[0] - history[min(_FEW, len(history) - 1)]) / (history[0] - history[-1])
        for history in random
        if history[0] > history[-1]
    ]
    evidence = []
    n_iterations = len(random[0]) - 1
    if shares:
        early = estimate_mean(shares)
        words = (
            f"{_FEW} iterations reach {100 * early.value:.1f} % of the decrease of {n_iterations} "
            f"({len(shares)} seeds, {100 * min(shares):.1f} to {100 * max(shares):.1f})"
        )
        evidence.append(Evidence("few-iterations", source.title, early + -_MOST, words))
    for claim, place, verb in (("kmeans-start", 0, "starts"), ("kmeans-lower", -1, "ends")):
        a, b = ([history[place] for history in part] for part in (random, kmeans))
        # A share of the objective, so that collections compare.
        gain = estimate_mean([1 - y / x for x, y in zip(a, b, strict=True)])
        words = (
            f"{verb} at {np.mean(b):.4g} against {np.mean(a):.4g} ({len(a)} seeds, lower by "
            f"{format_interval(gain)} %)"
        )
        evidence.append(Evidence(claim, source.title, gain, words))
    return evidence


def judge_methods(source: Source, found: Any, sizes: list[int]) -> list[Evidence]:
    """Pairs of methods that learn dictionaries, over all J or over small and large ones."""
    compared = [(claim, first, second, sizes) for claim, first, second in _PAIRS]
    small, large = [J for J in sizes if J < _LARGE], [J for J in sizes if J >= _LARGE]
    for L, method in _FINITE.items():
        compared.append((f"infinite-{L}", "covlds-dl", method, small))
        compared.append((f"parity-{L}", "covlds-dl", method, large))
    evidence = []
    for claim, first, second, own in compared:
        if not own or any((method, own[0]) not in found for method in (first, second)):
            continue
        gaps = [compute_gaps(found[first, J], found[second, J]) for J in own]
        n_train = found[first, own[0]]["n_train"]
        # Rounds test the same sequences at every J: mean over J first.
        estimate = estimate_difference(average(gaps), n_train)
        by_size = [estimate_difference(gap, n_train) for gap in gaps]
        each = [f"{100 * one.value:+.1f} at J = {J}" for J, one in zip(own, by_size, strict=True)]
        words = f"{', '.join(each)} (mean over these J: {format_interval(estimate)})"
        judged = estimate
        if claim.startswith("parity"):  # at every J: the least certain decides
            judged = max((one.within(MARGIN) for one in by_size), key=lambda one: one.p)
        evidence.append(Evidence(claim, source.title, judged, words))
    return evidence


def judge_updates(source: Source, seconds: dict[int, Any]) -> list[Evidence]:
    """The times of one update of all atoms; `seconds` by J, then by method.

    Sizes of which fewer than two repeats could be measured say nothing.
    """
    sizes = [
        J
        for J, own in seconds.items()
        if set(_FINITE.values()) <= set(own) and min(map(len, own.values())) > 1
    ]
    if not sizes:
        return []
    evidence = []
    for claim, slow, quick in (
        *((f"update-cheaper-{L}", method, "covlds-dl") for L, method in _FINITE.items()),
        ("update-order", _FINITE[3], _FINITE[2]),
    ):
        ratios = {J: estimate_log_ratio(seconds[J][slow], seconds[J][quick]) for J in sizes}
        logs = _average_logs(seconds, sizes, slow, quick)
        judged = estimate_mean(logs)
        who = f"gLDS-DL, L = {slow[-1]},"
        evidence.append(compare_times(claim, source.title, judged, ratios, who, "J"))
    # Without covariance, which gLDS-DL does not have; half of L^2 / 2 counts as "about".
    logs_by_order = {
        L: np.array(_average_logs(seconds, sizes, method, "lds-dl"))
        for L, method in _FINITE.items()
    }
    ratios_by_order = {L: estimate_mean(logs.tolist()) for L, logs in logs_by_order.items()}
    parts = [logs - log(L**2 / 4) for L, logs in logs_by_order.items()]
    judged = estimate_mean(np.mean(parts, axis=0).tolist())
    evidence.append(
        compare_times("update-factor", source.title, judged, ratios_by_order, "gLDS-DL", "L")
    )
    return evidence


def _average_logs(seconds: dict[int, Any], sizes: list[int], slow: str, quick: str) -> list[float]:
    """Logarithms of ratios, mean over J, one per repeat that all J have."""
    logs = [
        [log(a / b) for a, b in zip(seconds[J][slow], seconds[J][quick], strict=True)]
        for J in sizes
    ]
    fewest = min(map(len, logs))
    return [float(np.mean([own[i] for own in logs])) for i in range(fewest)]


def judge_atoms_per_class(
    source: Source, found: Any, sizes: list[int], both: list[int]
) -> list[Evidence]:
    """Whether accuracy grows with the atoms per class, and what learning per class saves."""
    evidence = []
    if len(sizes) > 1:
        runs = [found["apart", J] for J in sizes]
        slopes = estimate_trend([read_correct(run) for run in runs], sizes)
        trend = estimate_difference(slopes, runs[0]["n_train"])
        each = [
            f"{panels.percent(run['accuracy'])} % with {J}"
            for J, run in zip(sizes, runs, strict=True)
        ]
        words = f"{', '.join(each)} atoms per class (per doubling {format_interval(trend)})"
        evidence.append(Evidence("hierarchical-grows", source.title, trend, words))
    both = [J for J in both if ("seconds", J) in found]
    seconds = {J: found["seconds", J]["seconds"] for J in both}
    ratios = {
        J: estimate_log_ratio(own["together"], own["per class"]) for J, own in seconds.items()
    }
    if ratios:
        judged = estimate_mean(_average_logs(seconds, both, "together", "per class"))
        words = ", ".join(
            f"{format_ratio(ratio)} for all classes at J_c = {J}" for J, ratio in ratios.items()
        )
        evidence.append(Evidence("hierarchical-quick", source.title, judged, words))
    return evidence
