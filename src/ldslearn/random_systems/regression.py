"""Ridge regression on scaled features, with the penalty chosen by leaving one example out."""

from dataclasses import dataclass

import numpy as np

from ldslearn._parallel import limit_blas_threads
from ldslearn._types import Floats, Indices
from ldslearn.classify.ridge_path import RidgePath, make_targets

# Per feature, so that the number of features does not matter. Leaving one out prefers far larger
# penalties where each person is recorded once per class, and the accuracy then drops: 0.3 at most.
_PENALTIES = 0.3 * np.logspace(-6, 0, 13)


@dataclass(frozen=True)
class RidgeFit:
    """A regression on scaled features: of numbers, or of 1 for the own class and -1 for others.

    Attributes
    ----------
    mean, scale : (n_features,) arrays
        Mean and deviation of the training features; a deviation of 0 is replaced by 1.
    coef : (n_features, n_classes) array
        Of scaled features.
    intercept : (n_classes,) array
    penalty : float
    left_out : (N, n_classes) array
        Scores of each training example by the regression without it.
    path : RidgePath
        The regressions for all penalties.
    """

    mean: Floats
    scale: Floats
    coef: Floats
    intercept: Floats
    penalty: float
    left_out: Floats
    path: RidgePath


def fit_ridge(features: Floats, labels: Indices) -> RidgeFit:
    """Return the regression whose penalty has the smallest squared error of left-out examples.

    Parameters
    ----------
    features : (N, n_features) array
    labels : (N,) array
        Indices of classes.
    """
    return fit_targets(features, make_targets(labels), _PENALTIES)


def fit_targets(features: Floats, targets: Floats, penalties: Floats) -> RidgeFit:
    """Return the regression of numbers whose penalty has the smallest error of left-out examples.

    Parameters
    ----------
    features : (N, n_features) array
    targets : (N, n_outputs) array
    penalties : (n,) array
        To choose from, per feature.
    """
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale == 0] = 1.0
    Z = (features - mean) / scale
    with limit_blas_threads():
        path = RidgePath.decompose_features(Z)
        found = []
        for penalty in penalties * features.shape[1]:
            left_out = path.predict_left_out(targets, penalty)
            found.append((float(np.square(left_out - targets).mean()), penalty, left_out))
        _, penalty, left_out = min(found, key=lambda one: one[:2])
        weights, _ = path.fit(targets, penalty)
        coef = Z.T @ weights
    return RidgeFit(mean, scale, coef, targets.mean(axis=0), float(penalty), left_out, path)
