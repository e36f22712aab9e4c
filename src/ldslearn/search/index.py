"""Search among many systems for those that are most similar to a query."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_jobs, check_whole
from ldslearn._places import warn_once
from ldslearn._types import Floats, Indices
from ldslearn._writing import check_target_folder
from ldslearn.geometry.fitted_kernels import check_same_layout
from ldslearn.geometry.registry import Kernel, parse_kernel
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems, as_batch
from ldslearn.search.adding import count_from, cut_parts, write_parts
from ldslearn.search.checks import check_addable, check_queries, check_savable
from ldslearn.search.contents import IndexContents
from ldslearn.search.graph import import_engine
from ldslearn.search.index_files import IndexState, lock_index
from ldslearn.search.ranking import rank_candidates, rank_exactly
from ldslearn.search.similarity import fix_parameters, join_terms

_SAMPLE = 300  # systems that fix a bandwidth "median"


class LDSIndex(IndexContents):
    r"""Find the systems of a large collection that are most similar to a query.

    Below `exact_below` systems, a query is compared with all of them. Above, vectors of
    :class:`LDSEmbedding` in a graph of near neighbours (the package usearch) give
    `n_candidates`, which are compared with the query by the exact kernel. An index in a folder is
    mapped to memory: it may be larger than memory.

    Parameters
    ----------
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`. An index with a function of your own
        cannot be saved.
    kernel_params : mapping or None, default=None
        Parameters of the kernel. ``bandwidth="median"`` is computed from the systems that are
        added first, and then kept.
    n_landmarks : int, default=300
        Of the embedding.
    n_candidates : int, default=100
        Systems per query that are compared with it exactly.
    exact_below : int, default=5000
        Systems from which on there is a graph, and by which it grows.
    random_state : int, default=0
        Seed of the landmarks.
    n_jobs : int or None, default=None
        Threads, as in joblib.

    See Also
    --------
    LDSEmbedding : The vectors of the graph.

    Notes
    -----
    The similarity of a query :math:`q` and a system :math:`x` is the cosine of their angle in the
    space of the kernel,

    .. math:: \frac{k(q, x)}{\sqrt{k(q, q) \, k(x, x)}},

    which is 1 for equal systems. Results of a graph are exact similarities, but a few of the
    nearest systems may be missing.

    Ids count the systems from 0 in the order in which they were added, and are never used again.

    References
    ----------
    .. [1] Y. A. Malkov, D. A. Yashunin, *Efficient and robust approximate nearest neighbor search
       using hierarchical navigable small world graphs*, IEEE TPAMI 42 (2020).
       doi:10.1109/TPAMI.2018.2889473

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn import LDSEncoder, LDSIndex
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> encoder = LDSEncoder(n_states=10, delays=5).fit(X_train)
    >>> index = LDSIndex()
    >>> index.add(encoder.transform(X_train))[:3]
    array([0, 1, 2])
    >>> ids, similarities = index.search(encoder.transform(X_test[:1]), k=3)
    >>> ids, similarities.round(2)
    (array([[ 1, 21,  6]]), array([[0.58, 0.51, 0.51]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index.save(Path(folder) / "index")
    ...     print(LDSIndex.open(Path(folder) / "index"))
    LDSIndex(40 systems, n_channels=30, n_states=10, kernel=projection)
    """

    def __init__(
        self,
        kernel: Kernel = "projection",
        *,
        kernel_params: Mapping[str, Any] | None = None,
        n_landmarks: int = 300,
        n_candidates: int = 100,
        exact_below: int = 5000,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        settings = {
            "n_landmarks": n_landmarks,
            "n_candidates": n_candidates,
            "exact_below": exact_below,
            "random_state": random_state,
        }
        for name, value in settings.items():
            check_whole(name, value, least=0 if name == "random_state" else 1)
        check_jobs(n_jobs)
        terms = parse_kernel(kernel, kernel_params or {})
        super().__init__(IndexState({k: int(v) for k, v in settings.items()}, terms), n_jobs)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        kernel: Kernel | None = None,
        verify: bool = True,
        use_graph: bool = True,
        n_jobs: int | None = None,
    ) -> Self:
        """Return the index in a folder, mapped to memory. Nothing in it is executed.

        Parameters
        ----------
        path : str or path
        kernel : str or mapping, optional
            The kernel that the index must have; any by default.
        verify : bool, default=True
            Compare all systems with their SHA-256. The list of files and the graph are always
            compared with theirs.
        use_graph : bool, default=True
            Whether to read the graph. Without it, queries are compared with all systems. The
            graph is read by usearch, which trusts its bytes: do without it if you do not trust
            who wrote the index, and make another with `build_graph`.
        n_jobs : int or None, default=None

        Returns
        -------
        LDSIndex
        """
        index = cls(n_jobs=n_jobs)
        index._folder, index._verify, index._use_graph = Path(path), verify, use_graph
        index._read()
        if kernel is not None:
            index._check_kernel(kernel)
        return index

    def add(self, X: LDS | StoredSystems, *, names: Sequence[str] | None = None) -> Indices:
        """Add systems, all of them or none, and return their ids.

        When it returns, systems of an index in a folder are on the disk: no crash loses them.

        Parameters
        ----------
        X : LDS or LDSStore
            Of the same sizes and fields as those in the index. Of a store, names, labels and how
            it was encoded are kept.
        names : sequence of str, optional
            One per system.

        Returns
        -------
        (len(X),) array of int
        """
        batch = as_batch(X)
        with self._change() as change:
            state = change.state
            about = check_addable(batch, self._example, state.about)
            if not state.has_numbers:
                kernel, parameters = join_terms(state.terms)
                sample = batch[:: -(-len(batch) // _SAMPLE)]
                terms = fix_parameters(sample, kernel, parameters, self.n_jobs)
                state = replace(state, terms=terms, has_numbers=True)
            covered = 0 if state.graph is None else state.graph.n_systems
            n_new = state.n_systems - covered + len(batch)
            if self._use_graph and n_new >= state.settings["exact_below"]:
                import_engine()  # raises before the work
            parts = cut_parts(batch, names)
            added, shelves = write_parts(self._folder, len(state.shards), parts)
            change.state = replace(state, shards=(*state.shards, *added), about=about)
            change.shelves = self._shelves.extend(shelves)
            with count_from(len(self._shelves)):
                if not self._extend_graph(change):
                    self._try_out(change)
        return np.arange(len(self._shelves) - len(batch), len(self._shelves))

    @warn_once
    def search(
        self, X: LDS | StoredSystems, k: int = 10, *, exact: bool = False
    ) -> tuple[Indices, Floats]:
        """Return ids and similarities of the k systems that are most similar to each query.

        Parameters
        ----------
        X : LDS or LDSStore
            Queries, encoded as the systems in the index. Channels, delays, states and windows are
            compared, and the encoder if X is a store that knows it; systems in memory do not.
        k : int, default=10
        exact : bool, default=False
            Compare queries with all systems, whatever their number.

        Returns
        -------
        ids : (len(X), k) array of int
            Nearest first; of systems whose similarities differ by rounding errors alone, the one
            that was added first.
        similarities : (len(X), k) array
        """
        check_queries(X, k, len(self), self._state.about)
        if isinstance(X, StoredSystems):
            found = [self.search(block.load(), k, exact=exact) for block in X.blocks(2**24)]
            return np.concatenate([i for i, _ in found]), np.concatenate([s for _, s in found])
        queries = check_same_layout(X, self._shelves.batches[0], "the systems in the index")
        similarity = self._similarity
        vectors = None if exact else self._open_vectors()
        start = 0 if vectors is None else vectors.files.n_systems
        rest = start + np.flatnonzero(self._is_live[start:])
        best = rank_exactly(self._shelves, rest, similarity, queries, k, self.n_jobs, self._tail)
        if vectors is None:
            return best
        found_by_vectors = vectors.find(
            vectors.map(queries, similarity, self.n_jobs),
            max(k, self._state.settings["n_candidates"]), self._is_live, self.n_jobs,
        )  # fmt: skip
        if min(map(len, found_by_vectors)) + len(rest) < k:  # of a graph with loose ends
            return self.search(queries, k, exact=True)
        return rank_candidates(
            self._shelves, found_by_vectors, similarity, queries, best, k, self.n_jobs
        )

    def remove(self, ids: Any) -> None:
        """Take systems out of the index; their ids are not used again.

        The bytes of their systems stay in the folder.

        Parameters
        ----------
        ids : int or sequence of int
        """
        wanted = self._check_ids(ids)
        with self._change() as change:
            self._check_ids(wanted)
            change.state = replace(
                change.state, removed=change.state.removed | frozenset(wanted.tolist())
            )

    def build_graph(self) -> None:
        """Make the graph again, from landmarks of all systems that are not removed.

        Worth its time when the systems that were added later are unlike the first ones, or many
        were removed. Nothing happens to an index of fewer than `exact_below` systems.
        """
        with self._change() as change:
            if len(self) < change.state.settings["exact_below"]:
                return
            number = 0 if change.state.graph is None else change.state.graph.number + 1
            change.state, change.vectors = replace(change.state, graph=None), None
            self._extend_graph(change, number, use_graph=True)
        self._use_graph = True

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a new or empty folder; `add` and `remove` then change the files.

        An index that is saved before the first systems are added never has all of them in memory.

        Parameters
        ----------
        path : str or path
        """
        check_savable(self._state.terms)
        folder = check_target_folder(path)
        with lock_index(folder):
            if any(not each.name.startswith(".") for each in folder.iterdir()):
                raise _errors.invalid(
                    f"index {folder}", "be new or empty", "files in it",
                    "Choose another folder, or add to the index in it: LDSIndex.open.",
                )  # fmt: skip
            graph, vectors = None, self._open_vectors()  # which may read a newer state
            known = self._state
            parts = zip(self._shelves.batches, self._shelves.texts, strict=True)
            shards, shelves = write_parts(folder, 0, parts)
            if vectors is not None:
                vectors.save(folder, 0)
                graph = vectors.files
            state = replace(known, shards=tuple(shards), graph=graph)
            state.write(folder)
        self._folder, self._state, self._shelves, self._vectors = folder, state, shelves, None
        self._forget()
