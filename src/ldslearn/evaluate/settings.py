"""Parameters of all methods, by one name each."""

from dataclasses import dataclass
from typing import Literal

# Seconds. Less than the 60 of AutoLDSClassifier: a command fits one model per split. Recorded
# results depend on it.
COMMAND_BUDGET = 30.0


@dataclass(frozen=True)
class Settings:
    """Parameters of all methods; the defaults are the paper's values where it states them.

    Attributes
    ----------
    sparsity : float, default=0.1
        Weight of the penalty on the codes, lambda.
    atoms : int, default=16
        Atoms of a dictionary, or of the dictionary of each class with `per_class`.
    order : int, default=5
        Blocks of the finite observability matrix, L.
    time_budget : float, default=30.0
        Time budget of the method "auto", in seconds.
    seed : int, default=0
    n_jobs : int or None, default=None
    mix : float or "cv", default=0.5
        Weight of the subspace kernel against the covariance kernel, beta; "cv" chooses it by
        cross-validation.
    bandwidth : float or "median", default=200.0
        Of the Martin kernel, sigma squared.
    per_class : bool, default=False
        Whether each class has a dictionary of its own.
    contamination : float, default=0.05
        Fraction of normal sequences that the method "novelty" may call strange.

    Examples
    --------
    >>> from ldslearn.evaluate import METHODS, Settings
    >>> classifier = METHODS["lds-sc-grass"].build(Settings(sparsity=0.02))
    >>> classifier.sparsity
    0.02
    """

    sparsity: float = 0.1
    atoms: int = 16
    order: int = 5
    time_budget: float = COMMAND_BUDGET
    seed: int = 0
    n_jobs: int | None = None
    mix: float | Literal["cv"] = 0.5
    bandwidth: float | Literal["median"] = 200.0
    per_class: bool = False
    contamination: float = 0.05
