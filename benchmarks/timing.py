"""Fair ratios on a shared machine: contestants take turns, and each counts its best turn."""

import random
import time

import numpy as np


def best_seconds(contestants, repeats=5, clock=time.perf_counter, n_bytes=0):
    """Return {name: seconds of its fastest run}; all run once per round, so noise hits all alike.

    The order changes from round to round: what a run leaves behind in caches and memory slows the
    next one. `n_bytes` of memory are claimed and released before each run: virtual machines may
    hand memory back to their host when it was free for two seconds. Getting it again takes much
    longer than getting memory that was just released, and a run would pay for how long it waited
    for its turn. Runs then start with cold caches.
    """
    best = dict.fromkeys(contestants, float("inf"))
    for run in contestants.values():
        run()
    order = random.Random(0)
    for _ in range(repeats):
        for name, run in order.sample(list(contestants.items()), len(contestants)):
            time.sleep(0.1)  # OpenBLAS' threads spin for a while after their work, on our cores
            np.empty(n_bytes, dtype=np.uint8)[::4096] = 1
            start = clock()
            run()
            best[name] = min(best[name], clock() - start)
    return best


def print_table(title, header, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
