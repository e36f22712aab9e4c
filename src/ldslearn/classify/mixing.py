"""The weight of the covariance chosen by folds of labelled systems."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._types import Indices
from ldslearn.classify.folds import Split, check_groups, cut_folds

MIXES = (0.2, 0.4, 0.6, 0.8, 1.0)
_FOLDS = 5


def choose_mix(
    count_hits: Callable[[float, Indices, Indices], int],
    labels: Indices,
    groups: Any,
    name: str,
) -> tuple[float, dict[float, float]]:
    """Return the best value of `mix`, and the accuracy of all on held-out systems.

    Of equals the largest is chosen, which weighs the covariance least.

    Parameters
    ----------
    count_hits : callable
        ``count_hits(mix, train, test)`` is the number of test systems labelled correctly.
    labels : (N,) array
        Indices of classes.
    groups : (N,) array or None
        Folds split no group.
    name : str
        Name of the parameter in messages.
    """
    folds = _make_folds(labels, groups, name)
    n_tested = sum(len(test) for _, test in folds)
    accuracies = {
        mix: sum(count_hits(mix, train, test) for train, test in folds) / n_tested for mix in MIXES
    }
    return max(accuracies, key=lambda mix: (accuracies[mix], mix)), accuracies


def _make_folds(labels: Indices, groups: Any, name: str) -> list[Split]:
    """Return five stratified folds, or as many as classes or groups allow, with seed 0."""
    owners = check_groups(groups, len(labels), "systems")
    counts = np.bincount(labels)
    if owners is None:
        if counts.min() < 2:
            raise _class_too_small(name, int(counts.min()))
        return cut_folds(labels, None, min(_FOLDS, int(counts.min())), seed=0)
    n_folds = min(_FOLDS, len(np.unique(owners)), int(counts.max()))
    if n_folds < 2:
        raise _class_too_small(name, int(counts.max()))
    found = cut_folds(labels, owners, n_folds, seed=0)
    kept = [(a, b) for a, b in found if len(b) and len(np.unique(labels[a])) > 1]
    if not kept:
        raise _errors.invalid(
            "groups", f"leave two classes to train on for {name}='cv'", "one in every fold",
            f"Give {name} a number.",
        )  # fmt: skip
    return kept


def _class_too_small(name: str, count: int) -> ValueError:
    """Return the error about too few examples of a class for folds that choose a parameter."""
    return ValueError(
        f"y must hold at least 2 systems of every class for {name}='cv'; got {count} of one. "
        f"Give {name} a number, or add examples."
    )
