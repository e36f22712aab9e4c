"""Checks of estimators that were read from a file, before anything is computed with them."""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from ldslearn.auto import AutoLDSClassifier, AutoLDSRegressor, ChannelScaler
from ldslearn.auto.committee import KernelCommittee
from ldslearn.auto.number_committee import RegressionCommittee
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.classify.dictionary import RESIDUAL
from ldslearn.classify.rejection import check_rejection
from ldslearn.cluster import LDSKMeans
from ldslearn.coding import SparseCoder
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.models import LDS, LDSEncoder, LDSImputer
from ldslearn.novelty import LDSNovelty
from ldslearn.persist.check_auto import check_auto, check_committee
from ldslearn.persist.check_auto_regressor import (
    check_auto_regressor,
    check_random_regressor,
    check_regression_committee,
)
from ldslearn.persist.check_kernel_models import check_novelty, check_regressor
from ldslearn.persist.check_parts import (
    check_atoms,
    check_channel_scaler,
    check_classes,
    check_count,
    check_embedding,
    check_encoder,
    check_imputer,
    check_indices,
    check_kernel,
    check_kmeans,
    check_memories,
    check_mix,
    count_columns,
    require,
)
from ldslearn.persist.check_random_systems import (
    check_random_classifier,
    check_random_systems,
)
from ldslearn.persist.check_sklearn import check_linear, check_scaler, check_support_vectors
from ldslearn.persist.examples import list_steps_after_encoder
from ldslearn.random_systems import RandomSystems, RandomSystemsClassifier, RandomSystemsRegressor
from ldslearn.regress import LDSRegressor
from ldslearn.search import LDSEmbedding


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

    Only kinds and sizes are checked: :func:`~ldslearn.persist.examples.try_out` finds what is left.
    """
    check, attributes = _find_rule(estimator)
    if check is None:
        raise ValueError(f"{type(estimator).__name__} must be an estimator")
    for attribute in attributes:
        require(attribute in vars(estimator), f"{type(estimator).__name__} lacks {attribute}")
    check(estimator)


def _find_rule(estimator: Any) -> tuple[Callable[[Any], None] | None, list[str]]:
    """Return the check of an estimator and the attributes that it needs; None if unknown."""
    for kind, (check, attributes) in _RULES.items():
        if isinstance(estimator, kind):
            return check, attributes.split()
    return None, []


def _check_coder(coder: SparseCoder) -> None:
    require(isinstance(coder.kernel_, FittedKernel), "kernel_ must be a FittedKernel")
    check_kernel(coder.kernel_)


def _check_sparse(classifier: SparseCodingClassifier) -> None:
    require(isinstance(classifier.coder_, SparseCoder), "coder_ must be a SparseCoder")
    check_fitted(classifier.coder_)
    check_classes(classifier.classes_)
    n_atoms = len(classifier.coder_.kernel_.systems)
    check_indices("atom_classes_", classifier.atom_classes_, n_atoms, len(classifier.classes_))
    check_rejection(classifier.reject, classifier.reject_label, classifier.classes_)
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
    list_steps_after_encoder(pipeline)


def _check_auto(model: AutoLDSClassifier) -> None:
    check_auto(model, check_fitted)


def _check_auto_regressor(model: AutoLDSRegressor) -> None:
    check_auto_regressor(model, check_fitted)


# The check of each estimator, and the attributes that it needs after a fit.
_RULES: dict[type, tuple[Callable[[Any], None], str]] = {
    AutoLDSClassifier: (
        _check_auto,
        "classes_ pipelines_ random_systems_ weights_ report_ n_channels_in_ _factor "
        "_random_factors _kind_factors imputer_",
    ),
    AutoLDSRegressor: (
        _check_auto_regressor,
        "pipelines_ random_systems_ weights_ report_ n_channels_in_ imputer_ _mean _scale "
        "_is_column",
    ),
    ChannelScaler: (check_channel_scaler, "scale_"),
    DictionaryClassifier: (_check_dictionary_classifier, "classes_ dictionary_ classifier_"),
    KernelCommittee: (check_committee, "classes_ systems_ labels_ grams_ expansions_"),
    LDSEmbedding: (
        check_embedding,
        "kernel_ landmark_indices_ components_ eigenvalues_ residual_",
    ),
    LDSEncoder: (check_encoder, "n_states_ n_channels_in_"),
    LDSImputer: (check_imputer, "channel_means_ channel_variances_"),
    LDSKMeans: (check_kmeans, "cluster_centers_ recipe_ _like labels_ inertia_ n_iter_"),
    LDSNovelty: (
        check_novelty,
        "kernel_ weights_ n_neighbors_ length_scale_ offset_ held_out_scores_ _own",
    ),
    LDSRegressor: (
        check_regressor,
        "kernel_ weights_ intercept_ penalty_ length_scale_ noise_std_ left_out_predictions_ _own "
        "_is_column _penalties _path",
    ),
    LDSSVC: (_check_svm, "classes_ kernel_ svc_ C_"),
    LinearSVC: (check_linear, "classes_ coef_ intercept_ n_features_in_"),
    LogisticRegression: (check_linear, "classes_ coef_ intercept_ n_features_in_"),
    NearestLDSClassifier: (_check_nearest, "classes_ systems_ _labels"),
    Pipeline: (_check_pipeline, "steps"),
    RandomSystems: (check_random_systems, "bank_ mean_ scale_ components_ n_channels_in_"),
    RandomSystemsClassifier: (
        check_random_classifier,
        "classes_ transformer_ mean_ scale_ coef_ intercept_ penalty_ left_out_scores_ "
        "n_channels_in_ _factor imputer_",
    ),
    RandomSystemsRegressor: (
        check_random_regressor,
        "transformer_ mean_ scale_ coef_ intercept_ penalty_ left_out_predictions_ n_channels_in_ "
        "imputer_ _is_column",
    ),
    RegressionCommittee: (check_regression_committee, "systems_ weights_ intercepts_"),
    RidgeClassifier: (check_linear, "_label_binarizer coef_ intercept_ n_features_in_"),
    SparseCoder: (_check_coder, "kernel_"),
    SparseCodingClassifier: (_check_sparse, "classes_ coder_ atom_classes_"),
    StandardScaler: (check_scaler, "scale_ mean_ n_features_in_"),
    SVC: (check_support_vectors, "classes_ support_ _n_support _dual_coef_ _intercept_ shape_fit_"),
    SystemDictionary: (_check_dictionary, "atoms_ recipe_ _like"),
}
