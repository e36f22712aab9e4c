"""Scores by sparse coding on a kernel matrix."""

import warnings

import numpy as np

from ldslearn._types import Floats, Indices
from ldslearn.auto.candidates import Rule
from ldslearn.classify.class_scores import relative_scores
from ldslearn.coding import sparse_code
from ldslearn.coding.class_residuals import residual_reductions

# In both functions, `labels` (N,) are the classes of the training examples, from 0.


def score_by_codes(
    rule: Rule,
    gram: Floats,
    cross: Floats,
    own: Floats,
    labels: Indices,
    n_jobs: int | None,
    allowed: Floats | None = None,
) -> Floats:
    """Return the fraction of every new example that each class explains, (n_new, n_classes).

    Parameters
    ----------
    rule : Rule
    gram : (N, N) array
        Kernels of the training examples.
    cross : (n_new, N) array
        Kernels of new with training examples.
    own : (n_new,) array
        Kernel of every new example with itself.
    labels : (N,) array
    n_jobs : int or None
    allowed : (n_new, N) array of bool, optional
        The training examples that may code each new one.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of codes on an indefinite part
        codes = sparse_code(gram, cross, rule.value, allowed=allowed, n_jobs=n_jobs)
    reductions = residual_reductions(gram, cross, codes, labels, int(labels.max()) + 1)
    similar = cross if allowed is None else np.where(allowed, cross, -np.inf)
    nearest = np.where(codes.any(axis=1), -1, labels[similar.argmax(axis=1)])
    return relative_scores(reductions, own, nearest)


def score_held_out_codes(
    rule: Rule, K: Floats, labels: Indices, fold: Floats, n_jobs: int | None
) -> Floats:
    """Return the scores of every example, coded without its fold, (N, n_classes).

    Parameters
    ----------
    rule : Rule
    K : (N, N) array
    labels : (N,) array
    fold : (N,) array
        Number of the fold of each example; -1 for those that are always trained on, whose scores
        have no meaning.
    n_jobs : int or None
    """
    allowed = (fold[:, None] != fold[None, :]) | (fold[None, :] < 0)
    np.fill_diagonal(allowed, False)
    return score_by_codes(rule, K, K, K.diagonal(), labels, n_jobs, allowed)
