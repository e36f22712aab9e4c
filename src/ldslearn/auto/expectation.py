"""What accuracy to expect of an ensemble of the best of many candidates on new sequences."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from ldslearn._types import Floats, Indices
from ldslearn.auto.ensemble import Members, choose_members, flag_random
from ldslearn.auto.trials import Trial

_N_SAMPLES = 200
_NORMAL = 1.96  # standard deviations that cover 95 % of a normal distribution


def expected_accuracy(
    trials: Sequence[Trial],
    max_members: int,
    groups: NDArray[Any] | None,
    random: np.random.RandomState,
) -> tuple[float, float]:
    """Return the accuracy to expect, and its standard error.

    The best of many candidates look better than they are on the sequences by which they were
    chosen. So the choice of members is repeated on sequences sampled with replacement, and
    evaluated on those not sampled (the bootstrap bias correction of Tsamardinos, Greasidou and
    Borboudakis, 2018). Where groups are given, whole groups are sampled. Predictions are those of
    the folds: nothing is refitted.

    Parameters
    ----------
    trials : sequence of Trial
        Of all candidates, on the same sequences; the number of repeats may differ.
    max_members : int
    groups : (n_tested,) array or None
    random : RandomState
    """
    n_repeats = max(len(trial.logs) for trial in trials)
    truth = trials[0].truth

    def find_correct(members: Members) -> Floats:
        """Fraction of repeats in which an ensemble is right, (n_tested,)."""
        mean = np.zeros((n_repeats, *trials[0].logs.shape[1:]))
        for i, weight in zip(*members, strict=True):
            mean += weight * trials[i].logs  # one repeat counts for all
        return (mean.argmax(axis=2) == truth).mean(axis=0)

    units = number_units(groups, len(truth))
    accuracy, right = repeat_choice(trials, max_members, units, random, find_correct)
    return accuracy, _standard_error(accuracy, right, units)


def repeat_choice(
    trials: Sequence[Any],
    max_members: int,
    units: Indices,
    random: np.random.RandomState,
    measure: Callable[[Members], Floats],
    tolerance: float = np.inf,
) -> tuple[float, Floats]:
    """Return the mean measure of sequences that the choice of members did not see.

    The measures of all sequences, by the members that all of them choose, are returned as well.

    Parameters
    ----------
    trials : sequence of Trial or NumberTrial
    max_members : int
    units : (n_tested,) array
        Number of the group of each sequence; whole groups are sampled.
    random : RandomState
    measure : callable
        ``measure(members)`` returns one value per sequence.
    tolerance : float
        As in :func:`~ldslearn.auto.ensemble.choose_members`.
    """
    losses = np.stack([trial.losses.mean(axis=0) for trial in trials])  # (n_trials, n_tested)
    is_random, n_units = flag_random(trials), int(units.max()) + 1
    sampled = random.multinomial(n_units, np.full(n_units, 1 / n_units), _N_SAMPLES)[:, units]
    known: dict[bytes, Floats] = {}

    def measure_choice(sample: Indices) -> Floats:
        members = choose_members(losses @ sample, is_random, max_members, tolerance)
        key = members.indices.tobytes()
        if key not in known:
            known[key] = measure(members)
        return known[key]

    total = n_left = 0.0
    for sample in sampled:
        left = sample == 0
        total += float(measure_choice(sample)[left].sum())
        n_left += int(left.sum())
    whole = measure_choice(np.ones(len(units), dtype=np.int64))
    return (total / n_left if n_left else float(whole.mean())), whole


def measure_optimism(
    shuffled_trials: Sequence[Sequence[Trial]],
    max_members: int,
    groups: NDArray[Any] | None,
    random: np.random.RandomState,
) -> tuple[float, float]:
    """Return how far the expected accuracy exceeds chance with shuffled labels, and chance.

    The bootstrap corrects the choice among predictions, but these come from classifiers that saw
    the other sequences. A kernel that fits the labels of a small collection by chance does so on
    all of its sequences. Shuffled labels show by how much.

    Parameters
    ----------
    shuffled_trials : sequence of sequence of Trial
        Per shuffle of the labels, the same candidates.
    max_members, groups, random
        As in :func:`expected_accuracy`.
    """
    found = [
        expected_accuracy(trials, max_members, groups, random)[0] for trials in shuffled_trials
    ]
    chance = float(np.mean([[trial.accuracy for trial in trials] for trials in shuffled_trials]))
    return max(float(np.mean(found)) - chance, 0.0), chance


def correct_optimism(accuracy: float, optimism: float, chance: float) -> float:
    """Return the accuracy without optimism.

    All of it is subtracted at chance, and nothing where all is right. The fraction is the relative
    rate of overfitting, as in the .632+ estimator of Efron and Tibshirani (1997).
    """
    rate = min((1 - accuracy) / max(1 - chance, 1e-12), 1.0)
    return accuracy - optimism * rate


def measure_standard_error(trial: Trial, groups: NDArray[Any] | None) -> float:
    """Return the standard error of the accuracy of one candidate; groups as above."""
    right = trial.correct.mean(axis=0)
    return _standard_error(trial.accuracy, right, number_units(groups, len(right)))


def number_units(groups: NDArray[Any] | None, n_tested: int) -> Indices:
    """Return the number of the group of each sequence; without groups each is one of its own."""
    return np.arange(n_tested) if groups is None else np.unique(groups, return_inverse=True)[1]


def _standard_error(accuracy: float, right: Floats, units: Indices) -> float:
    """Standard error of a binomial, or of groups that are right or wrong together, if larger."""
    n = len(right)
    # Laplace's rule keeps it above zero when nothing was wrong.
    rate = (accuracy * n + 1) / (n + 2)
    error = np.sqrt(rate * (1 - rate) / n)
    if int(units.max()) + 1 == n:
        return float(error)
    return float(max(error, measure_spread(right, units)))


def measure_spread(values: Floats, units: Indices) -> float:
    """Return the standard error of the mean of values, of which those of a group go together.

    Parameters
    ----------
    values : (n_tested,) array
    units : (n_tested,) array
        Number of the group of each value.
    """
    n_units = int(units.max()) + 1
    together = np.bincount(units, weights=values - values.mean())
    spread = np.sqrt((together**2).sum() * n_units / max(n_units - 1, 1)) / len(values)
    # Two standard errors cover 95 % with few groups, too, as Student's t distribution has it.
    return float(spread * t.ppf(0.975, max(n_units - 1, 1)) / _NORMAL)
