"""The approximate-nearest-neighbour engine: a graph of vectors, in memory or mapped to a file.

usearch is an optional package: it is imported when an index has more systems than are searched
exactly.
"""

import os
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs

from ldslearn import _errors
from ldslearn._types import Floats, Indices
from ldslearn._writing import name_full_disk, replace_file

_CONNECTIVITY = 16  # edges per vector
_WIDTH_OF_ADDING = 96  # vectors that are looked at for each that is added


def import_engine() -> Any:
    """Return usearch's module of indexes, or raise with the way to install it."""
    try:
        from usearch import index
    except ImportError as error:
        raise _errors.invalid(
            "usearch", "be installed to search an index of many systems", "none",
            "Run pip install 'ldslearn[search]'. Without it, make indexes with a larger "
            "exact_below, and open others by LDSIndex.open(path, use_graph=False).",
        ) from error  # fmt: skip
    return index


class Graph:
    """Vectors by number, and those with the largest inner products with a query.

    They are kept in half precision, in a hierarchical graph of near neighbours.
    """

    def __init__(self, engine_index: Any) -> None:
        self._index = engine_index

    @classmethod
    def create(cls, n_components: int) -> Self:
        """Return a graph without vectors."""
        kinds = import_engine()
        index = kinds.Index(
            ndim=n_components,
            metric="ip",
            dtype="f16",
            connectivity=_CONNECTIVITY,
            expansion_add=_WIDTH_OF_ADDING,
        )
        return cls(index)

    @classmethod
    def open(cls, path: Path, n_components: int, n_vectors: int, *, in_memory: bool) -> Self:
        """Return the graph in a file, mapped or read to memory; raise if it is another one.

        The caller has compared the bytes with their checksum: the engine trusts them.
        """
        index = import_engine().Index.restore(str(path), view=not in_memory)
        if index is None or (index.ndim, len(index)) != (n_components, n_vectors):
            raise _errors.bad_file(
                path, f"hold {n_vectors} vectors of {n_components} components",
                "others" if index is None else f"{len(index)} of {index.ndim}",
                "Make the graph again: LDSIndex.open(path, use_graph=False).build_graph().",
            )  # fmt: skip
        return cls(index)

    def __len__(self) -> int:
        return len(self._index)

    def add(self, numbers: Indices, vectors: Floats, n_jobs: int | None) -> None:
        """Add vectors under numbers."""
        self._index.add(
            numbers.astype(np.uint64), vectors.astype(np.float32), threads=effective_n_jobs(n_jobs)
        )

    def search(self, vectors: Floats, count: int, n_jobs: int | None) -> Indices:
        """Return the numbers of vectors near each query, (n_queries, count), nearest first.

        Entries are -1 where fewer were found.
        """
        count = min(count, len(self))
        self._index.expansion_search = max(count, 2 * _WIDTH_OF_ADDING)
        queries = np.atleast_2d(vectors).astype(np.float32)
        found = self._index.search(queries, count, threads=effective_n_jobs(n_jobs))
        keys = np.atleast_2d(found.keys).astype(np.int64)
        counts = np.atleast_1d(found.counts) if hasattr(found, "counts") else [keys.shape[1]]
        numbers = np.full((len(queries), count), -1)
        for row, n_found in enumerate(counts):
            numbers[row, :n_found] = keys[row, :n_found]
        return numbers

    def save(self, path: Path) -> None:
        """Write the graph to a file, completely or not at all."""
        part = path.with_name(path.name + ".part")
        with name_full_disk(path):
            try:
                self._index.save(str(part))
                with part.open("rb+") as file:
                    os.fsync(file.fileno())
                replace_file(part, path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
