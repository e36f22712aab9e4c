"""The arrays of a batch of systems: checked once, read-only, and indexed like a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._types import Floats
from ldslearn.models.fields import FIELD_SHAPES, check_fields, spread_noise

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False, repr=False)
class SystemBatch:
    """N systems as arrays with a common first axis; :class:`ldslearn.LDS` describes the fields."""

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
    # Results that are computed from the other fields, by name; not part of copies and pickles.
    _cache: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for name, array in check_fields({k: getattr(self, k) for k in FIELD_SHAPES}).items():
            object.__setattr__(self, name, array)
        for name, n_divided, divided in (
            ("delays", self.n_channels, f"n_channels = {self.n_channels}"),
            ("windows", len(self.A), f"the number of systems, {len(self.A)}"),
        ):
            value = getattr(self, name)
            check_whole(name, value)
            if n_divided % value:
                raise _errors.invalid_parameter(name, f"divide {divided}", value)
            object.__setattr__(self, name, int(value))

    @classmethod
    def _from_trusted(cls, **values: Any) -> Self:
        """Wrap arrays that are known to be right and not shared with anyone, without a copy."""
        systems = object.__new__(cls)
        systems.__setstate__(
            {
                name: value.view() if isinstance(value, np.ndarray) else value
                for name, value in values.items()
            }
        )
        return systems

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what was computed from them can be computed again."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore from a pickle or a deep copy, frozen as before."""
        noise = state.get("noise_variance")
        if noise is not None and noise.ndim == 1:  # in pickles of the first releases
            state = {**state, "noise_variance": spread_noise(noise, state["C"].shape[1])}
        for each in fields(self):
            value = state.get(each.name, each.default) if each.init else {}
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, each.name, value)

    def _compute_once(self, name: str, compute: Callable[[], Value]) -> Value:
        """Return ``compute()``, kept with the batch under a name."""
        if name not in self._cache:
            self._cache[name] = compute()
        value: Value = self._cache[name]
        return value

    @property
    def n_bytes(self) -> int:
        """Bytes of all fields."""
        return sum(array.nbytes for array in self._arrays.values())

    def __sizeof__(self) -> int:
        """Bytes, by which a cluster decides what to move."""
        return object.__sizeof__(self) + self.n_bytes

    def __array__(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        raise _errors.InputTypeError(
            "an LDS batch has no array form: systems are not vectors. Use its fields (A, C, ...), "
            "or an estimator that takes systems."
        )

    def __len__(self) -> int:
        return len(self.A) // self.windows

    @property
    def shape(self) -> tuple[int, int, int]:
        """(N, n_channels, n_states); lets scikit-learn count and split the batch."""
        return (len(self), *self.C.shape[1:])

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

    def window(self, index: int) -> Self:
        """Return the systems of one window of every sequence, as a batch of single systems.

        Parameters
        ----------
        index : int
            From 0 to ``windows - 1``.

        Returns
        -------
        LDS
        """
        if not 0 <= index < self.windows:
            raise IndexError(f"the window must be 0 to {self.windows - 1}; got {index}.")
        if self.windows == 1:
            return self

        return self._compute_once(f"window {index}", lambda: self._select_window(index))

    def _select_window(self, index: int) -> Self:
        selected = {
            name: np.ascontiguousarray(value[index :: self.windows])
            for name, value in self._arrays.items()
        }
        return self._from_trusted(**{**self._settings, "windows": 1}, **selected)

    def __getitem__(self, key: Any) -> Self:
        """Select systems by integer (a batch of one), slice, boolean mask or index array."""
        if isinstance(key, tuple):  # scikit-learn indexes by X[indices, ...]
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
                raise _errors.unusable_index(given)
        try:
            rows = np.arange(len(self.A)).reshape(-1, self.windows)[key].ravel()
            part = key if self.windows == 1 else rows
            selected = {name: value[part] for name, value in self._arrays.items()}
        except IndexError as error:
            message = f"the index must fit a batch of {len(self)}; got {given!r}: {error}."
            raise IndexError(message) from None
        return self._from_trusted(**self._settings, **selected)

    def __iter__(self) -> Iterator[Self]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        extras = [name for name in self._arrays if name not in ("A", "C")]
        delays = f", delays={self.delays}" if self.delays > 1 else ""
        delays += f", windows={self.windows}" if self.windows > 1 else ""
        systems = "system" if len(self) == 1 else "systems"
        also = f", with {', '.join(extras)}" if extras else ""
        return (
            f"LDS({len(self)} {systems}, n_channels={self.n_channels}, "
            f"n_states={self.n_states}{delays}{also})"
        )

    @property
    def _arrays(self) -> dict[str, Floats]:
        """The fields that are present."""
        return {
            name: getattr(self, name) for name in FIELD_SHAPES if getattr(self, name) is not None
        }

    @property
    def _settings(self) -> dict[str, Any]:
        """What all systems of the batch share."""
        return {
            "delays": self.delays,
            "allow_unstable": self.allow_unstable,
            "windows": self.windows,
        }

    @property
    def _layout(self) -> dict[str, Any]:
        """Shapes of single systems, and what all systems share: equal in batches to be joined."""
        shapes = {name: array.shape[1:] for name, array in self._arrays.items()}
        return {**shapes, **self._settings}
