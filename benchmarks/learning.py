"""Learned dictionaries and clusters on labelled collections (Figs. 12, 14 and 15, Sec. 9.3).

``python -m benchmarks learning``, an hour or two on two cores for all collections.
"""

import time
import warnings

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from benchmarks.accuracy import percent
from benchmarks.collections import stored
from benchmarks.timing import print_table
from ldslearn import (
    LDS,
    DictionaryClassifier,
    FiniteDictionary,
    LDSDictionary,
    LDSEncoder,
    LDSKMeans,
)
from ldslearn.geometry import projection_kernel, symmetric_kernel

ATOMS = (4, 8, 16, 32, 64)
STATES = {"hcs10": 4, "sdh2": 5, "avletters_30x40": 10, "articulary_word": 5}


def methods(n_atoms, seed):
    common = {"n_atoms": n_atoms, "random_state": seed, "n_jobs": 2}
    return {
        "covLDS-DL": LDSDictionary(mix=0.5, **common),
        "LDS-DL": LDSDictionary(**common),
        "LDSST-DL": LDSDictionary(parts="symmetric", **common),
        "covLDS-Rand": LDSDictionary(mix=0.5, init="random", max_iter=0, **common),
        "LDS-Rand": LDSDictionary(init="random", max_iter=0, **common),
        "gLDS-DL, L=2": FiniteDictionary(order=2, **common),
        "gLDS-DL, L=3": FiniteDictionary(order=3, **common),
    }


def halves(y, n_splits):
    return StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=0).split(y, y)


def accuracy(file, n_splits=10, atoms=ATOMS):
    data = stored(file)
    systems = LDSEncoder(STATES[file], n_jobs=2).fit_transform(data.X)
    rows = []
    for n_atoms in atoms:
        scores, ends, seconds = {}, {}, {}
        for seed, (train, test) in enumerate(halves(data.y, n_splits)):
            for name, dictionary in methods(n_atoms, seed).items():
                model = DictionaryClassifier(dictionary, LinearSVC(C=10))
                start = time.perf_counter()
                model.fit(systems[train], data.y[train])
                seconds.setdefault(name, []).append(time.perf_counter() - start)
                scores.setdefault(name, []).append(model.score(systems[test], data.y[test]))
                ends.setdefault(name, []).append(model.dictionary_.objective_[-1] / len(train))
        row = [str(n_atoms)]
        row += [
            f"{percent(scores[m])} ({np.mean(ends[m]):.2f}; {np.mean(seconds[m]):.1f} s)"
            for m in scores
        ]
        rows.append(row)
        print(data.name, row, flush=True)
    print_table(
        f"{data.name}, n={STATES[file]}, {n_splits} halves: accuracy (%), objective a system, time",
        ["J", *methods(4, 0)],
        rows,
    )


def hierarchical(file, n_splits=10):
    """Atoms a class against as many atoms for all, Fig. 15."""
    data = stored(file)
    systems = LDSEncoder(STATES[file], n_jobs=2).fit_transform(data.X)
    n_classes, rows = len(np.unique(data.y)), []
    for per_class in (1, 2, 4):
        together, apart = [], []
        for seed, (train, test) in enumerate(halves(data.y, n_splits)):
            small = LDSDictionary(per_class, mix=0.5, random_state=seed, n_jobs=2)
            large = LDSDictionary(
                min(per_class * n_classes, len(train)), mix=0.5, random_state=seed, n_jobs=2
            )
            for scores, dictionary, flag in ((together, large, False), (apart, small, True)):
                model = DictionaryClassifier(dictionary, LinearSVC(C=10), per_class=flag)
                model.fit(systems[train], data.y[train])
                scores.append(model.score(systems[test], data.y[test]))
        rows.append([str(per_class), percent(apart), percent(together)])
        print(data.name, rows[-1], flush=True)
    print_table(
        f"{data.name}: atoms a class, or as many for all", ["J a class", "a class", "all"], rows
    )


