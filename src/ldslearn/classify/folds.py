"""Stratified folds of labelled systems or sequences."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from ldslearn import _errors
from ldslearn._types import Indices

Split = tuple[Indices, Indices]


def cut_folds(
    labels: NDArray[Any], groups: NDArray[Any] | None, n_folds: int, seed: int
) -> list[Split]:
    """Return training and test indices of random stratified folds, which split no group.

    Groups are renumbered in random order here: the shuffling of scikit-learn before 1.8 changes
    only the counts by which folds are balanced.
    """
    if groups is None:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(folds.split(labels, labels))
    names, owners = np.unique(groups, return_inverse=True)
    order = np.random.RandomState(seed).permutation(len(names))
    renumbered = np.argsort(order)[owners]
    return list(StratifiedGroupKFold(n_folds).split(labels, labels, renumbered))


def check_groups(groups: Any, n_items: int, what: str = "sequences") -> NDArray[Any] | None:
    """Return groups as an array with one entry per item, None if there are none."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_items,):
        raise _errors.invalid(
            "groups", f"have one entry for each of {n_items} {what}", f"shape {found.shape}", ""
        )
    if len(np.unique(found)) < 2:
        raise _errors.invalid(
            "groups",
            "name at least two groups",
            "one",
            f"Without groups, folds split {what} at random.",
        )
    return found
