"""Twenty encodings of the same sequences at once, against one of them and against twenty."""

import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import load_available
from benchmarks.timing import best_seconds, print_table
from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions
from ldslearn.models.shared_encoding import SharedEncoding

FIELDS = ("A", "C", "B", "mean", "x0", "noise_variance", "deviation")
ORDERS = (2, 3, 4, 5, 6)


def load_collections():
    found = {"BasicMotions, 6 channels": (load_basic_motions()[0], (2, 3))}
    for data_set in load_available("avletters"):
        found["AVLetters, 1,200 channels"] = (data_set.data.X[::3], (1, 2))
    return found


def compare_digits(alone, together):
    """Largest difference of any field, relative to its largest entry."""
    return max(
        np.abs(getattr(a, field) - getattr(b, field)).max() / np.abs(getattr(a, field)).max()
        for a, b in zip(alone, together, strict=True)
        for field in FIELDS
    )


def run():
    rows = []
    for name, (X, delays) in load_collections().items():
        encoders = [
            LDSEncoder(n, delays=d, windows=w, constant="rest")
            for n in ORDERS
            for d in delays
            for w in (1, 2)
        ]
        contestants = {
            i: lambda encoder=encoder, X=X: encoder.fit_transform(X)
            for i, encoder in enumerate(encoders)
        }
        contestants["all"] = lambda X=X, encoders=encoders: SharedEncoding(X).encode(encoders)
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", UserWarning)  # idle states
            seconds = best_seconds(contestants, repeats=9, n_bytes=2**29)  # results take 300 MB
            alone = [encoder.fit_transform(X) for encoder in encoders]
            together = SharedEncoding(X).encode(encoders)
        together_seconds, each = seconds.pop("all"), np.array(list(seconds.values()))
        rows.append([
            name,
            f"{1e3 * together_seconds / len(X):.1f} ms",
            f"{each.sum() / together_seconds:.1f} x",
            f"{together_seconds / each.mean():.1f} x",
            f"{together_seconds / each.max():.1f} x",
            f"{compare_digits(alone, together):.0e}",
        ])  # fmt: skip
    print_table(
        f"Twenty encodings (n_states {ORDERS}, two delays, windows 1 and 2), one thread",
        ["", "all, per sequence", "faster than separately", "over the mean one",
         "over the longest one", "largest difference"],
        rows,
    )  # fmt: skip
