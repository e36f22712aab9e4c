"""Labelled collections and their protocols: one embedded, others in the folder LDSLEARN_DATA."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from ldslearn.datasets import load_basic_motions, load_japanese_vowels

NAMES = {
    "hcs10": "HCs10",
    "sdh2": "SDH-2",
    "avletters_30x40": "AVLetters",
    "epilepsy": "Epilepsy",
    "articulary_word": "ArticularyWord",
}


@dataclass
class Collection:
    name: str
    X: list
    y: np.ndarray
    splits: list  # (train, test) indices
    rounds: np.ndarray | None = None  # repetition of each sequence, where it decides the folds

    def folds_of(self, train):
        """Numbers of the folds of training sequences, as like the protocol as can be.

        A list: small collections are cut into folds three times over, in different ways.
        """
        if self.rounds is not None:  # train on other repetitions, as the test does
            return [self.rounds[train]]
        n_folds = 10 if len(self.splits) > 1 else 5  # random 9:1 splits are ten folds
        cuts = []
        for seed in range(3 if len(train) < 300 else 1):
            folds = np.empty(len(train), dtype=int)
            cut = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
            for number, (_, held_out) in enumerate(cut.split(train, self.y[train])):
                folds[held_out] = number
            cuts.append(folds)
        return cuts


def basic_motions():
    X_train, y_train, X_test, y_test = load_basic_motions()
    y = np.concatenate([y_train, y_test])
    return Collection("BasicMotions", [*X_train, *X_test], y, [(np.arange(40), np.arange(40, 80))])


def japanese_vowels():
    X_train, y_train, X_test, y_test = load_japanese_vowels()
    n, y = len(X_train), np.concatenate([y_train, y_test])
    splits = [(np.arange(n), np.arange(n, len(y)))]
    return Collection("JapaneseVowels", [*X_train, *X_test], y, splits)


def stored(file):
    """A collection of LDSLEARN_DATA by the name of its file, or None."""
    path = Path(os.environ.get("LDSLEARN_DATA", ".")) / f"{file}.npz"
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as found:
        X = np.split(found["values"], np.cumsum(found["lengths"])[:-1], axis=1)
        y, kind = found["labels"], found.get("split")
    rounds = None
    if file in ("hcs10", "sdh2"):
        splits = list(StratifiedShuffleSplit(10, test_size=0.1, random_state=0).split(y, y))
    elif file == "avletters_30x40":
        splits, rounds = [(np.flatnonzero(kind < 3), np.flatnonzero(kind == 3))], kind
    else:
        splits = [(np.flatnonzero(kind == 0), np.flatnonzero(kind == 1))]
    return Collection(NAMES[file], X, y, splits, rounds)


def all_collections():
    return [basic_motions(), *filter(None, map(stored, NAMES))]
