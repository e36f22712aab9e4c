"""What automatic estimators share: their parameters, and checks of the training sequences."""

import time
from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ldslearn._checks import check_positive, check_whole
from ldslearn._tags import NonTabularMixin
from ldslearn.auto.lengths import check_shortest
from ldslearn.models.imputation import LDSImputer, fill_or_check, fit_imputer
from ldslearn.sequences.offsets import warn_of_offsets
from ldslearn.sequences.orientation import warn_if_transposed


class AutoEstimator(NonTabularMixin, BaseEstimator):
    """Base class of estimators that choose their own parameters."""

    _clock = staticmethod(time.monotonic)  # of the time budget; tests replace it

    def __init__(
        self,
        time_budget: float = 60,
        *,
        max_members: int = 20,
        missing: str = "raise",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.time_budget = time_budget
        self.max_members = max_members
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _prepare(self, X: Any) -> tuple[LDSImputer | None, list[NDArray[Any]]]:
        """Check parameters and training sequences, and fill gaps if that is asked for."""
        check_positive("time_budget", self.time_budget)
        check_whole("max_members", self.max_members)
        imputer = fit_imputer(X, self.missing, self.n_jobs)
        sequences = fill_or_check(X, imputer)
        warn_if_transposed(X, sequences)
        warn_of_offsets(sequences)
        check_shortest(sequences)
        return imputer, sequences
