"""The ensemble: which candidates are its members, and what each of them counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import RandomBank
from ldslearn.auto.trials import Trial
from ldslearn.classify.calibration import fit_factor

KINDS = ("fitted systems", "random systems")
_RANDOM_FRACTION = 4  # at most one member of this many is a bank of random systems


class Members(NamedTuple):
    """The members of an ensemble.

    Attributes
    ----------
    indices : (n_members,) array
        Among the candidates, the best first.
    weights : (n_members,) array
        They sum to one.
    """

    indices: Indices
    weights: Floats


@dataclass(frozen=True)
class Ensemble:
    """The chosen candidates.

    Attributes
    ----------
    trials : list of Trial
        Fitted systems first, the best of each kind first.
    weights : (n_members,) array
    factor : float
        Probabilities are the softmax of this times the weighted mean of log-probabilities.
    kind_factors : dict of str to float
        The same for the members of one kind alone, for each of :data:`KINDS`.
    """

    trials: list[Trial]
    weights: Floats
    factor: float
    kind_factors: dict[str, float]


def choose_members(
    losses: Floats, is_random: NDArray[np.bool_], max_members: int, tolerance: float = np.inf
) -> Members:
    """Return the best candidates of fitted and of random systems, both kinds weighted equally.

    Folds cannot tell the best twenty candidates apart, and their mean is better than any of them.
    Fitted and random systems err differently. Weights that are fitted to the folds favour fitted
    systems, of which the best of many were chosen: on unseen sequences equal weights were better.

    Parameters
    ----------
    losses : (n_candidates,) array
    is_random : (n_candidates,) array of bool
    max_members : int
    tolerance : float
        Candidates whose loss is more than this many times the smallest are left out.
    """
    order = np.argsort(losses, kind="stable")
    order = order[~(losses[order] > tolerance * losses[order[0]])]
    fitted, random = order[~is_random[order]], order[is_random[order]]
    if max_members == 1:
        return Members(order[:1], np.ones(1))
    random = random[: max(1, max_members // _RANDOM_FRACTION)]
    fitted = fitted[: max_members - len(random)]
    kinds = [kind for kind in (fitted, random) if len(kind)]
    weights = [np.full(len(kind), 1 / (len(kinds) * len(kind))) for kind in kinds]
    return Members(np.concatenate(kinds), np.concatenate(weights))


def build_ensemble(trials: Sequence[Trial], max_members: int) -> Ensemble:
    """Return the ensemble of the best trials, calibrated on the held-out sequences."""
    losses = np.array([trial.loss for trial in trials])
    members = choose_members(losses, flag_random(trials), max_members)
    chosen = [trials[i] for i in members.indices]
    is_random = flag_random(chosen)
    factors = {
        kind: _calibrate(chosen, np.where(flags, members.weights, 0.0)) if flags.any() else 1.0
        for kind, flags in zip(KINDS, (~is_random, is_random), strict=True)
    }
    return Ensemble(chosen, members.weights, _calibrate(chosen, members.weights), factors)


def _calibrate(trials: Sequence[Trial], weights: Floats) -> float:
    """Return the factor of the weighted mean of log-probabilities; weights need not sum to one."""
    logs = np.stack([trial.logs for trial in trials])
    mean = np.tensordot(weights / weights.sum(), logs, 1)
    n_repeats, _, n_classes = mean.shape
    truth = np.tile(trials[0].truth, n_repeats)
    return fit_factor(mean.reshape(-1, n_classes), truth, n_repeats)


def flag_random(trials: Sequence[Any]) -> NDArray[np.bool_]:
    """Return which candidates are random systems, (n_trials,)."""
    return np.array([isinstance(trial.source, RandomBank) for trial in trials])
