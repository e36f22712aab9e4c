"""Repeated folds of the training sequences, as numbers."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.classify.folds import cut_folds

_MOST_FOLDS = 10  # leaves 90 % to train on; for sparse coding more folds cost nothing


def assign_folds(
    labels: Indices,
    groups: NDArray[Any] | None,
    n_repeats: int,
    random: np.random.RandomState,
) -> Floats:
    """Return the fold of every sequence in every repeat, (n_repeats, N).

    Folds are stratified by class and split no group. The sequences of a class with only one
    sequence (or one group) are never held out (-1): nothing of the class would be left.
    """
    counts = np.bincount(labels)
    folds = np.full((n_repeats, len(labels)), -1.0)
    if groups is not None:
        owned = [len(np.unique(groups[labels == c])) for c in range(len(counts))]
        counts = np.array(owned)
    lone = counts == 1
    tested = np.flatnonzero(~lone[labels])
    if len(tested) == 0:
        return folds
    # As many as the largest class allows: smaller classes are in some of the folds only.
    n_folds = int(np.clip(counts[~lone].max(), 2, _MOST_FOLDS))
    if groups is not None:
        n_folds = min(n_folds, len(np.unique(groups[tested])))
        if n_folds < 2:
            return folds
    for repeat in folds:
        seed = random.randint(2**31)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes smaller than the folds
            owners = None if groups is None else groups[tested]
            parts = cut_folds(labels[tested], owners, n_folds, seed)
        for number, (_, held_out) in enumerate(parts):
            repeat[tested[held_out]] = number
    return folds


def shuffle_within_folds(
    labels: Indices, fold: Floats, n_shuffles: int, random: np.random.RandomState
) -> Indices:
    """Return labels that are shuffled within each fold, (n_shuffles, N).

    Folds keep their numbers of sequences per class: without that, folds of shuffled labels would be
    guessed worse than by chance.
    """
    found = np.tile(labels, (n_shuffles, 1))
    for shuffled in found:
        for number in np.unique(fold):
            members = np.flatnonzero(fold == number)
            shuffled[members] = labels[random.permutation(members)]
    return found
