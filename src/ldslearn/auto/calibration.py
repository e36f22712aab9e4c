"""Scores to probabilities, by what scores of held-out sequences were worth."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

Floats = NDArray[np.float64]

_FLOOR = 1e-6  # chance shared by all classes: nothing is impossible


def chances(scores: Floats, factor: float) -> Floats:
    """Return softmax(factor * scores), rows that sum to one, no entry zero."""
    raised = np.exp(factor * (scores - scores.max(axis=1, keepdims=True)))
    return (1 - _FLOOR) * raised / raised.sum(axis=1, keepdims=True) + _FLOOR / scores.shape[1]


def fit_factor(scores: Floats, labels: NDArray[np.intp]) -> float:
    """Return the factor for which :func:`chances` of the true labels are largest.

    Half an observation of every class is added, shared among the rows, so that the factor stays
    finite when the largest score is always the right one: the chances then tell by how much.

    Parameters
    ----------
    scores : (N, n_classes) array
        Larger for likelier classes; minus infinity for classes that are out of the question.
    labels : (N,) array
    """
    finite = scores[np.isfinite(scores)]
    spread = float(finite.std()) if finite.size else 0.0
    if not spread > 0:
        return 1.0
    n_rows, n_classes = scores.shape
    target = np.full(scores.shape, 0.5 / n_rows)
    target[np.arange(n_rows), labels] += 1.0
    target /= 1.0 + 0.5 * n_classes / n_rows

    def loss(log_factor: float) -> float:
        return float(-(target * np.log(chances(scores, np.exp(log_factor) / spread))).sum())

    found = minimize_scalar(loss, bounds=(-4.0, 6.0), method="bounded", options={"xatol": 1e-2})
    return float(np.exp(found.x) / spread)
