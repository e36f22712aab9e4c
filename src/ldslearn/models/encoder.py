"""The transformer from sequences to systems."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn._checks import check_channel_count
from ldslearn._tags import NonTabularMixin
from ldslearn.models.certificate import StabilityCertificate
from ldslearn.models.encoder_checks import check_parameters
from ldslearn.models.encoder_gaps import (
    check_samples,
    interpolate_all,
    learn_channels,
    make_gap_settings,
    place_new,
    place_training,
)
from ldslearn.models.fits import Fits, FitSettings, count_states, fit_collection
from ldslearn.models.lds import LDS
from ldslearn.models.observed_checks import check_observed
from ldslearn.models.sequence_checks import check_sizes, check_varying, describe_idle_states
from ldslearn.sequences.offsets import warn_of_offsets
from ldslearn.sequences.orientation import warn_if_transposed
from ldslearn.sequences.windows import window_levels


class LDSEncoder(NonTabularMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""Encode every sequence as a stable linear dynamical system (Sections 4.1 and 4.2).

    Parameters
    ----------
    n_states : int or float, default=10
        Order n of the systems. A fraction in (0, 1) requests the smallest n that keeps that
        fraction of the variance in every training sequence.
    n_noise : int, default=2
        Columns of `B`, the directions of process noise; at most `n_states` are kept.
    delays : int, default=1
        Stack this many consecutive samples (Hankel), so that few channels carry many states.
    windows : int or tuple of int, default=1
        Number of windows per sequence, one system each. A tuple such as (1, 2, 4) is a temporal
        pyramid: 1 + 2 + 4 windows. Kernels are means over aligned windows. Use windows where it
        matters *when* something happens. Windows overlap if the sequence is too short for separate
        ones.
    constant : "raise" or "rest", default="raise"
        A sequence that does not change raises an error with its name ("raise"), or is encoded with
        A = 0 and arbitrary orthonormal C, with a warning ("rest").
    center : bool, default=True
        Remove the mean of each sequence first; False keeps it in the states.
    stabilizer : str, default="soft"
        One of :data:`ldslearn.models.STABILIZERS`; see :func:`ldslearn.models.stabilize`.
    scale : float, default=2.5
        The paper's :math:`a`, for ``stabilizer="soft"``.
    bound : float, default=0.99
        Largest spectral radius for the other stabilizers.
    n_jobs : int or None, default=None
        Threads, as in joblib: None is one, -1 is all cores. The result does not depend on it.
    missing : "raise" or "smooth", default="raise"
        NaN raises an error with the name of the sequence ("raise"), or is a missing sample
        ("smooth"): systems of sequences with gaps are fitted by expectation-maximisation. Sequences
        without gaps are not affected. With several windows, gaps are filled by one system of the
        whole sequence, and windows are cut from that.
    max_iter : int, default=8
        Iterations of expectation-maximisation at most; 0 only completes the gaps by a matrix of
        rank `n_states`. The likelihood has settled where `n_iter_` is smaller.
    tol : float, default=0.01
        Iterations stop when the log-likelihood per sample rises by less.
    step : float or None, default=None
        Step of the grid if `times` are given to `fit`, in their unit, or in seconds for
        ``datetime64``. By default the usual step, in which gaps do not count. Grid points without a
        sample are gaps, for ``missing="smooth"``.

    Attributes
    ----------
    n_states_ : int
        Order of the systems.
    n_channels_in_ : int
        Channels of the training sequences.
    channel_means_, channel_variances_ : (n_channels,) arrays
        Of the training samples, if ``missing="smooth"``. Channels without samples in a sequence
        have them.
    channel_factors_, channel_weight_ : (n_channels, r) array, float
        Correlations of channels, and their weight in filling long gaps; with several windows.
    n_iter_ : (N,) array of int
        Iterations for each sequence of `fit_transform`, if ``missing="smooth"``; 0 without gaps.
    log_likelihood_ : (N,) array
        Log-likelihood of each of these sequences under its system before stabilization; NaN without
        gaps. With delays, of the stacked samples.
    step_ : float
        Step of the grid, if `times` were given to `fit`.
    n_merged_, n_missing_ : (N,) arrays of int
        Samples of each training sequence that share their grid point with an earlier one, and grid
        points without a sample, if `times` were given.
    grid_note_ : str
        One line about the grid, if `times` were given.

    Notes
    -----
    With the singular value decomposition :math:`Y \approx U S V^\top` of the sequence to order n,
    :math:`C = U` and the states are :math:`X = S V^\top`. :math:`A` is the stabilized least-squares
    solution of :math:`X_{1:} \approx A X_{:-1}`, and :math:`B` holds the principal directions of
    its residuals.

    With gaps, the same decomposition of a low-rank completion is the first guess of
    expectation-maximisation [3]_: states and their covariances given the observed samples by a
    Kalman smoother, then the :math:`A`, :math:`C`, mean and noise of largest expected likelihood
    given these, in turn. Coordinates are then changed such that :math:`C^\top C = I`, and
    :math:`A` is stabilized.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.1 and 4.2. doi:10.48550/arXiv.1608.01059
    .. [2] G. Doretto, A. Chiuso, Y. N. Wu, S. Soatto, *Dynamic textures*, International Journal of
       Computer Vision 51 (2003) 91-109. doi:10.1023/A:1021669406132
    .. [3] R. H. Shumway, D. S. Stoffer, *An approach to time series smoothing and forecasting using
       the EM algorithm*, Journal of Time Series Analysis 3 (1982) 253-264.
       doi:10.1111/j.1467-9892.1982.tb00349.x

    Examples
    --------
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> systems = LDSEncoder(n_states=6).fit_transform(X_train)
    >>> systems
    LDS(40 systems, n_channels=6, n_states=6, with B, mean, x0, noise_variance, deviation)
    >>> bool(systems.is_stable.all())
    True
    """

    def __init__(
        self,
        n_states: int | float = 10,
        *,
        n_noise: int = 2,
        delays: int = 1,
        windows: int | tuple[int, ...] = 1,
        constant: str = "raise",
        center: bool = True,
        stabilizer: str = "soft",
        scale: float = 2.5,
        bound: float = 0.99,
        n_jobs: int | None = None,
        missing: str = "raise",
        max_iter: int = 8,
        tol: float = 0.01,
        step: float | None = None,
    ) -> None:
        self.n_states = n_states
        self.n_noise = n_noise
        self.delays = delays
        self.windows = windows
        self.constant = constant
        self.center = center
        self.stabilizer = stabilizer
        self.scale = scale
        self.bound = bound
        self.n_jobs = n_jobs
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.step = step

    def fit(self, X: Any, y: Any = None, *, times: Sequence[Any] | None = None) -> Self:
        """Check the parameters against a collection and choose the number of states.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : ignored
        times : sequence of N (n_timepoints,) arrays, optional
            When the samples were taken, as for :func:`ldslearn.sequences.place_on_grid`.

        Returns
        -------
        self
        """
        self._fit(X, times)
        return self

    @overload
    def transform(
        self,
        X: Any,
        *,
        times: Sequence[Any] | None = ...,
        return_certificate: Literal[False] = ...,
    ) -> LDS: ...
    @overload
    def transform(
        self, X: Any, *, times: Sequence[Any] | None = ..., return_certificate: Literal[True]
    ) -> tuple[LDS, StabilityCertificate]: ...
    def transform(
        self, X: Any, *, times: Sequence[Any] | None = None, return_certificate: bool = False
    ) -> LDS | tuple[LDS, StabilityCertificate]:
        """Return the systems of a collection.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        times : sequence of N (n_timepoints,) arrays, optional
            When the samples were taken. The grid has the step of the training sequences.
        return_certificate : bool, default=False
            Also return what the stabilizer did to every system, to print or plot.

        Returns
        -------
        systems : LDS
        certificate : StabilityCertificate, if `return_certificate`
        """
        check_is_fitted(self)
        check_parameters(self)  # set_params may have changed them since fit
        sequences = check_samples(self, place_new(self, X, times))
        systems, certificate, _ = self._encode(sequences, certify_each=return_certificate)
        return systems if certificate is None else (systems, certificate)

    def fit_transform(self, X: Any, y: Any = None, *, times: Sequence[Any] | None = None) -> LDS:
        """Fit, and return the systems of the same collection; it is checked once.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : ignored
        times : sequence of N (n_timepoints,) arrays, optional
            As for :meth:`fit`.

        Returns
        -------
        LDS
        """
        systems, _, fits = self._encode(self._fit(X, times))
        if self.missing == "smooth":
            self.n_iter_, self.log_likelihood_ = fits.n_iter, fits.log_likelihood
        return systems

    def _fit(self, X: Any, times: Sequence[Any] | None = None) -> list[NDArray[Any]]:
        """Learn from the training sequences, and return them as they are encoded."""
        check_parameters(self)
        placed = place_training(self, X, times)
        sequences = check_samples(self, placed)
        warn_if_transposed(placed, sequences, stacklevel=4)
        self._learn(sequences)
        return sequences

    def _learn(self, sequences: list[NDArray[Any]]) -> None:
        """Learn from sequences that are checked, as are the parameters."""
        n_states = int(self.n_states) if self.n_states >= 1 else self._count_states(sequences)
        check_sizes(sequences, n_states, self.delays)
        if self.missing == "smooth":
            check_observed(sequences, n_states, self.delays)
        learn_channels(self, sequences, n_states)
        self.n_channels_in_, self.n_states_ = sequences[0].shape[0], n_states

    def _count_states(self, sequences: list[NDArray[Any]]) -> int:
        """Return the number of states that keeps a fraction of the variance."""
        check_sizes(sequences, 1, self.delays)
        n_states, constant = count_states(
            interpolate_all(self, sequences), self.n_states, self.delays, self.center, self.n_jobs
        )
        if self.constant == "raise":
            check_varying(constant, sequences, self.center)
        return n_states

    def _encode(
        self, sequences: list[NDArray[Any]], *, certify_each: bool = False
    ) -> tuple[LDS, StabilityCertificate | None, Fits]:
        settings = self._make_settings(sequences)
        fits = fit_collection(sequences, settings, certify_each)
        systems = self._make_systems(fits, sequences, stacklevel=4)
        if self.center:
            warn_of_offsets(sequences, stacklevel=5)
        if not certify_each:
            return systems, None, fits
        return systems, StabilityCertificate.concatenate(fits.certificates), fits

    def _make_settings(self, sequences: list[NDArray[Any]]) -> FitSettings:
        """Return what decides about the systems of sequences, which are checked."""
        check_channel_count("X", len(sequences[0]), self.n_channels_in_)
        check_sizes(sequences, self.n_states_, self.delays)
        if self.missing == "smooth":
            check_observed(sequences, self.n_states_, self.delays)
        return FitSettings(
            self.n_states_,
            window_levels(self.windows),
            n_noise=self.n_noise,
            delays=int(self.delays),
            center=bool(self.center),
            stabilizer=self.stabilizer,
            scale=self.scale,
            bound=self.bound,
            n_jobs=self.n_jobs,
            gaps=make_gap_settings(self),
        )

    def _make_systems(self, fits: Fits, sequences: list[NDArray[Any]], stacklevel: int) -> LDS:
        """Return fits as a batch; raise or warn for sequences that do not change."""
        n_windows = sum(window_levels(self.windows))
        at_rest = fits.constant.reshape(-1, n_windows).min(axis=1)
        for i in np.flatnonzero(at_rest) if n_windows > 1 else ():
            at_rest[i] = not np.ptp(sequences[i], axis=1).any()  # constant over all windows
        if self.constant == "raise":
            check_varying(at_rest, sequences, self.center)
        ranks = fits.ranks.reshape(-1, n_windows).min(axis=1)
        if idle := describe_idle_states(ranks, sequences, self.n_states_):
            warnings.warn(idle, stacklevel=stacklevel)
        return LDS._from_trusted(
            **fits.fields,
            delays=int(self.delays),
            allow_unstable=self.stabilizer == "none",
            windows=n_windows,
        )
