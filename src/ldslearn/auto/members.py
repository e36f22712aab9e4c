"""The fitted members of an ensemble, grouped by what describes the sequences."""

import warnings
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
from ldslearn.auto.trials import Trial
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
    groups: dict[Encoding | RandomBank, list[int]] = {}
    for i, trial in enumerate(ensemble.trials):
        groups.setdefault(trial.source, []).append(i)
    pipelines, classifiers, factors = [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
        for source, indices in groups.items():
            trials = [ensemble.trials[i] for i in indices]
            if isinstance(source, RandomBank):
                classifiers.append(_fit_random_systems(source, search, X, y, searched))
                factors += [trial.factor for trial in trials]
            else:
                pipelines.append(_fit_committee(source, trials, search, X, y, searched))
    # Trials of fitted systems come before those of random systems in an ensemble.
    order = [i for indices in groups.values() for i in indices]
    weights = ensemble.weights[order]
    return FittedMembers(
        pipelines, classifiers, factors, weights, ensemble.factor, ensemble.kind_factors
    )


def _fit_random_systems(
    bank: RandomBank, search: Search, X: list[NDArray[Any]], y: NDArray[Any], searched: bool
) -> RandomSystemsClassifier:
    if not searched:
        return bank.make_classifier(search.n_jobs).fit(X, y)
    classifier = search.random_models[bank]
    classifier.classes_ = np.unique(y)  # the search knows classes by their numbers
    return classifier


def _fit_committee(
    encoding: Encoding,
    trials: list[Trial],
    search: Search,
    X: list[NDArray[Any]],
    y: NDArray[Any],
    searched: bool,
) -> Pipeline:
    kernels = search.kernels[encoding]
    rules = [trial.rule for trial in trials if trial.rule is not None]
    for rule in rules:
        kernels.mix(rule)  # computes its scales and bandwidths
    committee = KernelCommittee(
        rules,
        [trial.factor for trial in trials],
        kernels.scales,
        kernels.bandwidths,
        n_jobs=search.n_jobs,
    )
    scalers = [ChannelScaler()] if encoding.scaled else []
    encoder = encoding.make_encoder(search.n_jobs)
    if not searched:
        return make_pipeline(*scalers, encoder, committee).fit(X, y)
    for scaler in scalers:
        X = scaler.fit_transform(X)
    committee.fit_matrices(kernels.systems, kernels.matrices, y, kernels.expansions)
    return make_pipeline(*scalers, encoder.fit(X), committee)
