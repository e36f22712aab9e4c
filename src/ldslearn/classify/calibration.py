"""Scores to probabilities, calibrated on held-out sequences."""

import math

import numpy as np
from scipy.optimize import minimize_scalar

from ldslearn._types import Floats, Indices

_FLOOR = 1e-6  # probability shared by all classes: nothing is impossible


def calibrated_probabilities(scores: Floats, factor: float) -> Floats:
    """Return softmax(factor * scores), rows that sum to one, no entry zero."""
    raised = np.exp(factor * (scores - scores.max(axis=1, keepdims=True)))
    return (1 - _FLOOR) * raised / raised.sum(axis=1, keepdims=True) + _FLOOR / scores.shape[1]


def fit_factor(scores: Floats, labels: Indices, n_repeats: int = 1) -> float:
    """Return the factor that maximises the likelihood of :func:`calibrated_probabilities`.

    One observation, shared by all classes and sequences, is added, so that the factor stays finite
    when the largest score is always that of the true class.

    Parameters
    ----------
    scores : (N, n_classes) array
        Larger for likelier classes; minus infinity for impossible classes.
    labels : (N,) array
    n_repeats : int
        Rows per sequence.
    """
    finite = scores[np.isfinite(scores)]
    spread = float(finite.std()) if finite.size else 0.0
    if not spread > 0:
        return 1.0
    n_rows, n_classes = scores.shape
    added = n_repeats / n_rows
    target = np.full(scores.shape, added / n_classes)
    target[np.arange(n_rows), labels] += 1.0
    target /= 1.0 + added

    low = np.min(scores, axis=1, keepdims=True, initial=np.inf, where=np.isfinite(scores))
    filled = np.where(np.isfinite(scores), scores, low - spread)

    below = filled - filled.max(axis=1, keepdims=True)
    own = float((target * below).sum())

    def loss(log_factor: float) -> float:
        scale = math.exp(log_factor) / spread
        # Convex in the factor, unlike the likelihood of probabilities with a floor.
        return float(np.log(np.exp(scale * below).sum(axis=1)).sum()) - scale * own

    found = minimize_scalar(loss, bounds=(-4.0, 6.0), method="bounded", options={"xatol": 1e-2})
    return float(np.exp(found.x) / spread)
