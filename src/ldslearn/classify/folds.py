"""Folds of labelled systems or sequences that split no group."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def cut_groups(
    labels: NDArray[Any], groups: NDArray[Any], n_folds: int, random: np.random.RandomState
) -> list[Split]:
    """Return training and test indices of stratified folds that split no group.

    Groups are renumbered in random order here, for the shuffling of scikit-learn before 1.8 changes
    nothing but the counts that folds are balanced by.
    """
    from sklearn.model_selection import StratifiedGroupKFold  # takes its time

    names, owners = np.unique(groups, return_inverse=True)
    renumbered = np.argsort(random.permutation(len(names)))[owners]
    return list(StratifiedGroupKFold(n_folds).split(labels, labels, renumbered))


def check_groups(groups: Any, n_items: int, what: str = "sequences") -> NDArray[Any] | None:
    """Return groups as an array of one for each item, None if there are none."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_items,):
        raise _errors.invalid(
            "groups", f"have one entry for each of {n_items} {what}", f"shape {found.shape}", ""
        )
    if len(np.unique(found)) < 2:
        raise _errors.invalid(
            "groups", "be two at least", "one", f"Without groups all {what} are alike."
        )
    return found
