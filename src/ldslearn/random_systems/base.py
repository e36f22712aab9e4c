"""What linear models on the features of random systems share."""

from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats
from ldslearn.models.imputation import LDSImputer, fill_or_check
from ldslearn.random_systems.transformer import RandomSystems


class RandomSystemsModel(NonTabularMixin, BaseEstimator):
    """Base class: parameters, the transformer, and scaled features."""

    transformer_: RandomSystems
    imputer_: LDSImputer | None
    mean_: Floats
    scale_: Floats

    def __init__(
        self,
        n_systems: int = 1000,
        *,
        n_thresholds: int = 8,
        n_components: int | str | None = "auto",
        missing: str = "raise",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_systems = n_systems
        self.n_thresholds = n_thresholds
        self.n_components = n_components
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit_transformer(self, sequences: list[NDArray[Any]]) -> RandomSystems:
        """Return random systems with these parameters, fitted."""
        return RandomSystems(
            self.n_systems,
            n_thresholds=self.n_thresholds,
            n_components=self.n_components,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )._fit(sequences)

    def compute_features(self, X: Any) -> Floats:
        """Return the features that predictions are linear in, scaled as those of training.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        (N, n_features) array
        """
        check_is_fitted(self)
        features = self.transformer_._transform(fill_or_check(X, self.imputer_), self.n_jobs)
        features -= self.mean_
        features /= self.scale_
        return features
