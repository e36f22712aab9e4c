"""Random systems against MiniRocket, and how their time grows.

``python -m benchmarks random_systems``; ``random_accuracy`` measures the accuracy. The first table
needs aeon, which is no dependency of ldslearn; without it, only the second is printed. One thread.
"""

import importlib.util
import os
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.data import load_available
from benchmarks.timing import best_seconds, print_table
from ldslearn import RandomSystems, RandomSystemsClassifier
from ldslearn.datasets import load_npz
from ldslearn.paper.accuracy import list_rounds
from ldslearn.paper.plans import load_plan

ROUNDS = 5
OTHERS = ("racketsports", "libras", "florence3d")  # with splits 0 and 1
SIZES = [(150, 6, 30), (275, 3, 206), (575, 9, 144), (1000, 60, 75)]
BASE = {"N": 200, "T": 200, "systems": 500}


def make_data(n_sequences, n_channels, n_timepoints):
    random = np.random.default_rng(0)
    X = random.normal(size=(n_sequences, n_channels, n_timepoints)).cumsum(axis=2)
    return X, np.arange(n_sequences) % 4


def compare_with_minirocket():
    from aeon.transformations.collection.convolution_based import MiniRocket

    def fit_rival(X, y):
        transformer = MiniRocket(random_state=0, n_jobs=1)
        classifier = make_pipeline(
            StandardScaler(with_mean=False), RidgeClassifierCV(np.logspace(-3, 3, 10))
        )
        classifier.fit(np.asarray(transformer.fit_transform(X)), y)

    rows = []
    for size in SIZES:
        X, y = make_data(*size)
        found = best_seconds({
            "ours": lambda X=X, y=y: RandomSystemsClassifier(random_state=0).fit(X, y),
            "features": lambda X=X: RandomSystems(random_state=0).fit(X).transform(X),
            "rival": lambda X=X, y=y: fit_rival(X, y),
        })  # fmt: skip
        rows.append([
            str(size), f"{found['ours']:.2f} s", f"{found['features']:.2f} s",
            f"{found['rival']:.2f} s", f"{found['ours'] / found['rival']:.2f} x",
        ])  # fmt: skip
    header = ["(N, m, T)", "ours", "of it features", "MiniRocket + ridge", "ours / MiniRocket"]
    print_table("Random systems: features and ridge regression, one thread", header, rows)


def measure_growth():
    rows = []
    for name in BASE:
        cells = []
        for factor in (1, 2, 4):
            size = {**BASE, name: factor * BASE[name]}
            X, _ = make_data(size["N"], 6, size["T"])
            model = RandomSystems(size["systems"], random_state=0).fit(X)
            cells.append(best_seconds({"ours": lambda m=model, X=X: m.transform(X)})["ours"])
        rows.append(
            [name, f"{1e3 * cells[0]:.0f} ms", *(f"{c / cells[0]:.2f} x" for c in cells[1:])]
        )
    base = "N = 200, T = 200, 500 systems"
    print_table(f"Random systems: transform, one thread, from {base}", ["", "1", "2", "4"], rows)


def list_collections():
    """Yield title, sequences, labels and five (train, test) splits of all collections there are."""
    for data_set in load_available(*(chain[0] for chain in load_plan("auto").data)):
        yield data_set.title, data_set.data.X, data_set.data.y, list_rounds(data_set, ROUNDS)
    folder = os.environ.get("LDSLEARN_DATA")
    for title in OTHERS if folder else ():
        path = Path(folder) / f"{title}.npz"
        if path.is_file():
            data = load_npz(path)
            train, test = (np.flatnonzero(data.split == part) for part in np.unique(data.split))
            yield title, data.X, data.y, [(train, test)] * ROUNDS


def measure_accuracy():
    """Print the accuracy over five seeds, or over the first five random splits."""
    rows = []
    for title, X, y, splits in list_collections():
        scores, seconds = [], []
        for seed, (train, test) in enumerate(splits):
            start = time.perf_counter()
            model = RandomSystemsClassifier(random_state=seed)
            model.fit([X[i] for i in train], y[train])
            scores.append(100 * model.score([X[i] for i in test], y[test]))
            seconds.append(time.perf_counter() - start)
        score = f"{np.mean(scores):.1f} ± {np.std(scores):.1f}"
        rows.append([title, score, f"{np.mean(seconds):.1f}"])
    print_table("Random systems: accuracy (%)", ["", "accuracy", "seconds"], rows)


def run():
    with threadpool_limits(1):
        if importlib.util.find_spec("aeon") is None:
            print("\naeon is not installed: no comparison with MiniRocket")
        else:
            compare_with_minirocket()
        measure_growth()
