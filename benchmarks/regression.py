"""Numbers from sequences: generated data with known parameters, and two measured targets.

``python -m benchmarks regression``; ``regression_expected`` compares the error that
AutoLDSRegressor expects with the measured one. Errors are root mean squares in per cent of the
deviation of the test targets: 100 is what the mean of all targets reaches. The measured targets
need LDSLEARN_DATA: the logarithm of the deviation of a channel that the models do not see, from
the other channels, on the collections' own splits.
"""

import os
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.flattening import flatten
from benchmarks.timing import print_table
from ldslearn import AutoLDSRegressor, LDSRegressor
from ldslearn.datasets import Collection, load_npz, make_dynamic_textures
from ldslearn.models.defaults import make_default_encoder
from ldslearn.random_systems import RandomSystemsRegressor
from ldslearn.video import to_sequence

SEEDS = (0, 1, 2)
BUDGET = 20.0  # seconds of the automatic regressor
QUICK_BUDGET = 6.0  # where only what it expects is measured
N_TRAIN = 80
N_HALVINGS = 4  # of each problem, with both halves for training


def make_resonances(seed):
    """Three mixtures of two noisy resonators; the targets are angle and decay of the first."""
    random, X, y = np.random.default_rng(seed), [], []
    for _ in range(160):
        sources = []
        for _ in range(2):
            angle, radius = random.uniform(0.2, 1.2), random.uniform(0.8, 0.99)
            x = np.zeros(150)
            for t in range(2, 150):
                x[t] = 2 * radius * np.cos(angle) * x[t - 1] - radius**2 * x[t - 2]
                x[t] += random.normal()
            sources.append((x[30:] / x[30:].std(), angle, -1 / np.log(radius)))
        mixing = np.array([[1.0, 0.3], [0.6, -0.5], [0.2, 0.4]])
        X.append(mixing @ np.stack([s for s, _, _ in sources]))
        X[-1] += 0.1 * random.normal(size=X[-1].shape)
        y.append([sources[0][1], np.log(sources[0][2])])
    return X, np.array(y)


def make_speeds(seed):
    """Clips of waves; the target is their speed."""
    random = np.random.default_rng(seed)
    speeds = random.uniform(0.005, 0.03, 160)
    clips = [
        make_dynamic_textures(
            ["waves"], 1, size=16, n_frames=40, random_state=int(random.integers(2**31)),
            parameters={"waves": {"speed": float(speed)}}, jitter=0.0,
        )[0][0]
        for speed in speeds
    ]  # fmt: skip
    return [to_sequence(clip) for clip in clips], speeds


def read_measured(name):
    """Return the channels but the last, the logarithm of its deviation, and the split."""
    data = load_npz(Path(os.environ["LDSLEARN_DATA"]) / f"{name}.npz")
    y = np.log([x[-1].std() for x in data.X])
    return [x[:-1] for x in data.X], y, data.split == np.unique(data.split)[0]


def measure(X, y, train, seed):
    """Return the error of every model (%), and the coverage of 95 % intervals."""
    known, new = [X[i] for i in np.flatnonzero(train)], [X[i] for i in np.flatnonzero(~train)]
    truth, found = y[~train], {}

    def add(name, predictions):
        errors = np.sqrt(np.square(predictions - truth).mean(axis=0)) / truth.std(axis=0)
        found[name] = 100 * np.atleast_1d(errors)

    flat = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 6, 17)))
    add("ridge, flattened", flat.fit(flatten(known), y[train]).predict(flatten(new, like=known)))
    random = RandomSystemsRegressor(random_state=seed, n_jobs=2).fit(known, y[train])
    add("ridge, random systems", random.predict(new))
    encoder = make_default_encoder(Collection(known), n_jobs=2)
    kernel = {"projection": 1 / encoder.n_states, "mean": 0.5, "deviation": 0.5}
    systems = encoder.fit_transform(known), encoder.transform(new)
    for name, model in (
        ("LDSRegressor()", LDSRegressor(n_jobs=2)),
        ("LDSRegressor, mixture", LDSRegressor(kernel, n_jobs=2)),
        ("Gaussian process, mixture", LDSRegressor(kernel, method="gaussian_process", n_jobs=2)),
    ):
        add(name, model.fit(systems[0], y[train]).predict(systems[1]))
    mean, std = model.predict(systems[1], return_std=True)
    auto = AutoLDSRegressor(BUDGET, random_state=seed, n_jobs=2).fit(known, y[train])
    add("AutoLDSRegressor", auto.predict(new))
    found["expected by it"] = 100 * np.array(auto.report_.expected_error) / y[train].std(axis=0)
    found["95 % intervals"] = 100 * np.atleast_1d((np.abs(mean - truth) < 1.96 * std).mean(axis=0))
    return found


