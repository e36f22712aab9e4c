"""Scores to probabilities, by what scores of held-out sequences were worth."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

Floats = NDArray[np.float64]


def softmax(scores: Floats) -> Floats:
    """Return rows that sum to one; minus infinity is a chance of zero."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def fit_temperature(scores: Floats, labels: NDArray[np.intp]) -> float:
    """Return the factor b for which softmax(b scores) is likeliest, given the true labels.

    Every class gets half an observation in each row more, so that b stays finite when no held-out
    sequence was labelled wrongly.
    """
    if not len(scores):
        return 1.0
    finite = np.where(np.isfinite(scores), scores, np.nan)
    spread = np.nanstd(finite)
    if not spread > 0:
        return 1.0
    low = np.nanmin(finite, axis=1, keepdims=True)
    filled = np.where(np.isfinite(scores), scores, low - spread)
    n, n_classes = filled.shape
    target = np.full((n, n_classes), 0.5 / (n * n_classes))
    target[np.arange(n), labels] += 1.0
    target /= target.sum(axis=1, keepdims=True)

    def loss(log_factor: float) -> float:
        scaled = np.exp(log_factor) / spread * filled
        logs = scaled - scaled.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return float(-(target * logs).sum())

    found = minimize_scalar(loss, bounds=(-5.0, 8.0), method="bounded")
    return float(np.exp(found.x) / spread)
