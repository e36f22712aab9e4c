"""MiniRocket, MultiRocket-Hydra and 1-NN DTW on the rounds of ``ldslearn reproduce auto``.

``python -m benchmarks.rivals [name ...]`` in an environment that also has aeon and torch, which are
no dependencies of ldslearn. Sequences are resampled to their median length, for DTW to at most 128
time points. MiniRocket in the table of tuned methods is the same on all rounds: ``ROUNDS = 10``.
"""

import sys
import time
import warnings

import numpy as np
from aeon.classification.convolution_based import MiniRocketClassifier, MultiRocketHydraClassifier
from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier

from benchmarks.data import load_available
from benchmarks.timing import print_table
from ldslearn.paper.accuracy import list_rounds
from ldslearn.paper.plans import load_plan

ROUNDS = 5
RIVALS = {
    "MiniRocket": lambda seed: MiniRocketClassifier(random_state=seed, n_jobs=2),
    "MultiRocket-Hydra": lambda seed: MultiRocketHydraClassifier(random_state=seed, n_jobs=2),
    "1-NN DTW": lambda seed: KNeighborsTimeSeriesClassifier(
        distance="dtw", distance_params={"window": 0.1}, n_jobs=2
    ),
}


def resample(X, longest=None):
    """Return sequences of one length."""
    length = int(np.median([x.shape[1] for x in X]))
    grid = np.linspace(0, 1, max(10, min(length, longest or length)))
    return np.stack([
        np.stack([np.interp(grid, np.linspace(0, 1, x.shape[1]), row) for row in x]) for x in X
    ]).astype(np.float32)  # fmt: skip


def measure(name, data_set):
    """Return accuracy and seconds of one rival on one collection, as a cell of the table."""
    X, y = resample(data_set.data.X, 128 if "DTW" in name else None), data_set.data.y
    scores, seconds = [], []
    for seed, (train, test) in enumerate(list_rounds(data_set, 1 if "DTW" in name else ROUNDS)):
        start = time.perf_counter()
        try:
            model = RIVALS[name](seed).fit(X[train], y[train])
            scores.append(np.mean(model.predict(X[test]) == y[test]))
        except Exception as error:  # too short, too many channels
            return f"failed: {type(error).__name__}"
        seconds.append(time.perf_counter() - start)
    spread = f" ± {100 * np.std(scores):.1f}" if len(scores) > 1 else ""
    return f"{100 * np.mean(scores):.1f}{spread} ({np.mean(seconds):.0f} s)"


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    names = sys.argv[1:] or list(RIVALS)
    data_sets = load_available(*(chain[0] for chain in load_plan("auto").data))
    rows = [
        [data_set.title, *(measure(name, data_set) for name in names)] for data_set in data_sets
    ]
    print_table("Rivals: accuracy (%), seconds", ["", *names], rows)