def clusters(file, n_seeds=5):
    """NMI and ARI of k-means on systems, on flattened sequences, and of spectral clustering."""
    data = stored(file)
    systems = LDSEncoder(STATES[file], n_jobs=2).fit_transform(data.X)
    n_classes = len(np.unique(data.y))
    length = int(np.median([x.shape[1] for x in data.X]))
    grid = np.linspace(0, 1, length)
    flat = np.stack([
        np.concatenate([np.interp(grid, np.linspace(0, 1, len(row)), row) for row in x])
        for x in data.X
    ])  # fmt: skip
    K = projection_kernel(systems, n_jobs=2)
    contestants = {
        "LDSKMeans": lambda s: LDSKMeans(n_classes, random_state=s, n_jobs=2).fit(systems).labels_,
        "LDSKMeans, finite": lambda s: (
            LDSKMeans(n_classes, parts="finite", random_state=s, n_jobs=2).fit(systems).labels_
        ),
        "k-means, flattened": lambda s: (
            KMeans(n_classes, n_init=4, random_state=s).fit(flat).labels_
        ),
        "spectral, projection kernel": lambda s: (
            SpectralClustering(n_classes, affinity="precomputed", random_state=s).fit(K).labels_
        ),
    }
    rows = []
    for name, labels_of in contestants.items():
        found = [labels_of(seed) for seed in range(n_seeds)]
        rows.append([
            name,
            percent([normalized_mutual_info_score(data.y, labels) for labels in found]),
            percent([adjusted_rand_score(data.y, labels) for labels in found]),
        ])  # fmt: skip
    print_table(f"Clusters of {data.name}, {n_seeds} seeds", ["", "NMI (%)", "ARI (%)"], rows)


def recovery(n_trials=10, n_atoms=6):
    """How often known atoms come back: kernel above 0.95 n with some learned atom.

    A fit that starts at the known atoms shows what the noise alone takes away.
    """
    rows = []
    for noise in (0.02, 0.04, 0.08):
        for n_copies in (15, 60):
            back, ends = {}, {}
            for seed in range(n_trials):
                truth, systems = _noisy_copies(n_atoms, n_copies, noise, seed)
                for name, init in {"known": truth, "kmeans": "kmeans", "random": "random"}.items():
                    model = LDSDictionary(
                        n_atoms, parts="symmetric", init=init, random_state=seed, max_iter=50
                    ).fit(systems)
                    K = symmetric_kernel(model.atoms_.systems(), truth).max(axis=0) / 3
                    back.setdefault(name, []).append((K > 0.95).mean())
                    ends.setdefault(name, []).append(model.objective_[-1])
            row = [f"{noise:g}", str(n_copies)]
            for name in back:
                above = np.array(ends[name]) / ends["known"] - 1
                row.append(f"{percent(back[name])} ({np.count_nonzero(above > 0.01)})")
            rows.append(row)
    print_table(
        f"Recovery of {n_atoms} known atoms, {n_trials} trials: atoms that come back (%), and "
        "trials that end more than 1 % above the fit from the known ones",
        ["noise", "copies", "from the known atoms", "from k-means", "from random samples"],
        rows,
    )


def _noisy_copies(n_atoms, n_copies, noise, seed):
    random = np.random.default_rng(seed)
    A = random.standard_normal((n_atoms, 3, 3))
    A *= 0.9 / np.linalg.norm(A, 2, axis=(1, 2))[:, None, None]
    truth = LDS(A, np.linalg.qr(random.standard_normal((n_atoms, 20, 3)))[0])
    own = np.repeat(np.arange(n_atoms), n_copies)
    C = np.linalg.qr(truth.C[own] + noise * random.standard_normal((len(own), 20, 3)))[0]
    return truth, LDS(truth.A[own], C)


def run():
    warnings.filterwarnings("ignore", ".*(failed to converge|not fully connected)")
    recovery()
    found = [file for file in STATES if stored(file) is not None]
    for file in found:
        clusters(file)
    for file in found[:3]:
        accuracy(file)
        hierarchical(file)
