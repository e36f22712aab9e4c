"""Kernels of all pairs, against one product of the stacked C and against SciPy, pair by pair."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.linalg
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from benchmarks.timing import best_seconds, print_table
from ldslearn import LDS
from ldslearn.geometry import (
    finite_projection_kernel,
    martin_distance,
    projection_kernel,
    twofold_kernel,
)
from ldslearn.geometry.finite_observability import finite_bases

SIZES = {"A": (100, 400, 10), "B": (100, 400, 20), "C": (60, 2304, 20), "D": (500, 128, 20)}
REPEATS = {"A": 50, "B": 50, "C": 15, "D": 9}  # short runs are disturbed more easily
PLAIN_PAIRS = 200  # the plain way is timed on these, and multiplied up


def make_systems(n_systems, n_channels, n_states, seed=0):
    random = np.random.default_rng(seed)
    A = random.standard_normal((n_systems, n_states, n_states))
    A *= 0.95 / np.linalg.norm(A, 2, axis=(1, 2))[:, None, None]
    return LDS(A, np.linalg.qr(random.standard_normal((n_systems, n_channels, n_states)))[0])


def solve_plainly(X, pairs, martin):
    """Three Stein equations per pair by SciPy, the self-Gramians computed once per system."""
    factors = [
        np.linalg.cholesky(scipy.linalg.solve_discrete_lyapunov(A.T, np.eye(X.n_states)))
        for A in X.A
    ]
    for i, j in pairs:
        n = X.n_states
        A = scipy.linalg.block_diag(X.A[i], X.A[j])
        Q = np.eye(2 * n)
        Q[:n, n:] = X.C[i].T @ X.C[j]
        Q[n:, :n] = Q[:n, n:].T
        W = scipy.linalg.solve_discrete_lyapunov(A.T, Q, method="bilinear")[:n, n:]
        V = np.linalg.solve(factors[i], np.linalg.solve(factors[j], W.T).T)
        if martin:
            np.sqrt(max(0.0, -2 * np.log(np.linalg.svd(V, compute_uv=False)).sum()))
        else:
            np.linalg.norm(V) ** 2


def count_bytes(size):
    """Return what the results of the floor and of one more contestant take at most."""
    n_systems, _, n_states = size
    return 2 * 8 * (n_systems * n_states) ** 2


def copy_and_compute(kernel, X, **parameters):
    """Preparation included: a new batch has nothing kept with it."""
    return kernel(X[:], **parameters)


def time_kernels():
    rows = []
    for name, size in SIZES.items():
        X = make_systems(*size)
        stacked = np.ascontiguousarray(X.C.transpose(1, 0, 2).reshape(X.n_channels, -1))
        other = stacked.copy()  # two matrices: NumPy would halve the work of one with itself
        seconds = best_seconds(
            {
                "floor": lambda a=stacked, b=other: a.T @ b,
                "syrk": lambda a=stacked: scipy.linalg.blas.dsyrk(1.0, a.T),
                "projection": lambda X=X: copy_and_compute(projection_kernel, X, n_jobs=2),
                "martin": lambda X=X: copy_and_compute(martin_distance, X, n_jobs=2),
                "twofold": lambda X=X: copy_and_compute(twofold_kernel, X, n_jobs=2),
            },
            REPEATS[name],
            n_bytes=count_bytes(size),
        )
        random = np.random.default_rng(0)
        pairs = random.integers(0, len(X), (PLAIN_PAIRS, 2))
        plain = best_seconds(
            {
                "projection": lambda X=X, p=pairs: solve_plainly(X, p, False),
                "martin": lambda X=X, p=pairs: solve_plainly(X, p, True),
            },
            repeats=2,
        )
        n_pairs = len(X) * (len(X) + 1) / 2
        row = [f"{name} {size}", f"{1e3 * seconds['floor']:.0f} ms"]
        row.append(f"{seconds['syrk'] / seconds['floor']:.2f} x")
        for kernel in ("projection", "martin", "twofold"):
            row.append(f"{seconds[kernel] / seconds['floor']:.2f} x")
        for kernel in ("projection", "martin"):
            row.append(f"{plain[kernel] / PLAIN_PAIRS * n_pairs / seconds[kernel]:.0f} x")
        rows.append(row)
    print_table(
        "All pairs, preparation included, two threads",
        ["(N, m, n)", "floor", "syrk / floor", "projection / floor", "Martin / floor",
         "two-fold / floor", "projection faster than plain", "Martin faster than plain"],
        rows,
    )  # fmt: skip


def time_kernels_on_one_thread():
    """Processor time, on which other programs have less influence than on wall time."""
    rows = []
    for name, size in SIZES.items():
        X = make_systems(*size)
        stacked = np.ascontiguousarray(X.C.transpose(1, 0, 2).reshape(X.n_channels, -1))
        other = stacked.copy()
        kernels = {
            "projection": projection_kernel,
            "Martin": martin_distance,
            "two-fold": twofold_kernel,
        }
        contestants = {
            "floor": lambda a=stacked, b=other: a.T @ b,
            "syrk": lambda a=stacked: scipy.linalg.blas.dsyrk(1.0, a.T),
        }
        for kernel, f in kernels.items():
            contestants[kernel] = lambda f=f, X=X: copy_and_compute(f, X, n_jobs=1)
        with threadpool_limits(1):
            seconds = best_seconds(contestants, REPEATS[name], time.process_time, count_bytes(size))
        row = [f"{name} {size}", f"{1e3 * seconds['floor']:.0f} ms"]
        row += [f"{seconds[k] / seconds['floor']:.2f} x" for k in ("syrk", *kernels)]
        row += [f"{seconds[k] / seconds['syrk']:.2f} x" for k in kernels]
        rows.append(row)
    print_table(
        "All pairs, preparation included, processor time of one thread",
        ["(N, m, n)", "floor", "syrk / floor", *(f"{k} / floor" for k in kernels),
         *(f"{k} / syrk" for k in kernels)],
        rows,
    )  # fmt: skip


def compute_stacked(X, order):
    """The finite kernel as it is defined, by matrices of order * n_channels rows."""
    V = finite_bases(X, order)
    side = V.transpose(0, 2, 1).reshape(-1, V.shape[1])
    products = (side @ side.T).reshape(len(X), X.n_states, len(X), X.n_states)
    return np.einsum("iajb,iajb->ij", products, products)


def time_orders():
    X = make_systems(100, 400, 10)
    orders = (1, 2, 5, 10, 20)
    ways = {
        "finite": lambda L: copy_and_compute(finite_projection_kernel, X, order=L, n_jobs=2),
        "stacked": lambda L: copy_and_compute(compute_stacked, X, order=L),
    }
    contestants = {
        (way, L): lambda run=run, L=L: run(L) for way, run in ways.items() for L in orders
    }
    contestants["infinite"] = lambda: copy_and_compute(projection_kernel, X, n_jobs=2)
    seconds = best_seconds(contestants, repeats=5)
    print_table(
        "Finite against infinite (Sec. 8), at A: time over the infinite kernel",
        ["order L", *map(str, orders)],
        [
            [way, *(f"{seconds[way, L] / seconds['infinite']:.1f} x" for L in orders)]
            for way in ways
        ],
    )

    figure = Figure(figsize=(5, 3.2), layout="constrained")
    ax = figure.subplots()
    for way, label in (("stacked", "finite, blocks stacked"), ("finite", "finite, channels once")):
        ax.plot(orders, [1e3 * seconds[way, L] for L in orders], "o-", label=label)
    ax.axhline(1e3 * seconds["infinite"], color="tab:red", label="infinite")
    ax.set(xlabel="order L", ylabel="milliseconds", title="100 systems, 400 channels, 10 states")
    ax.set_xticks(orders)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    path = Path(__file__).parent / "cost_of_order.png"
    figure.savefig(path, dpi=110)
    print(f"\ndrawn {path.name}")


def measure_memory():
    """Peak of a 5,000 x 5,000 kernel over what was there before it, in a process of its own."""
    code = (
        "import re, time; from benchmarks.geometry import make_systems, projection_kernel;"
        "projection_kernel(make_systems(40, 100, 10), n_jobs=2);"
        "X = make_systems(5000, 100, 10);"
        "status = lambda: open('/proc/self/status').read();"
        "size = lambda what: int(re.search(what + r':\\s+(\\d+)', status())[1]);"
        "open('/proc/self/clear_refs', 'w').write('5');"  # forget the peak of making them
        "before, start = size('VmRSS'), time.perf_counter();"
        "K = projection_kernel(X, n_jobs=2);"
        "print(f'{K.nbytes / 2**20:.0f} {X.C.nbytes / 2**20:.0f} "
        '{(size("VmHWM") - before) / 1024:.0f} {time.perf_counter() - start:.1f}\')'
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    print_table(
        "Memory of a 5,000 x 5,000 projection kernel, m = 100, n = 10 (MiB)",
        ["result", "C of the systems", "peak above what was there before", "seconds"],
        [run.stdout.split()],
    )


def time_start_up():
    def run(code, cache):
        start = time.perf_counter()
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        return time.perf_counter() - start

    code = (
        "import numpy as np, ldslearn.geometry as g; from ldslearn import LDS;"
        "X = LDS(np.zeros((2, 2, 2)), np.stack([np.eye(4, 2)] * 2));"
        "g.projection_kernel(X); g.martin_distance(X); g.twofold_kernel(X)"
    )
    with tempfile.TemporaryDirectory() as cache:
        imports = [
            f"{min(run(f'import {name}', cache) for _ in range(3)):.1f}"
            for name in ("sklearn.base", "ldslearn", "ldslearn.geometry")
        ]
        first, second = run(code, cache), min(run(code, cache) for _ in range(3))
    print_table(
        "Start-up, seconds of a new process",
        [
            "import sklearn.base",
            "import ldslearn",
            "import ldslearn.geometry",
            "first calls ever (compile)",
            "from then on",
        ],
        [[*imports, f"{first:.1f}", f"{second:.1f}"]],
    )


def run():
    time_kernels()
    time_kernels_on_one_thread()
    time_orders()
    measure_memory()
    time_start_up()
