"""Labels and their certainty, in the measure that the classifier provides."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats
from ldslearn.auto import AutoLDSClassifier
from ldslearn.classify import NearestLDSClassifier, SparseCodingClassifier
from ldslearn.random_systems import RandomSystemsClassifier

MEANINGS = {
    "probability": "probability of the class",
    "share": "fraction of the class in what all classes explain; not a probability",
    "votes": "fraction of the neighbours that vote for the class; not a probability",
    "margin": "score of the class minus that of the next one; not a probability",
}


@dataclass(frozen=True)
class Prediction:
    """Labels of some sequences.

    Attributes
    ----------
    labels : (N,) array
    classes : list of str
    kind : "probability", "share", "votes" or "margin"
        Measure of `certainty`; see :data:`MEANINGS`.
    calibrated : bool
        Whether probabilities were fitted to held-out data.
    values : (N, n_classes) array
        This measure for every class.
    """

    labels: NDArray[Any]
    classes: list[str]
    kind: str
    calibrated: bool
    values: Floats

    __repr__ = summarize_fields

    @property
    def certainty(self) -> Floats:
        """Value of each label, (N,); for scores, its margin over the next class."""
        largest = np.sort(self.values, axis=1)[:, ::-1]
        return largest[:, 0] - largest[:, 1] if self.kind == "margin" else largest[:, 0]

    @property
    def runners_up(self) -> list[str]:
        """The class with the largest value apart from the predicted one, per sequence."""
        own = np.array([str(label) for label in self.labels])[:, None] == np.array(self.classes)
        return [self.classes[i] for i in np.where(own, -np.inf, self.values).argmax(axis=1)]


def predict_with_certainty(estimator: Any, X: Any) -> Prediction:
    """Return labels and their certainty.

    Parameters
    ----------
    estimator : classifier
        Of sequences or of systems; it may be a pipeline.
    X : its input
    """
    classes = [str(label) for label in estimator.classes_]
    if isinstance(estimator, AutoLDSClassifier | RandomSystemsClassifier):
        labels, values = estimator.predict_with_proba(X)
        return Prediction(labels, classes, "probability", True, values)
    if isinstance(estimator, Pipeline):  # sequences are encoded once, not for each method
        for _, step in estimator.steps[:-1]:
            X = X if step in ("passthrough", None) else step.transform(X)
        return predict_with_certainty(estimator[-1], X)
    labels = estimator.predict(X)
    votes = isinstance(estimator, NearestLDSClassifier)
    one_vote = votes and estimator.n_neighbors == 1  # always 0 or 1, which is no measure
    if hasattr(estimator, "predict_proba") and not one_vote:
        shares = isinstance(estimator, SparseCodingClassifier) or hasattr(
            estimator, "residuals_for"
        )
        kind = "votes" if votes else "share" if shares else "probability"
        return Prediction(labels, classes, kind, False, estimator.predict_proba(X))
    scores = estimator.decision_function(X)
    if scores.ndim == 1:  # of two classes only the difference is known
        scores = np.stack([-scores / 2, scores / 2], axis=1)
    return Prediction(labels, classes, "margin", False, scores)
