"""All pairs of two batches, tile by tile: one matrix product and one compiled pass per tile."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ldslearn._parallel import for_each_block
from ldslearn._places import locate_systems
from ldslearn._types import Floats
from ldslearn.geometry.output_normal import OutputNormalForm, no_solution, output_normal_form
from ldslearn.geometry.schur_forms import pad_to_even
from ldslearn.geometry.stein import LANES
from ldslearn.models.lds import LDS, as_systems

# Parameters of both sides, H1'H2, result
Sums = Callable[[Floats, Floats, Floats, Floats], None]
# Schur forms of the rows and of the columns, C1'C2, result
Reduction = Callable[[Floats, Floats, Floats, Floats], None]

# States in the rows and columns of a tile, about: it stays in cache, and products of wide tiles are
# faster than those of square ones.
_TILE_STATES = 200, 800
_KEPT_BYTES = 2**26  # of either side, kept between tiles


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


def _choose_tile(n_states: tuple[int, int], multiple: int) -> tuple[int, int]:
    """Return the systems in the rows and columns of a tile, multiples of `multiple`."""
    rows, columns = (
        multiple * max(1, round(states / (multiple * n)))
        for states, n in zip(_TILE_STATES, n_states, strict=True)
    )
    return rows, columns


def for_each_tile(
    compute: Callable[[slice, slice], Floats],
    out: Floats,
    *,
    tile: tuple[int, int],
    symmetric: bool,
    n_jobs: int | None,
    description: str,
) -> None:
    """Fill `out`, (N, M, ...), with ``compute(rows, columns)``; only half of it if symmetric.

    Columns of a symmetric problem start at the rows, if these are in the tile.
    """
    rows, columns = (
        [slice(start, min(start + size, length)) for start in range(0, length, size)]
        for size, length in zip(tile, out.shape[:2], strict=True)
    )
    tiles = [(r, c) for r in rows for c in columns]
    if symmetric:
        tiles = [(r, slice(max(r.start, c.start), c.stop)) for r, c in tiles if c.stop > r.start]

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


def _keep_small(make: Callable[[slice], Floats], n_bytes: int) -> Callable[[slice], Floats]:
    """Return a function that computes all items at once, if they are small, and then takes some."""
    if n_bytes > _KEPT_BYTES:
        return make
    whole = make(slice(None))
    return whole.__getitem__


class Multiplication:
    """Products of all pairs of columns of two stacks, in memory that is used again."""

    def __init__(self) -> None:
        self._unused: list[Floats] = []  # one array per thread at most

    @contextmanager
    def __call__(self, left: Floats, right: Floats) -> Iterator[Floats]:
        """Lend the products of (N, n1, m) and (M, n2, m) stacks, (N, n1, M, n2)."""
        shape = *left.shape[:2], *right.shape[:2]
        try:
            memory = self._unused.pop()
        except IndexError:
            memory = np.empty(0)
        if memory.size < math.prod(shape):
            memory = np.empty(math.prod(shape))
        G = memory[: math.prod(shape)].reshape(shape[0] * shape[1], -1)
        m = left.shape[2]
        np.matmul(left.reshape(-1, m), right.reshape(-1, m).T, out=G)
        yield G.reshape(shape)
        self._unused.append(memory)  # after an error it is not used again


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
    out = np.empty((len(X), len(Y), *(() if reduce else tail)))
    get_rows = _keep_small(partial(_transpose_measurement, first, X), X.C.nbytes)
    get_columns = get_rows
    if second is not first:
        get_columns = _keep_small(partial(_transpose_measurement, second, Y), Y.C.nbytes)
    multiply = Multiplication()

    def compute(rows: slice, columns: slice) -> Floats:
        groups = slice(columns.start // LANES, -(-columns.stop // LANES))
        result = np.empty((rows.stop - rows.start, (groups.stop - groups.start) * LANES, *tail))
        with multiply(get_rows(rows), get_columns(columns)) as G:
            reduction(first.rows[rows], second.lanes[groups], G, result)
        found = result[:, : columns.stop - columns.start]
        return found if reduce is None else reduce(rows, columns, found)

    for_each_tile(
        compute,
        out,
        tile=_choose_tile((X.n_states, Y.n_states), LANES),
        symmetric=X is Y and out.ndim == 2,
        n_jobs=n_jobs,
        description=description,
    )
    if (X.allow_unstable or Y.allow_unstable) and (unsolved := np.argwhere(np.isnan(out))).size:
        raise no_solution(np.unique(unsolved[:, 0]).tolist())
    return out


def _transpose_measurement(form: OutputNormalForm, systems: LDS, block: slice) -> Floats:
    """Return C of some systems, transposed, (systems, 2 n, m); n counts blocks of two states."""
    C = np.swapaxes(systems.C[block], 1, 2)
    return pad_to_even(np.swapaxes(form.transform[block], 1, 2) @ C, (1,))


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

    def transpose(bases: BatchBases) -> Callable[[slice], Floats]:
        """Return a function of a slice of systems whose value is H', (systems, n, rows of H)."""

        def make(block: slice) -> Floats:
            return np.ascontiguousarray(np.swapaxes(bases.basis(block), 1, 2))

        n_bytes = bases.size[0] * bases.basis(slice(0, 1)).nbytes
        return _keep_small(make, n_bytes)

    get_rows = transpose(first)
    get_columns = get_rows if second is first else transpose(second)
    multiply = Multiplication()

    def compute(rows: slice, columns: slice) -> Floats:
        result = np.empty((rows.stop - rows.start, columns.stop - columns.start))
        with multiply(get_rows(rows), get_columns(columns)) as G:
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
        tile=_choose_tile((first.size[1], second.size[1]), 1),
        symmetric=first is second,
        n_jobs=n_jobs,
        description=description,
    )
    return out


def field_missing(what: str, field: str) -> ValueError:
    """Return the error about systems without an optional field that a kernel needs."""
    return ValueError(f"systems must have {field} for {what}; got None. LDSEncoder provides it.")
