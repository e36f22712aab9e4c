"""Times of methods on one collection, measured in turn."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from ldslearn.classify import DictionaryClassifier
from ldslearn.models import LDS
from ldslearn.paper.coding_runs import build_classifier
from ldslearn.paper.dictionary_runs import build_dictionary, encode_for_dictionary
from ldslearn.paper.ledger import Run
from ldslearn.paper.measuring import Numbers, encoder_of, labels_of
from ldslearn.paper.timing import measure_in_turn, time_calls

_MOST_PASSES = 64
_FACTOR = 3.0  # by which passes take longer than what comes before them
_SAME_ITERATIONS = 5  # of dictionaries per class and for all


def time_encoding(run: Run, *, n_states: int, stabilizers: list[str], bound: float) -> Numbers:
    """Seconds to learn all systems with each stabilizer."""
    calls: dict[str, Callable[[], Any]] = {}
    for name in stabilizers:
        further = {"bound": bound} if name in ("dwls", "scale") else {}
        encoder = encoder_of(run, n_states, name, **further).fit(run.source.data.X)
        calls[name] = _bind(encoder.transform, run.source.data.X)
    return {"seconds": measure_in_turn(calls)}


def time_coding(run: Run, *, n_states: int, orders: list[int], sparsity: float) -> Numbers:
    """Seconds to train gLDS-SC of each order, and LDS-SC-Grass, on the first training part."""
    train, _ = run.source.splits()[0]
    systems = encoder_of(run, n_states).fit_transform([run.source.data.X[i] for i in train])
    y, jobs = labels_of(run)[train], run.source.n_jobs
    models = {str(L): build_classifier("glds-sc", sparsity, jobs, order=L) for L in orders}
    models["infinite"] = build_classifier("lds-sc-grass", sparsity, jobs)
    calls = {name: _bind(model.fit, systems, y) for name, model in models.items()}
    return {"seconds": measure_in_turn(calls)}


def time_updates(run: Run, *, n_atoms: int, methods: list[str], sparsity: float) -> Numbers:
    """Seconds of one update of all atoms and codes, from the same start.

    The time of some updates less that of none, in which systems are prepared, measured next to it,
    divided by the number of updates. So many updates that they take several times as long as the
    preparation. Repeats in which load on the machine turned a difference negative are dropped.
    """
    train, _ = run.source.halves(1)[0]
    systems = encode_for_dictionary(run, [run.source.data.X[i] for i in train])
    start = systems[np.random.default_rng(0).choice(len(train), n_atoms, replace=False)]

    def build(method: str, passes: int) -> Any:
        options = {"init": start, "max_iter": passes, "tol": 0.0}
        return build_dictionary(run, method, n_atoms, sparsity, 0, **options)

    calls: dict[str, Callable[[], Any]] = {}
    n_passes = {}
    for method in methods:
        long = build(method, _count_passes(method, build, systems)).fit(systems)
        n_passes[method] = long.n_iter_
        calls[method] = _bind(long.fit, systems)
        calls[f"{method}, none"] = _bind(build(method, 0).fit, systems)
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
    prepare = _bind(build(method, 0).fit, systems)
    prepare()  # loads compiled code
    enough, passes = _FACTOR * time_calls(prepare), 2
    while passes < _MOST_PASSES and time_calls(_bind(build(method, passes).fit, systems)) < enough:
        passes *= 2
    return passes


def time_classes(run: Run, *, method: str, n_atoms: int, sparsity: float) -> Numbers:
    """Seconds to learn atoms per class, and as many for all classes, in as many iterations."""
    train, _ = run.source.halves(1)[0]
    systems = encode_for_dictionary(run, [run.source.data.X[i] for i in train])
    y = labels_of(run)[train]
    options = {"max_iter": _SAME_ITERATIONS, "tol": 0.0}
    calls = {}
    for name, per_class in (("per class", True), ("together", False)):
        number = n_atoms if per_class else n_atoms * len(np.unique(y))
        dictionary = build_dictionary(run, method, number, sparsity, 0, **options)
        model = DictionaryClassifier(
            dictionary, LinearSVC(C=10, random_state=0), per_class=per_class
        )
        calls[name] = _bind(model.fit, systems, y)
    return {"seconds": measure_in_turn(calls)}


def _bind(function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    return lambda: function(*arguments)
