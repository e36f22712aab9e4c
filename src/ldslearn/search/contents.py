"""The systems, the graph and the state of an index, in memory or in a folder."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._places import locate_systems
from ldslearn._types import Indices
from ldslearn.geometry.registry import Kernel
from ldslearn.models import LDS
from ldslearn.search.index_files import GraphFiles, IndexState, lock_index, remove_graphs
from ldslearn.search.ranking import rank_exactly
from ldslearn.search.shelves import Shelves
from ldslearn.search.similarity import OF_INDEX, Similarity, join_terms
from ldslearn.search.vectors import VectorSearch


@dataclass
class Change:
    """The next state of an index, and its systems and graph."""

    state: IndexState
    shelves: Shelves
    vectors: VectorSearch | None


class IndexContents:
    """What :class:`ldslearn.LDSIndex` holds, and how it changes: completely or not at all."""

    def __init__(self, state: IndexState, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs
        self._state, self._shelves = state, Shelves()
        self._vectors: VectorSearch | None = None
        self._folder: Path | None = None
        self._verify = self._use_graph = True
        self._forget()

    def __len__(self) -> int:
        return len(self._shelves) - len(self._state.removed)

    @property
    def kernel_name(self) -> str:
        """The kernel as text: its name, the weights of a mixture, or the name of a function."""
        kernel, _ = join_terms(self._state.terms)
        return str(getattr(kernel, "__name__", kernel))

    @property
    def settings(self) -> dict[str, int]:
        """The parameters of the graph, and of the choice between it and all systems."""
        return dict(self._state.settings)

    @property
    def has_graph(self) -> bool:
        """Whether queries are compared with candidates from a graph, not with all systems."""
        return self._use_graph and self._state.graph is not None

    def __repr__(self) -> str:
        sizes = ""
        if len(self._shelves):
            example = self._shelves.batches[0]
            sizes = f" n_channels={example.n_channels}, n_states={example.n_states},"
        return f"LDSIndex({len(self)} systems,{sizes} kernel={self.kernel_name})"

    @property
    def ids(self) -> Indices:
        """Ids of the systems in the index, in ascending order."""
        return np.flatnonzero(self._is_live)

    @property
    def path(self) -> Path | None:
        """Folder of the index; None if it is in memory."""
        return self._folder

    @property
    def about(self) -> dict[str, Any]:
        """How the systems were encoded, as their store says; empty if it is not known."""
        return dict(self._state.about)

    def get_systems(self, ids: Any) -> LDS:
        """Return systems by their ids, in memory.

        Parameters
        ----------
        ids : int or sequence of int

        Returns
        -------
        LDS
        """
        return self._shelves.gather(self._check_ids(ids))

    def get_names(self, ids: Any) -> list[str | None]:
        """Return the names of systems; None where they are not known.

        Parameters
        ----------
        ids : int or sequence of int

        Returns
        -------
        list of str or None
        """
        return self._shelves.read_texts(self._check_ids(ids), "names")

    def get_labels(self, ids: Any) -> list[str | None]:
        """Return the labels of systems; None where they are not known.

        Parameters
        ----------
        ids : int or sequence of int

        Returns
        -------
        list of str or None
        """
        return self._shelves.read_texts(self._check_ids(ids), "labels")

    def _check_ids(self, ids: Any) -> Indices:
        """Return ids as an array; raise unless they are in the index."""
        wanted = np.atleast_1d(np.asarray(ids))
        if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
            raise _errors.invalid_parameter("ids", "be whole numbers", ids)
        wanted = wanted.astype(np.int64)
        known = (wanted >= 0) & (wanted < len(self._shelves))
        known[known] = self._is_live[wanted[known]]
        if not known.all():
            lost = wanted[~known]
            was = " (removed)" if int(lost[0]) in self._state.removed else ""
            raise _errors.invalid(
                "ids", "be of systems in the index", f"{_errors.list_some(lost.tolist())}{was}",
                "The attribute ids lists them.",
            )  # fmt: skip
        return wanted

    def _check_kernel(self, kernel: Kernel) -> None:
        """Raise unless the index has a kernel."""
        mine, _ = join_terms(self._state.terms)
        if mine != (dict(kernel) if isinstance(kernel, Mapping) else kernel):
            raise _errors.invalid(
                f"index {self._folder}", f"have the kernel {kernel!r}", repr(mine),
                "Make an index with the kernel of the queries.",
            )  # fmt: skip

    @property
    def _example(self) -> LDS | None:
        return self._shelves.batches[0] if self._shelves.batches else None

    def _forget(self) -> None:
        """Drop what was computed from the state."""
        is_live: NDArray[np.bool_] = np.ones(len(self._shelves), dtype=bool)
        is_live[sorted(self._state.removed)] = False
        self._is_live = is_live
        self._tail: dict[str, Any] = {}  # systems that are compared with all queries, in memory

    @property
    def _similarity(self) -> Similarity:
        return Similarity.of(self._state.terms, self._shelves.gather(np.array([0])))

    def _read(self) -> None:
        """Read the state of the folder, if another process has changed it."""
        assert self._folder is not None
        state = IndexState.read(self._folder)
        if state == self._state:
            return
        known = len(self._state.shards)
        if known and state.shards[:known] == self._state.shards:
            new = Shelves.open(self._folder, state.shards[known:], verify=self._verify)
            shelves = self._shelves.extend(new)
        else:
            shelves = Shelves.open(self._folder, state.shards, verify=self._verify)
        if state.graph != self._state.graph:
            self._vectors = None
        self._state, self._shelves = state, shelves
        self._forget()

    @contextmanager
    def _change(self) -> Iterator[Change]:
        """Yield a change of the index, which is made when the block ends without an error."""
        if self._folder is None:
            change = Change(self._state, self._shelves, self._vectors)
            try:
                yield change
            except BaseException:  # vectors may have been added to the graph
                self._state, self._vectors = replace(self._state, graph=None), None
                raise
        else:
            with lock_index(self._folder):
                self._read()
                change = Change(self._state, self._shelves, self._vectors)
                yield change
                change.state.write(self._folder)
                remove_graphs(self._folder, change.state.graph)
        self._state, self._shelves, self._vectors = change.state, change.shelves, change.vectors
        self._forget()

    def _open_vectors(self) -> VectorSearch | None:
        """Return the graph, mapped to memory; None if there is none."""
        files = self._state.graph
        if self._vectors is None and files is not None and self._use_graph:
            assert self._folder is not None
            if not (self._folder / files.name).is_file():
                self._read()  # another process may have replaced it
                return self._open_vectors() if self._state.graph != files else self._map(files)
            self._vectors = self._map(files)
        return self._vectors

    def _map(self, files: GraphFiles) -> VectorSearch:
        assert self._folder is not None
        return VectorSearch.open(
            self._folder, files, self._shelves, self._similarity, in_memory=False
        )

    def _try_out(self, change: Change) -> None:
        """Compare new systems with the first one; raise if one of them has no kernel."""
        shelves, new = change.shelves, np.arange(len(self._shelves), len(change.shelves))
        first = shelves.gather(np.array([0]))
        with locate_systems(batch=OF_INDEX):
            similarity = Similarity.of(change.state.terms, first)
            rank_exactly(shelves, new, similarity, first, 1, self.n_jobs, {})

    def _extend_graph(
        self, change: Change, number: int | None = None, *, use_graph: bool = False
    ) -> bool:
        """Add systems to the graph of a change if there are many that it does not cover.

        Return whether there were.
        """
        state, shelves = change.state, change.shelves
        covered = 0 if state.graph is None else state.graph.n_systems
        ids = np.setdiff1d(np.arange(covered, len(shelves)), sorted(state.removed))
        wanted = self._use_graph or use_graph
        if len(ids) < state.settings["exact_below"] or not wanted:
            return False
        similarity = Similarity.of(state.terms, shelves.gather(np.array([0])))
        seed, n_landmarks = state.settings["random_state"], state.settings["n_landmarks"]
        if state.graph is None:
            vectors = VectorSearch.fit(
                shelves, ids, similarity, n_landmarks, seed, number or 0, self.n_jobs
            )
        elif self._folder is not None:
            vectors = VectorSearch.open(
                self._folder, state.graph, shelves, similarity, in_memory=True
            )
        else:
            assert change.vectors is not None
            vectors = change.vectors
        vectors.add(shelves, ids, similarity, self.n_jobs)
        change.vectors = vectors
        if self._folder is not None:
            next_number = number or (0 if state.graph is None else state.graph.number + 1)
            vectors.save(self._folder, next_number)
            change.vectors = None  # it is mapped when it is needed
        change.state = replace(state, graph=vectors.files)
        return True
