"""From what each class explains of a system to labels, scores and shares (Sec. 5.3)."""

import numpy as np

from ldslearn._types import Floats, Indices

# Of all functions: explained (N, n_classes), k(x, x) - e_c of Eq. (13); nearest (N,), the class of
# the most similar atom of a system whose code is zero, else -1.


def pick_classes(explained: Floats, nearest: Indices) -> Indices:
    """Return the class that explains most, (N,); of a code of zeros, that of the nearest atom."""
    return np.where(nearest >= 0, nearest, explained.argmax(axis=1))


def score_classes(explained: Floats, own: Floats, nearest: Indices) -> Floats:
    """Return minus the residuals, (N, n_classes); of two classes their difference, (N,).

    The class that is picked has the largest score: where another one is as large, it is ahead by
    one unit in the last place. `own` is k(x, x), (N,).
    """
    scores = explained - own[:, None]
    best, rows = pick_classes(explained, nearest), np.arange(len(scores))
    behind = scores.argmax(axis=1) != best
    largest = scores.max(axis=1)
    scores[rows[behind], best[behind]] = np.nextafter(largest[behind], np.inf)
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def share_classes(explained: Floats, nearest: Indices) -> Floats:
    """Return each class' share of what all classes explain, (N, n_classes)."""
    shares = explained - np.minimum(explained.min(axis=1, keepdims=True), 0.0)
    shares[nearest >= 0] = 1.0
    return shares / shares.sum(axis=1, keepdims=True)
