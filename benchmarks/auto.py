"""AutoLDSClassifier on every collection, five rounds: ``python -m benchmarks auto [budget]``.

Three quarters of an hour on two cores at the default of 60 s. Its rivals need aeon and torch, which
are no dependencies: ``python -m benchmarks.rivals`` in an environment that has them.
"""

import sys
import time
import warnings

import numpy as np

from benchmarks.collections import all_collections, japanese_vowels
from benchmarks.timing import print_table
from ldslearn import AutoLDSClassifier

ROUNDS = 5


def rounds_of(data):
    """(seed, train, test): the first five random splits, or five seeds on the one that is given."""
    splits = data.splits[:ROUNDS] if len(data.splits) > 1 else data.splits * ROUNDS
    return [(seed, *split) for seed, split in enumerate(splits)]


def run():
    warnings.filterwarnings("ignore", category=UserWarning)
    budget = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
    rows, within = [], []
    for data in [japanese_vowels(), *all_collections()]:
        scores, seconds = [], []
        for seed, train, test in rounds_of(data):
            groups = None if data.rounds is None else data.rounds[train]
            start = time.perf_counter()
            model = AutoLDSClassifier(budget, random_state=seed, n_jobs=2)
            model.fit([data.X[i] for i in train], data.y[train], groups=groups)
            seconds.append(time.perf_counter() - start)
            scores.append(model.score([data.X[i] for i in test], data.y[test]))
            report = model.report_
            expected, error = report.expected_accuracy, report.standard_error
            spread = np.hypot(error, np.sqrt(max(expected * (1 - expected), 0.01) / len(test)))
            within.append(abs(scores[-1] - expected) <= 2 * spread)
            chosen = {k: v for k, v in report.chosen.items() if not k.startswith("kernel")}
            print(
                f"{data.name} {seed}: {scores[-1]:.4f}, expected {expected:.3f} ± {error:.3f}, "
                f"{seconds[-1]:.0f} s, {report.n_descriptions} descriptions, {report.stopped}; "
                f"{chosen}",
                flush=True,
            )
        rows.append([
            data.name,
            f"{100 * np.mean(scores):.1f} ± {100 * np.std(scores):.1f}",
            f"{np.mean(seconds):.0f}",
        ])  # fmt: skip
    print_table(f"AutoLDSClassifier({budget:g})", ["", "accuracy (%)", "seconds to fit"], rows)
    print(f"expected accuracy within two standard errors: {sum(within)} of {len(within)}")
