"""Codes of many samples in blocks: over threads, or on the workers of a cluster."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._parallel import current_engine, cut_by_bytes, for_each_block
from ldslearn._types import Floats
from ldslearn.coding.homotopy import code_rows
from ldslearn.coding.pursuit import pursue_rows
from ldslearn.coding.working_sets import LARGE, code_rows_by_working_sets

Coded = tuple[Floats, Floats]

STEPS_PER_ATOM = 10  # a path has two or three breakpoints per atom; more is a cycle
_ENTRIES_AT_ONCE = 1600  # of codes at least, if there are as many, so that few calls are made


def solve_samples(
    K: Floats,
    k: Floats,
    sparsity: float,
    n_nonzero: int | None,
    nonnegative: bool,
    excluded: NDArray[np.bool_],
    start: Floats | None,
    n_jobs: int | None,
) -> Coded:
    """Return codes and their residuals, by blocks of samples; arguments are known to be right."""
    engine = current_engine()
    parts = cut_by_bytes([k.itemsize * k.shape[1]] * len(k)) if engine.n_workers else []
    if len(parts) > 1:
        blocks = []
        for part in parts:
            own = excluded if len(excluded) == 1 else excluded[part]
            blocks.append((k[part], own, None if start is None else start[part]))
        settings = (K, sparsity, n_nonzero, nonnegative, None)
        found = list(engine.map(_solve_rows, blocks, *settings, description="sparse coding"))
        return np.concatenate([c for c, _ in found]), np.concatenate([r for _, r in found])
    return _solve_rows(k, excluded, start, K, sparsity, n_nonzero, nonnegative, n_jobs)


def _solve_rows(
    k: Floats,
    excluded: NDArray[np.bool_],
    start: Floats | None,
    K: Floats,
    sparsity: float,
    n_nonzero: int | None,
    nonnegative: bool,
    n_jobs: int | None,
) -> Coded:
    """Return codes and residuals of some samples."""
    codes = np.zeros_like(k) if start is None else start.copy()
    residuals = np.zeros(len(k))
    settings: tuple[Any, ...]
    if n_nonzero is not None:
        solve_block, settings = pursue_rows, (int(n_nonzero),)
    else:
        large = len(K) > LARGE and sparsity > 0
        solve_block = code_rows_by_working_sets if large else code_rows
        limit = STEPS_PER_ATOM * len(K) + 100
        settings = (0.5 * sparsity, bool(nonnegative), start is not None, limit)

    size = max(1, _ENTRIES_AT_ONCE // len(K))

    def solve(block: slice) -> None:
        part = slice(size * block.start, size * block.stop)
        rows = excluded if len(excluded) == 1 else excluded[part]
        solve_block(K, k[part], rows, *settings, codes[part], residuals[part])

    if len(k):
        for_each_block(solve, -(-len(k) // size), n_jobs=n_jobs, description="sparse coding")
    return codes, residuals
