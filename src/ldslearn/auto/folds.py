"""Folds of the training sequences."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from ldslearn import _errors

Floats = NDArray[np.float64]
_MOST_FOLDS = 10  # of sparse coding more folds cost nothing, and leave almost all to train on


def make_folds(
    labels: NDArray[np.intp],
    groups: NDArray[Any] | None,
    n_repeats: int,
    random: np.random.RandomState,
) -> Floats:
    """Return the fold of every sequence for some repeats, (n_repeats, N).

    Stratified by class; whole groups stay together. Sequences of a class that has one sequence (or
    one group) only are never held out (-1): nothing of the class would be left.
    """
    counts = np.bincount(labels)
    folds = np.full((n_repeats, len(labels)), -1.0)
    lone = counts == 1
    if groups is not None:
        owned = [len(np.unique(groups[labels == c])) for c in range(len(counts))]
        counts = np.array(owned)
        lone = counts == 1
    tested = np.flatnonzero(~lone[labels])
    if len(tested) == 0:
        return folds
    # As many as the largest class allows: smaller ones are spread over some of the folds.
    n_folds = int(np.clip(counts[~lone].max(), 2, _MOST_FOLDS))
    if groups is not None:
        n_folds = min(n_folds, len(np.unique(groups[tested])))
        if n_folds < 2:
            return folds
    for repeat in folds:
        seed = random.randint(2**31)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes smaller than the folds
            if groups is None:
                cut = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
                parts = cut.split(tested, labels[tested])
            else:
                random_order = np.random.RandomState(seed)
                parts = iter(cut_groups(labels[tested], groups[tested], n_folds, random_order))
            for number, (_, held_out) in enumerate(parts):
                repeat[tested[held_out]] = number
    return folds


def cut_groups(
    labels: NDArray[Any], groups: NDArray[Any], n_folds: int, random: np.random.RandomState
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return training and test indices of stratified folds that part no group.

    Groups are renumbered in random order here, for the shuffling of scikit-learn before 1.8 changes
    nothing but the counts that folds are balanced by.
    """
    names, owners = np.unique(groups, return_inverse=True)
    renumbered = np.argsort(random.permutation(len(names)))[owners]
    return list(StratifiedGroupKFold(n_folds).split(labels, labels, renumbered))


def check_groups(groups: Any, n_sequences: int) -> NDArray[Any] | None:
    """Return groups as an array of one for each sequence, None if there are none."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_sequences,):
        raise _errors.invalid(
            "groups", f"have one entry for each of {n_sequences} sequences", f"shape {found.shape}",
            "",
        )  # fmt: skip
    if len(np.unique(found)) < 2:
        raise _errors.invalid(
            "groups", "be two at least", "one", "Without groups all sequences are alike."
        )
    return found
