"""Checks of labelled systems, and the base class of classifiers of systems."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import type_of_target

from ldslearn import _errors
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats, Indices
from ldslearn.models.blocks import as_batch
from ldslearn.models.lds import LDS, as_systems


class LDSClassifier(NonTabularMixin, ClassifierMixin, BaseEstimator):
    """Base class: `score`, and batches of systems as input."""


def check_labelled(X: Any, y: Any, *, stored: bool = False) -> tuple[LDS, NDArray[Any], Indices]:
    """Return the systems, the sorted classes and every system's index among them.

    `stored` allows systems in a store, which have the sizes of a batch.
    """
    systems: Any = as_batch(X) if stored else as_systems(X, "X", at_least_one=True)
    return systems, *check_labels(y, len(systems))


def check_labels(y: Any, n_items: int, what: str = "systems") -> tuple[NDArray[Any], Indices]:
    """Return the sorted classes, and the index of every label among them."""
    labels = _infer_dtype(np.asarray(y))
    if labels.ndim != 1:
        raise _bad_labels(f"shape {labels.shape}")
    if len(labels) != n_items:
        raise ValueError(
            f"y must hold one label per {what.removesuffix('s')}; got {len(labels)} labels for "
            f"{n_items} {what}."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise _bad_labels("NaN or infinity")
    if type_of_target(labels) not in ("binary", "multiclass"):
        raise _bad_labels(f"{type_of_target(labels)} values such as {labels[0]!r}")
    classes, indices = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes; got only {classes.tolist()[0]!r}. Add examples of "
            "another class."
        )
    return classes, indices


def check_weights(weights: Any, n_items: int) -> Floats | None:
    """Return the weights of samples as floats; None if there are none."""
    if weights is None:
        return None
    values = np.asarray(weights)
    if values.shape != (n_items,) or values.dtype.kind not in "biuf":
        raise _errors.invalid(
            "sample_weight", f"be one number per system, {n_items}",
            f"{values.dtype} of shape {values.shape}", "",
        )  # fmt: skip
    if not (np.isfinite(values).all() and (values >= 0).all() and values.any()):
        raise _errors.invalid(
            "sample_weight", "be finite, at least 0 and not all 0", values.tolist()[:5], ""
        )
    return values.astype(np.float64)


def _infer_dtype(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels of dtype object, as pandas keeps them, with the dtype of their values."""
    if labels.dtype != object or labels.ndim != 1:
        return labels
    for index, label in enumerate(labels):
        if label is None or label != label:  # NaN is not itself
            raise _bad_labels(f"{label} at position {index}")
    if len({isinstance(label, str) for label in labels}) > 1:
        raise _bad_labels("a mix of strings and other labels")
    return np.array(labels.tolist())


def _bad_labels(got: object) -> ValueError:
    """Return the error about labels that are no classes, missing, or in several columns."""
    return ValueError(f"y must hold class labels, one per system; got {got}.")
