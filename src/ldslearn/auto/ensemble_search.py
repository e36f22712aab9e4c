"""From labelled sequences to a fitted ensemble: sample, search, choose, fit, report."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._progress import show_progress
from ldslearn._types import Indices
from ldslearn.auto.candidates import QUICK_RULES, RandomBank
from ldslearn.auto.ensemble import KINDS, Ensemble, build_ensemble
from ldslearn.auto.fold_assignment import assign_folds, shuffle_within_folds
from ldslearn.auto.members import FittedMembers, fit_members
from ldslearn.auto.report import Report
from ldslearn.auto.reporting import make_report
from ldslearn.auto.search import Search
from ldslearn.auto.tasks import LabelTask
from ldslearn.auto.trials import KernelMatrices, Trial
from ldslearn.sequences.named import select

_MOST_SEARCHED = 1000  # sequences; the choice needs no more, and kernels grow with the square
_MOST_SAMPLED = 400  # of those, to compare encodings
_SEARCH_FRACTION = 0.85  # of the budget; the rest is for the final fit
_SEARCH_FRACTION_OF_MANY = 0.5  # where the final fit takes longer than anything before
_REPEATS = ((100, 5), (300, 3), (600, 2))  # of the folds, by number of sequences
_N_BANKS = 3  # of random systems
_N_SHUFFLES = 3  # of the labels, for what the same candidates reach by chance


def search_ensemble(
    sequences: list[NDArray[Any]],
    classes: NDArray[Any],
    labels: Indices,
    groups: NDArray[Any] | None,
    *,
    time_budget: float,
    max_members: int,
    random: np.random.RandomState,
    n_jobs: int | None,
    clock: Callable[[], float],
) -> tuple[FittedMembers, Report]:
    """Search the candidates within a time budget, and fit the best ones.

    Parameters
    ----------
    sequences : list of (n_channels, n_timepoints) arrays
    classes : (n_classes,) array
    labels : (N,) array
        Indices of classes.
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
    searched = _sample_classes(labels, random, _MOST_SEARCHED)
    part, part_labels = select(sequences, searched), labels[searched]
    owners = None if groups is None else groups[searched]
    repeats = next((r for n, r in _REPEATS if len(part) <= n), 1)
    folds = assign_folds(part_labels, owners, repeats, random)
    tested = folds[0] >= 0
    _warn_of_untested([str(c) for c in classes[np.setdiff1d(labels, part_labels[tested])]])
    growth = (len(sequences) / len(part)) ** 2
    fraction = _SEARCH_FRACTION if growth == 1 else _SEARCH_FRACTION_OF_MANY
    with show_progress("choosing", 1, budget=time_budget) as advance:
        sample = _sample_classes(part_labels, random, _MOST_SAMPLED)
        sample_folds = folds[:1]
        if len(sample) < len(searched):
            sample_owners = None if owners is None else owners[sample]
            sample_folds = assign_folds(part_labels[sample], sample_owners, 1, random)
            if not (sample_folds >= 0).any():
                sample, sample_folds = np.arange(len(searched)), folds[:1]
        banks = [RandomBank(random.randint(2**31)) for _ in range(_N_BANKS)]
        search = Search(
            part,
            LabelTask(
                part_labels, shuffle_within_folds(part_labels, folds[0], _N_SHUFFLES, random)
            ),
            folds,
            deadline=start + fraction * time_budget,
            n_jobs=n_jobs,
            report_progress=lambda text: advance(0, text),
            sample=sample,
            sample_folds=sample_folds,
            shortest=min(x.shape[1] for x in sequences),
            banks=banks,
            clock=clock,
        )
        if tested.any():
            search.run()
            ensemble = build_ensemble(search.trials, max_members)
        else:
            ensemble = _make_untested_ensemble(search, part, len(classes))
        trained = np.arange(len(sequences))
        if len(part) < len(sequences):
            sources = {trial.source for trial in ensemble.trials}
            known = search.kernel_seconds.items()
            seconds = growth * search.growth * sum(s for e, s in known if e in sources)
            end = start + time_budget + search.warm_up_seconds
            left = max(end - clock(), 0.1 * time_budget)
            if seconds > left:
                most = int(len(sequences) * np.sqrt(left / seconds))
                enough = most > len(part)
                trained = _sample_classes(labels, random, most) if enough else searched
        members = fit_members(
            ensemble,
            search,
            select(sequences, trained),
            classes[labels[trained]],
            searched=np.array_equal(trained, searched),
        )
    report = make_report(
        search,
        ensemble,
        groups=None if owners is None else owners[tested],
        max_members=max_members,
        random=random,
        n_trained=len(trained),
        seconds=clock() - start,
        time_budget=float(time_budget),
    )
    return members, report


def _make_untested_ensemble(search: Search, X: list[NDArray[Any]], n_classes: int) -> Ensemble:
    """Return the initial encoding alone, where nothing can be held out."""
    encoding = search.make_initial_encoding()
    search.kernels[encoding] = KernelMatrices.of(encoding, X, search.n_jobs)
    logs, truth = np.empty((1, 0, n_classes)), np.empty(0, dtype=np.int64)
    trial = Trial(encoding, QUICK_RULES[-1], logs, truth, 10.0)
    return Ensemble([trial], np.ones(1), 1.0, dict.fromkeys(KINDS, 1.0))


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
