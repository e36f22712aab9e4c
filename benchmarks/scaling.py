"""What a clip, a pair and an atom cost, here and on a cluster of two processes; what many would.

Takes some ten minutes, so by name only. ``python -m benchmarks memory`` measures the peak of memory
of one process that learns from five times as much as it may take.
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

import numpy as np

from benchmarks.timing import print_table
from ldslearn import LDSDictionary, LDSEncoder, LDSKMeans, distributed
from ldslearn.datasets import encode_folder, make_dynamic_textures
from ldslearn.geometry import pairwise_kernel
from ldslearn.video import write_video

SIZES = (60, 240, 960)  # clips of 48 x 48 pixels and 75 frames
N_STATES, N_ATOMS, N_ITERATIONS = 10, 8, 1
FULL = 10**6
WORKERS = (1, 10, 100)
TASK_SECONDS = 0.5e-3  # of the scheduler for one task, when many are on their way at once


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
def two_processes():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as local,
        Client(local) as client,
    ):
        yield client


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def dictionary():
    return LDSDictionary(
        N_ATOMS, init="random", max_iter=N_ITERATIONS, tol=0, random_state=0, n_jobs=2
    )


def measure(clips, folder, where):
    """Seconds of every step, and blocks that were asked for in the dictionary."""
    seconds, blocks = {}, {}
    with distributed.cluster(where) if where is not None else nullcontext() as engine:
        encoder = LDSEncoder(N_STATES, n_jobs=2)
        seconds["encode"], store = timed(
            lambda: encode_folder(clips, folder, encoder, size=None, shard_size=16)
        )
        systems, atoms = store[:] if engine is None else store, store[:60]
        seconds["kernel"], _ = timed(lambda: pairwise_kernel(systems, atoms, n_jobs=2))
        before = 0 if engine is None else engine.n_blocks
        seconds["dictionary"], model = timed(lambda: dictionary().fit(systems))
        blocks["dictionary"] = 0 if engine is None else engine.n_blocks - before
        seconds["code"], _ = timed(lambda: model.transform(systems))
        seconds["k-means"], _ = timed(
            lambda: LDSKMeans(4, n_init=1, max_iter=1, random_state=0, n_jobs=2).fit(systems)
        )
    used = np.count_nonzero(model.transform(store)) / len(store) / 2
    return seconds, blocks, used, store.n_bytes / len(store), model.half_steps_


def run():
    warnings.simplefilter("ignore")
    found = {}
    with tempfile.TemporaryDirectory() as name, two_processes() as client:
        home = Path(name)
        collections = {count: make_clips(home / f"of{count}", count) for count in SIZES}
        for where in (None, client):  # compile, and load code on the workers
            measure(collections[SIZES[0]], home / f"warm{where is None}", where)
        for count, clips in collections.items():
            for where in (None, client):
                label = "local" if where is None else "cluster"
                found[count, label] = measure(clips, home / f"{label}{count}", where)
    compare(found)
    capacity(found)


def compare(found):
    rows = []
    for count in SIZES:
        here, there = found[count, "local"], found[count, "cluster"]
        gap = np.abs(np.array(here[4]) / np.array(there[4]) - 1).max()
        rows.append([
            str(count),
            *(f"{here[0][k]:.2f} / {there[0][k]:.2f} = {there[0][k] / here[0][k]:.2f} x"
              for k in here[0]),
            f"{gap:.0e}",
        ])  # fmt: skip
    steps = list(found[SIZES[0], "local"][0])
    print_table(
        "Seconds on a cluster of two processes over those here with two threads",
        ["clips", *steps, "difference of the objectives"],
        rows,
    )


def costs(found, label):
    """Seconds a clip of every step, by a line through the two smaller sizes: (fixed, each)."""
    small, large = SIZES[:2]
    lines = {}
    for step in found[small, label][0]:
        first, second = (found[count, label][0][step] for count in (small, large))
        each = max((second - first) / (large - small), 0.0)
        lines[step] = (max(first - each * small, 0.0), each)
    return lines


def capacity(found):
    lines = costs(found, "local")
    rows = []
    for step, (fixed, each) in lines.items():
        real = found[SIZES[2], "local"][0][step]
        expected = fixed + each * SIZES[2]
        rows.append([
            step, f"{1e3 * each:.2f} ms", f"{expected:.1f} s", f"{real:.1f} s",
            f"{expected / real:.2f}",
        ])  # fmt: skip
    print_table(
        f"Cost of a clip, both cores, by {SIZES[0]} and {SIZES[1]} clips; checked at {SIZES[2]}",
        ["step", "a clip", f"expected of {SIZES[2]}", "measured", "ratio"],
        rows,
    )
    each = {  # core seconds a clip, of the largest size
        step: 2 * found[SIZES[2], "local"][0][step] / SIZES[2] for step in lines
    }
    n_bytes, used = found[SIZES[2], "local"][3], found[SIZES[2], "local"][2]
    asked = found[SIZES[2], "cluster"][1]["dictionary"]
    blocks = 4  # of the cluster here: two a worker
    rounds = asked / blocks / N_ITERATIONS
    # Of the fewest clips a question costs little but the asking.
    few = found[SIZES[0], "cluster"]
    question = few[0]["dictionary"] / (few[1]["dictionary"] / blocks / 2)
    atom = 8 * 2304 * N_STATES
    print(
        f"\nA clip: {n_bytes / 1e3:.0f} kB in the store, {used:.1f} atoms of {N_ATOMS} in a code "
        f"of one part. An iteration of the dictionary asks {rounds:.0f} times, of both parts; each "
        f"time {atom / 1e3:.0f} kB travel to a worker, and as many or a few come back: "
        f"{2 * rounds * atom / 1e6:.0f} MB a worker and iteration.\n"
        f"A question takes {1e3 * question:.0f} ms to be asked and answered.\n"
        f"A pair: {1e6 * each['kernel'] / 60:.1f} core microseconds of the projection kernel."
    )
    rows = []
    for workers in WORKERS:
        encode = each["encode"] * FULL / workers
        code = each["code"] * FULL / workers
        work = each["dictionary"] * FULL / N_ITERATIONS / workers
        wait = rounds / 2 * (question + 2 * workers * TASK_SECONDS)  # both parts wait side by side
        pairs = each["kernel"] / 60 * FULL**2 / 2 / workers
        rows.append([
            str(workers), hours(encode), hours(code), hours(work), hours(wait),
            hours(20 * (work + wait)), hours(pairs), f"{FULL * n_bytes / workers / 1e9:,.0f} GB",
        ])  # fmt: skip
    print_table(
        f"{FULL:,} clips of 48 x 48 x 75 on workers of one core each, {N_ATOMS} atoms: expected",
        ["workers", "encode", "code", "an iteration: work", "and waiting", "20 iterations",
         "all pairs (half a square)", "systems a worker"],
        rows,
    )  # fmt: skip


def hours(seconds):
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"


def memory(megabytes=200, count=4800):
    program = Path(__file__).parents[1] / "tests" / "support" / "frugal.py"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(program), folder, str(megabytes), str(count)]
        seconds, done = timed(
            lambda: subprocess.run(command, capture_output=True, text=True, check=True)
        )
    result = json.loads(done.stdout)
    print(
        f"\n{count} sequences, {result['n_bytes'] / 1e6:,.0f} MB of systems, with {megabytes} MB "
        f"beyond an idle process ({result['idle_mb']:.0f} MB): fitted, learned, coded, clustered "
        f"and predicted in {seconds:.0f} s; peak {result['peak_mb']:.0f} MB beyond it. All at once "
        f"it {result['whole']}."
    )
