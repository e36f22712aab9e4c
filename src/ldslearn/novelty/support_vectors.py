"""One-class support vectors on a kernel matrix, and scores of systems that were held out."""

import numpy as np
from sklearn.model_selection import KFold
from sklearn.svm import OneClassSVM

from ldslearn._types import Floats

_FOLDS = 10


def fit_one_class(K: Floats, nu: float) -> Floats:
    """Return the weights of the systems, (N,), at least 0 and with the sum 1; most are 0.

    Parameters
    ----------
    K : (N, N) array
        Kernels of the training systems.
    nu : float
        At most this fraction of the systems lie outside, and at least this fraction have weights.
    """
    svm = OneClassSVM(kernel="precomputed", nu=nu).fit(K)
    weights = np.zeros(len(K))
    weights[svm.support_] = svm.dual_coef_[0]
    return weights / weights.sum()


def score_held_out(K: Floats, nu: float, random: np.random.RandomState) -> Floats:
    """Return the score of every system by the support vectors without its fold, (N,).

    Parameters
    ----------
    K : (N, N) array
        Kernels of the training systems, at least two.
    nu : float
    random : RandomState
        Shuffles the folds.
    """
    scores = np.empty(len(K))
    folds = KFold(min(_FOLDS, len(K)), shuffle=True, random_state=random)
    for train, test in folds.split(K):
        scores[test] = K[np.ix_(test, train)] @ fit_one_class(K[np.ix_(train, train)], nu)
    return scores
