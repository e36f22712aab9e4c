"""Systems as vectors whose inner products approximate a kernel."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import as_random_state, check_whole
from ldslearn._places import locate_systems, warn_once
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats, Indices
from ldslearn.geometry.fitted_kernels import FittedKernel, ReferenceKernel
from ldslearn.geometry.registry import Kernel
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems, apply_by_blocks, as_batch
from ldslearn.search.landmarks import choose_central, choose_random
from ldslearn.search.nystroem import leave_one_out_residual, measure_residual, whiten

CHOICES = ("kmeans", "random")
_POOL = 5  # systems that k-means chooses each landmark from
_HELD_OUT = 300  # systems that the residual is measured on, at most


class LDSEmbedding(
    NonTabularMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Map systems to vectors whose inner products approximate a kernel (Nyström).

    Estimators of scikit-learn that take vectors then work on any number of systems: LinearSVC,
    ridge regression, nearest neighbours. Time and memory of `fit` do not depend on the number of
    systems beyond reading them; those of `transform` are linear in it.

    Parameters
    ----------
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`.
    n_landmarks : int, default=300
        Systems that all others are compared with; all of them if there are fewer.
    landmarks : "kmeans" or "random", default="kmeans"
        How they are chosen: the systems nearest to the centres of k-means on a sample of five
        times as many, or by drawing.
    n_components : int or None, default=None
        Largest number of coordinates; None keeps all that are larger than rounding errors.
    kernel_params : mapping or None, default=None
        Parameters of the kernel. ``bandwidth="median"`` is computed from the landmarks.
    random_state : int, RandomState, Generator or None, default=None
        Random seed of the landmarks.
    n_jobs : int or None, default=None
        Threads for the kernel, as in joblib; the result does not depend on it.

    Attributes
    ----------
    kernel_ : ReferenceKernel
        The kernel and the landmarks, ``kernel_.systems``.
    landmark_indices_ : (n_landmarks,) array
        Their places in the training systems.
    components_ : (n_landmarks, n_components) array
        Map from kernels with the landmarks to coordinates.
    eigenvalues_ : (n_components,) array
        Of the kernel matrix of the landmarks, in descending order.
    residual_ : float
        Mean of :math:`(k(x, x) - |\phi(x)|^2) / k(x, x)` of systems that are no landmarks: the
        share of the kernel that is lost. If all systems are landmarks, each is left out in turn.

    Notes
    -----
    With the kernel matrix :math:`K = U S U^\top` of the landmarks :math:`l_1, \ldots, l_M`,

    .. math:: \phi(x) = S^{-1/2} U^\top [k(x, l_1), \ldots, k(x, l_M)]^\top.

    :math:`\phi(x)^\top \phi(y)` is the kernel of the projections of :math:`x` and :math:`y` on the
    span of the landmarks, and equals :math:`k(x, y)` if one of them is a landmark. Eigenvalues
    below 1e-8 of the largest are left out. Of an indefinite kernel (Martin) the positive part on
    the landmarks is used.

    References
    ----------
    .. [1] C. K. I. Williams, M. Seeger, *Using the Nyström method to speed up kernel machines*,
       NIPS 2000.
    .. [2] K. Zhang, I. W. Tsang, J. T. Kwok, *Improved Nyström low-rank approximation and error
       analysis*, ICML 2008. doi:10.1145/1390156.1390311

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> from ldslearn import LDSEmbedding, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> encoder = LDSEncoder(n_states=10, delays=5)
    >>> model = make_pipeline(encoder, LDSEmbedding(random_state=0), LinearSVC(C=10))
    >>> model.fit(X_train, y_train).score(X_test, y_test)
    0.95
    """

    def __init__(
        self,
        kernel: Kernel = "projection",
        *,
        n_landmarks: int = 300,
        landmarks: Literal["kmeans", "random"] = "kmeans",
        n_components: int | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    @warn_once
    def fit(self, X: LDS | StoredSystems, y: Any = None) -> Self:
        """Choose the landmarks, and compute the map from their kernels to coordinates.

        Parameters
        ----------
        X : LDS or LDSStore
            Of a store, a sample is read.
        y : ignored

        Returns
        -------
        self
        """
        systems = as_batch(X)
        self._check_parameters()
        random_state = as_random_state(self.random_state)
        n_drawn = max(_POOL * self.n_landmarks, self.n_landmarks + _HELD_OUT)
        places = choose_random(len(systems), n_drawn, random_state)
        pool = systems if len(places) == len(systems) and isinstance(systems, LDS) else None
        pool = systems[places] if pool is None else pool
        with locate_systems(places.tolist()):
            chosen = self._choose_landmarks(pool, random_state)
            fitted = FittedKernel.fit(pool[chosen], self.kernel, self.kernel_params, self.n_jobs)
            self.components_, self.eigenvalues_ = whiten(fitted.gram, self.n_components)
            # The positive part of an indefinite kernel is spanned by the eigenvectors that are
            # kept: the map needs no projector.
            self.kernel_ = ReferenceKernel(fitted.systems, fitted.parts, None)
            self.landmark_indices_ = places[chosen]
            left = np.setdiff1d(np.arange(len(pool)), chosen)
            held_out = pool[left[choose_random(len(left), _HELD_OUT, random_state)]]
            if len(held_out):
                found = self._map(held_out)
                self_kernels = self.kernel_.diagonal(held_out, self.n_jobs)
                self.residual_ = measure_residual(found, self_kernels)
            else:
                self.residual_ = leave_one_out_residual(fitted.gram)
        return self

    @apply_by_blocks
    def transform(self, X: LDS) -> Floats:
        """Return the vector of every system.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_components) array
        """
        check_is_fitted(self)
        return self._map(self.kernel_.check(X))

    def _choose_landmarks(self, pool: LDS, random_state: np.random.RandomState) -> Indices:
        if self.landmarks == "random":
            return choose_random(len(pool), self.n_landmarks, random_state)
        return choose_central(
            pool, self.n_landmarks, self.kernel, self.kernel_params, random_state, self.n_jobs
        )

    def _map(self, systems: LDS) -> Floats:
        return map_systems(self.kernel_, self.components_, systems, self.n_jobs)

    def _check_parameters(self) -> None:
        check_whole("n_landmarks", self.n_landmarks)
        if self.n_components is not None:
            check_whole("n_components", self.n_components)
        if self.landmarks not in CHOICES:
            raise _errors.unknown_name("landmarks", self.landmarks, CHOICES)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[1]


def map_systems(
    kernel: ReferenceKernel, components: Floats, systems: LDS, n_jobs: int | None
) -> Floats:
    """Return the vectors of systems from their kernels with landmarks, in blocks of rows."""
    return kernel.apply_by_rows(lambda some: kernel.cross(some, n_jobs) @ components, systems)
