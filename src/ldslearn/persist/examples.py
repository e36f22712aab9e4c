"""An example for each estimator that was read from a file, and what it predicts for it."""

import warnings
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ldslearn.auto import AutoLDSClassifier, AutoLDSRegressor, ChannelScaler
from ldslearn.auto.committee import KernelCommittee
from ldslearn.auto.number_committee import RegressionCommittee
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.cluster import LDSKMeans
from ldslearn.coding import SparseCoder
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.models import LDS, LDSEncoder, LDSImputer
from ldslearn.novelty import LDSNovelty
from ldslearn.persist.check_parts import require
from ldslearn.persist.check_random_systems import make_random_example
from ldslearn.random_systems import RandomSystems, RandomSystemsClassifier, RandomSystemsRegressor
from ldslearn.regress import LDSRegressor
from ldslearn.search import LDSEmbedding
from ldslearn.sequences.windows import window_levels


def try_out(estimator: Any) -> None:
    """Predict or transform one example with an estimator, which raises an error if it cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        repr(estimator)
        if isinstance(estimator, AutoLDSClassifier | AutoLDSRegressor):
            members = [pipeline[-1] for pipeline in estimator.pipelines_]
            for member in (*members, *estimator.random_systems_):
                member.predict(choose_example(member))
            return
        if isinstance(estimator, Pipeline):
            rest = list_steps_after_encoder(estimator)
            if not rest:
                return
            estimator = Pipeline(rest)
        if isinstance(estimator, LDSEncoder | ChannelScaler | LDSImputer):
            return
        example = choose_example(estimator)
        for method in ("predict", "predict_proba", "decision_function", "transform"):
            if hasattr(estimator, method):
                getattr(estimator, method)(example)


def choose_example(estimator: Any) -> Any:
    """Return one example to try an estimator on: a system of its training, or zeros."""
    if isinstance(estimator, Pipeline):
        return choose_example(estimator[0])
    if isinstance(estimator, SparseCodingClassifier):
        estimator = estimator.coder_
    if isinstance(estimator, DictionaryClassifier):
        estimator = estimator.dictionary_
    if isinstance(estimator, SparseCoder | LDSSVC | LDSNovelty | LDSEmbedding | LDSRegressor):
        return estimator.kernel_.systems[:1]
    if isinstance(estimator, NearestLDSClassifier | KernelCommittee | RegressionCommittee):
        return estimator.systems_[:1]
    if isinstance(estimator, SystemDictionary | LDSKMeans):
        return estimator._like
    if isinstance(estimator, RandomSystems | RandomSystemsClassifier | RandomSystemsRegressor):
        return make_random_example(estimator)
    return np.zeros((1, estimator.n_features_in_))


def list_steps_after_encoder(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline that one example is for; raise unless they fit the encoder.

    They take systems, or are random systems and what follows them.
    """
    steps = [pair for pair in pipeline.steps if pair[1] not in ("passthrough", None)]
    kinds = LDSEncoder | RandomSystems | RandomSystemsClassifier | RandomSystemsRegressor
    at = next((i for i, (_, step) in enumerate(steps) if isinstance(step, kinds)), None)
    if at is None:
        return [] if any(isinstance(step, ChannelScaler) for _, step in steps) else steps
    encoder, rest = steps[at][1], steps[at + 1 :]
    if not isinstance(encoder, LDSEncoder):  # random systems take sequences
        rest = steps[at:]
    elif rest:
        like = choose_example(rest[0][1])
        require(isinstance(like, LDS), "the step after the encoder takes no systems")
        made = {
            "n_channels": encoder.n_channels_in_ * encoder.delays,
            "n_states": encoder.n_states_,
            "delays": encoder.delays,
            "windows": sum(window_levels(encoder.windows)),
        }
        for name, value in made.items():
            require(getattr(like, name) == value, f"the encoder has another {name}")
    for _, before in steps[:at]:
        sizes = getattr(before, "scale_", getattr(before, "channel_means_", ()))
        require(
            isinstance(before, ChannelScaler | LDSImputer) and len(sizes) == encoder.n_channels_in_,
            "the step before the encoder has another number of channels",
        )
    return rest
