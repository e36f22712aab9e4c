"""The score below which a system is strange, from scores of systems that were held out."""

import numpy as np

from ldslearn._types import Floats

_FENCE = 1.5  # interquartile ranges below the first quartile


def choose_offset(scores: Floats, contamination: float | str) -> float:
    r"""Return the smallest score of a normal system.

    Parameters
    ----------
    scores : (N,) array
        Of training systems, each by the others; larger ones are more normal.
    contamination : float or "auto"
        A fraction c: the score of rank floor(c (N + 1)), the lowest first, is the offset, so that
        a new system like those of training is below it with a probability of at most c, or of
        1 / (N + 1) if that is larger (Vovk, Gammerman and Shafer, *Algorithmic Learning in a Random
        World*, 2005, Sec. 2.2; for scores by neighbours, and approximately for those of folds).
        "auto" is Tukey's fence, 1.5 interquartile ranges below the first quartile.
    """
    if contamination == "auto":
        low, high = np.quantile(scores, [0.25, 0.75])
        return float(low - _FENCE * (high - low))
    rank = int(float(contamination) * (len(scores) + 1) + 1e-9)
    return float(np.sort(scores)[max(rank, 1) - 1])
