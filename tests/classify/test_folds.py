"""Stratified folds: one maker for all that is chosen or evaluated by folds."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from ldslearn.auto.fold_assignment import assign_folds
from ldslearn.classify.folds import cut_folds
from ldslearn.classify.mixing import choose_mix
from ldslearn.datasets import Collection
from ldslearn.evaluate import parse_protocol

LABELS = np.repeat([0, 1, 2], 10)
GROUPS = np.tile(np.arange(10), 3)


def as_lists(splits):
    return [[part.tolist() for part in split] for split in splits]


def test_folds_without_groups_are_those_of_scikit_learn():
    oracle = StratifiedKFold(5, shuffle=True, random_state=3).split(LABELS, LABELS)
    assert as_lists(cut_folds(LABELS, None, 5, seed=3)) == as_lists(oracle)


def test_folds_split_no_group_and_depend_on_the_seed():
    folds = cut_folds(LABELS, GROUPS, 5, seed=0)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(30))
    for train, test in folds:
        assert not set(GROUPS[train]) & set(GROUPS[test])
        assert np.bincount(LABELS[test]).tolist() == [2, 2, 2]
    assert as_lists(cut_folds(LABELS, GROUPS, 5, seed=0)) == as_lists(folds)
    assert as_lists(cut_folds(LABELS, GROUPS, 5, seed=1)) != as_lists(folds)


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_mix_protocols_and_the_automatic_method_have_the_same_folds(groups):
    expected = as_lists(cut_folds(LABELS, groups, 5, seed=0))
    seen = []
    choose_mix(lambda mix, *fold: seen.append(fold) or 0, LABELS, groups, "mix")
    assert as_lists(seen[:5]) == expected
    data = Collection([np.ones((2, 3))] * 30, LABELS, groups=groups)
    assert as_lists(parse_protocol("folds:5").splits(data, seed=0)) == expected
    seed = np.random.RandomState(7).randint(2**31)
    numbers = assign_folds(LABELS, groups, 1, np.random.RandomState(7))[0]
    tenths = [test.tolist() for _, test in cut_folds(LABELS, groups, 10, seed)]
    assert [np.flatnonzero(numbers == k).tolist() for k in range(10)] == tenths
