"""Checks of estimators that were read from a file, before anything is computed with them."""

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from ldslearn.auto import AutoLDSClassifier, ChannelScaler
from ldslearn.auto.calibration import calibrated_probabilities
from ldslearn.auto.report import Report
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.classify.dictionary import RESIDUAL
from ldslearn.cluster import LDSKMeans
from ldslearn.coding import SparseCoder
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.models import LDS, LDSEncoder
from ldslearn.persist.check_parts import (
    check_array,
    check_atoms,
    check_classes,
    check_count,
    check_indices,
    check_kernel,
    check_memories,
    check_mix,
    count_columns,
    require,
)
from ldslearn.persist.check_sklearn import check_linear, check_scaler, check_support_vectors
from ldslearn.sequences import window_levels


def check_is_complete(estimator: Any) -> None:
    """Raise NotFittedError unless an estimator, steps of a pipeline included, can be saved."""
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps:
            if step not in ("passthrough", None):
                check_is_complete(step)
        return
    for attribute in _find_rule(estimator)[1]:
        if attribute not in vars(estimator):
            raise NotFittedError(
                f"{type(estimator).__name__} must be fitted to be saved; it has no "
                f"{attribute}. Call fit first."
            )


def check_fitted(estimator: Any) -> None:
    """Raise ValueError unless an estimator that was read has parts of the right kinds and sizes.

    Only kinds and sizes are checked: :func:`try_out` finds what is left.
    """
    check, attributes = _find_rule(estimator)
    if check is None:
        raise ValueError(f"{type(estimator).__name__} must be an estimator")
    for attribute in attributes:
        require(attribute in vars(estimator), f"{type(estimator).__name__} lacks {attribute}")
    check(estimator)


