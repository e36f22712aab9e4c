"""What a clip, a pair and an atom cost, here and on a cluster of two processes; what many would.

Takes two to six minutes, so by name only. ``python -m benchmarks memory`` measures the peak of
memory of one process that learns from five times as much as it may take.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.dictionary import make_clusters
from benchmarks.timing import print_table
from ldslearn import LDSDictionary, LDSEncoder, LDSKMeans
from ldslearn.datasets import make_dynamic_textures
from ldslearn.dictionary import samples, sweeps
from ldslearn.dictionary.block_problem import BlockProblem
from ldslearn.geometry import pairwise_kernel
from ldslearn.scale import LDSStore, encode_folder, use_cluster
from ldslearn.video import write_video

SIZES = (100, 400, 1600)  # clips of 48 x 48 pixels and 75 frames
N_STATES, N_ATOMS, N_ITERATIONS, N_COLUMNS = 10, 8, 1, 60
LARGE = "dictionary, as if large"
FULL = 10**6
WORKERS = (1, 10, 100, 1000)


def make_clips(folder, count):
    """Files of their own, of which every sixtieth is the same."""
    videos, kinds = make_dynamic_textures(n_per_class=10, size=48, n_frames=75, random_state=0)
    originals = []
    for index, (video, kind) in enumerate(zip(videos, kinds, strict=True)):
        (folder / "originals" / kind).mkdir(parents=True, exist_ok=True)
        originals.append(folder / "originals" / kind / f"{index}.avi")
        write_video(originals[-1], 255 * video)
    for index in range(count):
        source = originals[index % len(originals)]
        home = folder / str(count) / source.parent.name
        home.mkdir(parents=True, exist_ok=True)
        os.link(source, home / f"{index}.avi")
    return folder / str(count)


@contextmanager
def start_two_processes():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as local,
        Client(local) as client,
    ):
        yield client


def time_work(work, times=1):
    """Least seconds of several runs, and the last result."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def build_dictionary():
    return LDSDictionary(
        N_ATOMS, init="random", max_iter=N_ITERATIONS, tol=0, random_state=0, n_jobs=2
    )


@contextmanager
def learn_as_if_large():
    """Learn as from so many systems that their products with all atoms exceed 256 MiB.

    One atom is moved after the other, on a cluster in blocks; systems stay in memory locally.
    Yields a list that gets one item per sum over the blocks of a dictionary.
    """
    requests, original = [], BlockProblem.sum_blocks

    def sum_blocks(self, *arguments):
        requests.append(1)
        return original(self, *arguments)

    with (
        patch.object(BlockProblem, "sum_blocks", sum_blocks),
        patch.object(samples, "_FEW", 0),
        patch.object(sweeps, "_LARGEST", 0),
    ):
        yield requests


def measure(clips, folder, where):
    """Seconds of every step, requests of the large dictionary, its objectives, and the store."""
    seconds = {}
    with use_cluster(where) if where is not None else nullcontext() as engine:
        encoder = LDSEncoder(N_STATES, n_jobs=2)
        seconds["encode"], store = time_work(
            lambda: encode_folder(clips, folder, encoder, size=None, shard_size=16)
        )
        seconds["read"], whole = time_work(lambda: LDSStore.open(folder)[:])
        systems, few = whole if engine is None else store, store[:N_COLUMNS]
        seconds["kernel"], _ = time_work(lambda: pairwise_kernel(systems, few, n_jobs=2), 3)
        seconds["dictionary"], model = time_work(lambda: build_dictionary().fit(systems))
        with learn_as_if_large() as requests:
            seconds[LARGE], large = time_work(lambda: build_dictionary().fit(systems))
        seconds["code"], _ = time_work(lambda: model.transform(systems), 3)
        seconds["k-means"], _ = time_work(
            lambda: LDSKMeans(4, n_init=1, max_iter=1, random_state=0, n_jobs=2).fit(systems)
        )
    objectives = np.array(model.half_steps_ + large.half_steps_)
    return seconds, len(requests), objectives, store


def count_blocks(store, n_workers=2):
    """How many blocks a dictionary makes of a store."""
    share = store.n_bytes // (samples._BLOCKS_PER_WORKER * n_workers)
    return len(store.blocks(min(max(samples._SMALLEST, share), samples._LARGEST)))


def measure_waiting(client):
    """Seconds of a request that needs no work, and of one more task in it."""
    atom = np.zeros((N_STATES, 2304))
    with use_cluster(client) as engine:
        request, _ = time_work(lambda: list(engine.map(take_first, [(0,), (1,)], atom)), 20)
        many, _ = time_work(
            lambda: list(engine.map(take_first, [(i,) for i in range(400)], atom)), 3
        )
    return request, (many - request) / 398


def take_first(number, atom):
    return number + atom[0, 0]


def run():
    warnings.simplefilter("ignore")
    found = {}
    with tempfile.TemporaryDirectory() as name, start_two_processes() as client:
        home = Path(name)
        collections = {count: make_clips(home / f"of{count}", count) for count in SIZES}
        for where in (None, client):  # compile, and load code on the workers
            measure(collections[SIZES[0]], home / f"warm{where is None}", where)
        for count, clips in collections.items():
            for where in (None, client):
                label = "local" if where is None else "cluster"
                found[count, label] = measure(clips, home / f"{label}{count}", where)
                print(count, label, found[count, label][:2], flush=True)
        print_comparison(found)
        print_capacity(found, *measure_waiting(client))


