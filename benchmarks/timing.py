"""Fair ratios on a shared machine: contestants take turns, and each counts its best turn."""

import time


def best_seconds(contestants, repeats=5, clock=time.perf_counter):
    """Return {name: seconds of its fastest run}; all run once a round, so noise hits all alike."""
    best = dict.fromkeys(contestants, float("inf"))
    for run in contestants.values():
        run()
    for _ in range(repeats):
        for name, run in contestants.items():
            time.sleep(0.1)  # OpenBLAS' threads spin for a while after their work, on our cores
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
