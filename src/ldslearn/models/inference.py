"""What the samples of sequences say about states, gaps and the future."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_lyapunov
from scipy.stats import norm

from ldslearn import _errors
from ldslearn._checks import check_between, check_whole
from ldslearn._types import Floats
from ldslearn.models.measurements import (
    StateEstimates,
    StateModel,
    estimate_states,
    group_by_length,
    pad,
)
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
        return self._list_states(sequences, smooth=False)

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
        return self._list_states(sequences, smooth=True)

    def log_likelihood(self, sequences: Any) -> Floats:
        """Return the log-likelihood of one sequence per system; gaps do not count.

        Parameters
        ----------
        sequences : list of N (n_channels / delays, n_timepoints) arrays

        Returns
        -------
        (N,) array
        """
        checked = self._check_sequences(sequences, allow_gaps=True)
        values = np.empty(len(self))
        for group, _, found in self._estimate(checked, range(len(self)), smooth=False):
            values[group] = found.log_likelihood
        return values

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
        checked = self._check_sequences(sequences, allow_gaps=True)
        filled, deviations = list(checked), [np.zeros(x.shape) for x in checked]
        chosen = [index for index, x in enumerate(checked) if has_gaps(x)]
        for group, model, found in self._estimate(checked, chosen, smooth=True):
            expected, variances = self._observe_samples(group, model, found)
            for row, index in enumerate(group):
                sequence, length = checked[index], checked[index].shape[1]
                missing = np.isnan(sequence)
                filled[index] = np.where(missing, expected[row, :, :length], sequence)
                filled[index] = filled[index].astype(sequence.dtype)
                deviations[index][missing] = np.sqrt(variances[row, :, :length][missing])
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
            must be complete for it, and A not damped: encode with ``n_noise=n_states`` and
            ``stabilizer="clip"``. A warning says if ``n_noise`` is smaller.

        Returns
        -------
        expected : (N, n_channels / delays, n_timepoints) array
        lower, upper : (N, n_channels / delays, n_timepoints) arrays, if `interval` is given
            Ends of the intervals.
        """
        check_whole("n_timepoints", n_timepoints)
        if interval is not None:
            check_between("interval", interval, 0, 1)
            self._warn_of_narrow_intervals()
        checked = self._check_sequences(sequences, allow_gaps=True)
        last = np.empty((len(self), self.n_states))
        covariances = np.zeros((len(self), self.n_states, self.n_states))
        with_gaps = [index for index, x in enumerate(checked) if has_gaps(x)]
        chosen = with_gaps if interval is None else list(range(len(self)))
        for index in sorted(set(range(len(self))) - set(chosen)):
            last[index] = self[index].states([checked[index][:, -self.delays :]])[0][:, -1]
        for group, _, found in self._estimate(checked, chosen, smooth=False):
            ends = np.arange(len(group)), found.lengths - 1
            last[group], covariances[group] = found.states[ends], found.covariances[ends]
        states = propagate(self.A, last, None, n_timepoints + 1)
        expected = self._observe(states[..., 1:], position=self.delays - 1)
        if interval is None:
            return expected
        width = norm.ppf((1 + interval) / 2) * self._forecast_deviations(covariances, n_timepoints)
        return expected, expected - width, expected + width

    def _warn_of_narrow_intervals(self) -> None:
        """Warn if the process noise lacks directions, so that intervals are too narrow."""
        if self.n_noise < self.n_states:
            warnings.warn(
                f"intervals are too narrow: the process noise has {self.n_noise} of "
                f"{self.n_states} directions. Encode with n_noise={self.n_states}, and with "
                'stabilizer="clip" or "wls", which damp systems less than "soft".',
                stacklevel=3,
            )

    def _forecast_deviations(self, covariances: Floats, n_timepoints: int) -> Floats:
        """Return standard deviations of samples, (N, n_channels / delays, n_timepoints)."""
        n_rows = self.n_channels // self.delays
        C = self.C[:, -n_rows:]
        noise = self.noise_variance
        assert noise is not None  # checked with the states
        variances = np.empty((len(self), n_rows, n_timepoints))
        transposed = self.A.transpose(0, 2, 1)
        process = 0.0 if self.B is None else self.B @ self.B.transpose(0, 2, 1)
        for step in range(n_timepoints):
            covariances = self.A @ covariances @ transposed + process
            variances[:, :, step] = np.einsum("abi,aij,abj->ab", C, covariances, C)
        return np.sqrt(np.maximum(variances, 0.0) + noise[:, -n_rows:, None])

    def _list_states(self, sequences: Any, *, smooth: bool) -> tuple[list[Floats], list[Floats]]:
        checked = self._check_sequences(sequences, allow_gaps=True)
        states, covariances = [np.empty(0)] * len(self), [np.empty(0)] * len(self)
        for group, _, found in self._estimate(checked, range(len(self)), smooth=smooth):
            for row, (index, length) in enumerate(zip(group, found.lengths, strict=True)):
                states[index] = found.states[row, :length].T.copy()
                covariances[index] = found.covariances[row, :length].copy()
        return states, covariances

    def _estimate(
        self, checked: list[NDArray[Any]], chosen: Iterable[int], *, smooth: bool
    ) -> Iterator[tuple[list[int], StateModel, StateEstimates]]:
        """Return the states of chosen sequences in groups: indices, models, and estimates."""
        chosen = list(chosen)
        lengths = np.array([x.shape[1] - self.delays + 1 for x in checked])
        for places in group_by_length(lengths[chosen].tolist(), self.n_channels):
            group = [chosen[place] for place in places]
            stacked = [self._stack_samples(index, checked[index]) for index in group]
            longest = int(lengths[group].max())
            Y = pad([np.nan_to_num(one, nan=0.0) for one in stacked], longest)
            observed = pad([~np.isnan(one) for one in stacked], longest)
            squares = np.einsum("aij,aij->a", Y, Y)
            least = _LEAST_NOISE * squares / np.maximum(observed.sum(axis=(1, 2)), 1.0)
            least = np.maximum(least, np.finfo(np.float64).tiny ** 0.5)
            model = self._make_models(group, least)
            yield group, model, estimate_states(model, Y, observed, lengths[group], smooth=smooth)

    def _stack_samples(self, index: int, sequence: NDArray[Any]) -> Floats:
        """Return delayed samples less their mean; each sample once, else NaN."""
        Y = np.array(hankel(np.asarray(sequence, dtype=np.float64), self.delays))
        if self.mean is not None:
            Y -= self.mean[index, :, None]
        Y[: len(Y) - len(Y) // self.delays, 1:] = np.nan
        return Y

    def _make_models(self, group: list[int], least_noise: Floats) -> StateModel:
        noise = self.noise_variance
        if noise is None or (self.B is None and self.x0 is None):
            raise _errors.invalid(
                "systems", "have noise_variance, and B or x0, to estimate states",
                f"{', '.join(self._arrays)} alone", "Fit them with LDSEncoder, or use states().",
            )  # fmt: skip
        A = self.A[group]
        process = np.zeros_like(A)
        if self.B is not None:
            process = self.B[group] @ self.B[group].transpose(0, 2, 1)
        if self.x0 is not None:
            start, covariance = self.x0[group], process
        else:
            start, covariance = np.zeros(A.shape[:2]), self._stationary(group, process)
        variances = np.maximum(noise[group], least_noise[:, None])
        return StateModel(A, self.C[group], process, variances, start, covariance)

    def _stationary(self, group: list[int], process: Floats) -> Floats:
        """Return the covariances of the states in the long run."""
        radii = spectral_radius(self.A[group])
        for index, radius in zip(group, radii, strict=True):
            if radius >= LARGEST_RADIUS:
                raise _errors.invalid(
                    f"system {index}", "be stable or have x0, to estimate states",
                    f"a spectral radius of {radius:.4g}", "Pass x0 to LDS, or stabilize it.",
                )  # fmt: skip
        pairs = zip(self.A[group], process, strict=True)
        return np.stack([solve_discrete_lyapunov(A, Q) for A, Q in pairs])

    def _observe_samples(
        self, group: list[int], model: StateModel, found: StateEstimates
    ) -> tuple[Floats, Floats]:
        """Return expected samples and their variances, (N, n_channels / delays, n_timepoints)."""
        expected = model.C @ found.states.transpose(0, 2, 1)
        if self.mean is not None:
            expected += self.mean[group, :, None]
        moved = np.einsum("ami,atij->amtj", model.C, found.covariances, optimize=True)
        products = np.einsum("amtj,amj->amt", moved, model.C)
        variances = np.maximum(products, 0.0) + model.variances[:, :, None]
        return self._unstack(expected), self._unstack(variances)

    def _unstack(self, stacked: Floats) -> Floats:
        """Return each sample once: all of the first column, and the last of every other one."""
        n_rows = stacked.shape[1] // self.delays
        first = stacked[:, :-n_rows, 0].reshape(len(stacked), self.delays - 1, n_rows)
        return np.concatenate([first.transpose(0, 2, 1), stacked[:, -n_rows:]], axis=2)
