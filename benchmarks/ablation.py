"""What each ingredient of AutoLDSClassifier adds: ``python -m benchmarks ablation [budget]``.

The search is kept from one ingredient at a time; half an hour at the default of 15 s.
"""

import sys
import warnings
from dataclasses import replace

import numpy as np

from benchmarks.auto import rounds_of
from benchmarks.collections import all_collections, japanese_vowels
from benchmarks.timing import print_table
from ldslearn import AutoLDSClassifier
from ldslearn.auto import candidates, search

ROUNDS = 2  # of random splits; one of given ones


def without(position):
    """Rules in which one kernel has no weight."""
    return lambda rule: rule.weights[position] == 0


INGREDIENTS = {
    "all": {},
    "one window": {"windows": ((1,),)},
    "no delays": {"delays": (1,)},
    "no mean": {"rules": without(1)},
    "no covariance": {"rules": without(2)},
    "no deviation": {"rules": without(3)},
    "no two-fold": {"rules": without(4)},
    "coding alone": {"rules": lambda rule: rule.kind == "coding"},
    "support vectors alone": {"rules": lambda rule: rule.kind == "svm"},
}
KEPT = {
    "windows": candidates.WINDOWS,
    "delays": candidates.DELAYS,
    "quick": search.QUICK_RULES,
    "usual": search.USUAL_RULES,
    "all": search.ALL_RULES,
    "start": search.Search.start,
}


def restrict(windows=KEPT["windows"], delays=KEPT["delays"], rules=lambda rule: True):
    candidates.WINDOWS, candidates.DELAYS = windows, delays
    search.ALL_RULES = tuple(filter(rules, KEPT["all"]))
    search.USUAL_RULES = tuple(filter(rules, KEPT["usual"]))
    search.QUICK_RULES = tuple(filter(rules, KEPT["quick"])) or search.ALL_RULES[:3]

    def start(self):
        description = KEPT["start"](self)
        if delays == (1,):
            fewer = min(description.n_states, self.n_channels)
            description = replace(description, delays=1, n_states=fewer)
        return description

    search.Search.start = start


def run():
    warnings.filterwarnings("ignore", category=UserWarning)
    budget = float(sys.argv[2]) if len(sys.argv) > 2 else 15.0
    rows = []
    for data in [*all_collections(), japanese_vowels()]:
        row = [data.name]
        for name, limits in INGREDIENTS.items():
            restrict(**limits)
            scores = []
            rounds = rounds_of(data)[: ROUNDS if len(data.splits) > 1 else 1]
            for seed, train, test in rounds:
                groups = None if data.rounds is None else data.rounds[train]
                model = AutoLDSClassifier(budget, random_state=seed, n_jobs=2)
                model.fit([data.X[i] for i in train], data.y[train], groups=groups)
                scores.append(model.score([data.X[i] for i in test], data.y[test]))
            row.append(f"{100 * np.mean(scores):.1f}")
            print(data.name, name, row[-1], flush=True)
        rows.append(row)
    restrict()
    print_table(f"Test accuracy (%), {budget:g} s", ["", *INGREDIENTS], rows)
