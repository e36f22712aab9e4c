"""Times and memory against each size, with fitted exponents next to those of theory."""

import gc
import tracemalloc
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.geometry import copy_and_compute, make_systems
from benchmarks.timing import best_seconds, print_table
from ldslearn import LDSDictionary, LDSEncoder, sparse_code
from ldslearn._parallel import limit_blas_threads
from ldslearn.geometry import projection_kernel

BASE = {"N": 100, "m": 400, "tau": 60, "n": 8, "J": 16}
VALUES = {
    "N": (50, 100, 200, 400),
    "m": (200, 400, 800, 1600),
    "tau": (30, 60, 120, 240),
    "n": (4, 8, 16, 24),
    "J": (8, 16, 32, 64),
}
# Exponents of time and of memory. Fitting: N m tau^2 flops for m > tau, results N m n. Kernels:
# (N n)^2 m flops, results N^2 beside the N m n of both sides. Codes: the Gram matrix of J atoms is
# checked and copied. Dictionaries: a pass is J problems of the samples that use an atom.
THEORY = {
    "fit": {"N": (1, 1), "m": (1, 1), "tau": (2, 0), "n": (0, 1)},
    "kernel": {"N": (2, 1), "m": (1, 1), "n": (2, 1)},
    "codes": {"N": (1, 1), "J": (2, 2)},
    "dictionary": {"N": (1, 1), "m": (1, 1), "n": (2, 1), "J": (1, 0)},
}
COLOURS = {"fit": "C0", "kernel": "C1", "codes": "C2", "dictionary": "C3"}


def make_sequences(sizes):
    random = np.random.default_rng(0)
    shape = (sizes["N"], sizes["m"], sizes["tau"])
    return list(random.standard_normal(shape).cumsum(axis=2))


def make_codes_problem(sizes):
    """Atoms are a multiple of J, so that their products are not lost in calls."""
    random = np.random.default_rng(0)
    atoms = random.standard_normal((20 * sizes["J"], 2000)) / np.sqrt(2000)
    samples = atoms[random.integers(0, len(atoms), (sizes["N"], 3))].sum(axis=1)
    return atoms @ atoms.T, samples @ atoms.T


def prepare(stage, sizes):
    """Return a function without arguments that does one piece of work."""
    if stage == "fit":
        X = make_sequences(sizes)
        return lambda: LDSEncoder(sizes["n"]).fit_transform(X)
    if stage == "kernel":
        systems = make_systems(sizes["N"], sizes["m"], sizes["n"])
        return lambda: copy_and_compute(projection_kernel, systems)
    if stage == "codes":
        gram, cross = make_codes_problem(sizes)
        return lambda: sparse_code(gram, cross, 0.5)
    systems = make_systems(sizes["N"], sizes["m"], sizes["n"])
    model = LDSDictionary(sizes["J"], init="random", max_iter=1, random_state=0)
    return lambda: model.fit(systems)


def measure_peak(work):
    """Return the largest number of bytes that arrays take at once, beyond those before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def fit_exponent(values, results):
    """Slope of the logarithms over all sizes but the smallest."""
    return float(np.polyfit(np.log(values[1:]), np.log(results[1:]), 1)[0])


def run():
    found = {}
    with limit_blas_threads():
        for stage, theory in THEORY.items():
            for size in theory:
                works = {v: prepare(stage, {**BASE, size: v}) for v in VALUES[size]}
                seconds = best_seconds(works, repeats=3)
                peaks = [measure_peak(work) for work in works.values()]
                found[stage, size] = list(seconds.values()), peaks
    rows = []
    for (stage, size), results in found.items():
        row = [stage, size]
        for kind, measured in enumerate(results):
            exponent = fit_exponent(VALUES[size], measured)
            row += [f"{exponent:.1f}", f"{THEORY[stage][size][kind]}"]
        rows.append([*row, f"{1e3 * results[0][-1]:.0f} ms", f"{results[1][-1] / 2**20:.0f} MiB"])
    print_table(
        f"Growth from {BASE}, one thread: exponents",
        ["", "size", "time", "theory", "memory", "theory", "time at the largest", "memory there"],
        rows,
    )
    draw(found)


def draw(found):
    figure = Figure(figsize=(13, 5.6), layout="constrained")
    axes = figure.subplots(2, len(VALUES), sharey="row")
    labels = ("seconds", "bytes of arrays")
    for column, (size, values) in enumerate(VALUES.items()):
        for kind in (0, 1):
            ax = axes[kind, column]
            for stage, colour in COLOURS.items():
                if (stage, size) not in found:
                    continue
                measured = found[stage, size][kind]
                exponent, expected = fit_exponent(values, measured), THEORY[stage][size][kind]
                label = f"{stage} {exponent:.1f} ({expected})"
                ax.loglog(values, measured, "o-", color=colour, label=label, markersize=4)
                slope = measured[-1] * (np.array(values) / values[-1]) ** expected
                ax.loglog(values, slope, ":", color=colour, linewidth=1)
            ax.set_xticks(values, [str(v) for v in values], minor=False)
            ax.minorticks_off()
            ax.legend(frameon=False, fontsize=7)
            if kind == 1:
                ax.set_xlabel(size)
            if column == 0:
                ax.set_ylabel(labels[kind])
    figure.suptitle("Growth: measured exponents, those of theory in brackets and dotted")
    path = Path(__file__).parents[1] / "docs" / "images" / "growth.png"
    figure.savefig(path, dpi=110)
    print(f"\ndrawn {path.name}")
