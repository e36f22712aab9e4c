"""From labelled sequences to a fitted pipeline: sample, search, choose, fit, report."""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ldslearn._parallel import show_progress
from ldslearn._types import Indices
from ldslearn.auto.candidates import PARTS, QUICK_RULES, Encoding, Rule, build_candidate
from ldslearn.auto.expectation import expected_accuracy
from ldslearn.auto.fold_assignment import assign_folds
from ldslearn.auto.report import Report
from ldslearn.auto.search import Search, pick_simplest
from ldslearn.auto.trials import KernelMatrices, Trial
from ldslearn.sequences import select

_MOST_SEARCHED = 1000  # sequences; the choice needs no more, and kernels grow with the square
_MOST_SAMPLED = 400  # of those, to compare encodings
_SEARCH_FRACTION = 0.75  # of the budget; the rest is for the final fit
_SEARCH_FRACTION_OF_MANY = 0.5  # where the final fit takes longer than anything before
_REPEATS = ((100, 5), (300, 3), (600, 2))  # of the folds, by number of sequences


class FoundPipeline(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    pipeline : Pipeline
        Fitted.
    factor : float
        Probabilities are the softmax of this times the scores of the pipeline.
    report : Report
    """

    pipeline: Pipeline
    factor: float
    report: Report


def search_pipeline(
    sequences: list[NDArray[Any]],
    classes: NDArray[Any],
    labels: Indices,
    groups: NDArray[Any] | None,
    *,
    time_budget: float,
    random: np.random.RandomState,
    n_jobs: int | None,
    clock: Callable[[], float] = time.monotonic,
) -> FoundPipeline:
    """Search the candidates within a time budget, and fit the chosen one.

    Parameters
    ----------
    sequences : list of (n_channels, n_timepoints) arrays
    classes : (n_classes,) array
    labels : (N,) array
        Indices of classes.
    groups : (N,) array or None
    time_budget : float
        Seconds.
    random : RandomState
    n_jobs : int or None
    clock : callable
        Returns the time in seconds.
    """
    start = clock()
    searched = _sample_classes(labels, random, _MOST_SEARCHED)
    part, part_labels = select(sequences, searched), labels[searched]
    owners = None if groups is None else groups[searched]
    repeats = next((r for n, r in _REPEATS if len(part) <= n), 1)
    folds = assign_folds(part_labels, owners, repeats, random)
    tested = folds[0] >= 0
    _warn_of_untested([str(c) for c in classes[np.setdiff1d(labels, part_labels[tested])]])
    growth = (len(sequences) / len(part)) ** 2
    fraction = _SEARCH_FRACTION if growth == 1 else _SEARCH_FRACTION_OF_MANY
    with show_progress("choosing", 1) as advance:
        sample = _sample_classes(part_labels, random, _MOST_SAMPLED)
        sample_folds = folds[:1]
        if len(sample) < len(searched):
            sample_owners = None if owners is None else owners[sample]
            sample_folds = assign_folds(part_labels[sample], sample_owners, 1, random)
            if not (sample_folds >= 0).any():
                sample, sample_folds = np.arange(len(searched)), folds[:1]
        search = Search(
            part,
            part_labels,
            folds,
            deadline=start + fraction * time_budget,
            n_jobs=n_jobs,
            report_progress=lambda text: advance(0, text),
            sample=sample,
            sample_folds=sample_folds,
            clock=clock,
        )
        if tested.any():
            search.run()
            chosen, best = pick_simplest(list(search.trials.values()))
            kernels = search.kernels[chosen.encoding]
            expected_seconds = growth * search.growth * search.kernel_seconds[chosen.encoding]
        else:
            encoding, empty = search.make_initial_encoding(), np.empty((1, 0))
            kernels, expected_seconds = KernelMatrices.of(encoding, part, n_jobs), 0.0
            chosen = best = Trial(encoding, QUICK_RULES[1], empty > 0, empty, 10.0)
        left = max(start + time_budget - clock(), 0.1 * time_budget)
        trained = np.arange(len(sequences))
        if len(part) < len(sequences) and expected_seconds > left:
            most = int(len(sequences) * np.sqrt(left / expected_seconds))
            trained = _sample_classes(labels, random, max(most, len(part)))
        kernels.mix(chosen.rule)  # computes its scales and bandwidths
        pipeline = build_candidate(
            chosen.encoding, chosen.rule, kernels.scales, kernels.bandwidths, n_jobs
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
            pipeline.fit(select(sequences, trained), classes[labels[trained]])
    accuracy = error = float("nan")
    if search.trials:
        tested_owners = None if owners is None else owners[tested]
        trials = search.list_comparable_trials()
        accuracy, error = expected_accuracy(trials, tested_owners, random)
    classifier = pipeline[-1]
    fixed = {"kernel": dict(classifier.kernel), "kernel_params": classifier.kernel_params}
    report = Report(
        chosen={**_list_parameters(chosen.encoding, chosen.rule), **fixed},
        expected_accuracy=accuracy,
        standard_error=error,
        why=_explain_choice(search, chosen, best),
        tried=[
            {"accuracy": t.accuracy, "loss": t.loss, **_list_parameters(t.encoding, t.rule)}
            for t in sorted(search.trials.values(), key=lambda t: (t.loss, t.size))
        ],
        n_descriptions=len(search.coarse_losses),
        n_trained=len(trained),
        seconds=clock() - start,
        time_budget=float(time_budget),
        stopped=(
            "stopped by the time budget" if search.out_of_time else "nothing better was left to try"
        ),
    )
    return FoundPipeline(pipeline, chosen.factor, report)


def _sample_classes(labels: Indices, random: np.random.RandomState, most: int) -> Indices:
    """Return all sequences, or a stratified random sample of about `most`."""
    if len(labels) <= most:
        return np.arange(len(labels))
    fraction = most / len(labels)
    chosen = []
    for c in np.unique(labels):
        own = random.permutation(np.flatnonzero(labels == c))
        chosen.append(own[: max(2, round(fraction * len(own)))])
    return np.sort(np.concatenate(chosen))


def _warn_of_untested(classes: list[str]) -> None:
    """Warn of classes that folds cannot test."""
    if classes:
        more = f" and {len(classes) - 5} more" if len(classes) > 5 else ""
        warnings.warn(
            f"class {', '.join(map(repr, classes[:5]))}{more}: one sequence or group only, which "
            "is used for training, so that the expected accuracy does not cover it.",
            stacklevel=4,
        )


def _explain_choice(search: Search, chosen: Trial, best: Trial) -> str:
    if not search.trials:
        return "no class has two sequences (or groups), so that nothing could be held out"
    if chosen is best:
        return "no candidate has a smaller loss, and no simpler one comes close"
    return (
        "the simplest whose loss is within a tenth of a standard error of the smallest, "
        f"{best.loss:.3f} (accuracy {100 * best.accuracy:.1f} %)"
    )


def _list_parameters(encoding: Encoding, rule: Rule) -> dict[str, Any]:
    """Return the parameters of a candidate as plain values."""
    classifiers = {"coding": "sparse coding", "svm": "support vectors", "nearest": "nearest"}
    names = {"coding": ["sparsity"], "svm": ["C"], "nearest": []}
    return {
        "n_states": encoding.n_states,
        "delays": encoding.delays,
        "windows": list(encoding.windows),
        "scaled": encoding.scaled,
        "center": encoding.center,
        "weights": {p: w for p, w in zip(PARTS, rule.weights, strict=True) if w > 0},
        "classifier": classifiers[rule.kind],
        **dict.fromkeys(names[rule.kind], rule.value),
    }
