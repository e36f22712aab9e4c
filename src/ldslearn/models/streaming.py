"""Systems block by block: those of a store, and on a cluster those in memory, too."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._parallel import current_engine, cut
from ldslearn._places import locate_systems, name_systems, warn_once
from ldslearn.models.lds import LDS
from ldslearn.models.shards import StoredBlock
from ldslearn.models.store import LDSStore

Block = LDS | StoredBlock

_STREAMED = 2**24  # bytes of a store that are read at a time


def blocks_of(X: Any) -> list[Block] | None:
    """Return consecutive blocks of systems; None where they are best taken in one piece."""
    if isinstance(X, LDSStore):
        return cut_systems(X, _STREAMED)
    if not isinstance(X, LDS) or not current_engine().n_workers or not len(X):
        return None
    parts = cut([X.n_bytes // len(X)] * len(X))
    return [X[part] for part in parts] if len(parts) > 1 else None


def cut_systems(X: LDS | LDSStore, n_bytes: int) -> list[Block]:
    """Return consecutive blocks of about so many bytes, of at least one system or shard."""
    if isinstance(X, LDSStore):
        return list(X.blocks(n_bytes))
    step = max(1, n_bytes * len(X) // X.n_bytes)
    return [X[start : start + step] for start in range(0, len(X), step)]


def loaded(block: Block) -> LDS:
    """Return the systems of a block, in memory."""
    return block if isinstance(block, LDS) else block.load()


def by_blocks(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method ``f(self, X)``, one row per system, take a store, and use a cluster."""

    @warn_once
    @wraps(method)
    def run(self: Any, X: Any) -> Any:
        blocks = blocks_of(X)
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
            result = getattr(estimator, method)(loaded(block))
    for warning in caught:
        text = _errors.of_block(start, start + len(block), str(warning.message))
        warnings.warn(text, warning.category, stacklevel=2)
    return result
