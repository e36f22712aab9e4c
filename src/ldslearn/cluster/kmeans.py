"""k-means on systems."""

from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import as_random_state, check_real, check_whole
from ldslearn._parallel import show_progress
from ldslearn._places import warn_once
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats, Indices
from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.centres import assign_samples, run_restarts, squared_distances
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.recipe import PARTS, Recipe
from ldslearn.dictionary.samples import Samples, open_samples
from ldslearn.geometry.fitted_kernels import check_same_layout
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems, apply_by_blocks, as_batch


class LDSKMeans(
    NonTabularMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Cluster systems around centres that are systems, by the projection distance (Section 9.3).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    parts : "twofold", "symmetric", "skew" or "finite", default="twofold"
        Distance of the parts of two-fold systems (mean of both for "twofold"), or of finite
        observability matrices.
    order : int, default=5
        Blocks of these, for ``parts="finite"``.
    n_init : int, default=4
        Runs from different seeds (k-means++ [2]_); the best is kept.
    max_iter : int, default=50
        Largest number of iterations per run.
    tol : float, default=1e-4
        Stop when an iteration lowers the inertia by less than this fraction of it.
    random_state : int, RandomState, Generator or None, default=None
        Random seed of the first centres.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Attributes
    ----------
    cluster_centers_ : Atoms
        ``cluster_centers_.systems()`` are the centres as an LDS batch (those of the symmetric
        parts, then of the skew ones).
    labels_ : (N,) array
        Cluster of each system.
    inertia_ : float
        Sum of squared distances to the nearest centre.
    inertia_path_ : list of float
        After every iteration of the best run; never rises.
    n_iter_ : int
        Number of iterations of the best run.
    recipe_ : Recipe
        Weights of the kernels (``recipe_.codes``).

    Notes
    -----
    With :math:`k` the kernel of the parts, the squared distance of a system :math:`x` from a centre
    :math:`c` is :math:`k(x, x) + k(c, c) - 2 k(x, c)`.

    Ctrl-C keeps the best run so far, or before the first has ended, what an earlier fit found;
    KeyboardInterrupt is passed on.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.3. doi:10.48550/arXiv.1608.01059
    .. [2] D. Arthur, S. Vassilvitskii, *k-means++: the advantages of careful seeding*, SODA 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import LDSEncoder, LDSKMeans
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> systems = LDSEncoder(n_states=6).fit_transform(X_train)
    >>> labels = LDSKMeans(n_clusters=4, random_state=0).fit_predict(systems)
    >>> len(np.unique(labels[np.asarray(y_train) == "Running"]))  # clusters with running people
    1
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        parts: str = "twofold",
        order: int = 5,
        n_init: int = 4,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.parts = parts
        self.order = order
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    @warn_once
    def fit(self, X: LDS | StoredSystems, y: Any = None) -> Self:
        """Find the centres.

        Parameters
        ----------
        X : LDS or LDSStore
        y : ignored

        Returns
        -------
        self
        """
        systems = as_batch(X)
        self._check_parameters(len(systems))
        recipe = self._make_recipe().for_windows(systems.windows)
        with open_samples(systems, recipe) as samples:
            self._run(samples[0], recipe, systems)
        return self

    def _run(self, samples: Samples, recipe: Recipe, systems: LDS | StoredSystems) -> None:
        best, weights = np.inf, list(recipe.codes[0].values())
        runs = run_restarts(
            samples, weights, self.n_clusters, as_random_state(self.random_state),
            n_init=self.n_init, max_iter=self.max_iter, tol=self.tol, n_jobs=self.n_jobs,
        )  # fmt: skip
        with show_progress("k-means", self.n_init) as advance:
            for run in runs:  # an interrupt leaves the best so far
                if run.inertia[-1] < best:
                    best = run.inertia[-1]
                    # as `predict` has it, also of copies
                    labels = assign_samples(samples, run.centres, weights, self.n_jobs)[0]
                    centres = dict(zip(recipe.codes[0], run.centres, strict=True))
                    self.recipe_, self._like, self.labels_ = recipe, systems[:1], labels
                    self.inertia_path_, self.inertia_ = run.inertia, best
                    self.n_iter_ = len(run.inertia) - 1
                    self.cluster_centers_ = Atoms([centres], systems.delays)
                advance(1, f"k-means: inertia {best:.5g}")

    def predict(self, X: LDS) -> Indices:
        """Return the nearest centre of every system.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array of int
        """
        return self.transform(X).argmin(axis=1)

    @apply_by_blocks
    def transform(self, X: LDS) -> Floats:
        """Return the distances to all centres.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_clusters) array
        """
        check_is_fitted(self, "cluster_centers_")
        systems = check_same_layout(X, self._like, "the model was fitted with")
        data, weights = self._make_columns(systems)
        centres = list(self.cluster_centers_.terms[0].values())
        return np.sqrt(squared_distances(data, centres, weights, self.n_jobs))

    def score(self, X: LDS, y: Any = None) -> float:
        """Return minus the sum of squared distances to the nearest centre.

        Parameters
        ----------
        X : LDS or LDSStore
        y : ignored

        Returns
        -------
        float
        """
        return -float((self.transform(X).min(axis=1) ** 2).sum())

    def _check_parameters(self, n_systems: int) -> None:
        check_whole("n_clusters", self.n_clusters)
        if self.n_clusters > n_systems:
            raise _errors.invalid_parameter(
                "n_clusters", f"be at most the number of systems, {n_systems}", self.n_clusters
            )
        if self.parts != "finite" and self.parts not in PARTS:
            raise _errors.unknown_name("parts", self.parts, [*PARTS, "finite"])
        check_whole("order", self.order)
        check_whole("n_init", self.n_init)
        check_whole("max_iter", self.max_iter, least=0)
        check_real("tol", self.tol, "be a finite number of at least 0", low=0)

    def _make_recipe(self) -> Recipe:
        if self.parts == "finite":
            return Recipe.finite(self.order)
        return Recipe.twofold(self.parts, None, shared=True)

    def _make_columns(self, systems: LDS) -> tuple[list[Columns], list[float]]:
        terms = self.recipe_.make_columns(systems)[0]
        return list(terms.values()), list(self.recipe_.codes[0].values())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)
