"""Convergence of dictionary learning: Fig. 11."""

import time
from typing import Any

import numpy as np

from ldslearn.dictionary import LDSDictionary
from ldslearn.paper import panels
from ldslearn.paper.codes import encode_for_dictionary
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import (
    Evidence,
    estimate_mean,
    format_interval,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.rounds import Numbers

_FEW, _MOST = 5, 0.9  # iterations, and their share of the decrease of all


class Convergence(Experiment):
    """Fig. 11."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """Both initialisations, several seeds."""
        common = {key: settings[key] for key in ("n_atoms", "sparsity", "iterations")}
        return {
            (init, seed): Run("converge", data_set, {**common, "init": init, "seed": seed})
            for init in ("random", "kmeans")
            for seed in settings["seeds"]
        }

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """The objective against iterations."""
        outcome = Outcome([])
        for data_set in data_sets:
            found, own = results[data_set.name], settings[data_set.name]
            histories: dict[str, list[list[float]]] = {
                init: [
                    _extend(found[init, seed]["objective"], own["iterations"])
                    for seed in own["seeds"]
                ]
                for init in ("random", "kmeans")
            }
            curves = {}
            for init, name in (("random", "random atoms"), ("kmeans", "k-means")):
                steps = list(zip(*histories[init], strict=True))
                curves[name] = (list(range(len(steps))), steps)
            title = f"objective per system, {data_set.title}, J = {own['n_atoms']}"
            outcome.panels.append(panels.make_lines(title, "iteration", "objective", curves))
            outcome.evidence += judge_convergence(data_set, **histories)
        return outcome


def _extend(history: list[float], iterations: int) -> list[float]:
    """A history that ended early stays at its last value."""
    return history + [history[-1]] * (iterations + 1 - len(history))


def judge_convergence(
    data_set: DataSet, random: list[list[float]], kmeans: list[list[float]]
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
        evidence.append(Evidence("few-iterations", data_set.title, early + -_MOST, words))
    for claim, place, verb in (("kmeans-start", 0, "starts"), ("kmeans-lower", -1, "ends")):
        a, b = ([history[place] for history in part] for part in (random, kmeans))
        # A share of the objective, so that collections compare.
        gain = estimate_mean([1 - y / x for x, y in zip(a, b, strict=True)])
        words = (
            f"{verb} at {np.mean(b):.4g} against {np.mean(a):.4g} ({len(a)} seeds, lower by "
            f"{format_interval(gain)} %)"
        )
        evidence.append(Evidence(claim, data_set.title, gain, words))
    return evidence


def trace_convergence(
    run: Run, *, n_atoms: int, sparsity: float, init: str, iterations: int, seed: int
) -> Numbers:
    """The objective of LDS-DL after every iteration, on the first half."""
    train, _ = run.data_set.split_halves(1)[0]
    X = [run.data_set.data.X[i] for i in train]
    systems = encode_for_dictionary(run, X)
    dictionary = LDSDictionary(
        n_atoms, sparsity=sparsity, init=init, max_iter=iterations, tol=0.0, random_state=seed,
        n_jobs=run.data_set.n_jobs,
    )  # fmt: skip
    start = time.perf_counter()
    dictionary.fit(systems)
    return {
        "objective": [float(value) / len(X) for value in dictionary.objective_],
        "seconds": time.perf_counter() - start,
    }
