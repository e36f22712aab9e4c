"""Labels of test sequences, and how sure a method is of those that are wrong."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.fitting import Fit

Floats = NDArray[np.float64]


def list_mislabelled(
    fit: Fit, test: Collection, indices: NDArray[np.intp], predicted: NDArray[Any]
) -> list[dict[str, Any]]:
    """Return one entry per test sequence with a wrong prediction, as plain values.

    Parameters
    ----------
    fit : Fit
    test : Collection
        With labels.
    indices : (N,) array
        Position of each test sequence in the whole collection.
    predicted : (N,) array of labels

    Returns
    -------
    list of dict
        index, name, label (the true one), predicted; and `probability` of the predicted class, or
        `margin`, by which its score exceeds that of the next class. Both are None where the method
        gives neither.
    """
    assert test.y is not None
    wrong = np.flatnonzero(predicted != test.y)
    if not len(wrong):
        return []
    kind, values = _measure_confidence(fit, [test.X[i] for i in wrong], predicted[wrong])
    return [
        {
            "index": int(indices[i]),
            "name": test.names[i],
            "label": str(test.y[i]),
            "predicted": str(predicted[i]),
            "probability": float(value) if kind == "probability" else None,
            "margin": float(value) if kind == "margin" else None,
        }
        for i, value in zip(wrong, values, strict=True)
    ]


def format_confidence(entry: Mapping[str, Any]) -> str:
    """Return the probability or the margin of a wrong prediction; nothing if there is neither."""
    if entry["probability"] is not None:
        return f"{entry['probability']:.2f}"
    return "" if entry["margin"] is None else f"{entry['margin']:.3g}"


def name_confidence(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return what :func:`format_confidence` gives for these entries, for a heading."""
    for name in ("probability", "margin"):
        if any(entry[name] is not None for entry in entries):
            return name
    return ""


def _measure_confidence(
    fit: Fit, X: list[NDArray[Any]], predicted: NDArray[Any]
) -> tuple[str, Floats]:
    """What the method says of its predictions: "probability", "margin" or "", and the values."""
    columns = np.searchsorted(fit.estimator.classes_, predicted)
    rows = np.arange(len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # predict() has warned already
        if hasattr(fit.estimator, "predict_proba"):
            shares = fit.estimator.predict_proba(X)
            # One neighbour's vote is 0 or 1 for every sequence: no probability.
            if not np.isin(shares, (0.0, 1.0)).all():
                return "probability", shares[rows, columns]
        if hasattr(fit.estimator, "decision_function"):
            scores = np.asarray(fit.estimator.decision_function(X))
            if scores.ndim == 1:
                return "margin", np.abs(scores)
            others = scores.copy()
            others[rows, columns] = -np.inf
            return "margin", scores[rows, columns] - others.max(axis=1)
    return "", np.full(len(X), np.nan)
