"""Runs of methods that classify systems, and comparisons of two of them."""

import time
from typing import Any

import numpy as np

from ldslearn.classify import SparseCodingClassifier
from ldslearn.evaluate.methods import find_method
from ldslearn.evaluate.settings import Settings
from ldslearn.paper import panels
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import (
    Evidence,
    average_settings,
    compute_gaps,
    estimate_difference,
    format_interval,
)
from ldslearn.paper.ledger import Run
from ldslearn.paper.rounds import Numbers, build_encoder, get_labels, run_rounds

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


def classify_systems(
    run: Run,
    *,
    method: str,
    n_states: int,
    sparsity: float,
    stabilizer: str | None = None,
    bound: float | None = None,
    scale: float | None = None,
    **options: Any,
) -> Numbers:
    """Encode all sequences (each by itself), then train and test in every round."""
    given = {"bound": bound, "scale": scale}
    further = {name: value for name, value in given.items() if value is not None}
    start = time.perf_counter()
    systems = build_encoder(run, n_states, stabilizer, **further).fit_transform(run.data_set.data.X)
    seconds = time.perf_counter() - start
    y = get_labels(run)

    def build(seed: int) -> Any:
        return build_classifier(method, sparsity, run.data_set.n_jobs, **options)

    numbers, models = run_rounds(systems, y, run.data_set.splits(), build)
    if stabilizer is not None:  # of unstable systems the kernel has no bound
        numbers["largest_kernel"] = float(np.abs(models[0].coder_.kernel_.gram).max())
    return {**numbers, "encode_seconds": seconds}


def build_classifier(method: str, sparsity: float, n_jobs: int | None, **options: Any) -> Any:
    """A method by its name, with options of its kernel: order, mix, bandwidth."""
    if method == "hybrid":
        classifier: Any = SparseCodingClassifier("hybrid", sparsity=sparsity, n_jobs=n_jobs)
    else:
        classifier = find_method(method).build(Settings(sparsity=sparsity, n_jobs=n_jobs))
    return classifier.set_params(kernel_params=options) if options else classifier


def plan_classification(
    data_set: DataSet, settings: dict[str, Any], method: str, **parameters: Any
) -> Run:
    """Return the run of one method, with those of the plan's parameters that matter to it."""
    chosen = {
        "method": method,
        "n_states": data_set.n_states,
        "sparsity": settings["sparsity"],
        **parameters,
    }
    if method in ("lds-svm", "lds-sc-martin"):
        chosen["bandwidth"] = settings["bandwidth"]
    if "scale" in settings and parameters.get("stabilizer", "soft") == "soft":
        chosen["scale"] = settings["scale"]
    return Run("classify", data_set, chosen)


def list_states(data_set: DataSet, settings: dict[str, Any]) -> list[int]:
    """Return the numbers of states to compare."""
    return data_set.list_states(settings.get("most_states"))


def take_larger_half(states: list[int]) -> list[int]:
    """Return the n from the median on: what "n sufficiently large" is taken to be."""
    return sorted(states)[len(states) // 2 :]


def compare_runs(
    claim: str, data_set: DataSet, first: Any, second: Any, words: str = ""
) -> Evidence:
    """Return what two runs say of the first being more accurate."""
    estimate = estimate_difference(compute_gaps(first, second), first["n_train"])
    both = [panels.format_percent(one["accuracy"]) for one in (first, second)]
    found = f"{both[0]} against {both[1]} %{words} ({format_interval(estimate)})"
    return Evidence(claim, data_set.title, estimate, found)


def compare_over_states(
    claim: str, data_set: DataSet, found: Any, first: str, second: str, states: list[int]
) -> Evidence:
    """Return what runs of two methods at several n say of the first being more accurate."""
    gaps = [compute_gaps(found[first, n], found[second, n]) for n in states]
    n_train = found[first, states[0]]["n_train"]
    each = [
        f"{100 * estimate_difference(one, n_train).value:+.1f} at n = {n}"
        for n, one in zip(states, gaps, strict=True)
    ]
    estimate = estimate_difference(average_settings(gaps), n_train)
    words = f"{', '.join(each)} (mean over these n: {format_interval(estimate)})"
    return Evidence(claim, data_set.title, estimate, words)
