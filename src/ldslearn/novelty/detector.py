"""The detector of novel systems."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import as_random_state, check_positive, check_real, check_whole
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats, Indices
from ldslearn.geometry.feature_space import (
    gaussian_of_distances,
    median_feature_distance,
    squared_feature_distances,
)
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.geometry.registry import Kernel
from ldslearn.models.blocks import apply_by_blocks
from ldslearn.models.lds import LDS, as_systems
from ldslearn.novelty.neighbors import mean_nearest, mean_nearest_others
from ldslearn.novelty.support_vectors import fit_one_class, score_held_out
from ldslearn.novelty.thresholds import choose_offset

METHODS = ("neighbors", "support_vectors")
_NARROW = 0.2  # of the median distance: wide Gaussian kernels miss novelty between known classes


class LDSNovelty(NonTabularMixin, OutlierMixin, BaseEstimator):
    r"""Find systems that are unlike those of training, by neighbours or support vectors.

    Parameters
    ----------
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`.
    method : "neighbors" or "support_vectors", default="neighbors"
        Mean distance to the nearest training systems, or one-class support vectors [1]_.
    n_neighbors : int, default=2
        Number of the nearest systems, for "neighbors". With fewer training systems, all of the
        others are used.
    nu : float, default=0.1
        Upper bound of the fraction of training systems outside, for "support_vectors".
    length_scale : float, "auto" or None, default="auto"
        Of a Gaussian kernel of the distances, for "support_vectors"; None uses the kernel itself.
        "auto" is a fifth of the median distance of the training systems.
    contamination : float or "auto", default=0.1
        Fraction of normal systems that may be called strange, in (0, 0.5]; or of strange systems
        among those of training. "auto" calls a system strange whose score is 1.5 interquartile
        ranges or more below the first quartile.
    kernel_params : mapping or None, default=None
        Parameters of the kernel. ``bandwidth="median"`` is computed from the training systems.
    random_state : int, RandomState, Generator or None, default=0
        Shuffles the folds of "support_vectors".
    n_jobs : int or None, default=None
        Threads for the kernel, as in joblib; the result does not depend on it.

    Attributes
    ----------
    offset_ : float
        Systems with a lower score are strange.
    held_out_scores_ : (N,) array
        Score of every training system by the others: without it for "neighbors", without its fold
        of ten for "support_vectors". The offset is chosen by them.
    n_neighbors_ : int
        Number of neighbours that are used.
    weights_ : (n_support,) array
        Weights of the support systems, which sum to one; empty for "neighbors".
    length_scale_ : float or None
        Length scale that is used.
    kernel_ : ReferenceKernel
        The kernel and the systems that new ones are compared with.

    Notes
    -----
    The distance of two systems in the feature space of a kernel is
    :math:`d(x, y)^2 = k(x, x) + k(y, y) - 2 k(x, y)`. With "neighbors", the score of a system is
    minus the mean of :math:`d(x, x_i)` over its nearest training systems. With "support_vectors",
    it is :math:`\sum_i w_i g(x, x_i)` with :math:`g(x, y) = \exp(-d(x, y)^2 / (2 \ell^2))`, or
    :math:`g = k` without a length scale. The weights of the training systems are at most
    :math:`1 / (\nu N)`.

    Training systems are never scored by themselves: the score of rank
    :math:`\lfloor c (N + 1) \rfloor` of the held-out scores, the lowest first, is the offset, with
    :math:`c` the contamination. With fewer than :math:`1 / c - 1` systems it is the lowest of them.
    `fit_predict` compares the held-out scores with the offset. Equal systems have the distance 0,
    so that a training system with a copy is normal; `predict` of a training system counts itself
    as one of its neighbours.

    References
    ----------
    .. [1] B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson, *Estimating
       the support of a high-dimensional distribution*, Neural Computation 13 (2001) 1443-1471.
       doi:10.1162/089976601750264965
    .. [2] S. Ramaswamy, R. Rastogi, K. Shim, *Efficient algorithms for mining outliers from large
       data sets*, SIGMOD 2000. doi:10.1145/342009.335437

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import LDSEncoder, LDSNovelty
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> normal = [x for x, label in zip(X_train, y_train) if label != "Running"]
    >>> model = make_pipeline(LDSEncoder(n_states=4, delays=5), LDSNovelty()).fit(normal)
    >>> strange = model.predict(X_test) == -1
    >>> bool(strange[np.asarray(y_test) == "Running"].mean() > 0.8)
    True
    """

    def __init__(
        self,
        kernel: Kernel = "projection",
        *,
        method: Literal["neighbors", "support_vectors"] = "neighbors",
        n_neighbors: int = 2,
        nu: float = 0.1,
        length_scale: float | Literal["auto"] | None = "auto",
        contamination: float | Literal["auto"] = 0.1,
        kernel_params: Mapping[str, Any] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.method = method
        self.n_neighbors = n_neighbors
        self.nu = nu
        self.length_scale = length_scale
        self.contamination = contamination
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any = None) -> Self:
        """Compute the kernel matrix of normal systems, and choose the offset.

        Parameters
        ----------
        X : LDS
            At least two systems.
        y : ignored

        Returns
        -------
        self
        """
        systems = as_systems(X, "X", at_least_one=True)
        self._check_parameters()
        if len(systems) < 2:
            raise _errors.invalid(
                "X", "hold at least two systems", 1,
                "The offset is chosen by scores of systems that are held out.",
            )  # fmt: skip
        # Distances need no positive part, in which new systems would be nearer than they are.
        by_kernel = self.method == "support_vectors" and self.length_scale is None
        kernel = FittedKernel.fit(
            systems, self.kernel, self.kernel_params, self.n_jobs, clip=by_kernel
        )
        own, kept = kernel.gram.diagonal().copy(), np.arange(len(systems))
        n_neighbors = min(int(self.n_neighbors), len(systems) - 1)
        weights, length_scale = np.empty(0), None
        if self.method == "neighbors":
            distances = np.sqrt(squared_feature_distances(kernel.gram, own, own))
            scores = -mean_nearest_others(distances, n_neighbors)
        else:
            length_scale = self._find_length_scale(kernel.gram)
            gram = kernel.gram
            if length_scale is not None:
                gram = gaussian_of_distances(gram, own, own, length_scale)
            scores = score_held_out(gram, self.nu, as_random_state(self.random_state))
            weights = fit_one_class(gram, self.nu)
            kept = np.flatnonzero(weights)
            own, weights = own[kept], weights[kept]
        self.offset_ = choose_offset(scores, self.contamination)
        self.held_out_scores_, self.n_neighbors_, self.weights_ = scores, n_neighbors, weights
        self.kernel_, self._own = kernel.restrict(kept), own
        self.length_scale_ = length_scale
        return self

    def _find_length_scale(self, gram: Floats) -> float | None:
        if self.length_scale == "auto":
            return _NARROW * median_feature_distance(gram)
        return None if self.length_scale is None else float(self.length_scale)

    def fit_predict(self, X: LDS, y: Any = None) -> Indices:
        """Fit, and return -1 for the strange training systems and 1 for the others.

        Every system is scored by the others, so that the result differs from `predict` of the same
        systems.

        Parameters
        ----------
        X : LDS
        y : ignored

        Returns
        -------
        (len(X),) array of int
        """
        self.fit(X)
        return np.where(self.held_out_scores_ < self.offset_, -1, 1)

    @apply_by_blocks
    def score_samples(self, X: LDS) -> Floats:
        """Return how normal every system is.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array
            Larger for more normal systems.
        """
        check_is_fitted(self)
        return self.kernel_.apply_by_rows(self._score_block, self.kernel_.check(X))

    def decision_function(self, X: LDS) -> Floats:
        """Return the scores less the offset: below 0 for strange systems.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: LDS) -> Indices:
        """Return -1 for strange systems and 1 for normal ones.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array of int
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def _score_block(self, systems: LDS) -> Floats:
        cross = self.kernel_.cross(systems, self.n_jobs)
        own = self.kernel_.diagonal(systems, self.n_jobs)
        if not len(self.weights_):
            squared = squared_feature_distances(cross, own, self._own)
            scores = -mean_nearest(np.sqrt(squared), self.n_neighbors_)
        elif self.length_scale_ is None:
            scores = cross @ self.weights_
        else:
            near = gaussian_of_distances(cross, own, self._own, self.length_scale_)
            scores = near @ self.weights_
        bad = np.flatnonzero(~np.isfinite(scores))
        if len(bad):
            raise _errors.SystemsError(
                "scores must be finite; got NaN or infinity for {systems}. The kernel overflows "
                "there: stabilize the systems, or use another kernel.",
                bad,
            )
        return scores

    def _check_parameters(self) -> None:
        if self.method not in METHODS:
            raise _errors.unknown_name("method", self.method, METHODS)
        check_whole("n_neighbors", self.n_neighbors)
        low = float(np.nextafter(0, 1))
        check_real("nu", self.nu, "lie in (0, 1]", low, 1.0)
        if self.length_scale is not None and self.length_scale != "auto":
            check_positive("length_scale", self.length_scale, "be positive, 'auto' or None")
        if self.contamination != "auto":
            check_real(
                "contamination", self.contamination, "lie in (0, 0.5] or be 'auto'", low, 0.5
            )
