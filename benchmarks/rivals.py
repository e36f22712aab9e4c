"""MiniRocket, MultiRocket-Hydra and 1-NN DTW on the rounds of ``benchmarks.auto``.

``python -m benchmarks.rivals [name ...]`` in an environment with aeon and torch. Sequences are
resampled to their median length, at most 128 time points for DTW.
"""

import sys
import time
import warnings

import numpy as np
from aeon.classification.convolution_based import MiniRocketClassifier, MultiRocketHydraClassifier
from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier

from benchmarks.auto import rounds_of
from benchmarks.collections import all_collections, japanese_vowels
from benchmarks.timing import print_table


def resampled(X, longest=None):
    length = int(np.median([x.shape[1] for x in X]))
    length = max(10, min(length, longest or length))
    grid = np.linspace(0, 1, length)
    return np.stack([
        np.stack([np.interp(grid, np.linspace(0, 1, x.shape[1]), row) for row in x]) for x in X
    ]).astype(np.float32)  # fmt: skip


RIVALS = {
    "MiniRocket": lambda seed: MiniRocketClassifier(random_state=seed, n_jobs=2),
    "MultiRocket-Hydra": lambda seed: MultiRocketHydraClassifier(random_state=seed, n_jobs=2),
    "1-NN DTW": lambda seed: KNeighborsTimeSeriesClassifier(
        distance="dtw", distance_params={"window": 0.1}, n_jobs=2
    ),
}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    chosen = sys.argv[1:] or list(RIVALS)
    rows = []
    for data in [japanese_vowels(), *all_collections()]:
        row = [data.name]
        for name in chosen:
            X = resampled(data.X, 128 if "DTW" in name else None)
            scores, seconds = [], []
            for seed, train, test in rounds_of(data)[: 1 if "DTW" in name else None]:
                start = time.perf_counter()
                try:
                    model = RIVALS[name](seed).fit(X[train], data.y[train])
                    scores.append(np.mean(model.predict(X[test]) == data.y[test]))
                except Exception as error:  # too short, too many channels
                    print(data.name, name, type(error).__name__, str(error)[:100], flush=True)
                    break
                seconds.append(time.perf_counter() - start)
            if scores:
                spread = f" ± {100 * np.std(scores):.1f}" if len(scores) > 1 else ""
                row.append(f"{100 * np.mean(scores):.1f}{spread} ({np.mean(seconds):.0f} s)")
            else:
                row.append("failed")
        rows.append(row)
        print(row, flush=True)
    print_table("Rivals: accuracy (%), seconds", ["", *chosen], rows)
