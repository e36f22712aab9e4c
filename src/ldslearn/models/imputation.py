"""Fill the gaps of sequences by a system of each, for methods that need complete sequences."""

from collections import defaultdict
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_channel_count, check_jobs, check_real, check_whole
from ldslearn._parallel import for_each_block
from ldslearn._tags import NonTabularMixin
from ldslearn.models.encoder_gaps import MISSING_POLICIES
from ldslearn.models.filling import fill_gaps, learn_from_channels
from ldslearn.models.missing import GapSettings
from ldslearn.models.observed_checks import check_channels, check_not_empty
from ldslearn.sequences import as_collection
from ldslearn.sequences.gaps import channel_statistics, has_gaps
from ldslearn.sequences.named import keep_names


class LDSImputer(NonTabularMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""Fill missing samples, NaN, by a linear dynamical system of each sequence.

    For classifiers that need complete sequences; :class:`~ldslearn.LDSEncoder` takes gaps itself
    with ``missing="smooth"``. A sequence depends on itself, and in gaps far from samples of the
    same channel on the correlations of channels in the training sequences.

    Parameters
    ----------
    n_states : int, default=8
        States of each system, or as many as the samples of a sequence allow, if these are fewer.
    delays : int or None, default=None
        Stacked samples; by default enough for twice as many rows as states.
    max_iter, tol : int, default=8, and float, default=0.01
        As for :class:`~ldslearn.LDSEncoder`.
    n_jobs : int or None, default=None
        Threads, as in joblib. The result does not depend on it.

    Attributes
    ----------
    channel_means_, channel_variances_ : (n_channels,) arrays
        Of the training samples.
    channel_factors_, channel_weight_ : (n_channels, r) array, float
        Correlations of channels, and their weight in gaps far from samples of the same channel.

    Notes
    -----
    A missing sample becomes a weighted mean of linear interpolation and of :math:`C \hat x(t) +
    \mathrm{mean} + r(t)`. Here :math:`\hat x(t)` are the smoothed states of a system that was
    fitted by expectation-maximisation [1]_, and :math:`r(t)` bridges the residuals at the ends of a
    gap. The weight is chosen on samples that are hidden from both. Sequences with too few samples
    are interpolated. Systems are not stabilized for this.

    References
    ----------
    .. [1] R. H. Shumway, D. S. Stoffer, *An approach to time series smoothing and forecasting using
       the EM algorithm*, Journal of Time Series Analysis 3 (1982) 253-264.
       doi:10.1111/j.1467-9892.1982.tb00349.x

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.datasets import load_basic_motions
    >>> from ldslearn.models import LDSImputer
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> with_gaps = [np.where(np.arange(100) % 10 < 2, np.nan, x) for x in X_train]
    >>> filled = LDSImputer().fit_transform(with_gaps)
    >>> bool(np.isnan(filled[0]).any()), bool((filled[0][:, 5] == X_train[0][:, 5]).all())
    (False, True)
    """

    def __init__(
        self,
        n_states: int = 8,
        *,
        delays: int | None = None,
        max_iter: int = 8,
        tol: float = 0.01,
        n_jobs: int | None = None,
    ) -> None:
        self.n_states = n_states
        self.delays = delays
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute means, variances and correlations of the channels.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
            NaN are missing samples.
        y : ignored

        Returns
        -------
        self
        """
        self._check_parameters()
        sequences = as_collection(X, allow_gaps=True)
        check_not_empty(sequences)
        self.channel_means_, self.channel_variances_ = channel_statistics(sequences)
        check_channels(self.channel_means_)
        self.channel_factors_, self.channel_weight_ = None, 0.0
        learned = learn_from_channels(sequences, self._settings(), self._choose_size, True)
        self.channel_factors_, self.channel_weight_ = learned.factors, learned.weight
        return self

    def transform(self, X: Any) -> list[NDArray[Any]]:
        """Return the sequences with their gaps filled.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        list of (n_channels, n_timepoints) arrays
            Observed samples are unchanged; sequences without gaps are returned as they are.
        """
        check_is_fitted(self)
        self._check_parameters()
        sequences = as_collection(X, allow_gaps=True)
        check_channel_count("X", len(sequences[0]), len(self.channel_means_))
        check_not_empty(sequences)
        settings = self._settings()
        filled = list(sequences)

        def fill(block: slice) -> None:
            sizes: dict[tuple[int, int], list[int]] = defaultdict(list)
            for index in range(block.start, block.stop):
                x = sequences[index]
                if has_gaps(x):
                    filled[index] = settings.guess(x).astype(x.dtype)
                    if np.ptp(filled[index], axis=1).any():
                        sizes[self._choose_size(x)].append(index)
            for (n_states, delays), chosen in sizes.items():
                if n_states > 0:
                    gappy = [sequences[index] for index in chosen]
                    found, _ = fill_gaps(gappy, n_states, delays, True, settings)
                    for index, x in zip(chosen, found, strict=True):
                        filled[index] = x.astype(sequences[index].dtype)

        for_each_block(fill, len(sequences), n_jobs=self.n_jobs, description="filling gaps")
        return keep_names(filled, sequences)

    def _settings(self) -> GapSettings:
        return GapSettings(
            self.max_iter,
            self.tol,
            self.channel_means_,
            self.channel_variances_,
            getattr(self, "channel_factors_", None),  # of older files
            getattr(self, "channel_weight_", 0.0),
        )

    def _choose_size(self, sequence: NDArray[Any]) -> tuple[int, int]:
        """Return states and delays that the samples of a sequence allow; no states if none."""
        n_channels, n_timepoints = sequence.shape
        observed = ~np.isnan(sequence)
        n_times = int(observed.any(axis=0).sum())
        delays = self.delays or -(-2 * self.n_states // n_channels)
        delays = max(1, min(delays, n_times // 4))
        n_states = min(self.n_states, n_channels * delays, n_times - delays, n_timepoints // 3)
        while n_states > 0 and n_states * (n_states + 1) + n_channels > observed.sum():
            n_states -= 1
        return max(n_states, 0), delays

    def _check_parameters(self) -> None:
        check_whole("n_states", self.n_states)
        if self.delays is not None:
            check_whole("delays", self.delays)
        check_whole("max_iter", self.max_iter, 0)
        check_real("tol", self.tol, "be a number of at least 0", 0.0)
        check_jobs(self.n_jobs)


def fit_imputer(X: Any, missing: str, n_jobs: int | None) -> LDSImputer | None:
    """Return what fills the gaps of sequences, if `missing` asks for it; None for "raise"."""
    if missing not in MISSING_POLICIES:
        raise _errors.unknown_name("missing", missing, MISSING_POLICIES)
    return LDSImputer(n_jobs=n_jobs).fit(X) if missing == "smooth" else None


def fill_or_check(X: Any, imputer: LDSImputer | None) -> list[NDArray[Any]]:
    """Return sequences whose gaps are filled; raise for gaps if there is no imputer."""
    return as_collection(X) if imputer is None else imputer.transform(X)
