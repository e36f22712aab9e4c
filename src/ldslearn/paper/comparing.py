"""What experiments on coding share: runs of one method, and comparisons of two."""

from typing import Any

from ldslearn.paper import panels
from ldslearn.paper.evidence import (
    Evidence,
    average,
    compute_gaps,
    estimate_difference,
    format_interval,
)
from ldslearn.paper.ledger import Run
from ldslearn.paper.sources import Source

Settings = dict[str, Any]

TITLES = {
    "lds-svm": "LDS-SVM",
    "lds-martin": "LDS-Martin",
    "lds-sc-martin": "LDS-SC-Martin",
    "lds-sc-grass": "LDS-SC-Grass",
    "none": "none",
    "soft": "SN",
    "scale": "rescaled",
    "dwls": "DWLS",
}


def plan_classification(source: Source, settings: Settings, method: str, **parameters: Any) -> Run:
    """Return the run of one method, with those of the plan's parameters that matter to it."""
    chosen = {
        "method": method,
        "n_states": source.n_states,
        "sparsity": settings["sparsity"],
        **parameters,
    }
    if method in ("lds-svm", "lds-sc-martin"):
        chosen["bandwidth"] = settings["bandwidth"]
    if "scale" in settings and parameters.get("stabilizer", "soft") == "soft":
        chosen["scale"] = settings["scale"]
    return Run("classify", source, chosen)


def list_states(source: Source, settings: Settings) -> list[int]:
    """Return the numbers of states to compare."""
    return source.states(settings.get("most_states"))


def take_larger_half(states: list[int]) -> list[int]:
    """Return the n from the median on: what "n sufficiently large" is taken to be."""
    return sorted(states)[len(states) // 2 :]


def compare(claim: str, source: Source, first: Any, second: Any, words: str = "") -> Evidence:
    """Return what two runs say of the first being more accurate."""
    estimate = estimate_difference(compute_gaps(first, second), first["n_train"])
    both = [panels.percent(one["accuracy"]) for one in (first, second)]
    found = f"{both[0]} against {both[1]} %{words} ({format_interval(estimate)})"
    return Evidence(claim, source.title, estimate, found)


def compare_over_states(
    claim: str, source: Source, found: Any, first: str, second: str, states: list[int]
) -> Evidence:
    """Return what runs of two methods at several n say of the first being more accurate."""
    gaps = [compute_gaps(found[first, n], found[second, n]) for n in states]
    n_train = found[first, states[0]]["n_train"]
    each = [
        f"{100 * estimate_difference(one, n_train).value:+.1f} at n = {n}"
        for n, one in zip(states, gaps, strict=True)
    ]
    estimate = estimate_difference(average(gaps), n_train)
    words = f"{', '.join(each)} (mean over these n: {format_interval(estimate)})"
    return Evidence(claim, source.title, estimate, words)
