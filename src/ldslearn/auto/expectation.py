"""What accuracy to expect of the best of many candidates on new sequences."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.auto.trials import Trial

_N_SAMPLES = 500


def expected_accuracy(
    trials: Sequence[Trial], groups: NDArray[Any] | None, random: np.random.RandomState
) -> tuple[float, float]:
    """Return the accuracy to expect, and its standard error.

    The best of many candidates looks better than it is on the sequences by which it was chosen. So
    the choice is repeated on sequences sampled with replacement, and evaluated on those not sampled
    (the bootstrap bias correction of Tsamardinos, Greasidou and Borboudakis, 2018). Where groups
    are given, whole groups are sampled. Predictions are those of the folds: nothing is refitted.

    Parameters
    ----------
    trials : sequence of Trial
        Of all candidates, on the same sequences.
    groups : (n_tested,) array or None
    random : RandomState
    """
    losses = np.stack([trial.losses.mean(axis=0) for trial in trials])  # (n_trials, n_tested)
    right = np.stack([trial.correct.mean(axis=0) for trial in trials])
    n_tested = losses.shape[1]
    units = np.arange(n_tested) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    sampled = random.multinomial(n_units, np.full(n_units, 1 / n_units), _N_SAMPLES)[:, units]
    chosen = (sampled @ losses.T).argmin(axis=1)  # (n_samples,)
    left = sampled == 0
    hits = (left * right[chosen]).sum()
    accuracy = float(hits / left.sum()) if left.any() else float(right[chosen].mean())
    return accuracy, _standard_error(accuracy, right[losses.mean(axis=1).argmin()], units)


def _standard_error(accuracy: float, right: Floats, units: Indices) -> float:
    """Standard error of a binomial, or of groups that are right or wrong together, if larger."""
    n = len(right)
    # Laplace's rule keeps it above zero when nothing was wrong.
    rate = (accuracy * n + 1) / (n + 2)
    together = np.bincount(units, weights=right - right.mean())
    return float(max(np.sqrt(rate * (1 - rate) / n), np.sqrt((together**2).sum()) / n))
