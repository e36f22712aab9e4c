"""Batches of systems in blocks: those of a store, and on a cluster also those in memory."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from ldslearn._parallel import current_engine, cut_by_bytes
from ldslearn._places import locate_systems, name_systems, warn_once
from ldslearn.models.lds import LDS, as_systems

_BYTES_PER_STORED_BLOCK = 2**24  # read from a store at once


class LazyBlock(Protocol):
    """Systems that are read where they are needed."""

    def __len__(self) -> int: ...

    def load(self) -> LDS:
        """Return the systems, in memory."""


class StoredSystems(ABC):
    """A batch of systems in files, which need not fit in memory.

    Estimators know stores by this class alone; :class:`ldslearn.scale.LDSStore` is one.
    """

    path: Path
    n_states: int
    n_channels: int
    n_noise: int
    delays: int
    windows: int
    allow_unstable: bool

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int, int]:
        """(N, n_channels, n_states)."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, key: Any) -> LDS:
        """Return systems in memory."""

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """Bytes of all files."""

    @abstractmethod
    def blocks(self, n_bytes: int = 0) -> Sequence[LazyBlock]:
        """Return consecutive blocks of about `n_bytes` bytes."""

    @abstractmethod
    def window(self, index: int) -> Self:
        """Return one window of every sequence."""


Block = LDS | LazyBlock


def as_batch(X: Any, name: str = "X") -> LDS | StoredSystems:
    """Return `X` if it is systems, in memory or in a store, or raise."""
    return X if isinstance(X, StoredSystems) else as_systems(X, name, at_least_one=True)


def cut_where_needed(X: Any) -> list[Block] | None:
    """Return consecutive blocks of systems; None where one piece is best."""
    if isinstance(X, StoredSystems):
        return cut_systems(X, _BYTES_PER_STORED_BLOCK)
    if not isinstance(X, LDS) or not current_engine().n_workers or not len(X):
        return None
    parts = cut_by_bytes([X.n_bytes // len(X)] * len(X))
    return [X[part] for part in parts] if len(parts) > 1 else None


def cut_systems(X: LDS | StoredSystems, n_bytes: int) -> list[Block]:
    """Return consecutive blocks of about `n_bytes` bytes, of at least one system or shard."""
    if isinstance(X, StoredSystems):
        return list(X.blocks(n_bytes))
    step = max(1, n_bytes * len(X) // X.n_bytes)
    return [X[start : start + step] for start in range(0, len(X), step)]


def load_block(block: Block) -> LDS:
    """Return the systems of a block, in memory."""
    return block if isinstance(block, LDS) else block.load()


def apply_by_blocks(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method ``f(self, X)``, one row per system, take a store, and use a cluster."""

    @warn_once
    @wraps(method)
    def run(self: Any, X: Any) -> Any:
        blocks = cut_where_needed(X)
        if blocks is None:
            return method(self, X)
        starts = np.cumsum([0, *map(len, blocks)]).tolist()
        tasks = list(zip(blocks, starts, strict=False))
        engine = current_engine()
        found = engine.map(_apply, tasks, method.__name__, self, description=method.__name__)
        with name_systems(X=X):
            return np.concatenate(list(found))

    return run


def _apply(block: Block, start: int, method: str, estimator: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with locate_systems(start):
            result = getattr(estimator, method)(load_block(block))
    for warning in caught:
        text = (
            f"of systems {start} to {start + len(block) - 1}, counted from the first of them: "
            f"{warning.message!s}"
        )
        warnings.warn(text, warning.category, stacklevel=2)
    return result
