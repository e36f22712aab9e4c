"""Evaluate a method by a protocol: one run, one record that JSON can hold."""

import hashlib
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from ldslearn._parallel import progress
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.fitting import Fit, fit_method
from ldslearn.evaluate.methods import DEFAULT_METHOD, Settings, find_method
from ldslearn.evaluate.protocols import Protocol, automatic_protocol

_PACKAGES = ("ldslearn", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Round:
    """A round as it was: what was fitted, to what, and what it said."""

    fit: Fit
    known: Collection
    unknown: Collection
    predicted: NDArray[Any]


def evaluate(
    data: Collection,
    method: str = DEFAULT_METHOD,
    protocol: Protocol | None = None,
    *,
    n_states: int | None = None,
    sparsity: float | None = None,
    delays: int | None = None,
    encoder: dict[str, Any] | None = None,
    settings: Settings | None = None,
    on_first: Callable[[Round], None] | None = None,
) -> dict[str, Any]:
    """Return the record of a method on a collection.

    Parameters
    ----------
    data : Collection
        With labels.
    method : str
        A name of :data:`~ldslearn.evaluate.METHODS`.
    protocol : Protocol, optional
        Default: the data's own split, or five folds.
    n_states, sparsity, delays : optional
        Chosen on the training part of each round when not given (delays by a rule).
    encoder : dict, optional
        Further arguments of :class:`~ldslearn.LDSEncoder`.
    settings : Settings, optional
    on_first : callable, optional
        Called with the first :class:`Round` when it is done, to keep more than its numbers.

    Returns
    -------
    dict
        Of plain values: accuracy (mean, spread, of each round), what was chosen, the confusion
        matrix summed over rounds, times, versions, and the data's fingerprint.
    """
    started = time.perf_counter()
    chosen_method, settings = find_method(method), settings or Settings()
    protocol = protocol or automatic_protocol(data)
    splits = protocol.splits(data, settings.seed)
    assert data.y is not None  # splits() has checked
    classes = data.classes
    rounds: list[dict[str, Any]] = []
    confusion = np.zeros((len(classes), len(classes)), dtype=int)
    with progress("evaluating", len(splits)) as advance:
        for train, test in splits:
            before = time.perf_counter()
            known, unknown = data[train], data[test]
            fit = fit_method(
                chosen_method, known, settings, outer=protocol, whole=data,
                n_states=n_states, sparsity=sparsity, delays=delays, encoder=encoder,
            )  # fmt: skip
            fitted = time.perf_counter()
            predicted = fit.predict(unknown.X)
            done = time.perf_counter()
            confusion += confusion_matrix(unknown.y, predicted, labels=classes)
            rounds.append({
                "accuracy": float(np.mean(predicted == unknown.y)),
                "n_train": len(known),
                "n_test": len(unknown),
                **fit.choice.values(),
                **({} if fit.report is None else {"report": fit.report}),
                "fit_seconds": fitted - before,
                "predict_seconds": done - fitted,
            })  # fmt: skip
            if on_first is not None and len(rounds) == 1:
                on_first(Round(fit, known, unknown, predicted))
            advance(1)
    accuracies = [one["accuracy"] for one in rounds]
    return {
        "record": "evaluation",
        "method": method,
        "protocol": str(protocol),
        "seed": settings.seed,
        "accuracy": float(np.mean(accuracies)),
        "spread": float(np.std(accuracies)),
        "rounds": rounds,
        "classes": classes,
        "confusion": confusion.tolist(),
        "data": describe(data),
        "seconds": time.perf_counter() - started,
        "versions": versions(),
    }


def describe(data: Collection) -> dict[str, Any]:
    """Numbers that say what a collection is, and its fingerprint."""
    lengths = [x.shape[1] for x in data.X]
    counts = [] if data.y is None else np.unique(data.y, return_counts=True)[1].tolist()
    return {
        "n_sequences": len(data),
        "n_channels": len(data.X[0]),
        "frame_shape": None if data.frame_shape is None else list(data.frame_shape),
        "shortest": min(lengths),
        "longest": max(lengths),
        "classes": dict(zip(data.classes, counts, strict=True)),
        "n_groups": 0 if data.groups is None else len(np.unique(data.groups)),
        "splits": [] if data.split is None else [str(part) for part in np.unique(data.split)],
        "skipped": [list(item) for item in data.skipped],
        "preprocessing": data.preprocessing,
        "fingerprint": fingerprint(data),
    }


def fingerprint(data: Collection) -> str:
    """SHA-256 of sequences and labels: the same for the same data, whatever file they were in."""
    digest = hashlib.sha256()
    for sequence in data.X:
        digest.update(str(sequence.shape).encode())
        digest.update(np.ascontiguousarray(sequence, dtype=np.float64).tobytes())
    if data.y is not None:
        digest.update("\n".join(data.y).encode())
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Versions of everything that decides the numbers."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }
