"""Measures of predictions: accuracy, balanced accuracy, macro F1, and a confidence interval."""

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, recall_score

MEASURES = ("accuracy", "balanced_accuracy", "macro_f1")
_Z = 1.96  # standard errors of a 95 % interval


def measure_predictions(y: NDArray[Any], predicted: NDArray[Any]) -> dict[str, float]:
    """Return accuracy, balanced accuracy and macro F1, computed by scikit-learn.

    Parameters
    ----------
    y, predicted : (N,) array of labels

    Returns
    -------
    dict
        "accuracy" is the fraction of correct predictions, "balanced_accuracy" the mean recall of
        the classes in `y`, "macro_f1" the mean F1 of the classes in `y` or in `predicted`.
    """
    # balanced_accuracy_score is the same mean, with a warning where a class is predicted alone.
    recall = recall_score(y, predicted, labels=np.unique(y), average="macro")
    return {
        "accuracy": float(np.mean(y == predicted)),
        "balanced_accuracy": float(recall),
        "macro_f1": float(f1_score(y, predicted, average="macro")),
    }


def wilson_interval(fraction: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a fraction of n by Wilson's method, within 0 and 1."""
    centre = (fraction + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * sqrt(fraction * (1 - fraction) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return max(0.0, centre - half), min(1.0, centre + half)
