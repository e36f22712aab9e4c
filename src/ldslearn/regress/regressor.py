"""The regressor of systems."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_positive
from ldslearn._parallel import limit_blas_threads
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats
from ldslearn.classify.ridge_path import RidgePath
from ldslearn.geometry.feature_space import gaussian_of_distances, median_feature_distance
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.geometry.registry import Kernel
from ldslearn.models.blocks import apply_by_blocks
from ldslearn.models.lds import LDS, as_systems
from ldslearn.regress.leave_one_out import PENALTIES, Choice, choose_penalties
from ldslearn.regress.posterior import posterior_factors
from ldslearn.regress.targets import scale_targets

METHODS = ("ridge", "gaussian_process")
_LENGTH_SCALES = (0.25, 0.5, 1.0, 2.0, 4.0)  # times the median distance


class LDSRegressor(NonTabularMixin, RegressorMixin, BaseEstimator):
    r"""Predict numbers from systems, by kernel ridge regression or a Gaussian process.

    Parameters
    ----------
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`.
    method : "ridge" or "gaussian_process", default="ridge"
        Both predict by the same formula. "ridge" chooses parameters by the squared errors of
        left-out systems, "gaussian_process" by their likelihood, and it has standard deviations.
    penalty : float or "loo", default="loo"
        Penalty of the regression relative to the variance of the kernel, or variance of the noise
        relative to that of the function. "loo" chooses it by leaving one system out, for each
        output.
    length_scale : float, "loo" or None, default="loo"
        Of a Gaussian kernel of the distances; None uses the kernel itself. "loo" chooses among
        None and 0.25, 0.5, 1, 2 and 4 median distances.
    kernel_params : mapping or None, default=None
        Parameters of the kernel. ``bandwidth="median"`` is computed from the training systems.
    n_jobs : int or None, default=None
        Threads for the kernel, as in joblib; the result does not depend on it.

    Attributes
    ----------
    penalty_ : (n_outputs,) array
        Penalties that are used, relative to the variance of the kernel.
    length_scale_ : float or None
        Length scale that is used.
    left_out_predictions_ : (N,) or (N, n_outputs) array
        Prediction of every training system by the model without it.
    noise_std_ : (n_outputs,) array
        Standard deviations of the noise, in units of y.
    weights_ : (N, n_outputs) array
        Of the kernels of a system with those of training.
    intercept_ : (n_outputs,) array
        Constants that are added.
    kernel_ : ReferenceKernel
        The kernel and the training systems.

    Notes
    -----
    Targets are scaled to mean 0 and variance 1 per output. A prediction is
    :math:`f(x) = \sum_i w_i g(x, x_i) + b`, where :math:`g` is the kernel :math:`k` or
    :math:`\exp(-d(x, y)^2 / (2 \ell^2))` with its distance
    :math:`d(x, y)^2 = k(x, x) + k(y, y) - 2 k(x, y)`. Weights minimise
    :math:`\sum_i (f(x_i) - y_i)^2 + a\, w^T G w`. Errors of left-out systems follow in closed form
    from one eigendecomposition per length scale [1]_. The same function is the mean of a Gaussian
    process with an unknown constant mean and noise of the variance :math:`\sigma^2`, whose
    left-out likelihood is known in closed form, too [2]_.

    Left-out systems are predicted too well if training systems have copies, or if several are of
    one person and those of new persons are to be predicted. Give `penalty` a number there.

    References
    ----------
    .. [1] R. D. Cook, S. Weisberg, *Residuals and Influence in Regression*, 1982, Sec. 2.2.
    .. [2] C. E. Rasmussen, C. K. I. Williams, *Gaussian Processes for Machine Learning*, 2006,
       Sec. 2.7 and 5.4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import LDSEncoder, LDSRegressor
    >>> rng, t = np.random.default_rng(0), np.arange(100)
    >>> frequency = rng.uniform(0.05, 0.2, 60)  # cycles per sample
    >>> X = [np.sin(2 * np.pi * f * t + rng.uniform(0, 6))[None] for f in frequency]
    >>> X = [x + 0.1 * rng.normal(size=x.shape) for x in X]
    >>> model = make_pipeline(LDSEncoder(2, delays=6), LDSRegressor(method="gaussian_process"))
    >>> model.fit(X[:40], frequency[:40]).score(X[40:], frequency[40:]) > 0.95
    True
    >>> mean, std = model.predict(X[40:], return_std=True)
    >>> bool(np.mean(np.abs(mean - frequency[40:]) < 2 * std) > 0.8)
    True
    """

    def __init__(
        self,
        kernel: Kernel = "projection",
        *,
        method: Literal["ridge", "gaussian_process"] = "ridge",
        penalty: float | Literal["loo"] = "loo",
        length_scale: float | Literal["loo"] | None = "loo",
        kernel_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.method = method
        self.penalty = penalty
        self.length_scale = length_scale
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any) -> Self:
        """Compute the kernel matrix of the training systems, and fit the regression.

        Parameters
        ----------
        X : LDS
            At least two systems.
        y : (len(X),) or (len(X), n_outputs) array of numbers

        Returns
        -------
        self
        """
        systems = as_systems(X, "X", at_least_one=True)
        self._check_parameters()
        targets = scale_targets(y, len(systems))
        if len(systems) < 2:
            raise _errors.invalid("X", "hold at least two systems", 1, "Add examples.")
        kernel = FittedKernel.fit(systems, self.kernel, self.kernel_params, self.n_jobs)
        own = kernel.gram.diagonal().copy()
        by_density = self.method == "gaussian_process"
        found: list[tuple[float, float | None, RidgePath, Choice, float]] = []
        with limit_blas_threads():
            for length_scale in self._list_length_scales(kernel.gram):
                gram = kernel.gram
                if length_scale is not None:
                    gram = gaussian_of_distances(gram, own, own, length_scale)
                path = RidgePath.decompose(gram)
                variance = float(path.values.sum()) / len(systems) or 1.0
                penalties = PENALTIES if self.penalty == "loo" else [float(self.penalty)]
                choice = choose_penalties(
                    path, targets.values, variance * np.asarray(penalties), by_density
                )
                found.append((float(choice.losses.mean()), length_scale, path, choice, variance))
        _, length_scale, path, choice, variance = min(found, key=lambda one: one[0])
        parts = [
            path.fit(targets.values[:, [i]], penalty) for i, penalty in enumerate(choice.penalties)
        ]
        weights = np.concatenate([one[0] for one in parts], axis=1) * targets.scale
        intercepts = np.concatenate([one[1] for one in parts]) * targets.scale + targets.mean
        left_out = choice.left_out * targets.scale + targets.mean
        self.weights_, self.intercept_, self.length_scale_ = weights, intercepts, length_scale
        self.penalty_ = choice.penalties / variance
        self.noise_std_ = np.sqrt(choice.noise) * targets.scale
        self.left_out_predictions_ = left_out[:, 0] if targets.is_column else left_out
        self.kernel_, self._own = kernel.restrict(np.arange(len(systems))), own
        self._is_column, self._penalties = targets.is_column, choice.penalties
        # All that variances need; ridge regression keeps no decomposition.
        self._path = (path.values, path.vectors, path.row_means) if by_density else None
        return self

    def predict(self, X: LDS, return_std: bool = False) -> Any:
        """Return the numbers of every system.

        Parameters
        ----------
        X : LDS or LDSStore
        return_std : bool, default=False
            Whether to return standard deviations of new targets, noise included, as well; for
            "gaussian_process" only.

        Returns
        -------
        mean : (len(X),) or (len(X), n_outputs) array
        std : array of the same shape
            With `return_std`.
        """
        check_is_fitted(self)
        if return_std and self._path is None:
            raise _errors.invalid(
                "return_std", "be False for method='ridge'", True,
                "Standard deviations need method='gaussian_process'.",
            )  # fmt: skip
        found = self._predict_with_std(X) if return_std else self._predict_means(X)
        means, deviations = found[:, : len(self.intercept_)], found[:, len(self.intercept_) :]
        if self._is_column:
            return (means[:, 0], deviations[:, 0]) if return_std else means[:, 0]
        return (means, deviations) if return_std else means

    @apply_by_blocks
    def _predict_means(self, X: LDS) -> Floats:
        return self._predict_rows(X, with_std=False)

    @apply_by_blocks
    def _predict_with_std(self, X: LDS) -> Floats:
        """Return means and standard deviations side by side, (len(X), 2 * n_outputs)."""
        return self._predict_rows(X, with_std=True)

    def _predict_rows(self, X: LDS, with_std: bool) -> Floats:
        predict = partial(self._predict_block, with_std=with_std)
        return self.kernel_.apply_by_rows(predict, self.kernel_.check(X))

    def _predict_block(self, systems: LDS, with_std: bool) -> Floats:
        cross, own = self.kernel_.cross(systems, self.n_jobs), np.ones(len(systems))
        if with_std or self.length_scale_ is not None:
            own = self.kernel_.diagonal(systems, self.n_jobs)
        if self.length_scale_ is not None:
            cross = gaussian_of_distances(cross, own, self._own, self.length_scale_)
            own = np.ones(len(systems))
        means = cross @ self.weights_ + self.intercept_
        if not with_std:
            return means
        path: Any = self._path
        factors = posterior_factors(RidgePath(*path), cross, own, self._penalties)
        return np.concatenate([means, np.sqrt(factors) * self.noise_std_], axis=1)

    def _list_length_scales(self, gram: Floats) -> list[float | None]:
        if self.length_scale is None:
            return [None]
        if self.length_scale != "loo":
            return [float(self.length_scale)]
        median = median_feature_distance(gram)
        return [None, *(factor * median for factor in _LENGTH_SCALES)]

    def _check_parameters(self) -> None:
        if self.method not in METHODS:
            raise _errors.unknown_name("method", self.method, METHODS)
        if self.penalty != "loo":
            check_positive("penalty", self.penalty, "be positive or 'loo'")
        if self.length_scale is not None and self.length_scale != "loo":
            check_positive("length_scale", self.length_scale, "be positive, 'loo' or None")
