"""Recovery of known atoms: ``python -m benchmarks recovery``, some minutes.

Samples are noisy copies of known systems. A fit that starts at the known atoms shows what the noise
alone takes away.
"""

import numpy as np

from benchmarks.timing import print_table
from ldslearn import LDS, LDSDictionary
from ldslearn.geometry import symmetric_kernel
from ldslearn.paper import panels

N_TRIALS, N_ATOMS, MAX_ITER = 10, 6, 50


def make_copies(n_copies, noise, seed):
    """Return known systems, and copies whose measurement matrices are noisy."""
    random = np.random.default_rng(seed)
    A = random.standard_normal((N_ATOMS, 3, 3))
    A *= 0.9 / np.linalg.norm(A, 2, axis=(1, 2))[:, None, None]
    truth = LDS(A, np.linalg.qr(random.standard_normal((N_ATOMS, 20, 3)))[0])
    own = np.repeat(np.arange(N_ATOMS), n_copies)
    C = np.linalg.qr(truth.C[own] + noise * random.standard_normal((len(own), 20, 3)))[0]
    return truth, LDS(truth.A[own], C)


def measure(n_copies, noise):
    """Return recovered fractions and final objectives over trials, by initialization."""
    recovered, objectives = {}, {}
    for seed in range(N_TRIALS):
        truth, systems = make_copies(n_copies, noise, seed)
        for name, init in {"known": truth, "kmeans": "kmeans", "random": "random"}.items():
            model = LDSDictionary(
                N_ATOMS, parts="symmetric", init=init, random_state=seed, max_iter=MAX_ITER
            ).fit(systems)
            K = symmetric_kernel(model.atoms_.systems(), truth).max(axis=0) / 3
            recovered.setdefault(name, []).append((K > 0.95).mean())
            objectives.setdefault(name, []).append(model.objective_[-1])
    return recovered, objectives


def run():
    rows = []
    for noise in (0.02, 0.04, 0.08):
        for n_copies in (15, 60):
            recovered, objectives = measure(n_copies, noise)
            row = [f"{noise:g}", str(n_copies)]
            for name, fractions in recovered.items():
                above = np.array(objectives[name]) / objectives["known"] - 1
                row.append(f"{panels.format_percent(fractions)} ({np.count_nonzero(above > 0.01)})")
            rows.append(row)
    print_table(
        f"Recovery of {N_ATOMS} known atoms, {N_TRIALS} trials: recovered atoms (%), and trials "
        "that end more than 1 % above the fit from the known atoms",
        ["noise", "copies", "from the known atoms", "from k-means", "from random samples"],
        rows,
    )
