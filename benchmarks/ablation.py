"""What each ingredient of AutoLDSClassifier adds: ``python -m benchmarks ablation [budget]``.

The search runs without one ingredient at a time; half an hour at the default of 15 s.
"""

import sys
from dataclasses import replace

from benchmarks.data import load_available
from benchmarks.timing import print_table
from ldslearn.auto import candidates, search
from ldslearn.paper import panels
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import load_plan
from ldslearn.paper.registry import compute

ROUNDS = 2  # of random splits; one of given ones


def exclude(position):
    """Return a test for rules in which one kernel has no weight."""
    return lambda rule: rule.weights[position] == 0


INGREDIENTS = {
    "all": {},
    "one window": {"windows": ((1,),)},
    "no delays": {"delays": (1,)},
    "no mean": {"rules": exclude(1)},
    "no covariance": {"rules": exclude(2)},
    "no deviation": {"rules": exclude(3)},
    "no two-fold": {"rules": exclude(4)},
    "coding only": {"rules": lambda rule: rule.kind == "coding"},
    "SVM only": {"rules": lambda rule: rule.kind == "svm"},
}
ORIGINAL = {
    "windows": candidates.WINDOWS,
    "delays": candidates.DELAYS,
    "quick": search.QUICK_RULES,
    "usual": search.USUAL_RULES,
    "all": search.ALL_RULES,
    "initial": search.Search.make_initial_encoding,
}


def restrict(windows=ORIGINAL["windows"], delays=ORIGINAL["delays"], rules=lambda rule: True):
    """Let the search use these windows, delays and rules only."""
    candidates.WINDOWS, candidates.DELAYS = windows, delays
    search.ALL_RULES = tuple(filter(rules, ORIGINAL["all"]))
    search.USUAL_RULES = tuple(filter(rules, ORIGINAL["usual"]))
    search.QUICK_RULES = tuple(filter(rules, ORIGINAL["quick"])) or search.ALL_RULES[:3]

    def make_initial_encoding(self):
        encoding = ORIGINAL["initial"](self)
        if delays == (1,):
            fewer = min(encoding.n_states, self.n_channels)
            encoding = replace(encoding, delays=1, n_states=fewer)
        return encoding

    search.Search.make_initial_encoding = make_initial_encoding


def run():
    budget = float(sys.argv[2]) if len(sys.argv) > 2 else 15.0
    rows = []
    for data_set in load_available(*(chain[0] for chain in load_plan("auto").data)):
        rounds = ROUNDS if len(data_set.splits()) > 1 else 1
        row = [data_set.title]
        for limits in INGREDIENTS.values():
            restrict(**limits)
            numbers = compute(Run("auto", data_set, {"budget": budget, "rounds": rounds}))
            row.append(panels.format_percent(numbers["accuracy"]))
        print(row, flush=True)
        rows.append(row)
    restrict()
    print_table(f"Test accuracy (%), {budget:g} s", ["", *INGREDIENTS], rows)
