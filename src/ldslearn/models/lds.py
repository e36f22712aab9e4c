"""A frozen batch of linear dynamical systems, the value everything after the encoder works on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldslearn import _errors
from ldslearn._checks import check_channel_count, check_whole, random_source
from ldslearn._files import damaged_contents, digest_contents, load_arrays, save_arrays
from ldslearn._types import Floats
from ldslearn.models.fields import (
    FIELD_SHAPES,
    ORTHONORMAL_TOLERANCE,
    check_orthonormal,
    checked_field,
)
from ldslearn.models.spectrum import LARGEST_RADIUS, spectral_radius
from ldslearn.sequences import as_collection, hankel, name_sequence, propagate

_FORMAT = "ldslearn.LDS"
_VERSION = 1
_SETTINGS = {"windows": int, "delays": int, "allow_unstable": bool}  # of a batch, in files


@dataclass(frozen=True, eq=False, repr=False)
class LDS:
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
        Standard deviations of the observations, positive: how large the movements are, which
        subspaces forget.
    delays : int
        How many consecutive samples a measurement stacks (:func:`ldslearn.sequences.hankel`);
        `simulate` and `forecast` speak in samples of ``n_channels / delays`` channels.
    allow_unstable : bool
        An unstable system has no Gramian, and distances refuse it. True, as set by
        ``LDSEncoder(stabilizer="none")``, accepts the formal solution in its place.
    windows : int
        Systems that describe one sequence, one for each of its windows. The arrays then hold
        N * windows systems, those of a sequence side by side; `len` and indices count sequences,
        kernels take the mean over aligned windows, and `window(k)` is a batch of single systems.
    """

    A: Floats
    C: Floats
    B: Floats | None = None
    mean: Floats | None = None
    x0: Floats | None = None
    noise_variance: Floats | None = None
    deviation: Floats | None = None
    delays: int = 1
    allow_unstable: bool = False
    windows: int = 1

    def __post_init__(self) -> None:
        single = np.ndim(self.A) == 2
        sizes: dict[str, int] = {}
        for name in FIELD_SHAPES:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, checked_field(name, value, single, sizes))
            elif name in "AC":
                raise _errors.invalid_parameter(name, "be an array", None)
        for name in ("delays", "windows"):
            check_whole(name, getattr(self, name))
            object.__setattr__(self, name, int(getattr(self, name)))
        if len(self.A) % self.windows:
            raise _errors.invalid_parameter(
                "windows", f"divide the number of systems, {len(self.A)}", self.windows
            )
        if self.n_channels % self.delays:
            raise _errors.invalid_parameter(
                "delays", f"divide n_channels = {self.n_channels}", self.delays
            )
        if self.deviation is not None and not (self.deviation > 0).all():
            raise _errors.invalid_parameter("deviation", "be positive", float(self.deviation.min()))
        if self.noise_variance is not None and (self.noise_variance < 0).any():
            raise _errors.invalid_parameter(
                "noise_variance", "be non-negative", float(self.noise_variance.min())
            )
        check_orthonormal(self.C)

    @classmethod
    def _trusted(cls, **values: Any) -> Self:
        """Wrap arrays that are known to be right and not shared with anyone, without a copy."""
        systems = object.__new__(cls)
        for field in fields(cls):
            value = values.get(field.name, field.default)
            if isinstance(value, np.ndarray):
                value = value.view()
                value.flags.writeable = False
            object.__setattr__(systems, field.name, value)
        return systems

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what was computed from them can be computed again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore from a pickle or a deep copy, frozen as before."""
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            self.__dict__[name] = value

    @property
    def n_bytes(self) -> int:
        """Bytes of all fields."""
        return sum(array.nbytes for array in self._arrays().values())

    def __sizeof__(self) -> int:
        """Bytes, by which a cluster knows what is better not moved."""
        return object.__sizeof__(self) + self.n_bytes

    def __array__(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        raise _errors.InputTypeError(
            "an LDS batch has no array form: systems are not vectors. Use its fields (A, C, ...), "
            "or an estimator that takes systems."
        )

    # A sequence of systems

    def __len__(self) -> int:
        return len(self.A) // self.windows

    @property
    def shape(self) -> tuple[int, int, int]:
        """(N, n_channels, n_states); lets scikit-learn count and split the batch."""
        return (len(self), *self.C.shape[1:])

    def window(self, index: int) -> Self:
        """Return the systems of one window of every sequence, as a batch of single systems."""
        if not 0 <= index < self.windows:
            raise IndexError(f"the window must be 0 to {self.windows - 1}; got {index}.")
        if self.windows == 1:
            return self
        kept: dict[int, Self] = self.__dict__.setdefault("_windows", {})
        if index not in kept:
            selected = {
                name: np.ascontiguousarray(value[index :: self.windows])
                for name, value in self._arrays().items()
            }
            kept[index] = self._trusted(**{**self._settings(), "windows": 1}, **selected)
        return kept[index]

    @property
    def n_states(self) -> int:
        """Order of the systems, the paper's n."""
        return self.C.shape[2]

    @property
    def n_channels(self) -> int:
        """Rows of C, the paper's m (stacked samples included)."""
        return self.C.shape[1]

    @property
    def n_noise(self) -> int:
        """Columns of B, the paper's n_v; 0 without B."""
        return 0 if self.B is None else self.B.shape[2]

    def __getitem__(self, key: Any) -> Self:
        """Select systems by integer (a batch of one), slice, boolean mask or index array."""
        if isinstance(key, tuple):  # scikit-learn asks for X[indices, ...]
            if len(key) != 2 or key[1] is not Ellipsis:
                raise IndexError("an LDS batch has one axis; index it as systems[key].")
            key = key[0]
        given = key
        if isinstance(key, int | np.integer):
            key = [key]
        elif not isinstance(key, slice):
            key = np.asarray(key)
            if key.size == 0 and key.dtype != bool:
                key = key.astype(np.intp)
            if key.ndim != 1 or key.dtype.kind not in "iub":
                raise IndexError(
                    f"the index must be an integer, a slice, a mask or indices; got {given!r}."
                )
        try:
            rows = np.arange(len(self.A)).reshape(-1, self.windows)[key].ravel()
            part = key if self.windows == 1 else rows
            selected = {name: value[part] for name, value in self._arrays().items()}
        except IndexError as error:
            message = f"the index must fit a batch of {len(self)}; got {given!r}: {error}."
            raise IndexError(message) from None
        return self._trusted(**self._settings(), **selected)

    def __iter__(self) -> Iterator[Self]:
        return (self[index] for index in range(len(self)))

    @classmethod
    def concatenate(cls, batches: Sequence[LDS]) -> Self:
        """Join batches of the same sizes and fields into one."""
        if not batches:
            raise _errors.invalid_parameter("batches", "hold at least one LDS batch", batches)
        first = as_systems(batches[0], "batch 0")
        for index, batch in enumerate(batches):
            as_systems(batch, f"batch {index}")
            if batch._layout() != first._layout():
                raise _errors.invalid(
                    f"batch {index}",
                    f"have the layout of batch 0, {first._layout()}",
                    batch._layout(),
                    "Encode all sequences with the same parameters.",
                )
        return cls._trusted(
            **first._settings(),
            **{
                name: np.concatenate([batch._arrays()[name] for batch in batches])
                for name in first._arrays()
            },
        )

    def _arrays(self) -> dict[str, Floats]:
        """The fields that are present."""
        return {
            name: getattr(self, name) for name in FIELD_SHAPES if getattr(self, name) is not None
        }

    def _layout(self) -> dict[str, Any]:
        shapes = {name: array.shape[1:] for name, array in self._arrays().items()}
        return {**shapes, **self._settings()}

    def _check_single(self) -> None:
        """Raise if a sequence has several windows, each a system of its own."""
        if self.windows > 1:
            raise _errors.invalid(
                "systems", "be single", f"{self.windows} windows per sequence",
                "Take one window of all: systems.window(0).",
            )  # fmt: skip

    def _settings(self) -> dict[str, Any]:
        """What all systems of the batch share."""
        return {
            "delays": self.delays,
            "allow_unstable": self.allow_unstable,
            "windows": self.windows,
        }

    def __repr__(self) -> str:
        extras = [name for name in self._arrays() if name not in ("A", "C")]
        delays = f", delays={self.delays}" if self.delays > 1 else ""
        delays += f", windows={self.windows}" if self.windows > 1 else ""
        systems = "system" if len(self) == 1 else "systems"
        also = f", with {', '.join(extras)}" if extras else ""
        return (
            f"LDS({len(self)} {systems}, n_channels={self.n_channels}, "
            f"n_states={self.n_states}{delays}{also})"
        )

    # Stability

    @cached_property
    def spectral_radius(self) -> Floats:
        """Largest eigenvalue modulus of each A, shape (N,)."""
        radius = spectral_radius(self.A)
        radius.flags.writeable = False
        return radius

    @property
    def is_stable(self) -> NDArray[np.bool_]:
        """Whether each spectral radius is below 1, as far as rounding can tell, shape (N,)."""
        return self.spectral_radius < LARGEST_RADIUS

    # States and observations

    def states(self, sequences: Any) -> list[Floats]:
        """Return the states of one sequence per system, x(t) = C'(y(t) - mean).

        Parameters
        ----------
        sequences : collection of N sequences of n_channels / delays channels

        Returns
        -------
        list of (n_states, n_timepoints - delays + 1) arrays
        """
        self._check_single()
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
        """Draw one sequence from every system, Eq. (1), started at x0 (at rest without it).

        Soft normalisation damps systems for the sake of comparing them; for sequences like the
        original ones, encode with ``stabilizer="clip"`` or ``"wls"``.

        Parameters
        ----------
        n_timepoints : int
        random_state : int, RandomState, Generator or None
        noise : bool
            False leaves out process and measurement noise: the expected course.

        Returns
        -------
        (N, n_channels / delays, n_timepoints) array
        """
        self._check_single()
        check_whole("n_timepoints", n_timepoints)
        if self.x0 is None and (self.B is None or not noise):
            raise ValueError(
                "systems must have x0, or B with noise=True, to be simulated; got neither. "
                "Fit them with LDSEncoder or pass x0 to LDS."
            )
        random = random_source(random_state)
        start = np.zeros((len(self), self.n_states)) if self.x0 is None else self.x0
        inputs = None
        if noise and self.B is not None:
            shocks = random.standard_normal((len(self), self.n_noise, n_timepoints - 1))
            inputs = self.B @ shocks
        states = propagate(self.A, start, inputs, n_timepoints)
        samples = self._observe(states, block=0)
        if noise and self.noise_variance is not None:
            samples += np.sqrt(self.noise_variance)[:, None, None] * random.standard_normal(
                samples.shape
            )
        return samples

    def forecast(self, sequences: Any, n_timepoints: int) -> Floats:
        """Continue one sequence per system: the expected next samples after its end.

        As for :meth:`simulate`, systems stabilized by ``"clip"`` or ``"wls"`` do better than soft
        ones.

        Parameters
        ----------
        sequences : collection of N sequences
            Only the last `delays` samples of each are used.
        n_timepoints : int
            How many samples to foretell.

        Returns
        -------
        (N, n_channels / delays, n_timepoints) array
        """
        self._check_single()
        check_whole("n_timepoints", n_timepoints)
        tails = [sequence[:, -self.delays :] for sequence in as_collection(sequences, "sequences")]
        last = np.stack([states[:, -1] for states in self.states(tails)])
        states = propagate(self.A, last, None, n_timepoints + 1)
        return self._observe(states[..., 1:], block=self.delays - 1)

    def _observe(self, states: Floats, block: int) -> Floats:
        """C x(t) + mean, restricted to one of the stacked samples (0 is the oldest)."""
        n_channels = self.n_channels // self.delays
        rows = slice(block * n_channels, (block + 1) * n_channels)
        samples = self.C[:, rows] @ states
        if self.mean is not None:
            samples += self.mean[:, rows, None]
        return samples

    # The same system in other coordinates

    def change_basis(self, P: ArrayLike) -> Self:
        """Return the same systems in state coordinates x -> P'x, (P'AP, CP) of Sec. 4.3.

        Parameters
        ----------
        P : (n_states, n_states) or (N, n_states, n_states) array
            Orthogonal, so that C keeps orthonormal columns.
        """
        self._check_single()
        P = np.asarray(P, dtype=np.float64)
        Pt = np.swapaxes(P, -1, -2)
        n = self.n_states
        if P.shape not in ((n, n), (len(self), n, n)):
            raise _not_orthogonal(n, f"shape {P.shape}")
        deviation = np.abs(Pt @ P - np.eye(n)).max(initial=0.0)
        if not deviation <= ORTHONORMAL_TOLERANCE:
            raise _not_orthogonal(n, f"P'P off I by {deviation:.2g}")
        changed = {**self._arrays(), "A": Pt @ self.A @ P, "C": self.C @ P}
        if self.B is not None:
            changed["B"] = Pt @ self.B
        if self.x0 is not None:
            changed["x0"] = (Pt @ self.x0[..., None])[..., 0]
        return self._trusted(**self._settings(), **changed)

    def equivalent(self, other: LDS, *, atol: float = 1e-8) -> NDArray[np.bool_]:
        """Tell which systems equal those of `other` up to an orthogonal change of basis.

        A and C are compared, and of the other fields those which both batches have (B through BB',
        all that the distribution of the process depends on).

        Returns
        -------
        (N,) array of bool
        """
        self._check_single()
        if self.shape != other.shape:
            raise _errors.invalid_parameter("other", f"have shape {self.shape}", other.shape)
        # If C2 = C1 P at all, then P = C1'C2.
        P = np.swapaxes(self.C, 1, 2) @ other.C
        Pt = np.swapaxes(P, 1, 2)
        pairs = [
            (self.C @ P, other.C),
            (Pt @ P, np.broadcast_to(np.eye(self.n_states), P.shape)),
            (Pt @ self.A @ P, other.A),
        ]
        if self.B is not None and other.B is not None:
            transformed = Pt @ self.B
            pairs.append(
                (transformed @ np.swapaxes(transformed, 1, 2), other.B @ np.swapaxes(other.B, 1, 2))
            )
        if self.x0 is not None and other.x0 is not None:
            pairs.append(((Pt @ self.x0[..., None])[..., 0], other.x0))
        for name in ("mean", "noise_variance", "deviation"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None and theirs is not None:
                pairs.append((mine, theirs))
        same = np.full(len(self), self.delays == other.delays)
        for mine, theirs in pairs:
            entries = tuple(range(1, theirs.ndim))
            scale = 1.0 + np.abs(theirs).max(axis=entries)
            same &= np.abs(mine - theirs).max(axis=entries) <= atol * scale
        return same

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the batch to one file (arrays and a JSON header), replaced in one step."""
        settings, arrays = self._settings(), self._arrays()
        header = {**settings, "digest": digest_contents(settings, arrays)}
        save_arrays(path, _FORMAT, _VERSION, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a batch written by :meth:`save`; nothing in the file is ever executed."""
        header, arrays = load_arrays(path, _FORMAT, _VERSION)
        try:
            settings = {name: header.get(name) for name in ("delays", "allow_unstable", "windows")}
            # Files of the first release have no checksum.
            if "digest" in header and header["digest"] != digest_contents(settings, arrays):
                raise ValueError("its contents do not match their checksum")
            return cls._from_file(header, arrays)
        except (_errors.InputTypeError, ValueError) as error:
            raise damaged_contents(path, error) from error

    @classmethod
    def _from_file(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """The batch of a header and arrays that may be anything; ValueError if it is none."""
        if not {"A", "C"} <= arrays.keys() <= FIELD_SHAPES.keys():
            raise ValueError(f"the arrays {', '.join(sorted(arrays)) or 'none'}")
        settings: dict[str, Any] = {"windows": 1} | {k: header[k] for k in _SETTINGS if k in header}
        if {k: type(value) for k, value in settings.items()} != _SETTINGS:
            raise ValueError("settings of another kind")
        return cls(**{**arrays, **settings})


def as_systems(systems: Any, name: str = "systems", *, at_least_one: bool = False) -> LDS:
    """Return `systems` if it is an LDS batch, or say what it is."""
    if not isinstance(systems, LDS):
        raise _errors.InputTypeError(
            f"{name} must be an LDS batch; got {type(systems).__name__}. "
            + (
                "Take as many of its systems as memory holds: store[:1000]."
                if type(systems).__name__ == "LDSStore"
                else "Encode sequences with LDSEncoder first."
            )
        )
    if at_least_one and len(systems) == 0:
        raise _errors.invalid_parameter(name, "hold at least one system", systems)
    return systems


def _not_orthogonal(n_states: int, got: str) -> ValueError:
    """A change of state coordinates that C would not survive."""
    return _errors.invalid(
        "P", f"be orthogonal of size {n_states}", got, "numpy.linalg.qr makes one."
    )