def run():
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for titles, make in (
            (["angle of a resonance", "decay time of a resonance"], make_resonances),
            (["speed of waves"], make_speeds),
        ):
            results = []
            for seed in SEEDS:
                X, y = make(seed)
                results.append(measure(X, y, np.arange(len(X)) < N_TRAIN, seed))
            rows += tabulate(titles, results)
        for name in ("epilepsy", "racketsports"):
            if not (Path(os.environ.get("LDSLEARN_DATA", "")) / f"{name}.npz").is_file():
                print(f"{name} is not available: LDSLEARN_DATA must name its folder")
                continue
            X, y, train = read_measured(name)
            rows += tabulate([f"{name}, hidden channel"], [measure(X, y, train, s) for s in SEEDS])
    header = ["", *(name for name in rows[0][1])]
    cells = [[title, *values.values()] for title, values in rows]
    print_table("Regression: error in % of the deviation", header, cells)


def run_expected():
    """Compare expected and measured errors on random halves, each for training and for testing.

    Both halves of a collection have the same distribution, which its own split need not have. With
    the halves exchanged, a half whose targets vary little counts as often on both sides.
    """
    problems = {
        ("angle of a resonance", "decay time of a resonance"): make_resonances,
        ("speed of waves",): make_speeds,
    }
    for name in ("epilepsy", "racketsports"):
        if (Path(os.environ.get("LDSLEARN_DATA", "")) / f"{name}.npz").is_file():
            problems[f"{name}, hidden channel",] = lambda _, name=name: read_measured(name)[:2]
    rows = []
    for titles, make in problems.items():
        squares = []  # (rounds, expected and measured, n_outputs), in units of the variance of y
        for seed in range(N_HALVINGS):
            X, y = make(seed)
            y = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
            halves = np.array_split(np.random.default_rng(100 + seed).permutation(len(X)), 2)
            for train, test in (halves, halves[::-1]):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    model = AutoLDSRegressor(QUICK_BUDGET, random_state=seed, n_jobs=2)
                    model.fit([X[i] for i in train], y[train])
                    found = np.square(model.predict([X[i] for i in test]) - y[test]).mean(axis=0)
                both = np.stack([np.square(model.report_.expected_error), found])
                squares.append(both / y.var(axis=0))
        relative = 100 * np.sqrt(np.mean(squares, axis=0))
        spreads = 100 * np.std(np.sqrt(squares), axis=0)
        for i, title in enumerate(titles):
            both = [f"{relative[k, i]:.1f} ± {spreads[k, i]:.1f}" for k in (0, 1)]
            rows.append([title, *both])
            print(rows[-1], flush=True)
    header = ["", "expected", "measured"]
    print_table("AutoLDSRegressor: error in % of the deviation", header, rows)


def tabulate(titles, results):
    """Return one row per output: mean and deviation over the seeds."""
    return [
        (
            title,
            {
                name: f"{np.mean([r[name][i] for r in results]):.1f} ± "
                f"{np.std([r[name][i] for r in results]):.1f}"
                for name in results[0]
            },
        )
        for i, title in enumerate(titles)
    ]
