"""Support vector machines of pairs of classes on a kernel matrix, as arrays."""

from functools import cache

import numpy as np
from sklearn import config_context
from sklearn.svm import SVC

from ldslearn._types import Floats, Indices
from ldslearn.classify.class_scores import couple_pairs


class _UncheckedSVC(SVC):
    """A support vector machine of labels that are known to be 0, 1, ..., each of them present.

    Checking labels takes longer than fitting few examples. If scikit-learn stops calling this
    method, it checks them again, and nothing else changes.
    """

    def _validate_targets(self, y: Indices) -> Floats:
        self.classes_ = np.arange(y.max() + 1)
        self.class_weight_ = np.ones(len(self.classes_))
        return y.astype(np.float64)


def _return_matrix(K: Floats, _: Floats) -> Floats:
    """Return a kernel matrix that was computed before.

    scikit-learn validates a matrix (kernel="precomputed"), but not what a function returns.
    """
    return K


def fit_pairs(K: Floats, labels: Indices, C: float) -> tuple[Floats, Floats]:
    """Return weights and intercepts: decisions are ``k(x, X) @ weights + intercepts``.

    Parameters
    ----------
    K : (N, N) array
    labels : (N,) array
        Classes from 0, two at least, each of them present.
    C : float

    Returns
    -------
    weights : (N, n_pairs) array
        Of the pairs (0, 1), (0, 2), ..., (1, 2), ...; decisions are positive in favour of the
        first class.
    intercepts : (n_pairs,) array
    """
    # Checks take longer than fits of few examples.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        svc = _UncheckedSVC(kernel=_return_matrix, C=C).fit(K, labels)
    n_classes, owners = len(svc.classes_), labels[svc.support_]
    weights = np.zeros((len(K), len(svc.intercept_)))
    # A row of dual coefficients per other class, in the order of classes.
    others = np.arange(n_classes - 1)[:, None]
    others = others + (others >= owners)
    weights[svc.support_, _number_pairs(n_classes)[owners, others]] = svc.dual_coef_
    sign = _find_sign(n_classes)
    return sign * weights, sign * svc.intercept_


def score_held_out_pairs(K: Floats, labels: Indices, fold: Floats, C: float) -> Floats:
    """Return the scores of every example by the machines without its fold, (N, n_classes).

    Parameters
    ----------
    K : (N, N) array
    labels : (N,) array
    fold : (N,) array
        Number of the fold of each example; -1 for those that are always trained on, whose scores
        are minus infinity. So are those of a class that was not trained.
    C : float
    """
    scores = np.full((len(K), int(labels.max()) + 1), -np.inf)
    for number in np.unique(fold[fold >= 0]):
        test, train = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        present, own = np.unique(labels[train], return_inverse=True)
        if len(present) == 1:
            scores[np.ix_(test, present)] = 0.0
            continue
        weights, intercepts = fit_pairs(K[np.ix_(train, train)], own, C)
        decisions = K[np.ix_(test, train)] @ weights + intercepts
        scores[np.ix_(test, present)] = couple_pairs(decisions, len(present))
    return scores


@cache
def _number_pairs(n_classes: int) -> Indices:
    """Return the number of the pair of each two classes, (n_classes, n_classes)."""
    pairs = np.zeros((n_classes, n_classes), dtype=np.intp)
    pairs[np.triu_indices(n_classes, 1)] = np.arange(n_classes * (n_classes - 1) // 2)
    return pairs + pairs.T


def _find_sign(n_classes: int) -> float:
    """Sign of scikit-learn's decisions in favour of the first class; it differs for two classes."""
    return -1.0 if n_classes == 2 else 1.0
