"""Fitting systems, against an SVD and a pinv per sequence, and against one Gram matrix and eigh."""

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import load_available
from benchmarks.timing import best_seconds, print_table
from ldslearn import LDSEncoder
from ldslearn.datasets import load_japanese_vowels, make_lds_sequences
from ldslearn.models import STABILIZERS

SIZES = [(100, 400, 80, 10), (60, 2304, 75, 20), (1000, 72, 300, 10)]


def fit_plainly(sequences, n_states):
    for Y in sequences:
        Y = Y - Y.mean(axis=1, keepdims=True)
        U, s, Vt = np.linalg.svd(Y, full_matrices=False)
        C, X = U[:, :n_states], s[:n_states, None] * Vt[:n_states]
        A = X[:, 1:] @ np.linalg.pinv(X[:, :-1])
        U, s, Vt = np.linalg.svd(A)
        yield U @ np.diag(np.tanh(1.25 * s)) @ Vt, C


def compute_floor(sequences):
    for Y in sequences:
        yield np.linalg.eigh(Y.T @ Y if Y.shape[0] > Y.shape[1] else Y @ Y.T)


def exhaust(iterator):
    for _ in iterator:
        pass


def time_fitting():
    rows = []
    for threads in (1, 2):
        for n_systems, n_channels, n_timepoints, n_states in SIZES:
            X, _ = make_lds_sequences(
                1, n_systems, n_channels=n_channels, n_timepoints=n_timepoints,
                n_states=n_states, random_state=0,
            )  # fmt: skip
            encoder = LDSEncoder(n_states, n_jobs=threads)
            with threadpool_limits(threads):
                seconds = best_seconds(
                    {
                        "ours": lambda e=encoder, X=X: e.fit_transform(X),
                        "plain": lambda n=n_states, X=X: exhaust(fit_plainly(X, n)),
                        "floor": lambda X=X: exhaust(compute_floor(X)),
                    }
                )
            rows.append(
                [
                    f"{threads}",
                    f"({n_systems}, {n_channels}, {n_timepoints}, {n_states})",
                    f"{1e3 * seconds['ours'] / n_systems:.2f} ms",
                    f"{seconds['plain'] / seconds['ours']:.1f} x",
                    f"{seconds['ours'] / seconds['floor']:.2f} x",
                ]
            )
    print_table(
        "Fitting systems, everything included (checks, A, C, B, mean, x0, noise, soft)",
        ["threads", "(N, m, tau, n)", "ours, per sequence", "plain / ours", "ours / floor"],
        rows,
    )


def load_collections():
    """JapaneseVowels, and what the folder LDSLEARN_DATA has: {name: (X, parameters)}."""
    found = {"JapaneseVowels": (load_japanese_vowels()[0], {"n_states": 5})}
    for name, parameters in {
        "hcs10": {"n_states": 4},
        "epilepsy": {"n_states": 10, "delays": 5},
        "avletters": {"n_states": 10},
    }.items():
        for data_set in load_available(name):
            found[data_set.title] = (data_set.data.X, parameters)
    return found


def time_stabilizers():
    for name, (X, parameters) in load_collections().items():
        encoders = {s: LDSEncoder(stabilizer=s, **parameters).fit(X) for s in STABILIZERS}
        seconds = best_seconds(
            {s: lambda e=encoder, X=X: e.transform(X) for s, encoder in encoders.items()}, repeats=3
        )
        rows = []
        for stabilizer, encoder in encoders.items():
            _, certificate = encoder.transform(X, return_certificate=True)
            unstable = certificate.radius_before >= 1
            growth = certificate.error_growth[unstable].mean()
            ratio = seconds[stabilizer] / seconds["none"]
            rows.append([stabilizer, f"{ratio:.1f} x", f"{growth:.3f} x"])
        print_table(
            f"Stabilizers on {name}, {parameters}: {unstable.sum()} of {len(X)} fits are unstable",
            ["stabilizer", "time of fitting with none", "error of the unstable ones"],
            rows,
        )


def run():
    time_fitting()
    time_stabilizers()
