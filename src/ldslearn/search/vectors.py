"""The graph of an index: vectors of its systems, and the map that makes them of systems."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ldslearn._places import locate_systems
from ldslearn._progress import show_progress
from ldslearn._types import Floats, Indices
from ldslearn.geometry.fitted_kernels import ReferenceKernel
from ldslearn.models import LDS
from ldslearn.search.embedding import LDSEmbedding, map_systems
from ldslearn.search.graph import Graph
from ldslearn.search.index_files import GraphFiles, read_map, write_map
from ldslearn.search.mapped_systems import check_digest
from ldslearn.search.shelves import Shelves
from ldslearn.search.similarity import OF_INDEX, Similarity, join_terms

_AT_ONCE = 4096  # systems whose vectors are computed at once
_MOST_TIMES = 16  # as many ids as wanted are asked for, where many were removed
_NEGLIGIBLE = 1e-6  # of the norm of a system: a part that landmarks explain by rounding errors
_SAMPLE = 5  # systems per landmark, from which landmarks are chosen


@dataclass
class VectorSearch:
    """The part of an index that is searched by vectors.

    Attributes
    ----------
    kernel : ReferenceKernel
        With the landmarks.
    components : (n_landmarks, n_components) array
    graph : Graph
    files : GraphFiles
        What it covers, and the names of its files, if there are any.
    """

    kernel: ReferenceKernel
    components: Floats
    graph: Graph
    files: GraphFiles

    @classmethod
    def fit(
        cls, shelves: Shelves, ids: Indices, similarity: Similarity, n_landmarks: int, seed: int,
        number: int, n_jobs: int | None,
    ) -> Self:  # fmt: skip
        """Choose landmarks among the systems of some ids, and return a graph without vectors."""
        random_state = np.random.RandomState(seed)
        n_drawn = min(len(ids), (_SAMPLE + 1) * n_landmarks)
        pool = np.sort(random_state.choice(ids, n_drawn, replace=False))
        kernel, parameters = join_terms(similarity.terms)
        embedding = LDSEmbedding(
            kernel, n_landmarks=n_landmarks, kernel_params=parameters,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        with locate_systems(pool.tolist(), OF_INDEX):
            embedding.fit(shelves.gather(pool))
        landmarks = tuple(pool[embedding.landmark_indices_].tolist())
        graph = Graph.create(embedding.components_.shape[1])
        files = GraphFiles(number, 0, 0, landmarks)
        return cls(embedding.kernel_, embedding.components_, graph, files)

    @classmethod
    def open(
        cls,
        folder: Path,
        files: GraphFiles,
        shelves: Shelves,
        similarity: Similarity,
        *,
        in_memory: bool,
    ) -> Self:
        """Return the graph in the files of an index, mapped or read to memory."""
        components = read_map(folder, files)
        check_digest(folder / files.name, files.sha256)
        graph = Graph.open(
            folder / files.name, components.shape[1], files.n_vectors, in_memory=in_memory
        )
        landmarks = shelves.gather(np.array(files.landmarks))
        return cls(ReferenceKernel(landmarks, similarity.terms, None), components, graph, files)

    def map(self, systems: LDS, similarity: Similarity, n_jobs: int | None) -> Floats:
        """Return unit vectors, whose inner products approximate the similarity.

        What landmarks do not explain of two systems is taken to be as similar as what they explain:
        without that, systems far from all landmarks would hardly be found. A system orthogonal to
        all landmarks, but for rounding errors, is zero.
        """
        vectors = map_systems(self.kernel, self.components, systems, n_jobs)
        norms = np.linalg.norm(vectors, axis=1)
        least = _NEGLIGIBLE * np.sqrt(similarity.compute_selves(systems, n_jobs))
        return np.where((norms > least)[:, None], vectors, 0.0) / np.maximum(norms, least)[:, None]

    def add(
        self, shelves: Shelves, ids: Indices, similarity: Similarity, n_jobs: int | None
    ) -> None:
        """Add the vectors of the systems of some ids; it then covers all ids of the shelves."""
        with show_progress("building the graph", len(ids)) as advance:
            for start in range(0, len(ids), _AT_ONCE):
                some = ids[start : start + _AT_ONCE]
                with locate_systems(some.tolist(), OF_INDEX):
                    vectors = self.map(shelves.gather(some), similarity, n_jobs)
                self.graph.add(some, vectors, n_jobs)
                advance(len(some))
        self.files = GraphFiles(
            self.files.number, len(shelves), len(self.graph), self.files.landmarks
        )

    def save(self, folder: Path, number: int) -> None:
        """Write the graph and its map to files of this number."""
        files = GraphFiles(number, self.files.n_systems, len(self.graph), self.files.landmarks)
        self.graph.save(folder / files.name)
        self.files = write_map(folder, files, self.components)

    def find(
        self, vectors: Floats, count: int, is_live: NDArray[np.bool_], n_jobs: int | None
    ) -> list[Indices]:
        """Return about `count` live ids near each vector; fewer if the graph has no more."""
        n_live = int(is_live[: self.files.n_systems].sum())
        wanted = min(count, n_live)
        if not wanted:
            return [np.empty(0, dtype=np.int64)] * len(vectors)
        most = min(len(self.graph), _MOST_TIMES * wanted)
        asked = min(most, wanted + min(wanted, len(self.graph) - n_live))
        while True:
            found = [
                row[(row >= 0) & (row < self.files.n_systems)]
                for row in self.graph.search(vectors, asked, n_jobs)
            ]
            live = [row[is_live[row]] for row in found]
            if asked >= most or min(map(len, live)) >= wanted:
                return [row[:count] for row in live]
            asked = min(most, 2 * asked)
