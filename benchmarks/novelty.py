"""Novelty: every class left out in turn, against detectors of scikit-learn and pyod.

``python -m benchmarks novelty``. It needs the collections of LDSLEARN_DATA, and pyod for the last
three columns. pyod is no dependency of ldslearn; without it, these columns are left out. Every
class is strange once: detectors are trained on the training sequences of the other classes, and
the area under the ROC curve is that of all test sequences. Nothing is tuned.
"""

import importlib.util
import os
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from benchmarks.flattening import flatten
from benchmarks.timing import print_table
from ldslearn import LDSNovelty, RandomSystems
from ldslearn.datasets import load_npz
from ldslearn.models.defaults import make_default_encoder

COLLECTIONS = ("hcs10", "sdh2", "epilepsy", "racketsports")
MOST_CLASSES = 12  # of a collection, spread over all of them


def split(data):
    """Return the collection's own split, or the first of three stratified folds as test."""
    if data.split is not None and len(np.unique(data.split)) == 2:
        first = np.unique(data.split)[0]
        return np.flatnonzero(data.split == first), np.flatnonzero(data.split != first)
    return next(StratifiedKFold(3, shuffle=True, random_state=0).split(data.X, data.y))


def score_detectors(data, systems, train, test, strange):
    """Return the area under the ROC curve of every detector, with one class left out."""
    found = {}

    def add(name, normality):
        found[name] = 100 * roc_auc_score(strange, -normality)

    mixture = {"projection": 1 / systems.n_states, "mean": 1.0}
    for name, model in (
        ("neighbours", LDSNovelty(n_jobs=2)),
        ("neighbours, with mean", LDSNovelty(mixture, n_jobs=2)),
        ("support vectors, with mean", LDSNovelty(mixture, method="support_vectors", n_jobs=2)),
    ):
        add(name, model.fit(systems[train]).score_samples(systems[test]))
    X = [data.X[i] for i in train], [data.X[i] for i in test]
    scaler = StandardScaler()
    flat = flatten(X[0]), flatten(X[1], like=X[0])
    known, new = scaler.fit_transform(flat[0]), scaler.transform(flat[1])
    add("IsolationForest", IsolationForest(random_state=0).fit(known).score_samples(new))
    add("OneClassSVM", OneClassSVM(nu=0.1).fit(known).score_samples(new))
    if importlib.util.find_spec("pyod") is not None:
        for name, normality in score_by_pyod(*X).items():
            add(name, normality)
    return found


def score_by_pyod(known, new):
    """Return how normal KNN, COPOD and ECOD of pyod find features of random systems, by name."""
    from pyod.models.copod import COPOD
    from pyod.models.ecod import ECOD
    from pyod.models.knn import KNN

    systems, scaler = RandomSystems(200, random_state=0, n_jobs=2).fit(known), StandardScaler()
    features = scaler.fit_transform(systems.transform(known))
    others = scaler.transform(systems.transform(new))
    return {
        f"pyod {kind.__name__}": -kind().fit(features).decision_function(others)
        for kind in (KNN, COPOD, ECOD)
    }


def run():
    folder, rows = os.environ.get("LDSLEARN_DATA"), []
    for name in COLLECTIONS:
        path = Path(folder or "") / f"{name}.npz"
        if not (folder and path.is_file()):
            print(f"{name} is not available: LDSLEARN_DATA must name its folder")
            continue
        rows.append(measure(name, load_npz(path)))
    names = list(dict.fromkeys(key for _, means in rows for key in means))
    cells = [[name, *(means.get(key, "-") for key in names)] for name, means in rows]
    print_table("Novelty: AUC (%), mean over classes left out", ["", *names], cells)
    if importlib.util.find_spec("pyod") is None:
        print("pyod is not installed: no comparison with KNN, COPOD and ECOD")


def measure(name, data):
    train, test = split(data)
    y, found = np.asarray(data.y), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        systems = make_default_encoder(data, n_jobs=2).fit_transform(data.X)
        classes = np.unique(y)
        for label in classes[:: max(1, len(classes) // MOST_CLASSES)]:
            normal = train[y[train] != label]
            found.append(score_detectors(data, systems, normal, test, y[test] == label))
            one = ", ".join(f"{key} {value:.1f}" for key, value in found[-1].items())
            print(f"{name} without {label}: {one}", flush=True)
    return name, {key: f"{np.mean([one[key] for one in found]):.1f}" for key in found[0]}
