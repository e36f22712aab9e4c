"""Checks of fitted estimators of scikit-learn: kinds and sizes of their attributes.

Compiled code of scikit-learn trusts them: wrong sizes make it read outside of its memory.
"""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from sklearn.svm import SVC

from ldslearn.persist.check_parts import check_array, require

_MOST_SAMPLES = 10**6  # in the kernel matrix that an SVM was fitted to


def check_linear(model: Any) -> None:
    """Raise unless coefficients, intercepts and classes belong together."""
    if "_label_binarizer" in vars(model):
        require(isinstance(model._label_binarizer, LabelBinarizer), "classes_ must be labels")
        require("classes_" in vars(model._label_binarizer), "classes_ must be labels")
    classes, n_features = model.classes_, model.n_features_in_
    require(
        isinstance(classes, np.ndarray) and classes.ndim == 1, "classes_ must be a list of labels"
    )
    require(len(classes) >= 2, "classes_ must have at least two labels")
    rows = 1 if len(classes) == 2 else len(classes)
    require(isinstance(n_features, Integral), "n_features_in_ must be an integer")
    check_array("coef_", model.coef_, (rows, int(n_features)))
    if isinstance(model.intercept_, np.ndarray) and model.intercept_.ndim:
        check_array("intercept_", model.intercept_, (rows,))
    else:
        require(np.isfinite(float(model.intercept_)), "intercept_ must be a number")


def check_scaler(scaler: StandardScaler) -> None:
    """Raise unless means and scales are one per feature."""
    require(isinstance(scaler.n_features_in_, Integral), "n_features_in_ must be an integer")
    n_features = int(scaler.n_features_in_)
    if scaler.with_mean or scaler.mean_ is not None:
        check_array("mean_", scaler.mean_, (n_features,))
    if scaler.with_std or scaler.scale_ is not None:
        check_array("scale_", scaler.scale_, (n_features,))
        require(bool((scaler.scale_ > 0).all()), "scale_ must be positive")
    require(
        scaler.mean_ is not None or scaler.scale_ is not None or n_features < 10**6,
        "mean_ and scale_ are missing",
    )


def check_support_vectors(svc: SVC) -> None:
    """Raise for support vectors that libsvm would read outside of its memory."""
    require(
        isinstance(svc.classes_, np.ndarray) and svc.classes_.ndim == 1, "classes_ must be labels"
    )
    n_classes, counts, support = len(svc.classes_), svc._n_support, svc.support_
    pairs = n_classes * (n_classes - 1) // 2
    for name, value, shape in (
        ("_n_support", counts, (n_classes,)),
        ("support_", support, (None,)),
    ):
        check_array(f"{name} of the support vectors", value, shape, "i")
        require(
            value.dtype == np.int32,
            f"{name} of the support vectors must be int32; got {value.dtype}",
        )
    n_support = len(support)
    coefficients = svc._dual_coef_, svc.dual_coef_
    sizes: Any = svc.shape_fit_
    is_consistent = (
        n_classes >= 2
        and isinstance(sizes, tuple)
        and len(sizes) == 2
        and all(type(size) is int and 0 < size <= _MOST_SAMPLES for size in sizes)
        and bool((counts >= 0).all())
        and counts.sum() == n_support > 0
        and bool((support >= 0).all())
        and bool((support < sizes[0]).all())
        and len(np.unique(support)) == n_support
        and svc.kernel in ("precomputed", "linear", "rbf", "poly", "sigmoid")
        and not svc._sparse
        and svc.break_ties in (True, False)
        and svc.decision_function_shape in ("ovr", "ovo")
    )
    require(is_consistent, "attributes of the support vectors contradict each other")
    for value in coefficients:
        check_array("coefficients of the support vectors", value, (n_classes - 1, n_support))
    check_array("intercepts of the support vectors", svc._intercept_, (pairs,))
    for value in (svc._probA, svc._probB):
        check_array("probabilities of the support vectors", value, (None,))
        require(
            len(value) in (0, pairs) and len(svc._probA) == len(value),
            "probabilities of the support vectors must be one per pair of classes",
        )
    features = svc.n_features_in_
    require(
        type(features) is int and features == sizes[1],
        "support vectors must have n_features_in_ features",
    )
    if svc.kernel == "precomputed":
        require(
            sizes[0] == sizes[1] and svc.support_vectors_.size == 0,
            "support vectors of a precomputed kernel must be empty",
        )
        check_array("support vectors", svc.support_vectors_, (None, None))
    else:
        check_array("support vectors", svc.support_vectors_, (n_support, features))
    for value in (svc._gamma, svc.coef0, svc.cache_size, svc.degree):
        require(
            isinstance(value, int | float) and np.isfinite(value),
            "parameters of the support vectors must be finite numbers",
        )
