"""k-means on systems."""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import (
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from ldslearn._checks import as_random_state
from ldslearn._places import warn_once
from ldslearn._progress import show_progress
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats, Indices
from ldslearn.cluster.parameters import ClusterParameters
from ldslearn.cluster.selection import choose_number
from ldslearn.cluster.spectral import find_spectral_clusters, measure_spectral_distances
from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.centres import assign_samples, fit_centres, squared_distances
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.recipe import Recipe
from ldslearn.dictionary.restarts import run_restarts
from ldslearn.dictionary.samples import Samples, open_samples
from ldslearn.geometry.feature_space import squared_feature_distances
from ldslearn.geometry.fitted_kernels import FittedKernel, check_same_layout
from ldslearn.geometry.registry import pairwise_kernel
from ldslearn.models.blocks import StoredSystems, apply_by_blocks, as_batch
from ldslearn.models.lds import LDS, as_systems

_MOST_COMPARED = 2000  # systems whose silhouettes are compared: distances grow with the square


class LDSKMeans(
    NonTabularMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    ClusterParameters,
):
    r"""Cluster systems around centres that are systems, by the projection distance (Section 9.3).

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters. "auto" is the number from 2 to `max_clusters` with the largest mean
        silhouette [3]_.
    method : "kmeans" or "spectral", default="kmeans"
        "spectral" clusters coordinates that a random walk among the systems has [4]_: clusters
        need not be round.
    kernel : str, callable or mapping of str to float, default="projection"
        Similarity of systems for "spectral", at least 0, as in
        :func:`ldslearn.geometry.pairwise_kernel`.
    parts : "twofold", "symmetric", "skew" or "finite", default="twofold"
        Distance of the parts of two-fold systems (mean of both for "twofold"), or of finite
        observability matrices.
    order : int, default=5
        Blocks of these, for ``parts="finite"``.
    max_clusters : int, default=10
        Largest number of clusters that "auto" tries; less than the number of systems.
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
    n_clusters_ : int
        Number of clusters.
    silhouettes_ : dict of int to float
        Mean silhouette of each number of clusters that "auto" tried;
        :func:`ldslearn.plot.plot_silhouettes` draws them.
    inertia_ : float
        Sum of squared distances to the nearest centre; of coordinates, for "spectral".
    inertia_path_ : list of float
        After every iteration of the best run; never rises. Empty for "spectral".
    n_iter_ : int
        Number of iterations of the best run; 0 for "spectral".
    recipe_ : Recipe
        Weights of the kernels (``recipe_.codes``).

    Notes
    -----
    With :math:`k` the kernel of the parts, the squared distance of a system :math:`x` from a centre
    :math:`c` is :math:`k(x, x) + k(c, c) - 2 k(x, c)`.

    With "spectral", :math:`W` are the kernels of the systems and :math:`D` their sums. Coordinates
    :math:`\psi` are the eigenvectors of the largest eigenvalues of :math:`P = D^{-1} W`, one per
    cluster, and :math:`\psi(x) = \frac{1}{\lambda} \sum_i p(x, x_i) \psi_i` for new systems.
    `transform` and `predict` use distances of coordinates. Centres are the systems closest to the
    members of each cluster; they are for inspection.

    The silhouette of a system is :math:`(b - a) / \max(a, b)`, with its mean distances :math:`a` to
    its own and :math:`b` to the nearest other cluster, both in the feature space of the kernel.
    Above 2000 systems, that of a random sample of 2000 is compared. One cluster has no silhouette:
    if the largest is near 0, the systems may have no clusters.

    Ctrl-C keeps the best run so far, or before the first has ended, what an earlier fit found;
    KeyboardInterrupt is passed on.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.3. doi:10.48550/arXiv.1608.01059
    .. [2] D. Arthur, S. Vassilvitskii, *k-means++: the advantages of careful seeding*, SODA 2007.
    .. [3] P. J. Rousseeuw, *Silhouettes: a graphical aid to the interpretation and validation of
       cluster analysis*, Journal of Computational and Applied Mathematics 20 (1987) 53-65.
       doi:10.1016/0377-0427(87)90125-7
    .. [4] U. von Luxburg, *A tutorial on spectral clustering*, Statistics and Computing 17 (2007)
       395-416. doi:10.1007/s11222-007-9033-z

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

    @warn_once
    def fit(self, X: LDS | StoredSystems, y: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : LDS or LDSStore
            For "spectral", systems in memory.
        y : ignored

        Returns
        -------
        self
        """
        systems = as_batch(X)
        self._check_parameters(len(systems))
        recipe = self._make_recipe().for_windows(systems.windows)
        kernel = None
        if self.method == "spectral":
            kernel = FittedKernel.fit(as_systems(X, "X"), self.kernel, None, self.n_jobs)
        with open_samples(systems, recipe) as samples:
            run = partial(self._run, samples[0], recipe, systems)
            if kernel is not None:
                run = partial(self._run_spectral, kernel, samples[0], recipe, systems)
            self.__dict__.pop("silhouettes_", None)
            if self.n_clusters == "auto":
                self._choose_number(run, systems, kernel)
            else:
                run(int(self.n_clusters))
        return self

    def _choose_number(
        self, run: Callable[[int], None], systems: Any, kernel: FittedKernel | None
    ) -> None:
        """Find clusters for each number, and keep those with the largest silhouette."""
        random = as_random_state(self.random_state)
        sample = np.sort(random.permutation(len(systems))[:_MOST_COMPARED])
        if kernel is not None:
            gram = kernel.gram[np.ix_(sample, sample)]
        else:
            settings: dict[str, Any] = {"order": self.order} if self.parts == "finite" else {}
            few = systems if len(sample) == len(systems) else systems[sample]
            gram = pairwise_kernel(few, kernel=self.parts, n_jobs=self.n_jobs, **settings)
        own = gram.diagonal()
        distances = np.sqrt(squared_feature_distances(gram, own, own))

        def find_clusters(number: int) -> tuple[Indices, dict[str, Any]]:
            run(number)
            names = [name for name in vars(self) if name.endswith("_") or name.startswith("_")]
            return self.labels_, {name: vars(self)[name] for name in names}

        last = min(int(self.max_clusters), len(systems) - 1)
        _, found, silhouettes = choose_number(range(2, last + 1), find_clusters, distances, sample)
        self.__dict__.update(found)
        self.silhouettes_ = silhouettes

    def _run(self, samples: Samples, recipe: Recipe, systems: Any, n_clusters: int) -> None:
        best, weights = np.inf, list(recipe.codes[0].values())
        runs = run_restarts(
            samples, weights, n_clusters, as_random_state(self.random_state),
            n_init=self.n_init, max_iter=self.max_iter, tol=self.tol, n_jobs=self.n_jobs,
        )  # fmt: skip
        with show_progress("k-means", self.n_init) as advance:
            for run in runs:  # an interrupt leaves the best so far
                if run.inertia[-1] < best:
                    best = run.inertia[-1]
                    # as `predict` has it, also of copies
                    labels = assign_samples(samples, run.centres, weights, self.n_jobs)[0]
                    self._keep(run.centres, labels, recipe, systems)
                    self.inertia_path_, self.inertia_ = run.inertia, best
                    self.n_iter_ = len(run.inertia) - 1
                    self._spectral: Any = None
                advance(1, f"k-means: inertia {best:.5g}")

    def _run_spectral(
        self, kernel: FittedKernel, samples: Samples, recipe: Recipe, systems: Any, n_clusters: int
    ) -> None:
        random = as_random_state(self.random_state)
        labels, distances, clusters = find_spectral_clusters(kernel, n_clusters, random)
        own = np.where(labels[:, None] == np.arange(n_clusters), distances, np.inf)
        # The member closest to the centroid; any system for a cluster of copies without members.
        self._keep(fit_centres(samples, labels, own.argmin(axis=0)), labels, recipe, systems)
        self.inertia_ = float(np.square(distances.min(axis=1)).sum())
        self.inertia_path_, self.n_iter_, self._spectral = [], 0, clusters

    def _keep(self, centres: list[Columns], labels: Indices, recipe: Recipe, systems: Any) -> None:
        terms = dict(zip(recipe.codes[0], centres, strict=True))
        self.recipe_, self._like, self.labels_ = recipe, systems[:1], labels
        self.cluster_centers_ = Atoms([terms], systems.delays)
        self.n_clusters_ = len(self.cluster_centers_)

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
        if getattr(self, "_spectral", None) is not None:  # none in files of older releases
            return measure_spectral_distances(self._spectral, systems, self.n_jobs)
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

    def _make_columns(self, systems: LDS) -> tuple[list[Columns], list[float]]:
        terms = self.recipe_.make_columns(systems)[0]
        return list(terms.values()), list(self.recipe_.codes[0].values())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)
