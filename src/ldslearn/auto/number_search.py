"""From sequences with numbers to a fitted ensemble: folds, search, choose, fit, report."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import Pipeline

from ldslearn._progress import show_progress
from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import Encoding, RandomBank
from ldslearn.auto.ensemble import Members, choose_members, flag_random
from ldslearn.auto.expectation import measure_spread, number_units, repeat_choice
from ldslearn.auto.members import add_encoder, fit_sources, make_committee
from ldslearn.auto.number_committee import RegressionCommittee
from ldslearn.auto.number_report import RegressionReport
from ldslearn.auto.number_trials import NumberTask, NumberTrial
from ldslearn.auto.reporting import explain_end, list_parameters
from ldslearn.auto.search import Search
from ldslearn.regress.targets import ScaledTargets
from ldslearn.sequences.named import select

_MOST_TRAINED = 2000  # sequences; kernel matrices and their decompositions grow with the square
_MOST_SAMPLED = 400  # of those, to compare encodings
_SEARCH_FRACTION = 0.85  # of the budget; the rest is for the final fit
_N_BANKS = 3  # of random systems
_MOST_FOLDS = 10
_TINY = 1e-12  # of a deviation; smaller errors are rounding errors
_TOLERANCE = 2.0  # times the smallest squared error: worse members would make the mean worse


class FittedRegressors(NamedTuple):
    """All that a prediction needs; weights are those of all rules, then of random systems."""

    pipelines: list[Pipeline]
    random_systems: list[Any]
    weights: Floats


def assign_number_folds(
    n_items: int, groups: NDArray[Any] | None, random: np.random.RandomState
) -> Floats:
    """Return the fold of every sequence, (1, N); folds split no group."""
    fold = np.empty((1, n_items))
    if groups is None:
        order = random.permutation(n_items)
        splits: Any = KFold(min(_MOST_FOLDS, n_items)).split(order)
        for number, (_, held_out) in enumerate(splits):
            fold[0, order[held_out]] = number
        return fold
    n_groups = len(np.unique(groups))
    for number, (_, held_out) in enumerate(
        GroupKFold(min(_MOST_FOLDS, n_groups)).split(fold[0], groups=groups)
    ):
        fold[0, held_out] = number
    return fold


def search_regressors(
    sequences: list[NDArray[Any]],
    targets: ScaledTargets,
    groups: NDArray[Any] | None,
    *,
    time_budget: float,
    max_members: int,
    random: np.random.RandomState,
    n_jobs: int | None,
    clock: Callable[[], float],
) -> tuple[FittedRegressors, RegressionReport]:
    """Search the candidates within a time budget, and fit the best ones.

    Parameters
    ----------
    sequences : list of (n_channels, n_timepoints) arrays
        At least two.
    targets : ScaledTargets
    groups : (N,) array or None
    time_budget : float
        Seconds.
    max_members : int
    random : RandomState
    n_jobs : int or None
    clock : callable
        Returns the time in seconds.
    """
    start = clock()
    trained = np.sort(random.permutation(len(sequences))[:_MOST_TRAINED])
    X, task = select(sequences, trained), NumberTask(targets.values[trained])
    owners = None if groups is None else groups[trained]
    folds = assign_number_folds(len(X), owners, random)
    sample = np.sort(random.permutation(len(X))[:_MOST_SAMPLED])
    sample_folds = folds
    if len(sample) < len(X):
        sample_owners = None if owners is None else owners[sample]
        if sample_owners is not None and len(np.unique(sample_owners)) < 2:
            sample = np.arange(len(X))  # one group cannot be left out
        else:
            sample_folds = assign_number_folds(len(sample), sample_owners, random)
    with show_progress("choosing", 1, budget=time_budget) as advance:
        search = Search(
            X,
            task,
            folds,
            deadline=start + _SEARCH_FRACTION * time_budget,
            n_jobs=n_jobs,
            report_progress=lambda text: advance(0, text),
            sample=sample,
            sample_folds=sample_folds,
            shortest=min(x.shape[1] for x in sequences),
            banks=[RandomBank(random.randint(2**31)) for _ in range(_N_BANKS)],
            clock=clock,
        )
        search.run()
        trials: list[NumberTrial] = search.trials
        losses = np.array([trial.loss for trial in trials])
        members = choose_members(losses, flag_random(trials), max_members, _TOLERANCE)
        fitted = _fit_members(search, trials, members, X, task.targets)
    units = number_units(owners, len(X))
    squared = [
        _expect_squared_error(trials, max_members, units, output, random)
        for output in range(task.targets.shape[1])
    ]
    errors = np.sqrt([error for error, _ in squared])
    spreads = np.array([spread for _, spread in squared]) / (2 * np.maximum(errors, _TINY))
    report = RegressionReport(
        expected_error=(errors * targets.scale).tolist(),
        standard_error=(spreads * targets.scale).tolist(),  # d sqrt(v) = dv / (2 sqrt(v))
        expected_score=float(1 - np.mean(errors**2)),
        chosen=_describe(trials[members.indices[0]]),
        members=[
            {"weight": float(weight), **_describe(trials[i])}
            for i, weight in zip(*members, strict=True)
        ],
        tried=[_describe(t) for t in sorted(trials, key=lambda trial: (trial.loss, trial.size))],
        n_descriptions=len(search.coarse_losses),
        n_trained=len(X),
        seconds=clock() - start,
        time_budget=float(time_budget),
        stopped=explain_end(search),
    )
    return fitted, report


def _expect_squared_error(
    trials: Sequence[NumberTrial],
    max_members: int,
    units: Indices,
    output: int,
    random: np.random.RandomState,
) -> tuple[float, float]:
    """Return the squared error to expect of one output, and its standard error.

    Targets have the variance 1.
    """

    def measure(members: Members) -> Floats:
        parts: Any = zip(*members, strict=True)
        mean = sum(weight * trials[i].predictions[:, :, output] for i, weight in parts)
        return np.square(mean - trials[0].truth[:, output]).mean(axis=0)

    seed = random.randint(2**31)
    state = np.random.RandomState(seed)
    found, errors = repeat_choice(trials, max_members, units, state, measure, _TOLERANCE)
    return found, measure_spread(errors, units)


def _describe(trial: NumberTrial) -> dict[str, Any]:
    found = {"loss": trial.loss, **list_parameters(trial), "penalty": trial.penalty}
    found["classifier"] = "ridge regression"
    return found


def _fit_members(
    search: Search,
    trials: Sequence[NumberTrial],
    members: Members,
    X: list[NDArray[Any]],
    targets: Floats,
) -> FittedRegressors:
    """Fit the members; kernel matrices and random systems are those of the search."""

    def fit_systems(encoding: Encoding, own: list[NumberTrial]) -> Pipeline:
        kernels, penalties = search.kernels[encoding], [trial.penalty for trial in own]
        committee = make_committee(RegressionCommittee, own, penalties, kernels, search.n_jobs)
        committee.fit_matrices(kernels.systems, kernels.matrices, targets)
        return add_encoder(committee, encoding, X, search.n_jobs)

    chosen = [trials[i] for i in members.indices]
    pipelines, models, order = fit_sources(chosen, fit_systems, search.random_models.__getitem__)
    return FittedRegressors(pipelines, models, members.weights[order])
