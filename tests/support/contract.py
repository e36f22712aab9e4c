"""What every estimator on systems keeps, where scikit-learn's own checks stop."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ldslearn.models.fields import FIELD_SHAPES

FIELDS = tuple(FIELD_SHAPES)


def copied(systems):
    return {name: getattr(systems, name).copy() for name in FIELDS}


def outputs(estimator, X):
    """Every answer of an estimator to X, by the name of the method."""
    methods = ("predict", "predict_proba", "decision_function", "transform", "residuals_for")
    return {name: getattr(estimator, name)(X) for name in methods if hasattr(estimator, name)}


def assert_same(first, second, **tolerances):
    assert first.keys() == second.keys()
    assert first
    for name, answer in first.items():
        if answer.dtype.kind == "f":
            np.testing.assert_allclose(answer, second[name], **tolerances)
        else:
            np.testing.assert_array_equal(answer, second[name])


def check_estimator_on_systems(estimator, X, y, Z):
    """Fit to (X, y) and ask about Z, in every way a user might."""
    before, parameters = (copied(X), y.copy(), copied(Z)), repr(estimator.get_params())
    with pytest.raises(NotFittedError):
        outputs(estimator, Z)
    fitted = clone(estimator)
    assert fitted.fit(X, y) is fitted
    answers = outputs(fitted, Z)

    after = (copied(X), y, copied(Z))
    for old, new in zip((before[0], before[2]), (after[0], after[2]), strict=True):
        for name in FIELDS:
            np.testing.assert_array_equal(old[name], new[name])
    np.testing.assert_array_equal(before[1], y)
    assert repr(fitted.get_params()) == parameters

    exactly = {"rtol": 0, "atol": 0}
    assert_same(answers, outputs(clone(estimator).fit(X, y), Z), **exactly)  # seeds
    assert_same(answers, outputs(fitted.fit(X, y), Z), **exactly)  # no memory of an earlier fit
    jobs = "n_jobs" if "n_jobs" in estimator.get_params() else "dictionary__n_jobs"
    assert_same(answers, outputs(clone(estimator).set_params(**{jobs: 2}).fit(X, y), Z), **exactly)
    assert_same(answers, outputs(pickle.loads(pickle.dumps(fitted)), Z), **exactly)
    if hasattr(fitted, "predict"):
        assert_same({"p": answers["predict"]}, {"p": fitted.fit(X, list(y)).predict(Z)})

    close = {"rtol": 1e-9, "atol": 1e-9}
    parts = [outputs(fitted, Z[rows]) for rows in (slice(0, 1), slice(1, 3), slice(3, None))]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in answers}
    assert_same(answers, joined, **close)  # one system at a time or many
    with pytest.raises(TypeError, match="X must be an LDS batch; got ndarray"):
        fitted.fit(np.zeros((len(y), 3)), y)
