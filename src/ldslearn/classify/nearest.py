"""Classification by the nearest training systems."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._places import locate_systems
from ldslearn._types import Floats
from ldslearn.classify.labels import LDSClassifier, check_labelled
from ldslearn.geometry import pairwise_distance
from ldslearn.geometry.fitted_kernels import TRAINING, check_same_layout, cut_rows
from ldslearn.models import LDS
from ldslearn.models.blocks import apply_by_blocks


class NearestLDSClassifier(LDSClassifier):
    """Classify a system by its nearest training systems; by default LDS-Martin of the paper.

    Parameters
    ----------
    distance : str or callable, default="martin"
        As in :func:`ldslearn.geometry.pairwise_distance`.
    n_neighbors : int, default=1
        Number of systems that vote. Of classes with equal votes that of the nearest system wins,
        and of equally near ones the first of `classes_`.
    distance_params : mapping or None, default=None
        Parameters of the distance.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Attributes
    ----------
    classes_ : (n_classes,) array
        Labels.
    systems_ : LDS
        The training systems.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import LDSEncoder, NearestLDSClassifier
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = make_pipeline(LDSEncoder(n_states=10, delays=5), NearestLDSClassifier("projection"))
    >>> model.fit(X_train, y_train).score(X_test, y_test)
    0.95
    """

    def __init__(
        self,
        distance: str | Callable[..., Floats] = "martin",
        *,
        n_neighbors: int = 1,
        distance_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.distance = distance
        self.n_neighbors = n_neighbors
        self.distance_params = distance_params
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any) -> Self:
        """Keep the training systems.

        Parameters
        ----------
        X : LDS
        y : (len(X),) array of labels

        Returns
        -------
        self
        """
        systems, classes, indices = check_labelled(X, y)
        check_whole("n_neighbors", self.n_neighbors)
        if self.n_neighbors > len(systems):
            raise _errors.invalid_parameter(
                "n_neighbors", f"be at most the number of systems, {len(systems)}", self.n_neighbors
            )
        self._compute_distances(systems[:1], systems[:1])  # raises for an unknown name
        self.systems_, self.classes_, self._labels = systems, classes, indices
        return self

    @apply_by_blocks
    def predict(self, X: LDS) -> NDArray[Any]:
        """Return the label of every system.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array
        """
        scores = self._score_classes(X)
        return self.classes_[scores.argmax(axis=1)]

    @apply_by_blocks
    def decision_function(self, X: LDS) -> Floats:
        """Return the scores that `predict` compares.

        With one neighbour, minus the distance to the nearest training system of each class. With
        several, votes less ``rank / (n_neighbors + 1)`` of the nearest voter. Of two classes the
        score of the second less that of the first.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array, or (len(X),) of two classes
        """
        scores = self._score_classes(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @apply_by_blocks
    def predict_proba(self, X: LDS) -> Floats:
        """Return the fraction of votes of each class.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array
        """
        if self.n_neighbors == 1:
            scores = self._score_classes(X)
            return np.eye(scores.shape[1])[scores.argmax(axis=1)]
        return self._count_votes(X)[0] / self.n_neighbors

    def _score_classes(self, X: LDS) -> Floats:
        if self.n_neighbors > 1:
            votes, ranks = self._count_votes(X)
            return votes - ranks / (self.n_neighbors + 1)
        systems = self._check_like(X)
        scores = np.empty((len(systems), len(self.classes_)))
        for block in cut_rows(len(systems), len(self.systems_)):
            with locate_systems(block.start, other=(TRAINING, 0)):
                D = self._compute_distances(systems[block], self.systems_)
            for c in range(len(self.classes_)):
                scores[block, c] = -D[:, self._labels == c].min(axis=1)
        return scores

    def _count_votes(self, X: LDS) -> tuple[Floats, Floats]:
        """Votes for every class, and the rank of its nearest voter."""
        systems = self._check_like(X)
        shape = (len(systems), len(self.classes_))
        votes, ranks = np.zeros(shape), np.full(shape, float(self.n_neighbors))
        for block in cut_rows(len(systems), len(self.systems_)):
            with locate_systems(block.start, other=(TRAINING, 0)):
                D = self._compute_distances(systems[block], self.systems_)
            order = np.argsort(D, axis=1, kind="stable")[:, : self.n_neighbors]
            voters = self._labels[order]
            rows = np.arange(len(voters))
            for rank in reversed(range(self.n_neighbors)):
                votes[block][rows, voters[:, rank]] += 1.0
                ranks[block][rows, voters[:, rank]] = rank
        return votes, ranks

    def _check_like(self, X: LDS) -> LDS:
        check_is_fitted(self)
        return check_same_layout(X, self.systems_, "the model was fitted with")

    def _compute_distances(self, X: LDS, Y: LDS) -> Floats:
        return pairwise_distance(
            X, Y, self.distance, n_jobs=self.n_jobs, **(self.distance_params or {})
        )