def try_out(estimator: Any) -> None:
    """Predict or transform one example with an estimator, which raises an error if it cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        repr(estimator)
        if isinstance(estimator, AutoLDSClassifier):
            classifier = estimator.pipeline_[-1]
            scores = estimator._score_systems(choose_example(classifier))
            require(scores.shape == (1, len(estimator.classes_)), "scores must be one per class")
            calibrated_probabilities(scores, estimator._factor)
            return
        if isinstance(estimator, Pipeline):
            rest = _steps_after_encoder(estimator)
            if not rest:
                return
            estimator = Pipeline(rest)
        if isinstance(estimator, LDSEncoder | ChannelScaler):
            return
        example = choose_example(estimator)
        for method in ("predict", "predict_proba", "decision_function", "transform"):
            if hasattr(estimator, method):
                getattr(estimator, method)(example)


def choose_example(estimator: Any) -> Any:
    """Return one example to try an estimator on: a system of its training, or a row of zeros."""
    if isinstance(estimator, Pipeline):
        return choose_example(estimator[0])
    if isinstance(estimator, SparseCodingClassifier):
        estimator = estimator.coder_
    if isinstance(estimator, DictionaryClassifier):
        estimator = estimator.dictionary_
    if isinstance(estimator, SparseCoder | LDSSVC):
        return estimator.kernel_.systems[:1]
    if isinstance(estimator, NearestLDSClassifier):
        return estimator.systems_[:1]
    if isinstance(estimator, SystemDictionary | LDSKMeans):
        return estimator._like
    return np.zeros((1, estimator.n_features_in_))


def _find_rule(estimator: Any) -> tuple[Callable[[Any], None] | None, list[str]]:
    """Return the check of an estimator and the attributes that it needs; None if unknown."""
    for kind, (check, attributes) in _RULES.items():
        if isinstance(estimator, kind):
            return check, attributes.split()
    return None, []


def _check_encoder(encoder: LDSEncoder) -> None:
    for name in ("n_channels_in_", "n_states_"):
        check_count(name, getattr(encoder, name))
    encoder._check_parameters()
    require(
        encoder.n_states_ <= encoder.n_channels_in_ * encoder.delays,
        "n_states_ must be at most the number of channels",
    )


def _check_channel_scaler(scaler: ChannelScaler) -> None:
    check_array("scale_", scaler.scale_, (None,))
    require(len(scaler.scale_) > 0 and bool((scaler.scale_ > 0).all()), "scale_ must be positive")


def _check_coder(coder: SparseCoder) -> None:
    require(isinstance(coder.kernel_, FittedKernel), "kernel_ must be a FittedKernel")
    check_kernel(coder.kernel_)


def _check_sparse(classifier: SparseCodingClassifier) -> None:
    require(isinstance(classifier.coder_, SparseCoder), "coder_ must be a SparseCoder")
    check_fitted(classifier.coder_)
    check_classes(classifier.classes_)
    n_atoms = len(classifier.coder_.kernel_.systems)
    check_indices("atom_classes_", classifier.atom_classes_, n_atoms, len(classifier.classes_))
    classifier._check_reject(classifier.classes_)
    check_mix(classifier)


def _check_nearest(classifier: NearestLDSClassifier) -> None:
    systems = classifier.systems_
    require(isinstance(systems, LDS) and len(systems) > 0, "systems_ must be an LDS batch")
    check_classes(classifier.classes_)
    check_indices("_labels", classifier._labels, len(systems), len(classifier.classes_))
    check_count("n_neighbors", classifier.n_neighbors, len(systems))
    require(isinstance(classifier.distance, str), "distance must be a name")
    settings = classifier.distance_params
    require(settings is None or isinstance(settings, dict), "distance_params must be a dict")


def _check_svm(classifier: LDSSVC) -> None:
    check_kernel(classifier.kernel_)
    check_classes(classifier.classes_)
    svc = classifier.svc_
    require(
        isinstance(svc, SVC) and svc.kernel == "precomputed",
        "svc_ must be an SVC of a precomputed kernel",
    )
    check_fitted(svc)
    columns = count_columns(classifier.kernel_)
    require(
        columns in (len(svc.support_), svc.shape_fit_[0]),
        "kernel_ must have one column per support vector or training system",
    )
    require(np.array_equal(svc.classes_, classifier.classes_), "svc_ has other classes")
    require(isinstance(classifier.C_, Real), "C_ must be a number")


def _check_dictionary(dictionary: SystemDictionary) -> None:
    check_atoms(dictionary.atoms_, dictionary.recipe_, dictionary._like)
    require(len(dictionary.atoms_) == dictionary.n_atoms, f"n_atoms is {dictionary.n_atoms!r:.40}")
    if hasattr(dictionary, "_memories"):
        check_memories(dictionary._memories, dictionary.atoms_, dictionary.recipe_)
        require(isinstance(dictionary.batch_objective_, list), "batch_objective_ must be a list")


def _check_kmeans(model: LDSKMeans) -> None:
    check_atoms(model.cluster_centers_, model.recipe_, model._like)
    check_indices("labels_", model.labels_, None, len(model.cluster_centers_))
    require(len(model.recipe_.codes) == 1, "recipe_ must have one code")


def _check_dictionary_classifier(classifier: DictionaryClassifier) -> None:
    require(
        isinstance(classifier.dictionary_, SystemDictionary),
        "dictionary_ must be a SystemDictionary",
    )
    check_fitted(classifier.dictionary_)
    check_classes(classifier.classes_)
    check_mix(classifier)
    own = classifier.classifier_
    if isinstance(own, str):
        labelled = "atom_classes_" in vars(classifier)
        require(own == RESIDUAL and labelled, "classifier_ needs classes of atoms")
    else:
        check_fitted(own)
        require(np.array_equal(own.classes_, classifier.classes_), "classifier_ has other classes")
    if "atom_classes_" in vars(classifier):
        n_atoms, n_classes = len(classifier.dictionary_.atoms_), len(classifier.classes_)
        check_indices("atom_classes_", classifier.atom_classes_, n_atoms, n_classes)
    for one in getattr(classifier, "dictionaries_", []):
        require(isinstance(one, SystemDictionary), "dictionaries_ must be SystemDictionary")
        check_fitted(one)


def _check_pipeline(pipeline: Pipeline) -> None:
    steps = pipeline.steps
    require(isinstance(steps, list) and len(steps) > 0, "the pipeline must have steps")
    for pair in steps:
        require(
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str),
            "a step must be a pair of a name and an estimator",
        )
        if pair[1] not in ("passthrough", None):
            check_fitted(pair[1])
    require(len({name for name, _ in steps}) == len(steps), "names of steps must be different")
    require(pipeline.memory is None, "memory must be None")
    _steps_after_encoder(pipeline)


def _steps_after_encoder(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline that take systems; raise unless they fit the encoder."""
    steps = [pair for pair in pipeline.steps if pair[1] not in ("passthrough", None)]
    at = next((i for i, (_, step) in enumerate(steps) if isinstance(step, LDSEncoder)), None)
    if at is None:
        return [] if any(isinstance(step, ChannelScaler) for _, step in steps) else steps
    encoder, rest = steps[at][1], steps[at + 1 :]
    if rest:
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
        require(
            isinstance(before, ChannelScaler) and len(before.scale_) == encoder.n_channels_in_,
            "the step before the encoder has another number of channels",
        )
    return rest


