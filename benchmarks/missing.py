"""Missing samples: ``python -m benchmarks missing``, ``missing_accuracy`` or ``missing_coverage``.

The first measures time. The others need the folder LDSLEARN_DATA; accuracy takes an hour, and names
of collections restrict it.
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from benchmarks.timing import best_seconds, print_table
from ldslearn import LDSSVC, LDSEncoder
from ldslearn.datasets import load_npz, make_lds_sequences
from ldslearn.sequences.gaps import channel_statistics, interpolate_gaps

COLLECTIONS = ("hcs10", "epilepsy", "articulary_word", "racketsports", "florence3d", "sdh2")
SHARES = (0.1, 0.3, 0.5)
ROUNDS = {"hcs10": 10, "sdh2": 10}  # random splits 9:1; others have a split of their own
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
    rows = [[name, "none", "0 %", *[f"{complete:.1f}"] * 3]]
    for kind, remove in (("samples", remove_samples), ("blocks", remove_blocks)):
        for share in SHARES:
            gappy = remove(X, share, np.random.default_rng(0))
            scores = [run(gappy, one) for one in ("smoothed", *FILLERS)]
            rows.append([name, kind, f"{share:.0%}", *(f"{one:.1f}" for one in scores)])
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def run_accuracy():
    chosen = [name for name in sys.argv[2:] if name in COLLECTIONS] or COLLECTIONS
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        rows = [row for name in chosen for row in measure_accuracy(name)]
    header = ["collection", "removed", "share", "smoothed", "interpolated", "mean"]
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
            iterations = encoder.n_iter_.mean()
            rows.append(
                [
                    f"({n_systems}, {n_channels}, {tau}, {n_states})",
                    f"{1e3 * seconds['complete'] / n_systems:.2f} ms",
                    f"{1e3 * seconds['gaps'] / n_systems:.2f} ms",
                    f"{seconds['gaps'] / seconds['complete']:.1f} x",
                    f"{iterations:.1f}",
                ]
            )
    header = ["(N, m, tau, n)", "complete, per sequence", "30 % gaps", "ratio", "iterations"]
    print_table("Fitting systems to sequences with gaps, one thread", header, rows)


def measure_coverage(name, n_states, delays):
    """Share of samples inside 90 % intervals: the last tenth forecast, 30 % of the rest imputed."""
    data = load_npz(Path(os.environ["LDSLEARN_DATA"]) / f"{name}.npz")
    X = [x.astype(np.float64) for x in data.X if x.shape[1] >= 3 * (n_states + delays)]
    n_ahead = [max(1, x.shape[1] // 10) for x in X]
    past = [x[:, :-n] for x, n in zip(X, n_ahead, strict=True)]
    gappy = remove_samples(past, 0.3, np.random.default_rng(0))
    encoder = LDSEncoder(
        n_states, n_noise=n_states, delays=delays, stabilizer="clip", missing="smooth",
        constant="rest",
    )  # fmt: skip
    systems = encoder.fit_transform(gappy)
    inside, imputed = [], []
    filled, deviations = systems.impute(gappy, return_deviations=True)
    for i, n in enumerate(n_ahead):
        _, lower, upper = systems[i].forecast([gappy[i]], n, interval=0.9)
        actual = X[i][:, -n:]
        inside.append(((lower[0] <= actual) & (actual <= upper[0])).ravel())
        missing = np.isnan(gappy[i])
        errors = np.abs(filled[i] - past[i])[missing]
        imputed.append(errors <= 1.6449 * deviations[i][missing])
    shares = [100 * np.concatenate(parts).mean() for parts in (inside, imputed)]
    return [name, f"{n_states}", f"{delays}", *(f"{share:.1f}" for share in shares)]


def run_coverage():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [
            measure_coverage(*case)
            for case in (("epilepsy", 3, 1), ("epilepsy", 8, 5), ("hcs10", 3, 1), ("hcs10", 5, 2))
        ]
    header = ["collection", "states", "delays", "forecasts inside, %", "imputed samples inside, %"]
    print_table("Coverage of 90 % intervals, 30 % of the samples removed", header, rows)


def run():
    time_fitting()
