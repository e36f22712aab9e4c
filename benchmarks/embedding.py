"""LDSEmbedding + LinearSVC: accuracy against LDSSVC, and how the time of training grows.

``python -m benchmarks search_embedding`` runs both. The comparison needs LDSLEARN_DATA. Both
methods choose C by folds of the training systems, and both get the same kernel.
"""

import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from benchmarks.search import draw_systems, fit_systems
from benchmarks.timing import print_table
from ldslearn import LDSSVC, LDSEmbedding, LDSEncoder
from ldslearn.datasets import load_npz
from ldslearn.geometry import pairwise_kernel

FILES = {"sdh2": "sdh2", "avletters": "avletters_30x40"}
N_LANDMARKS = 300
CANDIDATES = (1.0, 3.0, 10.0)  # of C; kernels are 1 for a system with itself
FOLDS = 3
N_SPLITS = 6  # of sdh2
SEEDS = 2  # of the landmarks, per split of avletters
SIZES = (12_500, 25_000, 50_000, 100_000)
# States, and the kernel with its weights: the kernel of a system with itself is 1.
KERNELS = (
    (10, {"projection": 0.1}),
    (3, {"projection": 1 / 3}),
    (10, {"projection": 0.05, "mean": 0.5}),
)


def run():
    home, rows = os.environ.get("LDSLEARN_DATA"), []
    for name, file in FILES.items() if home else ():
        data = load_npz(Path(home) / f"{file}.npz")
        for n_states, kernel in KERNELS:
            rows.append([name, *compare(data, n_states, kernel)])
            print(rows[-1], file=sys.stderr, flush=True)
    header = [
        "collection", "states, kernel", "LDSSVC", "300 landmarks", "difference", "all landmarks",
        "and 300 components", "residual", "first 300 eigenvalues",
    ]  # fmt: skip
    print_table("Accuracy in %: exact kernel, and LDSEmbedding + LinearSVC", header, rows)
    measure_growth()


def compare(data, n_states, kernel):
    """Return the cells of one row: mean accuracies over splits and seeds, and paired differences.

    sdh2 has random splits. Of avletters each of the three repetitions is the test set in turn.
    """
    y = np.asarray(data.y)
    if data.split is None:
        rounds = list(StratifiedShuffleSplit(N_SPLITS, test_size=0.1, random_state=0).split(y, y))
        seeds = 1
    else:
        split, seeds = np.asarray(data.split), SEEDS
        rounds = [
            (np.flatnonzero(split != s), np.flatnonzero(split == s)) for s in np.unique(split)
        ]
    systems = LDSEncoder(n_states, n_jobs=2).fit_transform(data.X)
    exact, ours, whole, fewer, residuals, shares = [], [], [], [], [], []
    for number, (train, test) in enumerate(rounds):
        known, new = (systems[train], y[train]), (systems[test], y[test])
        svc = LDSSVC(kernel, C="cv", n_jobs=2).fit(*known)
        exact.append(svc.score(*new))
        eigenvalues = np.linalg.eigvalsh(pairwise_kernel(known[0], kernel=kernel, n_jobs=2))
        shares.append(eigenvalues[-N_LANDMARKS:].sum() / eigenvalues.sum())
        scores = [embed_and_classify(known, new, kernel, N_LANDMARKS, number + s)
                  for s in range(seeds)]  # fmt: skip
        ours.append(np.mean([score for score, _ in scores]))
        residuals.append(np.mean([residual for _, residual in scores]))
        if kernel == KERNELS[0][1]:
            n_all = len(train)
            whole.append(embed_and_classify(known, new, kernel, n_all, 0)[0])
            fewer.append(embed_and_classify(known, new, kernel, n_all, 0, N_LANDMARKS)[0])
    differences = 100 * np.subtract(ours, exact)
    spread = differences.std(ddof=1) / np.sqrt(len(differences))
    text = " + ".join(f"{weight:.2g} {name}" for name, weight in kernel.items())
    return [
        f"{n_states}, {text}", f"{100 * np.mean(exact):.1f}", f"{100 * np.mean(ours):.1f}",
        f"{differences.mean():+.1f} ± {spread:.1f}",
        *(f"{100 * np.mean(scores):.1f}" if scores else "" for scores in (whole, fewer)),
        f"{np.mean(residuals):.2f}", f"{100 * np.mean(shares):.0f} %",
    ]  # fmt: skip


def embed_and_classify(known, new, kernel, n_landmarks, seed, n_components=None):
    """Return the accuracy for new systems, with C chosen on the known ones, and the residual."""
    embedding = LDSEmbedding(
        kernel, n_landmarks=n_landmarks, n_components=n_components, random_state=seed, n_jobs=2
    )
    X, y = known
    hits = np.zeros(len(CANDIDATES))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y):
        vectors = embedding.fit_transform(X[train]), embedding.transform(X[test])
        hits += [classify(vectors[0], y[train], C).score(vectors[1], y[test]) for C in CANDIDATES]
    vectors = embedding.fit_transform(X)
    best = classify(vectors, y, CANDIDATES[hits.argmax()])
    return best.score(embedding.transform(new[0]), new[1]), embedding.residual_


def classify(vectors, y, C):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(C=C, dual=True, random_state=0).fit(vectors, y)


def measure_growth():
    """Print the processor time of training, embedding and LinearSVC, as the systems grow."""
    rows, base = [], fit_systems()
    LDSEmbedding(random_state=0, n_jobs=2).fit_transform(draw_systems(*base, 1000, 2))  # compiles
    for n_systems in SIZES:
        X = draw_systems(*base, n_systems, 1)
        start = time.process_time()
        vectors = LDSEmbedding(random_state=0, n_jobs=2).fit_transform(X)
        embedded = time.process_time() - start
        y = (vectors @ vectors[:10].T).argmax(axis=1)  # the nearest of ten systems
        start = time.process_time()
        model = LinearSVC(C=1, dual=False).fit(vectors, y)
        trained = time.process_time() - start
        rows.append([
            f"{n_systems:,}", f"{embedded:.1f} s", f"{trained:.1f} s",
            f"{1e3 * (embedded + trained) / n_systems:.2f} ms", str(model.n_iter_),
        ])  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    header = ["systems", "embedding", "LinearSVC", "per system", "Newton steps"]
    print_table("Training, processor time", header, rows)