def print_comparison(found):
    rows = []
    for count in SIZES:
        here, there = found[count, "local"], found[count, "cluster"]
        gap = np.abs(here[2] / there[2] - 1).max()
        rows.append([
            str(count),
            *(f"{here[0][k]:.2f} / {there[0][k]:.2f} = {there[0][k] / here[0][k]:.2f} x"
              for k in here[0]),
            f"{gap:.0e}",
        ])  # fmt: skip
    print_table(
        "Seconds here with two threads, on a cluster of two processes, and their ratio",
        ["clips", *found[SIZES[0], "local"][0], "difference of the objectives"],
        rows,
    )


def print_capacity(found, request, task):
    """Print the cost per clip, how well it predicts the largest size, and what a million cost."""
    small, medium, large = SIZES
    rows = []
    for step in found[small, "local"][0]:
        seconds = [found[count, "local"][0][step] for count in SIZES]
        each = (seconds[1] - seconds[0]) / (medium - small)
        expected = seconds[1] + each * (large - medium)
        rows.append([
            step, f"{1e3 * each:.2f} ms", f"{expected:.1f} s", f"{seconds[2]:.1f} s",
            f"{expected / seconds[2]:.2f}",
        ])  # fmt: skip
    print_table(
        f"Cost per clip on both cores, from {small} and {medium} clips; checked at {large}",
        ["step", "per clip", f"expected of {large}", "measured", "ratio"],
        rows,
    )
    rows = []
    for count in SIZES:
        n_requests, real = found[count, "cluster"][1], found[count, "cluster"][0][LARGE]
        blocks = count_blocks(found[count, "cluster"][3])
        wait = n_requests / 2 * (request + (blocks - 2) * task)  # both parts wait side by side
        work = found[count, "local"][0][LARGE]
        rows.append([
            str(count), str(blocks), str(n_requests), f"{work:.1f} s", f"{wait:.1f} s",
            f"{real:.1f} s", f"{(work + wait) / real:.2f}",
        ])  # fmt: skip
    print_table(
        "A dictionary as if large, on two workers: work and waiting against what was measured",
        ["clips", "blocks", "requests", "work", "waiting", "measured", "ratio"],
        rows,
    )
    store = found[large, "cluster"][3]
    each = {k: 2 * v / large for k, v in found[large, "local"][0].items()}  # core seconds a clip
    n_bytes, requests = store.n_bytes / large, found[large, "cluster"][1] / N_ITERATIONS
    pair, atom = each["kernel"] / N_COLUMNS, 8 * 2304 * N_STATES
    print(
        f"\nA clip: {n_bytes / 1e3:.0f} kB in the store. A pair: {1e6 * pair:.1f} core "
        f"microseconds. A request that needs no work: {1e3 * request:.1f} ms, and "
        f"{1e3 * task:.2f} ms for each further block. An iteration makes {requests:.0f} requests; "
        f"{atom / 1e3:.0f} kB go to each worker and as many or a few come back: "
        f"{2 * requests * atom / 1e6:.0f} MB per worker."
    )
    rows = []
    for workers in WORKERS:
        blocks = max(2 * workers, FULL * n_bytes / samples._LARGEST)
        work = each[LARGE] * FULL / N_ITERATIONS / workers
        wait = requests / 2 * (request + blocks * task)
        rows.append([
            str(workers),
            format_hours(each["encode"] * FULL / workers),
            format_hours(each["code"] * FULL / workers),
            format_hours(work),
            format_hours(wait),
            format_hours(20 * (work + wait)),
            format_hours(pair * FULL**2 / 2 / workers),
            f"{FULL * n_bytes / workers / 1e9:,.1f} GB",
        ])  # fmt: skip
    print_table(
        f"{FULL:,} clips of 48 x 48 x 75 on workers of one core each, {N_ATOMS} atoms: expected",
        ["workers", "encode", "code", "iteration: work", "waiting", "20 iterations",
         "all pairs (half a square)", "store, per worker"],
        rows,
    )  # fmt: skip


def format_hours(seconds):
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"


def compare_learning(n_systems=1600):
    """Print seconds of one dictionary here and on two processes, in turn."""
    X = make_clusters(n_systems, 1200, N_STATES, n_prototypes=20)
    seconds = {"here": [], "cluster": []}
    with start_two_processes() as client:
        for round_number in range(3):  # the first one compiles
            for name, found in seconds.items():
                with use_cluster(client) if name == "cluster" else nullcontext():
                    model = LDSDictionary(16, init="random", max_iter=2, random_state=0, n_jobs=2)
                    found.append(time_work(lambda model=model: model.fit(X))[0])
                print(f"{round_number} {name}: {found[-1]:.1f} s, {model.objective_[-1]:.6f}")


def measure_memory(megabytes=200, count=4800):
    program = Path(__file__).parents[1] / "tests" / "support" / "frugal.py"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(program), folder, str(megabytes), str(count)]
        seconds, done = time_work(
            lambda: subprocess.run(command, capture_output=True, text=True, check=True)
        )
    result = json.loads(done.stdout)
    print(
        f"\n{count} sequences, {result['n_bytes'] / 1e6:,.0f} MB of systems, with {megabytes} MB "
        f"beyond an idle process ({result['idle_mb']:.0f} MB): fitted, learned, coded, clustered "
        f"and predicted in {seconds:.0f} s; peak {result['peak_mb']:.0f} MB beyond it. All at once "
        f"it {result['whole']}."
    )
