"""Checks of models of one kernel that were read from a file: novelty, regression."""

from typing import Any

import numpy as np

from ldslearn.novelty import LDSNovelty
from ldslearn.novelty.detector import METHODS
from ldslearn.persist.check_parts import (
    check_array,
    check_count,
    check_kernel,
    count_columns,
    require,
)
from ldslearn.regress import LDSRegressor

_LARGEST = 1e100  # of numbers, and one over the smallest: their products must be finite


def check_novelty(model: LDSNovelty) -> None:
    """Raise unless a detector has a kernel, and numbers for each of its systems."""
    check_kernel(model.kernel_)
    n_columns = count_columns(model.kernel_)
    require(model.method in METHODS, f"method is {model.method!r:.40}")
    check_array("_own", model._own, (n_columns,))
    has_weights = model.method == "support_vectors"
    check_array("weights_", model.weights_, (n_columns if has_weights else 0,))
    check_count("n_neighbors_", model.n_neighbors_, n_columns if not has_weights else 2**40)
    check_array("held_out_scores_", model.held_out_scores_, (None,))
    finite = isinstance(model.offset_, float) and np.isfinite(model.offset_)
    require(bool(finite), f"offset_ is {model.offset_!r:.40}")
    check_length_scale(model.length_scale_)


def check_regressor(model: LDSRegressor) -> None:
    """Raise unless a regressor has a kernel, and weights of its systems."""
    check_kernel(model.kernel_)
    n_columns = count_columns(model.kernel_)
    check_array("weights_", model.weights_, (n_columns, None))
    n_outputs = model.weights_.shape[1]
    for name in ("intercept_", "penalty_", "noise_std_", "_penalties"):
        check_array(name, getattr(model, name), (n_outputs,))
    require(bool((model._penalties >= 1 / _LARGEST).all()), "_penalties must be positive")
    check_array("_own", model._own, (n_columns,))
    check_length_scale(model.length_scale_)
    require(model._is_column in (False, n_outputs == 1), "_is_column does not suit the outputs")
    shape = (None,) if model._is_column else (None, n_outputs)
    check_array("left_out_predictions_", model.left_out_predictions_, shape)
    if model._path is None:
        return
    require(isinstance(model._path, tuple) and len(model._path) == 3, "_path must be three arrays")
    values, vectors, row_means = model._path
    check_array("values of _path", values, (None,))
    require(bool((values >= 0).all()), "values of _path must be positive")
    check_array("vectors of _path", vectors, (n_columns, len(values)))
    check_array("row means of _path", row_means, (n_columns,))


def check_length_scale(value: Any) -> None:
    """Raise unless a length scale is None or a positive number."""
    usable = value is None or (isinstance(value, float) and 1 / _LARGEST <= value <= _LARGEST)
    require(usable, f"length_scale_ is {value!r:.40}")
