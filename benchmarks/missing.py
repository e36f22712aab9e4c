"""Missing samples: ``python -m benchmarks missing``, ``missing_accuracy`` or ``missing_coverage``.

The first measures time. Accuracy, and the coverage of collections, need the folder LDSLEARN_DATA.
Accuracy takes two hours, and names of collections restrict it.
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from benchmarks.timing import best_seconds, print_table
from ldslearn import LDS, LDSSVC, LDSEncoder
from ldslearn.datasets import load_npz, make_lds_sequences
from ldslearn.sequences.gaps import channel_statistics, interpolate_gaps

COLLECTIONS = ("hcs10", "epilepsy", "articulary_word", "racketsports", "florence3d", "sdh2")
SHARES = (0.1, 0.3, 0.5)
ROUNDS = {"hcs10": 5, "sdh2": 10}  # random splits 9:1; others have a split of their own
SEEDS = {"hcs10": 1, "sdh2": 1}  # draws of the samples removed, else three
KERNEL = {"projection": 0.3, "mean": 0.4, "deviation": 0.3}
ENCODER = {"n_states": 3, "windows": (1, 2, 4), "constant": "rest"}
SIZES = [(100, 400, 80, 10), (1000, 6, 100, 6)]


def remove_samples(X, share, random):
    """Return sequences without a share of single samples."""
    return [np.where(random.random(x.shape) < share, np.nan, x) for x in X]


def remove_blocks(X, share, random):
    """Return sequences in which each channel lost one run of time points, a sensor's dropout.

    The share of a channel is uniform from 0 to twice `share`.
    """
    removed = []
    for x in X:
        x = x.copy()
        for row in x:
            length = round(len(row) * random.uniform(0, 2 * share))
            start = random.integers(0, len(row) - length + 1)
            row[start : start + length] = np.nan
        removed.append(x)
    return removed


def fill_with_interpolation(X, means):
    filled = [interpolate_gaps(x) for x in X]
    return [np.where(np.isnan(x), means[:, None], x) for x in filled]


def fill_with_means(X, means):
    found = []
    for x in X:
        counts = (~np.isnan(x)).sum(axis=1)
        own = np.where(counts > 0, np.nansum(x, axis=1) / np.maximum(counts, 1), means)
        found.append(np.where(np.isnan(x), own[:, None], x))
    return found


FILLERS = {"interpolated": fill_with_interpolation, "mean": fill_with_means}


def encode(X, treatment, train):
    """Return systems of sequences with gaps, smoothed or filled, channels scaled to deviation 1.

    Smoothing learns the correlations of channels, from the training sequences alone.
    """
    means, variances = channel_statistics([X[i] for i in train])
    deviations = np.sqrt(np.where(variances > 0, variances, 1.0))
    X = [x / deviations[:, None] for x in X]
    if treatment == "smoothed":
        encoder = LDSEncoder(missing="smooth", **ENCODER).fit([X[i] for i in train])
        return encoder.transform(X)
    return LDSEncoder(**ENCODER).fit_transform(FILLERS[treatment](X, means / deviations))


def score(systems, y, train, test):
    return LDSSVC(KERNEL).fit(systems[train], y[train]).score(systems[test], y[test])


def list_rounds(name, data):
    if name in ROUNDS:
        cut = StratifiedShuffleSplit(ROUNDS[name], test_size=0.1, random_state=0)
        return list(cut.split(data.y, data.y))
    return [(np.flatnonzero(data.split == "0"), np.flatnonzero(data.split == "1"))]


def measure_accuracy(name):
    data = load_npz(Path(os.environ["LDSLEARN_DATA"]) / f"{name}.npz")
    X, rounds = [x.astype(np.float64) for x in data.X], list_rounds(name, data)

    def run(X, treatment):
        scores = [score(encode(X, treatment, part[0]), data.y, *part) for part in rounds]
        return 100 * np.mean(scores)

    complete = run(X, "interpolated")
    rows = [[name, "none", "0 %", *[f"{complete:.1f}"] * 3, ""]]
    for kind, remove in (("samples", remove_samples), ("blocks", remove_blocks)):
        for share in SHARES:
            drawn = [remove(X, share, np.random.default_rng(k)) for k in range(SEEDS.get(name, 3))]
            scores = [np.mean([run(x, one) for x in drawn]) for one in ("smoothed", *FILLERS)]
            cost = f"{complete - scores[0]:.1f}"
            rows.append([name, kind, f"{share:.0%}", *(f"{one:.1f}" for one in scores), cost])
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def run_accuracy():
    chosen = [name for name in sys.argv[2:] if name in COLLECTIONS] or COLLECTIONS
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        rows = [row for name in chosen for row in measure_accuracy(name)]
    header = ["collection", "removed", "share", "smoothed", "interpolated", "mean", "cost"]
    print_table("Accuracy in %, by the share of samples removed", header, rows)


def time_fitting():
    rows = []
    for n_systems, n_channels, n_timepoints, n_states in SIZES:
        for factor in (1, 2):
            tau = n_timepoints * factor
            X, _ = make_lds_sequences(
                1, n_systems, n_channels=n_channels, n_timepoints=tau, n_states=n_states,
                random_state=0,
            )  # fmt: skip
            gappy = remove_samples(X, 0.3, np.random.default_rng(0))
            encoder = LDSEncoder(n_states, missing="smooth")
            seconds = best_seconds(
                {
                    "complete": lambda e=encoder, X=X: e.fit_transform(X),
                    "gaps": lambda e=encoder, X=gappy: e.fit_transform(X),
                },
                repeats=3,
            )
            encoder.fit_transform(gappy)
            rows.append(
                [
                    f"({n_systems}, {n_channels}, {tau}, {n_states})",
                    f"{1e3 * seconds['complete'] / n_systems:.2f} ms",
                    f"{1e3 * seconds['gaps'] / n_systems:.2f} ms",
                    f"{seconds['gaps'] / seconds['complete']:.1f} x",
                    f"{encoder.n_iter_.mean():.1f}",
                ]
            )
    header = ["(N, m, tau, n)", "complete, per sequence", "30 % gaps", "ratio", "iterations"]
    print_table("Fitting systems to sequences with gaps, one thread", header, rows)


def cover(systems, gappy, past, futures):
    """Return shares inside 90 % intervals: of samples forecast, and of samples filled."""
    inside, imputed = [], []
    filled, deviations = systems.impute(gappy, return_deviations=True)
    for i, actual in enumerate(futures):
        _, lower, upper = systems[i].forecast([gappy[i]], actual.shape[1], interval=0.9)
        inside.append(((lower[0] <= actual) & (actual <= upper[0])).ravel())
        missing = np.isnan(gappy[i])
        errors = np.abs(filled[i] - past[i])[missing]
        imputed.append(errors <= 1.6449 * deviations[i][missing])
    return [f"{100 * np.concatenate(parts).mean():.1f}" for parts in (inside, imputed)]


def smooth_gaps(sequences, n_states, delays=1, **options):
    encoder = LDSEncoder(
        n_states, n_noise=n_states, delays=delays, stabilizer="clip", missing="smooth", **options
    )
    return encoder.fit_transform(sequences)


def simulate_systems(n_systems, n_states, n_channels, seed):
    """Return random systems of radius 0.9, with noise of its own in every channel."""
    random = np.random.default_rng(seed)
    A = random.standard_normal((n_systems, n_states, n_states))
    return LDS(
        A * (0.9 / np.abs(np.linalg.eigvals(A)).max(axis=1))[:, None, None],
        np.linalg.qr(random.standard_normal((n_systems, n_channels, n_states)))[0],
        B=np.tile(np.eye(n_states), (n_systems, 1, 1)),
        mean=random.standard_normal((n_systems, n_channels)),
        x0=np.zeros((n_systems, n_states)),
        noise_variance=random.uniform(0.02, 1.0, (n_systems, n_channels)),
    )


def measure_simulated_coverage(n_states, n_channels, tau):
    """400 systems: 30 % of tau time points are filled, and 20 more are forecast."""
    truth = simulate_systems(400, n_states, n_channels, tau)
    X = truth.simulate(tau + 20, tau + 1)
    past, futures = [x[:, :tau] for x in X], [x[:, tau:] for x in X]
    gappy = remove_samples(past, 0.3, np.random.default_rng(0))
    sizes = [f"simulated, {n_channels} channels, {tau} time points", f"{n_states}", "1"]
    return [
        [f"{sizes[0]}, true systems", *sizes[1:], *cover(truth, gappy, past, futures)],
        [*sizes, *cover(smooth_gaps(gappy, n_states), gappy, past, futures)],
    ]


def measure_coverage(name, n_states, delays):
    """The last tenth of each sequence is forecast, and 30 % of the rest filled."""
    data = load_npz(Path(os.environ["LDSLEARN_DATA"]) / f"{name}.npz")
    X = [x.astype(np.float64) for x in data.X if x.shape[1] >= 3 * (n_states + delays)]
    cuts = [x.shape[1] - max(1, x.shape[1] // 10) for x in X]
    past, futures = zip(*[(x[:, :k], x[:, k:]) for x, k in zip(X, cuts, strict=True)], strict=True)
    gappy = remove_samples(past, 0.3, np.random.default_rng(0))
    systems = smooth_gaps(gappy, n_states, delays, constant="rest")
    return [name, f"{n_states}", f"{delays}", *cover(systems, gappy, past, futures)]


def run_coverage():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sizes = [(2, 4, 100), (3, 6, 100), (3, 6, 200), (3, 6, 400), (5, 12, 100), (5, 12, 200)]
        rows = [row for size in sizes for row in measure_simulated_coverage(*size)]
        if "LDSLEARN_DATA" in os.environ:
            cases = [("epilepsy", 3, 1), ("epilepsy", 8, 5), ("hcs10", 3, 1), ("hcs10", 5, 2)]
            rows += [measure_coverage(*case) for case in cases]
    header = ["data", "states", "delays", "forecasts inside, %", "filled samples inside, %"]
    print_table("Coverage of 90 % intervals, 30 % of the samples removed", header, rows)


def run():
    time_fitting()
