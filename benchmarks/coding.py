"""Sparse codes of many samples, against scikit-learn and SPAMS on the same Gram matrices."""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.decomposition import sparse_encode
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.data import load_available
from benchmarks.geometry import make_systems
from benchmarks.timing import best_seconds, print_table
from ldslearn import LDS, LDSEncoder, sparse_code
from ldslearn.coding import solver
from ldslearn.geometry import projection_kernel

PLAIN_SAMPLES = 30  # scikit-learn is timed on these, and multiplied up


def make_problem(coherence, n_atoms=500, n_samples=300, n_prototypes=30):
    """Systems around prototypes: the closer, the more coherent."""
    random = np.random.default_rng(0)
    prototypes = make_systems(n_prototypes, 40, 10)
    own = random.integers(0, n_prototypes, n_atoms + n_samples)
    noise = make_systems(n_atoms + n_samples, 40, 10, seed=1)
    batch = LDS(
        coherence * prototypes.A[own] + (1 - coherence) * noise.A,
        np.linalg.qr(coherence * prototypes.C[own] + (1 - coherence) * noise.C)[0],
    )
    atoms, samples = batch[:n_atoms], batch[n_atoms:]
    return projection_kernel(atoms), projection_kernel(samples, atoms)


def load_problem(n_states=5):
    for data_set in load_available("sdh2"):
        batch = LDSEncoder(n_states, n_jobs=2).fit_transform(data_set.data.X)
        train, test = data_set.splits()[0]
        return projection_kernel(batch[train]), projection_kernel(batch[test], batch[train])
    return None


def compute_violation(gram, cross, codes, sparsity):
    c = cross - codes @ gram
    free = np.abs(c) - sparsity / 2
    return np.where(codes != 0, np.abs(c - sparsity / 2 * np.sign(codes)), free).max()


def build_spams(gram, cross, sparsity):
    try:
        import spams
    except ImportError:
        return None
    Q, q = np.asfortranarray(gram), np.asfortranarray(cross.T)
    return lambda: spams.lasso(q, Q=Q, q=q, lambda1=sparsity / 2, mode=2, numThreads=1)


def time_many_atoms():
    """Working sets against the homotopy over all atoms, for codes of different lengths."""
    rows = []
    for name, coherence in (("mild", 0.3), ("coherent", 0.7)):
        gram, cross = make_problem(coherence, n_atoms=4000, n_samples=40, n_prototypes=60)
        excluded, limit = np.zeros((1, len(gram)), dtype=bool), solver.STEPS_PER_ATOM * len(gram)
        for sparsity, n_samples in ((0.1, 2), (0.3, 4), (0.6, 20), (1.0, 40), (3.0, 40)):
            few = cross[:n_samples]
            codes = {way: np.zeros_like(few) for way in ("all", "sets")}
            residuals = np.zeros(n_samples)
            ways = {"all": solver.code_rows, "sets": solver.code_rows_by_working_sets}
            contestants = {
                way: partial(
                    solve,
                    gram,
                    few,
                    excluded,
                    0.5 * sparsity,
                    False,
                    False,
                    limit,
                    codes[way],
                    residuals,
                )
                for way, solve in ways.items()
            }
            with threadpool_limits(1):  # as in sparse_code
                seconds = best_seconds(contestants, repeats=2, clock=time.process_time)
            rows.append([
                name,
                f"{sparsity}",
                f"{np.count_nonzero(codes['sets'], axis=1).mean():.0f}",
                *(f"{1e3 * seconds[way] / n_samples:.1f} ms" for way in ways),
                *(f"{compute_violation(gram, few, codes[way], sparsity):.0e}" for way in codes),
                f"{np.abs(codes['all'] - codes['sets']).max():.0e}",
            ])  # fmt: skip
    print_table(
        "Sparse codes over 4,000 atoms, processor time on one thread",
        ["atoms", "sparsity", "atoms per code", "all atoms, per sample", "working sets",
         "KKT, all atoms", "KKT, working sets", "difference of codes"],
        rows,
    )  # fmt: skip


def run(sparsity=0.1):
    time_many_atoms()
    problems = {
        "mild (500, 300)": make_problem(0.3),
        "coherent (500, 300)": make_problem(0.7),
        "SDH-2, n=5": load_problem(),
    }
    rows = []
    for name, problem in problems.items():
        if problem is None:
            continue
        gram, cross = problem
        values, vectors = np.linalg.eigh(gram)
        atoms = vectors * np.sqrt(values)  # whose Gram matrix it is
        samples = np.linalg.solve(atoms, cross[:PLAIN_SAMPLES].T).T

        def scikit(algorithm, atoms=atoms, samples=samples):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                return sparse_encode(
                    samples, atoms, algorithm=algorithm, alpha=sparsity / 2, max_iter=10_000
                )

        contestants = {
            "ours": lambda gram=gram, cross=cross: sparse_code(gram, cross, sparsity),
            "ours2": lambda gram=gram, cross=cross: sparse_code(gram, cross, sparsity, n_jobs=2),
        }
        spams = build_spams(gram, cross, sparsity)
        if spams is not None:
            contestants["spams"] = spams
        seconds = best_seconds(contestants, repeats=5)
        slow = best_seconds({a: lambda a=a: scikit(a) for a in ("lasso_lars", "lasso_cd")}, 1)
        slow = {a: took * len(cross) / PLAIN_SAMPLES for a, took in slow.items()}
        codes = sparse_code(gram, cross, sparsity)
        rows.append([
            name,
            f"{np.count_nonzero(codes, axis=1).mean():.0f}",
            f"{1e3 * seconds['ours'] / len(cross):.2f} ms",
            f"{seconds['ours'] / seconds['ours2']:.1f} x",
            f"{seconds['ours'] / seconds['spams']:.2f} x" if spams else "no spams-bin",
            f"{slow['lasso_lars'] / seconds['ours']:.0f} x",
            f"{slow['lasso_cd'] / seconds['ours']:.0f} x",
            f"{compute_violation(gram, cross, codes, sparsity):.0e}",
            f"{compute_violation(gram, cross, spams().toarray().T, sparsity):.0e}" if spams else "",
            f"{compute_violation(gram, cross[:PLAIN_SAMPLES], scikit('lasso_lars'), sparsity):.0e}",
            f"{compute_violation(gram, cross[:PLAIN_SAMPLES], scikit('lasso_cd'), sparsity):.0e}",
        ])  # fmt: skip
    print_table(
        f"Sparse codes, sparsity {sparsity}, one thread; KKT residuals",
        ["(atoms, samples)", "atoms per code", "ours, per sample", "one / two threads",
         "ours / SPAMS", "faster than lars_path_gram", "faster than coordinate descent",
         "KKT ours", "SPAMS", "LARS", "descent"],
        rows,
    )  # fmt: skip
