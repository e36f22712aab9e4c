"""Kernels of systems in a store or on a cluster: tile by tile of two batches cut into blocks."""

from collections.abc import Iterator
from functools import wraps
from typing import Any

import numpy as np

from ldslearn._parallel import Engine, current_engine
from ldslearn._places import Place, locate_systems, name_systems, warn_once
from ldslearn._types import Floats
from ldslearn.geometry.window_means import Pairwise
from ldslearn.models.blocks import Block, cut_where_needed, load_block
from ldslearn.models.lds import LDS

Tile = tuple[slice, slice, Floats]


def compute_by_tiles(function: Pairwise) -> Pairwise:
    """Extend a function ``f(X, Y=None, ...)`` of all pairs to stores and clusters."""

    @warn_once
    @wraps(function)
    def run(X: Any, Y: Any = None, **settings: Any) -> Floats:
        rows = cut_where_needed(X)
        # Systems in memory that many blocks are compared with are sent once, in one piece.
        columns = None if rows is not None and isinstance(Y, LDS) else cut_where_needed(Y)
        if rows is None and columns is None:
            return function(X, Y, **settings)
        symmetric = Y is None or Y is X
        left = [X] if rows is None else rows
        right = [Y] if columns is None else columns
        shape = (len(X), len(X) if symmetric else len(Y))
        out = np.empty(shape)
        tiles = iterate_tiles(run, left, None if symmetric else right, **settings)
        with name_systems(X=X, Y=Y):
            for i, j, found in tiles:
                out[i, j] = found
                if symmetric:
                    out[j, i] = found.T
        return out

    return run


def iterate_tiles(
    function: Pairwise,
    rows: list[Block],
    columns: list[Block] | None,
    *,
    done: set[tuple[int, int]] | None = None,
    description: str = "kernels",
    **settings: Any,
) -> Iterator[Tile]:
    """Yield rows, columns and values of every tile; without `columns` those of half a square.

    Tiles whose first row and column are in `done` are skipped.
    """
    engine = current_engine()
    left = _keep_blocks(engine, rows)
    right = left if columns is None else _keep_blocks(engine, columns)
    first = row_slices(rows)
    second = first if columns is None else row_slices(columns)
    places = [
        (a, b)
        for a in range(len(first))
        for b in range(len(second))
        if (columns is not None or b >= a)
        and (first[a].start, second[b].start) not in (done or set())
    ]
    batch = "" if columns is None else " of Y"
    tasks = [
        (
            left[a],
            None if columns is None and a == b else right[b],
            first[a].start,
            (batch, second[b].start),
        )
        for a, b in places
    ]
    found = engine.map(_compute_tile, tasks, function, settings, description=description)
    for (a, b), values in zip(places, found, strict=True):
        yield first[a], second[b], values


def _keep_blocks(engine: Engine, blocks: list[Block]) -> list[Any]:
    """Send blocks in memory once, as each is part of many tiles; those of stores are file names."""
    if engine.n_workers and isinstance(blocks[0], LDS):
        return engine.submit(load_block, [(block,) for block in blocks])
    return list(blocks)


def row_slices(blocks: list[Block]) -> list[slice]:
    """Return the rows of a matrix that belong to each block."""
    ends = np.cumsum([len(block) for block in blocks]).tolist()
    return [slice(end - len(block), end) for end, block in zip(ends, blocks, strict=True)]


def _compute_tile(
    first: Block,
    second: Block | None,
    start: int,
    other_start: Place,
    function: Pairwise,
    settings: Any,
) -> Floats:
    other = None if second is None else load_block(second)
    with locate_systems(start, other=other_start):
        return function(load_block(first), other, **settings)
