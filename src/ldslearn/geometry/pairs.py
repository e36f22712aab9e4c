"""All pairs of two batches, tile by tile: one matrix product and one compiled pass per tile."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ldslearn._parallel import for_each_block
from ldslearn._places import locate_systems
from ldslearn._types import Floats
from ldslearn.geometry.output_normal import OutputNormalForm, no_solution, output_normal_form
from ldslearn.models.lds import LDS, as_systems

# Parameters of both sides, H1'H2, result
Sums = Callable[[Floats, Floats, Floats, Floats], None]
# S of the rows, T and D of the columns, C1'C2, result
Reduction = Callable[[Floats, Floats, Floats, Floats, Floats], None]

# States along a tile: products near their best speed, a tile in cache; half as many for few
# systems, so that a symmetric problem is little more than half of the square.
_TILE_STATES = 640
_KEPT_BYTES = 2**26  # of either side's transformed C, kept between tiles


def check_pair(X: Any, Y: Any, *, same_order_for: str | None = None) -> tuple[LDS, LDS]:
    """Return both batches (Y is X when None) after checking that they can be compared."""
    first = as_systems(X, "X", at_least_one=True)
    second = first if Y is None else as_systems(Y, "Y", at_least_one=True)
    for systems in (first, second):
        systems._check_one_window()
    if first.n_channels != second.n_channels:
        raise ValueError(
            f"X and Y must measure the same channels; got {first.n_channels} and "
            f"{second.n_channels}. Encode both with the same channels and delays."
        )
    if same_order_for and first.n_states != second.n_states:
        raise ValueError(
            f"X and Y must have the same n_states for {same_order_for}; got {first.n_states} "
            f"and {second.n_states}."
        )
    return first, second


def _tile_size(n_systems: int, n_states: int) -> int:
    """Return the systems along a tile: equal tiles of about _TILE_STATES states."""
    total = n_systems * n_states
    states = _TILE_STATES if total > 8 * _TILE_STATES else _TILE_STATES // 2
    return -(-n_systems // -(-total // states))


def for_each_tile(
    compute: Callable[[slice, slice], Floats],
    out: Floats,
    *,
    tile: tuple[int, int],
    symmetric: bool,
    n_jobs: int | None,
    description: str,
) -> None:
    """Fill `out`, (N, M, ...), with ``compute(rows, columns)``; only half of it if symmetric."""
    rows, columns = (
        [slice(start, min(start + size, length)) for start in range(0, length, size)]
        for size, length in zip(tile, out.shape[:2], strict=True)
    )
    tiles = [(r, c) for r in rows for c in columns if not symmetric or c.stop > r.start]

    def fill(block: slice) -> None:
        for r, c in tiles[block]:
            result = compute(r, c)
            if not symmetric:
                out[r, c] = result
                continue
            for k, i in enumerate(range(r.start, r.stop)):
                start = max(i, c.start)
                out[i, start : c.stop] = result[k, start - c.start :]
                out[start : c.stop, i] = result[k, start - c.start :]

    for_each_block(fill, len(tiles), n_jobs=n_jobs, description=description)


def solve_pairs(
    reduction: Reduction,
    X: LDS,
    Y: LDS,
    n_jobs: int | None,
    description: str,
    tail: tuple[int, ...] = (),
    reduce: Callable[[slice, slice, Floats], Floats] | None = None,
) -> Floats:
    """Apply a compiled reduction of :mod:`stein` to V1'V2 of all pairs.

    Parameters
    ----------
    reduction : callable
        ``squared_norms``, ``log_determinants`` or ``solutions`` of :mod:`stein`.
    X, Y : LDS
        The same object for a symmetric problem, which is solved by halves.
    n_jobs : int or None
    description : str
    tail : tuple of int
        Trailing shape of what `reduction` writes for one pair.
    reduce : callable, optional
        ``reduce(rows, columns, tile)`` returns one number per pair.

    Returns
    -------
    (len(X), len(Y), *tail) array, or (len(X), len(Y)) with `reduce`
    """
    first, second = output_normal_forms(X, Y, n_jobs)
    n1, n2, m = X.n_states, Y.n_states, X.n_channels
    out = np.empty((len(X), len(Y), *(() if reduce else tail)))
    lanes = second.lanes
    columns_per_tile = lanes * max(1, round(_tile_size(len(Y), n2) / lanes))
    rows_per_tile = columns_per_tile if X is Y else _tile_size(len(X), n1)
    kept = max(2, _KEPT_BYTES // (8 * m * columns_per_tile * n2))

    @lru_cache(kept)
    def left(start: int, stop: int) -> Floats:
        """Return C of some rows, (rows * n1, m)."""
        return np.swapaxes(first.measurement(X, slice(start, stop)), 1, 2).reshape(-1, m)

    @lru_cache(kept)
    def right(start: int, stop: int) -> Floats:
        """Return C of some columns in the order of the lanes, (m, groups * n2 * lanes)."""
        n_groups = -(-(stop - start) // lanes)
        columns = np.zeros((m, n_groups, n2, lanes))
        if X is Y:  # its rows are kept already
            measured = np.swapaxes(left(start, stop).reshape(-1, n2, m), 1, 2)
        else:
            measured = second.measurement(Y, slice(start, stop))
        for g in range(n_groups):
            group = measured[g * lanes : (g + 1) * lanes]
            columns[:, g, :, : len(group)] = group.transpose(1, 2, 0)
        return columns.reshape(m, -1)

    def compute(rows: slice, columns: slice) -> Floats:
        groups = slice(columns.start // lanes, -(-columns.stop // lanes))
        n_groups = groups.stop - groups.start
        G = left(rows.start, rows.stop) @ right(columns.start, columns.stop)
        G = G.reshape(-1, n1, n_groups, n2, lanes)
        result = np.empty((len(G), n_groups * lanes, *tail))
        reduction(first.S[rows], second.T[groups], second.D[groups], G, result)
        found = result[:, : columns.stop - columns.start]
        return found if reduce is None else reduce(rows, columns, found)

    for_each_tile(
        compute,
        out,
        tile=(rows_per_tile, columns_per_tile),
        symmetric=X is Y and out.ndim == 2,
        n_jobs=n_jobs,
        description=description,
    )
    if (X.allow_unstable or Y.allow_unstable) and (unsolved := np.argwhere(np.isnan(out))).size:
        raise no_solution(np.unique(unsolved[:, 0]).tolist())
    return out


def output_normal_forms(
    X: LDS, Y: LDS, n_jobs: int | None = None
) -> tuple[OutputNormalForm, OutputNormalForm]:
    """Return both batches in output-normal coordinates; messages name the batch."""
    first = output_normal_form(X, n_jobs)
    if Y is X:
        return first, first
    with locate_systems(batch=" of Y"):
        return first, output_normal_form(Y, n_jobs)


@dataclass(frozen=True)
class BatchBases:
    """One batch of a kernel that is a sum over the entries of H1'H2.

    Attributes
    ----------
    size : (int, int)
        Systems, and states of each.
    basis : callable
        H of a slice of systems, (systems, rows, columns).
    parameters : (N, ...) array or None
        Eigenvalues, or what else the sum needs.
    """

    size: tuple[int, int]
    basis: Callable[[slice], Floats]
    parameters: Floats | None = None


def make_bases(
    make: Callable[[LDS], BatchBases], X: LDS, Y: LDS | None
) -> tuple[BatchBases, BatchBases]:
    """Return the bases of both batches after checking them; one object if they are the same."""
    first, second = check_pair(X, Y)
    bases = make(first)
    if second is first:
        return bases, bases
    with locate_systems(batch=" of Y"):
        return bases, make(second)


def sum_pairs(
    add_up: Sums,
    first: BatchBases,
    second: BatchBases,
    n_jobs: int | None,
    description: str,
) -> Floats:
    """Apply a sum of :mod:`closed_form`, or one like it, to H1'H2 of all pairs.

    The same object on both sides is a symmetric problem, which is solved by halves.
    """
    out = np.empty((first.size[0], second.size[0]))
    unused = np.empty((1, 1))
    sides: dict[tuple[bool, int], Floats] = {}

    def stack(bases: BatchBases, block: slice) -> Floats:
        """Return the columns of some systems as rows, (systems * n, rows of H); some are kept."""
        key = (bases is first, block.start)
        found = sides.get(key)
        if found is None:
            H = np.swapaxes(bases.basis(block), 1, 2)
            found = H.reshape(-1, H.shape[2])
            if (len(sides) + 1) * found.nbytes <= _KEPT_BYTES:
                sides[key] = found
        return found

    def compute(rows: slice, columns: slice) -> Floats:
        left, right = stack(first, rows), stack(second, columns)
        n_rows, n_columns = rows.stop - rows.start, columns.stop - columns.start
        G = (left @ right.T).reshape(n_rows, len(left) // n_rows, n_columns, -1)
        result = np.empty((n_rows, n_columns))
        add_up(
            unused if first.parameters is None else first.parameters[rows],
            unused if second.parameters is None else second.parameters[columns],
            G,
            result,
        )
        return result

    for_each_tile(
        compute,
        out,
        tile=(_tile_size(*first.size), _tile_size(*second.size)),
        symmetric=first is second,
        n_jobs=n_jobs,
        description=description,
    )
    return out


def field_missing(what: str, field: str) -> ValueError:
    """Return the error about systems without an optional field that a kernel needs."""
    return ValueError(f"systems must have {field} for {what}; got None. LDSEncoder provides it.")
