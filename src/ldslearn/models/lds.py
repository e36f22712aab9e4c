"""An immutable batch of linear dynamical systems, the input of all estimators after the encoder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldslearn import _errors
from ldslearn._arrays import damaged_contents
from ldslearn._checks import as_random_state, check_channel_count, check_whole
from ldslearn._types import Floats
from ldslearn.models.batch import SystemBatch
from ldslearn.models.batch_files import parse_batch, read_batch, write_batch
from ldslearn.models.coordinates import are_equivalent, change_coordinates, check_orthogonal
from ldslearn.models.spectrum import LARGEST_RADIUS, spectral_radius
from ldslearn.sequences import as_collection, hankel, name_sequence, propagate


@dataclass(frozen=True, eq=False, repr=False)
class LDS(SystemBatch):
    """A batch of N systems x(t+1) = A x(t) + B v(t), y(t) = C x(t) + w(t) + mean, Eq. (1).

    The arrays are checked and copied once, and are read-only afterwards. A single system may be
    given without the batch axis; the batch then has length one.

    Parameters
    ----------
    A : (N, n_states, n_states) array
        Transition matrices.
    C : (N, n_channels, n_states) array
        Measurement matrices with orthonormal columns.
    B : (N, n_states, n_noise) array, optional
        Process noise: v(t) is standard normal.
    mean : (N, n_channels) array, optional
        Mean of the observations.
    x0 : (N, n_states) array, optional
        First state.
    noise_variance : (N,) array, optional
        Variance of the measurement noise w(t), the same in every channel.
    deviation : (N, n_channels) array, optional
        Standard deviations of the observations, positive; used by `deviation_kernel`.
        Observability subspaces do not depend on them.
    delays : int
        How many consecutive samples a measurement stacks (:func:`ldslearn.sequences.hankel`);
        `simulate` and `forecast` return samples of ``n_channels / delays`` channels.
    allow_unstable : bool
        Whether kernels and distances accept unstable systems. Their Gramian series diverges; the
        solution of the Stein equation is used instead. Set by ``LDSEncoder(stabilizer="none")``.
    windows : int
        Systems per sequence, one for each of its windows. The arrays then hold N * windows
        systems, those of a sequence side by side; `len` and indices count sequences, kernels are
        means over aligned windows, and `window(k)` is a batch of single systems.
    """

    @classmethod
    def concatenate(cls, batches: Sequence[LDS]) -> Self:
        """Join batches of the same sizes and fields into one."""
        if not batches:
            raise _errors.invalid_parameter("batches", "hold at least one LDS batch", batches)
        first = as_systems(batches[0], "batch 0")
        for index, batch in enumerate(batches):
            as_systems(batch, f"batch {index}")
            if batch._layout != first._layout:
                raise _errors.invalid(
                    f"batch {index}",
                    f"have the layout of batch 0, {first._layout}",
                    batch._layout,
                    "Encode all sequences with the same parameters.",
                )
        return cls._from_trusted(
            **first._settings,
            **{
                name: np.concatenate([batch._arrays[name] for batch in batches])
                for name in first._arrays
            },
        )

    @property
    def spectral_radius(self) -> Floats:
        """Largest eigenvalue modulus of each A, shape (N,)."""
        return self._compute_once("spectral radius", self._compute_radius)

    def _compute_radius(self) -> Floats:
        radius = spectral_radius(self.A)
        radius.flags.writeable = False
        return radius

    @property
    def is_stable(self) -> NDArray[np.bool_]:
        """Whether each spectral radius is below 1 by more than rounding, shape (N,)."""
        return self.spectral_radius < LARGEST_RADIUS

    def states(self, sequences: Any) -> list[Floats]:
        """Return the states of one sequence per system, x(t) = C'(y(t) - mean).

        Parameters
        ----------
        sequences : collection of N sequences of n_channels / delays channels

        Returns
        -------
        list of (n_states, n_timepoints - delays + 1) arrays
        """
        self._check_one_window()
        checked = as_collection(sequences, "sequences")
        if len(checked) != len(self):
            raise _errors.invalid(
                "sequences",
                f"be one for each of the {len(self)} systems",
                len(checked),
                "Select the systems first: systems[index].",
            )
        n_channels = self.n_channels // self.delays
        check_channel_count("sequences", len(checked[0]), n_channels)
        states = []
        for index, sequence in enumerate(checked):
            if sequence.shape[1] < self.delays:
                raise ValueError(
                    f"{name_sequence(checked, index)} must have at least {self.delays} time "
                    f"points, as many as delays; got {sequence.shape[1]}."
                )
            stacked = hankel(sequence, self.delays).astype(np.float64)
            if self.mean is not None:
                stacked = stacked - self.mean[index, :, None]
            states.append(self.C[index].T @ stacked)
        return states

    def simulate(
        self, n_timepoints: int, random_state: Any = None, *, noise: bool = True
    ) -> Floats:
        """Return one sequence sampled from every system, Eq. (1), from x0, or from zero without it.

        Soft normalisation damps systems, which helps to compare them. For sequences like the
        original ones encode with ``stabilizer="clip"`` or ``"wls"``.

        Parameters
        ----------
        n_timepoints : int
        random_state : int, RandomState, Generator or None
        noise : bool
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
        if noise and self.noise_variance is not None:
            samples += np.sqrt(self.noise_variance)[:, None, None] * random.standard_normal(
                samples.shape
            )
        return samples

    def forecast(self, sequences: Any, n_timepoints: int) -> Floats:
        """Return the expected next samples of one sequence per system.

        As for :meth:`simulate`, systems stabilized by ``"clip"`` or ``"wls"`` are better than soft
        ones.

        Parameters
        ----------
        sequences : collection of N sequences
            Only the last `delays` samples of each are used.
        n_timepoints : int
            How many samples to forecast.

        Returns
        -------
        (N, n_channels / delays, n_timepoints) array
        """
        self._check_one_window()
        check_whole("n_timepoints", n_timepoints)
        tails = [sequence[:, -self.delays :] for sequence in as_collection(sequences, "sequences")]
        last = np.stack([states[:, -1] for states in self.states(tails)])
        states = propagate(self.A, last, None, n_timepoints + 1)
        return self._observe(states[..., 1:], position=self.delays - 1)

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

    def change_basis(self, P: ArrayLike) -> Self:
        """Return the same systems in state coordinates x -> P'x, (P'AP, CP) of Sec. 4.3.

        Parameters
        ----------
        P : (n_states, n_states) or (N, n_states, n_states) array
            Orthogonal, so that C keeps orthonormal columns.
        """
        self._check_one_window()
        P = np.asarray(P, dtype=np.float64)
        check_orthogonal(P, len(self), self.n_states)
        return self._from_trusted(**self._settings, **change_coordinates(self._arrays, P))

    def equivalent(self, other: LDS, *, atol: float = 1e-8) -> NDArray[np.bool_]:
        """Return which systems equal those of `other` up to an orthogonal change of basis.

        A and C are compared, and of the other fields those which both batches have (B through BB',
        on which the distribution of the process depends).

        Returns
        -------
        (N,) array of bool
        """
        self._check_one_window()
        if self.shape != other.shape:
            raise _errors.invalid_parameter("other", f"have shape {self.shape}", other.shape)
        if self.delays != other.delays:
            return np.zeros(len(self), dtype=bool)
        return are_equivalent(self._arrays, other._arrays, atol)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write arrays and a JSON header to one file; an existing file is replaced atomically."""
        write_batch(path, self._settings, self._arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a batch written by :meth:`save`; nothing in the file is ever executed."""
        contents = read_batch(path)
        try:
            return cls(**parse_batch(*contents))
        except (_errors.InputTypeError, ValueError) as error:
            raise damaged_contents(path, error) from error


def as_systems(systems: Any, name: str = "systems", *, at_least_one: bool = False) -> LDS:
    """Return `systems` if it is an LDS batch, or raise an error that says what it is."""
    if not isinstance(systems, LDS):
        raise _errors.InputTypeError(
            f"{name} must be an LDS batch; got {type(systems).__name__}. "
            + (
                "Use as many of its systems as memory holds: store[:1000]."
                if type(systems).__name__ == "LDSStore"
                else "Encode sequences with LDSEncoder first."
            )
        )
    if at_least_one and len(systems) == 0:
        raise _errors.invalid_parameter(name, "hold at least one system", systems)
    return systems
