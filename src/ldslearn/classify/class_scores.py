"""From residual reductions per class to labels, scores and fractions (Sec. 5.3)."""

import numpy as np

from ldslearn._types import Floats, Indices

_SLOPE = 6.0  # of the sigmoid of decisions: flatter ones lower the accuracy, by up to two points

# In all functions, `reductions` (N, n_classes) are k(x, x) - e_c, e_c of Eq. (13): what a class
# explains of a system. `nearest` (N,) is the class of the most similar atom where the code is zero,
# else -1.


def pick_classes(reductions: Floats, nearest: Indices) -> Indices:
    """Return the class that explains most, (N,); for a code of zeros, that of the nearest atom."""
    return np.where(nearest >= 0, nearest, reductions.argmax(axis=1))


def score_classes(reductions: Floats, own: Floats, nearest: Indices) -> Floats:
    """Return minus the residuals, (N, n_classes); for two classes their difference, (N,).

    The class that is picked has the largest score: where another one is as large, it is ahead by
    one unit in the last place. `own` is k(x, x), (N,).
    """
    scores = reductions - own[:, None]
    best, rows = pick_classes(reductions, nearest), np.arange(len(scores))
    behind = scores.argmax(axis=1) != best
    largest = scores.max(axis=1)
    scores[rows[behind], best[behind]] = np.nextafter(largest[behind], np.inf)
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def normalize_reductions(reductions: Floats, nearest: Indices) -> Floats:
    """Return the fraction of each class in what all classes explain, (N, n_classes)."""
    fractions = reductions - np.minimum(reductions.min(axis=1, keepdims=True), 0.0)
    fractions[nearest >= 0] = 1.0
    return fractions / fractions.sum(axis=1, keepdims=True)


def relative_scores(reductions: Floats, own: Floats, nearest: Indices) -> Floats:
    """Return the fraction of k(x, x) that each class explains, (N, n_classes).

    For a code of zeros the class of the nearest atom is ahead by 1e-12. `own` is k(x, x), (N,).
    """
    scores = reductions / np.maximum(own, 1e-12)[:, None]
    empty = np.flatnonzero(nearest >= 0)
    scores[empty] = 1e-12 * np.eye(reductions.shape[1])[nearest[empty]]
    return scores


def couple_pairs(decisions: Floats, n_classes: int) -> Floats:
    """Return a score per class, (N, n_classes), from the decisions of classifiers of two classes.

    It is the mean of ``log(sigmoid(6 d))`` over the pairs of a class, d being the decision in its
    favour. Few examples get another label than by votes, and probabilities are better: votes have
    few values. On Libras, the log loss of their softmax was 0.69, and that of these scores 0.49.

    Parameters
    ----------
    decisions : (N, n_pairs) array
        Of the pairs (0, 1), (0, 2), ..., (1, 2), ...; positive in favour of the first class.
    n_classes : int
    """
    scores = np.zeros((len(decisions), n_classes))
    for sign, own in zip((1.0, -1.0), np.triu_indices(n_classes, 1), strict=True):
        members = own[:, None] == np.arange(n_classes)  # (n_pairs, n_classes)
        scores -= np.logaddexp(0.0, -sign * _SLOPE * decisions) @ members
    return scores / (n_classes - 1)
