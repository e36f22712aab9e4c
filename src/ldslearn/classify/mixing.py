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
    """Return the value of `mix` that labels most held-out systems correctly, and all their shares.

    Of equals the largest is taken, which weighs the covariance least.

    Parameters
    ----------
    count_hits : callable
        ``count_hits(mix, train, test)`` is the number of test systems labelled correctly.
    labels : (N,) array
        Indices of classes.
    groups : (N,) array or None
        Systems of one group are on one side of every fold.
    name : str
        What messages call the parameter.
    """
    folds = _make_folds(labels, groups, name)
    n_tested = sum(len(test) for _, test in folds)
    shares = {
        mix: sum(count_hits(mix, train, test) for train, test in folds) / n_tested for mix in MIXES
    }
    return max(shares, key=lambda mix: (shares[mix], mix)), shares


def _make_folds(labels: Indices, groups: Any, name: str) -> list[Split]:
    """Five stratified folds, or as many as classes or groups allow; always the same ones."""
    owners = check_groups(groups, len(labels), "systems")
    counts = np.bincount(labels)
    if owners is None:
        if counts.min() < 2:
            raise _class_too_small_for(f"{name}='cv'", int(counts.min()))
        return cut_folds(labels, None, min(_FOLDS, int(counts.min())), seed=0)
    n_folds = min(_FOLDS, len(np.unique(owners)), int(counts.max()))
    if n_folds < 2:
        raise _class_too_small_for(f"{name}='cv'", int(counts.max()))
    found = cut_folds(labels, owners, n_folds, seed=0)
    kept = [(a, b) for a, b in found if len(b) and len(np.unique(labels[a])) > 1]
    if not kept:
        raise _errors.invalid(
            "groups", f"leave two classes to train on for {name}='cv'", "one in every fold",
            f"Give {name} a number.",
        )  # fmt: skip
    return kept


def _class_too_small_for(what: str, count: int) -> ValueError:
    """Too few examples of a class for folds that choose a parameter."""
    name = what.partition("=")[0]
    return ValueError(
        f"y must hold at least 2 systems of every class for {what}; got {count} of one. "
        f"Give {name} a number, or add examples."
    )
