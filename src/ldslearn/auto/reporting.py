"""The report of a search, from its trials and the chosen ensemble."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.auto.candidates import Encoding, RandomBank
from ldslearn.auto.ensemble import KINDS, Ensemble, flag_random
from ldslearn.auto.expectation import (
    correct_optimism,
    expected_accuracy,
    measure_optimism,
    measure_standard_error,
)
from ldslearn.auto.report import STOPPED_BY_BUDGET, Report
from ldslearn.auto.search import Search
from ldslearn.auto.trials import Trial
from ldslearn.drawing.card import count_nouns

_CLASSIFIERS = {"coding": "sparse coding", "ridge": "ridge regression", "svm": "support vectors"}
_VALUES = {"coding": "sparsity", "ridge": "penalty", "svm": "C"}


def make_report(
    search: Search,
    ensemble: Ensemble,
    *,
    groups: NDArray[Any] | None,
    max_members: int,
    random: np.random.RandomState,
    n_trained: int,
    seconds: float,
    time_budget: float,
) -> Report:
    """Return the report.

    Parameters
    ----------
    search : Search
    ensemble : Ensemble
    groups : (n_tested,) array or None
    max_members : int
    random : RandomState
    n_trained : int
    seconds, time_budget : float
    """
    accuracy = error = float("nan")
    alone: dict[str, dict[str, float]] = {}
    if search.trials:
        trials = search.list_comparable_trials()
        expect = partial(
            _expect, max_members=max_members, groups=groups, seed=random.randint(2**31)
        )
        accuracy, error = expect(trials, search.shuffled_trials)
        for kind in KINDS:
            if some := _select_kind(trials, kind):
                shuffled = [_select_kind(one, kind) for one in search.shuffled_trials]
                found = expect(some, shuffled)
                alone[kind] = {"expected_accuracy": found[0], "standard_error": found[1]}
    measured = [
        {**_measure(trial, groups), **list_parameters(trial)}
        for trial in sorted(search.trials, key=lambda trial: (trial.loss, trial.size))
    ]
    members = [
        {"weight": float(weight), **_measure(trial, groups), **list_parameters(trial)}
        for trial, weight in zip(ensemble.trials, ensemble.weights, strict=True)
    ]
    leader = ensemble.trials[0]
    return Report(
        chosen={**list_parameters(leader), **_list_kernel(leader, search)},
        members=members,
        alone=alone,
        expected_accuracy=accuracy,
        standard_error=error,
        why=_explain_choice(search, ensemble),
        tried=measured,
        n_descriptions=len(search.coarse_losses),
        n_trained=n_trained,
        seconds=seconds,
        time_budget=time_budget,
        stopped=explain_end(search),
    )


def _select_kind(trials: Sequence[Trial], kind: str) -> list[Trial]:
    wanted = flag_random(trials) == (kind == KINDS[1])
    return [trial for trial, flag in zip(trials, wanted, strict=True) if flag]


def _expect(
    trials: list[Trial],
    shuffled_trials: list[list[Trial]],
    *,
    max_members: int,
    groups: NDArray[Any] | None,
    seed: int,
) -> tuple[float, float]:
    """Return the expected accuracy without optimism, and its standard error."""
    state = np.random.RandomState(seed)
    accuracy, error = expected_accuracy(trials, max_members, groups, state)
    if all(shuffled_trials):
        optimism, chance = measure_optimism(shuffled_trials, max_members, groups, state)
        accuracy = correct_optimism(accuracy, optimism, chance)
    return accuracy, error


def _measure(trial: Trial, groups: NDArray[Any] | None) -> dict[str, float]:
    if not len(trial.truth):  # nothing was held out
        return dict.fromkeys(("accuracy", "standard_error", "loss"), float("nan"))
    error = measure_standard_error(trial, groups)
    return {"accuracy": trial.accuracy, "standard_error": error, "loss": trial.loss}


def list_parameters(trial: Any) -> dict[str, Any]:
    """Return the parameters of a candidate as plain values."""
    source, rule = trial.source, trial.rule
    if isinstance(source, RandomBank):
        return {"kind": KINDS[1], "classifier": _CLASSIFIERS["ridge"], "seed": source.seed}
    assert rule is not None
    return {
        "kind": KINDS[0],
        **_list_encoding(source),
        "weights": {part: rule.weigh(part) for part in rule.parts},
        "classifier": _CLASSIFIERS[rule.kind],
        _VALUES[rule.kind]: rule.value,
    }


def _list_encoding(encoding: Encoding) -> dict[str, Any]:
    return {
        "n_states": encoding.n_states,
        "delays": encoding.delays,
        "windows": list(encoding.windows),
        "scaled": encoding.scaled,
        "center": encoding.center,
    }


def _list_kernel(trial: Trial, search: Search) -> dict[str, Any]:
    """Return the kernel of a member and its parameters, as classifiers of systems take them."""
    if isinstance(trial.source, RandomBank) or trial.rule is None:
        return {}
    kernels, parts = search.kernels[trial.source], trial.rule.parts
    known = kernels.bandwidths
    return {
        "kernel": {part: trial.rule.weigh(part) / kernels.scales[part] for part in parts},
        "kernel_params": {part: {"bandwidth": known[part]} for part in parts if part in known},
    }


def _explain_choice(search: Search, ensemble: Ensemble) -> str:
    if not search.trials:
        return "no class has two sequences (or groups), so that nothing could be held out"
    if len(ensemble.trials) == 1:
        return "no candidate has a smaller loss"
    n_fitted, n_random = np.bincount(flag_random(ensemble.trials), minlength=2).tolist()
    fitted = f"the {n_fitted} best of fitted systems" if n_fitted else ""
    random = count_nouns(n_random, "bank") + " of random systems" if n_random else ""
    both = "; both kinds count equally" if fitted and random else ""
    return "mean of " + " and of ".join(text for text in (fitted, random) if text) + both


def explain_end(search: Search) -> str:
    """Return why a search ended, in words."""
    if not search.left_out:
        return "nothing better was left to try"
    *some, last = dict.fromkeys(search.left_out)
    what = f"{', '.join(some)} and {last}" if some else last
    return f"{STOPPED_BY_BUDGET}, without further {what}"
