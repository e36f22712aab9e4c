"""The fitted members of an ensemble, grouped by what describes the sequences."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

from ldslearn._types import Floats
from ldslearn.auto.candidates import Encoding, RandomBank
from ldslearn.auto.committee import KernelCommittee
from ldslearn.auto.ensemble import Ensemble
from ldslearn.auto.scaling import ChannelScaler
from ldslearn.auto.search import Search
from ldslearn.auto.trials import KernelMatrices, Trial
from ldslearn.random_systems import RandomSystemsClassifier


@dataclass(frozen=True)
class FittedMembers:
    """All that a prediction needs.

    Attributes
    ----------
    pipelines : list of Pipeline
        One per encoding, the best first: scaler if there is one, encoder, committee.
    random_systems : list of RandomSystemsClassifier
    random_factors : list of float
        Their probabilities are the softmax of this times their scores.
    weights : (n_members,) array
        Of the rules of all pipelines, then of the random systems.
    factor : float
        Probabilities are the softmax of this times the weighted mean of log-probabilities.
    kind_factors : dict of str to float
        The same for the members of one kind alone.
    """

    pipelines: list[Pipeline]
    random_systems: list[RandomSystemsClassifier]
    random_factors: list[float]
    weights: Floats
    factor: float
    kind_factors: dict[str, float]


def fit_members(
    ensemble: Ensemble,
    search: Search,
    X: list[NDArray[Any]],
    y: NDArray[Any],
    *,
    searched: bool,
) -> FittedMembers:
    """Fit the members of an ensemble to labelled sequences.

    Kernel matrices of the search are used again if it saw the same sequences.

    Parameters
    ----------
    ensemble : Ensemble
    search : Search
    X : list of (n_channels, n_timepoints) arrays
    y : (N,) array of labels
    searched : bool
        Whether the sequences are those of the search.
    """

    def fit_systems(encoding: Encoding, trials: list[Trial]) -> Pipeline:
        kernels, factors = search.kernels[encoding], [trial.factor for trial in trials]
        committee = make_committee(KernelCommittee, trials, factors, kernels, search.n_jobs)
        if not searched:
            return make_pipeline(*_make_steps(encoding, search.n_jobs), committee).fit(X, y)
        committee.fit_matrices(kernels.systems, kernels.matrices, y, kernels.expansions)
        return add_encoder(committee, encoding, X, search.n_jobs)

    def fit_bank(bank: RandomBank) -> RandomSystemsClassifier:
        if not searched:
            return bank.make_classifier(search.n_jobs).fit(X, y)
        classifier = search.random_models[bank]
        classifier.classes_ = np.unique(y)  # the search knows classes by their numbers
        return classifier

    pipelines, classifiers, order = fit_sources(ensemble.trials, fit_systems, fit_bank)
    factors = [
        ensemble.trials[i].factor for i in order
        if isinstance(ensemble.trials[i].source, RandomBank)
    ]  # fmt: skip
    return FittedMembers(
        pipelines, classifiers, factors, ensemble.weights[order], ensemble.factor,
        ensemble.kind_factors,
    )  # fmt: skip


def fit_sources(
    trials: Sequence[Any],
    fit_systems: Callable[[Encoding, list[Any]], Pipeline],
    fit_bank: Callable[[RandomBank], Any],
) -> tuple[list[Pipeline], list[Any], list[int]]:
    """Return the members of fitted systems, one per encoding, and those of random systems.

    The last list has the places of the trials in the order of these members. Trials of fitted
    systems come before those of random systems.

    Parameters
    ----------
    trials : sequence of Trial or NumberTrial
    fit_systems : callable
        ``fit_systems(encoding, trials)`` returns a fitted pipeline.
    fit_bank : callable
        ``fit_bank(bank)`` returns a fitted model of random systems.
    """
    groups: dict[Encoding | RandomBank, list[int]] = {}
    for place, trial in enumerate(trials):
        groups.setdefault(trial.source, []).append(place)
    pipelines, models = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
        for source, places in groups.items():
            if isinstance(source, RandomBank):
                models.append(fit_bank(source))
            else:
                pipelines.append(fit_systems(source, [trials[place] for place in places]))
    return pipelines, models, [place for places in groups.values() for place in places]


def make_committee(
    committee_class: Any, trials: Sequence[Any], settings: list[float], kernels: KernelMatrices,
    n_jobs: int | None,
) -> Any:  # fmt: skip
    """Return a committee of the rules of trials, not fitted; settings are factors or penalties."""
    rules = [trial.rule for trial in trials if trial.rule is not None]
    for rule in rules:
        kernels.mix(rule)  # computes its scales and bandwidths
    return committee_class(rules, settings, kernels.scales, kernels.bandwidths, n_jobs=n_jobs)


def add_encoder(
    committee: Any, encoding: Encoding, X: list[NDArray[Any]], n_jobs: int | None
) -> Pipeline:
    """Return the pipeline of an encoder, fitted to sequences, and a fitted committee."""
    *scalers, encoder = _make_steps(encoding, n_jobs)
    for scaler in scalers:
        X = scaler.fit_transform(X)
    return make_pipeline(*scalers, encoder.fit(X), committee)


def _make_steps(encoding: Encoding, n_jobs: int | None) -> list[Any]:
    """Return the scaler, if there is one, and the encoder."""
    scalers = [ChannelScaler()] if encoding.scaled else []
    return [*scalers, encoding.make_encoder(n_jobs)]