def _check_auto(model: AutoLDSClassifier) -> None:
    require(isinstance(model.pipeline_, Pipeline), "pipeline_ must be a Pipeline")
    check_fitted(model.pipeline_)
    kinds = [type(step) for _, step in model.pipeline_.steps]
    known = [[*before, LDSEncoder, last] for before in ([], [ChannelScaler])
             for last in (LDSSVC, SparseCodingClassifier)]  # fmt: skip
    require(kinds in known, "pipeline_ must be an encoder and a classifier")
    check_classes(model.classes_)
    require(
        np.array_equal(model.pipeline_[-1].classes_, model.classes_), "pipeline_ has other classes"
    )
    channels = model.pipeline_[-2].n_channels_in_
    require(model.n_channels_in_ == channels, f"n_channels_in_ is {model.n_channels_in_!r:.40}")
    factor = model._factor
    require(isinstance(factor, float) and 0 < factor < np.inf, f"_factor is {factor!r:.40}")
    require(isinstance(model.report_, Report), "report_ must be a Report")
    str(model.report_)  # raises if its numbers are wrong


# The check of each estimator, and the attributes that it needs after a fit.
_RULES: dict[type, tuple[Callable[[Any], None], str]] = {
    AutoLDSClassifier: (_check_auto, "classes_ pipeline_ report_ n_channels_in_ _factor"),
    ChannelScaler: (_check_channel_scaler, "scale_"),
    DictionaryClassifier: (_check_dictionary_classifier, "classes_ dictionary_ classifier_"),
    LDSEncoder: (_check_encoder, "n_states_ n_channels_in_"),
    LDSKMeans: (_check_kmeans, "cluster_centers_ recipe_ _like labels_ inertia_ n_iter_"),
    LDSSVC: (_check_svm, "classes_ kernel_ svc_ C_"),
    LinearSVC: (check_linear, "classes_ coef_ intercept_ n_features_in_"),
    LogisticRegression: (check_linear, "classes_ coef_ intercept_ n_features_in_"),
    NearestLDSClassifier: (_check_nearest, "classes_ systems_ _labels"),
    Pipeline: (_check_pipeline, "steps"),
    RidgeClassifier: (check_linear, "_label_binarizer coef_ intercept_ n_features_in_"),
    SparseCoder: (_check_coder, "kernel_"),
    SparseCodingClassifier: (_check_sparse, "classes_ coder_ atom_classes_"),
    StandardScaler: (check_scaler, "scale_ mean_ n_features_in_"),
    SVC: (check_support_vectors, "classes_ support_ _n_support _dual_coef_ _intercept_ shape_fit_"),
    SystemDictionary: (_check_dictionary, "atoms_ recipe_ _like"),
}
