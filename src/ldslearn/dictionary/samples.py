"""The columns of many systems, in blocks: in memory, in files, or on the workers of a cluster."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from ldslearn._parallel import Engine, current_engine
from ldslearn._places import locate_systems, name_systems
from ldslearn._types import Indices
from ldslearn._writing import make_scratch_folder, name_full_disk
from ldslearn.dictionary.block_problem import BlockProblem
from ldslearn.dictionary.columns import Columns, Kind
from ldslearn.dictionary.problem import AtomProblem
from ldslearn.dictionary.recipe import Recipe
from ldslearn.models import LDS
from ldslearn.models.blocks import Block, StoredSystems, cut_systems, load_block

Terms = list[Columns]

_BLOCKS_PER_WORKER = 2
_SMALLEST = 2**22  # bytes of systems per block; fewer are processed at once
_FEW = 2**29  # bytes of systems that are learned from here, as messages to workers take longer
_LARGEST = 2**27  # bytes of systems per block: a task needs a few times as much
_HELD = 2**26  # bytes of columns that are kept in memory for the steps of one atom
_FETCHED = 2**26  # bytes of columns on workers that are fetched for the steps of one atom
_ON_DISK = 2**24  # bytes of systems per file of columns


@dataclass(frozen=True)
class ColumnFile:
    """Columns in two files, which are mapped to memory."""

    kind: Kind
    rows: Path
    eigenvalues: Path

    @classmethod
    def write(cls, columns: Columns, stem: Path) -> Self:
        """Write columns to new files that begin with `stem`."""
        filed = cls(columns.kind, stem.with_suffix(".rows.npy"), stem.with_suffix(".values.npy"))
        with name_full_disk(filed.rows, columns.rows.nbytes):
            np.save(filed.rows, columns.rows)
            np.save(filed.eigenvalues, columns.eigenvalues)
        return filed

    def open(self) -> Columns:
        """Return columns whose rows are read when they are needed."""
        rows = np.load(self.rows, mmap_mode="r", allow_pickle=False)
        return Columns(self.kind, rows, np.load(self.eigenvalues, allow_pickle=False))


StoredColumns = Sequence[Columns | ColumnFile]


def open_columns(terms: StoredColumns) -> Terms:
    """Return the columns of one block."""
    return [term.open() if isinstance(term, ColumnFile) else term for term in terms]


@dataclass(frozen=True)
class Samples:
    """Columns of all samples, one list of terms per block.

    Attributes
    ----------
    blocks : list
        Lists of terms, or handles of them.
    sizes : list of int
        Samples per block.
    engine : Engine
        Where the blocks are.
    """

    blocks: list[Any]
    sizes: list[int]
    engine: Engine

    @classmethod
    def of(cls, terms: Terms) -> Self:
        """Return samples in memory."""
        return cls([terms], [len(terms[0])], Engine())

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def in_memory(self) -> Terms | None:
        """The columns, if all are in the memory of this process; else None."""
        if len(self.blocks) > 1 or self.engine.n_workers:
            return None
        return self.blocks[0] if isinstance(self.blocks[0][0], Columns) else None

    def map(self, function: Callable[..., Any], *shared: Any) -> list[Any]:
        """Return ``function(terms, *shared)`` of every block, in order."""
        return list(self.engine.map(function, [(block,) for block in self.blocks], *shared))

    def take(self, indices: Any) -> Terms:
        """Return the columns of some samples, in memory."""
        wanted = np.asarray(indices, dtype=np.intp)
        parts = self._locate(wanted)
        found = list(
            self.engine.map(_take_rows, [(self.blocks[b], wanted[at] - s) for b, s, at in parts])
        )
        order = np.argsort(np.concatenate([at for _, _, at in parts]), kind="stable")
        several = [Columns.concatenate(list(term)) for term in zip(*found, strict=True)]
        return [term[order] for term in several]

    def make_problems(self, members: Indices) -> list[AtomProblem | BlockProblem]:
        """Return the sum of -k(atom, sample) over some samples, one problem per term."""
        terms = self.in_memory
        if terms is not None:
            return list(make_member_problems(terms, members))
        wanted = [(self.blocks[b], members[at] - start) for b, start, at in self._locate(members)]
        fetched = fetch_problems(self, make_member_problems, wanted, len(members))
        if fetched:
            return list(fetched)
        parts = hold_problems(self, make_member_problems, wanted, len(members))
        return [
            BlockProblem(None, parts, term, one.kind, 0.0, self.engine)
            for term, one in enumerate(self.first_sample)
        ]

    @cached_property
    def first_sample(self) -> Terms:
        """The columns of the first sample, which have the sizes of all."""
        return self.take([0])

    def _locate(self, indices: Indices) -> list[tuple[int, int, Indices]]:
        """Return number, first sample, and positions in `indices` of the blocks that hold some."""
        ends = np.cumsum(self.sizes)
        owners = np.searchsorted(ends, indices, side="right")
        return [
            (b, int(ends[b] - self.sizes[b]), np.flatnonzero(owners == b))
            for b in np.unique(owners).tolist()
        ]


@contextmanager
def open_samples(X: LDS | StoredSystems, recipe: Recipe) -> Iterator[list[Samples]]:
    """Yield the samples of every code: in memory, or in blocks if X is large or on a cluster."""
    engine = current_engine()
    if isinstance(X, StoredSystems) and not is_in_blocks(X):
        X = X[:]
    recipes = [replace(recipe, codes=(code,)) for code in recipe.codes]
    if engine.n_workers and is_in_blocks(X):
        size = X.n_bytes // (_BLOCKS_PER_WORKER * engine.n_workers)
        blocks = cut_systems(X, min(max(_SMALLEST, size), _LARGEST))
        sizes, tasks = [len(block) for block in blocks], [(block,) for block in blocks]
        yield [Samples(engine.submit(load_columns, tasks, one), sizes, engine) for one in recipes]
    elif isinstance(X, StoredSystems):
        with ExitStack() as stack:
            home = X.path if os.access(X.path, os.W_OK) else None
            folder = stack.enter_context(make_scratch_folder(home))
            yield [_write_samples(X, one, folder / str(i)) for i, one in enumerate(recipes)]
    else:
        yield [Samples.of(list(terms.values())) for terms in recipe.make_columns(X)]


def is_in_blocks(X: LDS | StoredSystems) -> bool:
    """Whether systems are processed in blocks: many in a store, or many on a cluster."""
    if current_engine().n_workers:
        return X.n_bytes > _FEW
    return isinstance(X, StoredSystems) and X.n_bytes > _SMALLEST


def load_columns(block: Block, recipe: Recipe) -> Terms:
    """Return the columns of a block, the terms of one code."""
    return list(recipe.make_columns(load_block(block))[0].values())


def make_member_problems(terms: StoredColumns, members: Indices) -> list[AtomProblem]:
    """Return :meth:`Samples.make_problems` of one block."""
    return [AtomProblem(x[members], -np.ones(len(members))) for x in open_columns(terms)]


def fetch_problems(
    samples: Samples,
    function: Callable[..., list[AtomProblem]],
    blocks: list[tuple[Any, ...]],
    n_users: int,
) -> list[AtomProblem]:
    """Return the problems of blocks that workers hold, one per term, if their columns are few.

    An update takes dozens of evaluations, each of which would be a message to every block. One
    message fetches what all of them need. Many columns stay where they are: the list is empty.
    """
    each = sum(term.rows.nbytes for term in samples.first_sample)
    if not samples.engine.n_workers or n_users * each > _FETCHED:
        return []
    parts = samples.engine.map(function, blocks)
    return [AtomProblem.concatenate(term) for term in zip(*parts, strict=True)]


def hold_problems(
    samples: Samples,
    function: Callable[..., list[AtomProblem]],
    blocks: list[tuple[Any, ...]],
    n_users: int,
) -> list[Any]:
    """Return the problems of blocks: kept, or if they are large, calls that make them when needed.

    On workers they are always kept: Dask moves to disk what does not fit in memory.
    """
    engine, each = samples.engine, sum(term.rows.nbytes for term in samples.first_sample)
    if engine.n_workers or n_users * each <= _HELD:
        return engine.submit(function, blocks)
    return [Deferred(function, block) for block in blocks]


@dataclass(frozen=True)
class Deferred:
    """A call that is repeated whenever its result is needed."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __call__(self) -> Any:
        """Make the call."""
        return self.function(*self.arguments)


def _write_samples(store: StoredSystems, recipe: Recipe, folder: Path) -> Samples:
    """Write the columns of a store to files, because they are needed many times."""
    folder.mkdir()
    blocks: list[Any] = []
    sizes: list[int] = []
    for number, block in enumerate(store.blocks(_ON_DISK)):
        with name_systems(X=store), locate_systems(sum(sizes)):
            terms = load_columns(block, recipe)
        sizes.append(len(block))
        stems = [folder / f"{number}-{i}" for i in range(len(terms))]
        blocks.append([ColumnFile.write(*pair) for pair in zip(terms, stems, strict=True)])
    return Samples(blocks, sizes, Engine())


def _take_rows(terms: StoredColumns, rows: Indices) -> Terms:
    return [term[rows] for term in open_columns(terms)]
