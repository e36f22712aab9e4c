"""Search among 10^4, 10^5 and 10^6 systems: time, bytes, memory and recall of LDSIndex.

``python -m benchmarks search 10000 100000`` measures indexes of these sizes; 1000000 takes over
half an hour. Each step of an index runs in a process of its own, whose peak memory is reported.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import print_table
from ldslearn import LDS, LDSEncoder, LDSIndex
from ldslearn.datasets import load_npz, make_dynamic_textures
from ldslearn.scale import LDSStore

STATES, CHANNELS, WINDOW = 4, 12, 40
SHARED = {"epilepsy": 3, "libras": 2, "racketsports": 6}  # collections, and their channels
SPREAD = 0.15  # of systems around those that were fitted
N_QUERIES, K = 1000, 10
SIZES = (10_000, 100_000)
BLOCK = 50_000


def fit_systems():
    """Return A and C of windows of textures, and of shared collections if LDSLEARN_DATA is set."""
    videos, _ = make_dynamic_textures(n_per_class=60, size=(12, 9), n_frames=80, random_state=0)
    blocks = videos.reshape(len(videos), 80, 4, 3, 3, -1).mean(axis=(3, 5))
    sequences = [v.reshape(80, CHANNELS).T for v in blocks]
    fitted = [LDSEncoder(STATES, n_jobs=2).fit_transform([s[:, t : t + WINDOW] for s in sequences
                                                          for t in (0, WINDOW)])]  # fmt: skip
    home = os.environ.get("LDSLEARN_DATA")
    for name, n_channels in SHARED.items() if home else ():
        windows = [
            x[:, t : t + WINDOW]
            for x in load_npz(Path(home) / f"{name}.npz").X
            for t in range(0, max(1, x.shape[1] - WINDOW + 1), WINDOW)
        ]
        encoder = LDSEncoder(STATES, delays=CHANNELS // n_channels, n_jobs=2)
        fitted.append(encoder.fit_transform(windows))
    return np.concatenate([x.A for x in fitted]), np.concatenate([x.C for x in fitted])


def draw_systems(A, C, count, seed):
    """Return systems around fitted ones: other windows of the same recordings, so to speak."""
    random = np.random.default_rng(seed)
    chosen = random.integers(len(A), size=count)
    spread = SPREAD * random.random((count, 1, 1))
    A = A[chosen] + spread * random.standard_normal((count, STATES, STATES))
    radius = np.abs(np.linalg.eigvals(A)).max(axis=1)[:, None, None]
    C = C[chosen] + spread * random.standard_normal((count, CHANNELS, STATES))
    return LDS(A * np.minimum(1, 0.99 / radius), np.linalg.qr(C)[0])


def make_store(folder, n_systems):
    base = fit_systems()
    blocks = (
        draw_systems(*base, min(BLOCK, n_systems - start), start + 1)
        for start in range(0, n_systems, BLOCK)
    )
    LDSStore.write(folder / "store", blocks)
    draw_systems(*base, N_QUERIES, 0).save(folder / "queries.lds")
    return {"n_fitted": len(base[0])}


def build(folder, _):
    start = time.perf_counter()
    index = LDSIndex(n_jobs=2)
    index.save(folder / "index")
    index.add(LDSStore.open(folder / "store"))
    seconds = time.perf_counter() - start
    size = sum(path.stat().st_size for path in (folder / "index").iterdir())
    return {
        "seconds": seconds, "cpu": time.process_time(), "bytes": size / len(index),
        "memory": peak_memory(),
    }  # fmt: skip


def query(folder, _):
    queries = LDS.load(folder / "queries.lds")
    index = LDSIndex.open(folder / "index", n_jobs=2)
    index.search(queries[:50], K)  # compiles, and maps the files
    start, cpu = time.perf_counter(), time.process_time()
    ids, _ = index.search(queries, K)
    together = (time.perf_counter() - start) / len(queries)
    cpu = (time.process_time() - cpu) / len(queries)
    alone = []
    for one in range(100):
        start = time.perf_counter()
        index.search(queries[one], K)
        alone.append(time.perf_counter() - start)
    np.save(folder / "found.npy", ids)
    return {
        "together": together, "cpu": cpu, "alone": float(np.median(alone)), "memory": peak_memory(),
    }  # fmt: skip


def compare(folder, n_queries):
    queries = LDS.load(folder / "queries.lds")[:n_queries]
    index = LDSIndex.open(folder / "index", n_jobs=2, verify=False)
    index.search(queries[:2], K, exact=True)
    start = time.perf_counter()
    expected, _ = index.search(queries, K, exact=True)
    seconds = time.perf_counter() - start
    found = np.load(folder / "found.npy")
    hits = [np.isin(a, b).mean() for a, b in zip(expected, found, strict=False)]
    return {"recall": float(np.mean(hits)), "exact": seconds / len(queries)}


STEPS = {step.__name__: step for step in (make_store, build, query, compare)}


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def call(step, folder, number):
    command = [sys.executable, "-m", "benchmarks.search", step, str(folder), str(number)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def run():
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or SIZES
    rows = []
    for n_systems in sizes:
        with tempfile.TemporaryDirectory(dir=os.environ.get("LDSLEARN_SCRATCH")) as home:
            folder = Path(home)
            call("make_store", folder, n_systems)
            built, asked = call("build", folder, 0), call("query", folder, 0)
            print(n_systems, built, asked, file=sys.stderr, flush=True)
            n_compared = int(os.environ.get("LDSLEARN_COMPARED", N_QUERIES))
            found = call("compare", folder, n_compared)
        rows.append([
            f"{n_systems:,}", f"{built['seconds']:.0f} s", f"{built['cpu']:.0f} s",
            f"{built['bytes']:.0f}",
            f"{found['recall']:.3f} ({n_compared})", f"{1e3 * asked['together']:.1f} ms",
            f"{1e3 * asked['cpu']:.1f} ms",
            f"{1e3 * asked['alone']:.1f} ms", f"{1e3 * found['exact']:.0f} ms",
            f"{built['memory']:.2f} GB", f"{asked['memory']:.2f} GB",
        ])  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    header = [
        "systems", "build", "CPU", "bytes per system", f"recall@{K} (queries)",
        "per query, 1000 at once", "CPU", "per query, one by one", "exact search",
        "peak memory, build", "peak memory, search",
    ]  # fmt: skip
    print_table("LDSIndex, two threads", header, rows)


if __name__ == "__main__":
    print(json.dumps(STEPS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
