"""Systems as processes: the states of sequences, and simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import as_random_state, check_channel_count, check_whole
from ldslearn._types import Floats
from ldslearn.models.batch import SystemBatch
from ldslearn.sequences import as_collection, hankel
from ldslearn.sequences.named import name_sequence
from ldslearn.sequences.synthetic import propagate


class ProcessBatch(SystemBatch):
    """The methods of :class:`ldslearn.LDS` that turn sequences to states and states to samples."""

    def states(self, sequences: Any) -> list[Floats]:
        r"""Return the states of one sequence per system.

        They are :math:`x(t) = C^\top (y(t) - \mathrm{mean})`.

        Parameters
        ----------
        sequences : list of N (n_channels / delays, n_timepoints) arrays

        Returns
        -------
        list of (n_states, n_timepoints - delays + 1) arrays
        """
        states = []
        for index, sequence in enumerate(self._check_sequences(sequences)):
            stacked = hankel(sequence, self.delays).astype(np.float64)
            if self.mean is not None:
                stacked = stacked - self.mean[index, :, None]
            states.append(self.C[index].T @ stacked)
        return states

    def _check_sequences(self, sequences: Any, *, allow_gaps: bool = False) -> list[NDArray[Any]]:
        """Return one sequence per system, with enough time points for the delays."""
        self._check_one_window()
        checked = as_collection(sequences, "sequences", allow_gaps=allow_gaps)
        if len(checked) != len(self):
            raise _errors.invalid(
                "sequences",
                f"be one for each of the {len(self)} systems",
                len(checked),
                "Select the systems first: systems[index].",
            )
        n_channels = self.n_channels // self.delays
        check_channel_count("sequences", len(checked[0]), n_channels)
        for index, sequence in enumerate(checked):
            if sequence.shape[1] < self.delays:
                raise ValueError(
                    f"{name_sequence(checked, index)} must have at least {self.delays} time "
                    f"points, as many as delays; got {sequence.shape[1]}."
                )
        return checked

    def simulate(
        self, n_timepoints: int, random_state: Any = None, *, noise: bool = True
    ) -> Floats:
        """Return one sequence sampled from every system, Eq. (1).

        The first state is `x0`, or zero without it.

        Soft normalisation damps systems, which helps to compare them. For sequences like the
        original ones encode with ``stabilizer="clip"`` or ``"wls"``.

        Parameters
        ----------
        n_timepoints : int
        random_state : int, RandomState, Generator or None, default=None
        noise : bool, default=True
            False omits process and measurement noise: the expected sequence.

        Returns
        -------
        (N, n_channels / delays, n_timepoints) array
        """
        self._check_one_window()
        check_whole("n_timepoints", n_timepoints)
        if self.x0 is None and (self.B is None or not noise):
            raise ValueError(
                "systems must have x0, or B with noise=True, to be simulated; got neither. "
                "Fit them with LDSEncoder or pass x0 to LDS."
            )
        random = as_random_state(random_state)
        start = np.zeros((len(self), self.n_states)) if self.x0 is None else self.x0
        inputs = None
        if noise and self.B is not None:
            shocks = random.standard_normal((len(self), self.n_noise, n_timepoints - 1))
            inputs = self.B @ shocks
        states = propagate(self.A, start, inputs, n_timepoints)
        samples = self._observe(states, position=0)
        variances = self.noise_variance
        if noise and variances is not None:
            deviations = np.sqrt(variances[:, : samples.shape[1], None])
            samples += deviations * random.standard_normal(samples.shape)
        return samples

    def _observe(self, states: Floats, position: int) -> Floats:
        """Return C x(t) + mean, restricted to one of the stacked samples (0 is the oldest)."""
        n_channels = self.n_channels // self.delays
        rows = slice(position * n_channels, (position + 1) * n_channels)
        samples = self.C[:, rows] @ states
        if self.mean is not None:
            samples += self.mean[:, rows, None]
        return samples

    def _check_one_window(self) -> None:
        """Raise if there are several windows, and systems, per sequence."""
        if self.windows > 1:
            raise _errors.invalid(
                "systems", "have one window per sequence", self.windows,
                "Select one: systems.window(0).",
            )  # fmt: skip
