"""What the samples of sequences say about states, gaps and the future."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_lyapunov
from scipy.stats import norm

from ldslearn import _errors
from ldslearn._checks import check_between, check_whole
from ldslearn._types import Floats
from ldslearn.models.measurements import StateEstimates, StateModel, estimate_states
from ldslearn.models.process import ProcessBatch
from ldslearn.models.spectrum import LARGEST_RADIUS, spectral_radius
from ldslearn.sequences import hankel
from ldslearn.sequences.gaps import has_gaps
from ldslearn.sequences.synthetic import propagate

# Of the mean square of a sequence: the least variance of measurement noise. Systems with as many
# states as channels have none.
_LEAST_NOISE = 1e-9

Forecast = tuple[Floats, Floats, Floats]


class InferenceBatch(ProcessBatch):
    """The methods of :class:`ldslearn.LDS` that estimate states and samples, with uncertainty."""

    def filter(self, sequences: Any) -> tuple[list[Floats], list[Floats]]:
        r"""Return the states of one sequence per system given the samples up to each, Kalman's.

        NaN are missing samples. The first state is `x0`, or zero without it, plus process noise:
        one step of it, or with a zero mean that of the stationary process.

        With delays, a state describes `delays` consecutive samples. Each sample is used once: the
        first state is measured by all of its samples, every later one by its last.

        Parameters
        ----------
        sequences : list of N (n_channels / delays, n_timepoints) arrays

        Returns
        -------
        states : list of (n_states, n_timepoints - delays + 1) arrays
            :math:`\mathrm{E}[x(t) \mid y(0), \dots, y(t)]`.
        covariances : list of (n_timepoints - delays + 1, n_states, n_states) arrays
        """
        return _separate(self._estimate(sequences, smooth=False))

    def smooth(self, sequences: Any) -> tuple[list[Floats], list[Floats]]:
        r"""Return the states of one sequence per system given all of its samples.

        As :meth:`filter`, which uses only the past of each state.

        Parameters
        ----------
        sequences : list of N (n_channels / delays, n_timepoints) arrays

        Returns
        -------
        states : list of (n_states, n_timepoints - delays + 1) arrays
            :math:`\mathrm{E}[x(t) \mid y(0), \dots, y(\tau - 1)]`.
        covariances : list of (n_timepoints - delays + 1, n_states, n_states) arrays
        """
        return _separate(self._estimate(sequences, smooth=True))

    def log_likelihood(self, sequences: Any) -> Floats:
        """Return the log-likelihood of one sequence per system; gaps do not count.

        Parameters
        ----------
        sequences : list of N (n_channels / delays, n_timepoints) arrays

        Returns
        -------
        (N,) array
        """
        found = self._estimate(sequences, smooth=False)
        return np.array([one.log_likelihood for _, one in found])

    @overload
    def impute(
        self, sequences: Any, *, return_deviations: Literal[False] = ...
    ) -> list[NDArray[Any]]: ...
    @overload
    def impute(
        self, sequences: Any, *, return_deviations: Literal[True]
    ) -> tuple[list[NDArray[Any]], list[Floats]]: ...
    def impute(
        self, sequences: Any, *, return_deviations: bool = False
    ) -> list[NDArray[Any]] | tuple[list[NDArray[Any]], list[Floats]]:
        """Return one sequence per system with its gaps, NaN, filled by their expected values.

        Parameters
        ----------
        sequences : list of N (n_channels / delays, n_timepoints) arrays
        return_deviations : bool, default=False
            Also return the standard deviations of the filled samples, 0 for those observed.

        Returns
        -------
        filled : list of (n_channels / delays, n_timepoints) arrays
            Observed samples are unchanged; a sequence without gaps is returned as it is.
        deviations : list of (n_channels / delays, n_timepoints) arrays, if `return_deviations`
        """
        filled: list[NDArray[Any]] = []
        deviations = []
        checked = self._check_sequences(sequences, allow_gaps=True)
        for index, sequence in enumerate(checked):
            missing = np.isnan(sequence)
            spread = np.zeros(sequence.shape)
            if missing.any():
                model, found = self._estimate_one(index, sequence, smooth=True)
                expected, variances = self._observe_samples(index, model, found)
                sequence = np.where(missing, expected, sequence).astype(sequence.dtype)
                spread[missing] = np.sqrt(variances[missing])
            filled.append(sequence)
            deviations.append(spread)
        return (filled, deviations) if return_deviations else filled

    @overload
    def forecast(self, sequences: Any, n_timepoints: int, *, interval: None = ...) -> Floats: ...
    @overload
    def forecast(self, sequences: Any, n_timepoints: int, *, interval: float) -> Forecast: ...
    def forecast(
        self, sequences: Any, n_timepoints: int, *, interval: float | None = None
    ) -> Floats | Forecast:
        """Return the expected next samples of one sequence per system.

        As for :meth:`simulate`, systems stabilized by ``"clip"`` or ``"wls"`` are better than soft
        ones.

        Parameters
        ----------
        sequences : collection of N sequences
            Only the last `delays` samples of each are used, unless it has gaps or `interval` is
            given: the last state is then that of :meth:`filter`.
        n_timepoints : int
            How many samples to forecast.
        interval : float, optional
            Probability in (0, 1), such as 0.9, of an interval for each sample. The process noise
            must be complete for it: encode with ``n_noise=n_states``.

        Returns
        -------
        expected : (N, n_channels / delays, n_timepoints) array
        lower, upper : (N, n_channels / delays, n_timepoints) arrays, if `interval` is given
            Ends of the intervals.
        """
        check_whole("n_timepoints", n_timepoints)
        if interval is not None:
            check_between("interval", interval, 0, 1)
        checked = self._check_sequences(sequences, allow_gaps=True)
        last = np.empty((len(self), self.n_states))
        covariances = np.zeros((len(self), self.n_states, self.n_states))
        for index, sequence in enumerate(checked):
            if interval is None and not has_gaps(sequence):
                last[index] = self[index].states([sequence[:, -self.delays :]])[0][:, -1]
            else:
                _, found = self._estimate_one(index, sequence, smooth=False)
                last[index], covariances[index] = found.states[-1], found.covariances[-1]
        states = propagate(self.A, last, None, n_timepoints + 1)
        expected = self._observe(states[..., 1:], position=self.delays - 1)
        if interval is None:
            return expected
        width = norm.ppf((1 + interval) / 2) * self._forecast_deviations(covariances, n_timepoints)
        return expected, expected - width, expected + width

    def _forecast_deviations(self, covariances: Floats, n_timepoints: int) -> Floats:
        """Return standard deviations of samples, (N, n_channels / delays, n_timepoints)."""
        n_rows = self.n_channels // self.delays
        C = self.C[:, -n_rows:]
        noise = self._spread_noise().noise_variance
        assert noise is not None  # checked with the states
        variances = np.empty((len(self), n_rows, n_timepoints))
        transposed = self.A.transpose(0, 2, 1)
        process = 0.0 if self.B is None else self.B @ self.B.transpose(0, 2, 1)
        for step in range(n_timepoints):
            covariances = self.A @ covariances @ transposed + process
            variances[:, :, step] = np.einsum("abi,aij,abj->ab", C, covariances, C)
        return np.sqrt(np.maximum(variances, 0.0) + noise[:, -n_rows:, None])

    def _estimate(
        self, sequences: Any, *, smooth: bool
    ) -> Iterator[tuple[StateModel, StateEstimates]]:
        checked = self._check_sequences(sequences, allow_gaps=True)
        return (self._estimate_one(index, x, smooth=smooth) for index, x in enumerate(checked))

    def _estimate_one(
        self, index: int, sequence: NDArray[Any], *, smooth: bool
    ) -> tuple[StateModel, StateEstimates]:
        """Return one system as a process, and the states of its sequence."""
        Y = np.array(hankel(np.asarray(sequence, dtype=np.float64), self.delays))
        if self.mean is not None:
            Y -= self.mean[index, :, None]
        observed = ~np.isnan(Y)
        observed[: len(Y) - len(Y) // self.delays, 1:] = False  # stacked copies of samples
        np.copyto(Y, 0.0, where=~observed)
        weights = observed.astype(np.float64)
        least = _LEAST_NOISE * float(np.vdot(Y, Y)) / max(float(weights.sum()), 1.0)
        model = self._make_model(index, max(least, np.finfo(np.float64).tiny ** 0.5))
        return model, estimate_states(model, Y, weights, smooth=smooth)

    def _make_model(self, index: int, least_noise: float) -> StateModel:
        noise = self._spread_noise().noise_variance
        if noise is None or (self.B is None and self.x0 is None):
            raise _errors.invalid(
                "systems", "have noise_variance, and B or x0, to estimate states",
                f"{', '.join(self._arrays)} alone", "Fit them with LDSEncoder, or use states().",
            )  # fmt: skip
        A = self.A[index]
        process = np.zeros_like(A) if self.B is None else self.B[index] @ self.B[index].T
        if self.x0 is not None:
            start, covariance = self.x0[index], process
        else:
            radius = float(spectral_radius(A[None])[0])
            if radius >= LARGEST_RADIUS:
                raise _errors.invalid(
                    f"system {index}", "be stable or have x0, to estimate states",
                    f"a spectral radius of {radius:.4g}", "Pass x0 to LDS, or stabilize it.",
                )  # fmt: skip
            start, covariance = np.zeros(len(A)), solve_discrete_lyapunov(A, process)
        variances = np.maximum(noise[index], least_noise)
        return StateModel(A, self.C[index], process, variances, start, covariance)

    def _observe_samples(
        self, index: int, model: StateModel, found: StateEstimates
    ) -> tuple[Floats, Floats]:
        """Return expected samples and their variances, (n_channels / delays, n_timepoints)."""
        expected = model.C @ found.states.T
        if self.mean is not None:
            expected += self.mean[index, :, None]
        products = np.einsum("mi,tij,mj->mt", model.C, found.covariances, model.C, optimize=True)
        variances = np.maximum(products, 0.0) + model.variances[:, None]
        return self._unstack(expected), self._unstack(variances)

    def _unstack(self, stacked: Floats) -> Floats:
        """Return each sample once: all of the first column, and the last of every other one."""
        n_rows = len(stacked) // self.delays
        first = stacked[:-n_rows, 0].reshape(self.delays - 1, n_rows).T
        return np.concatenate([first, stacked[-n_rows:]], axis=1)


def _separate(
    found: Iterator[tuple[StateModel, StateEstimates]],
) -> tuple[list[Floats], list[Floats]]:
    pairs = [(one.states.T, one.covariances) for _, one in found]
    return [states for states, _ in pairs], [covariances for _, covariances in pairs]
