"""The most similar systems of a query: among all, or among candidates."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldslearn._parallel import for_each_block
from ldslearn._places import locate_systems
from ldslearn._types import Floats, Indices
from ldslearn.geometry.fitted_kernels import cut_rows
from ldslearn.models import LDS
from ldslearn.search.shelves import Shelves
from ldslearn.search.similarity import Similarity, choose_best

_AT_ONCE = 2**13  # systems that are compared with queries at once

Best = tuple[Indices, Floats]  # (n_queries, at most k) ids and similarities


def rank_exactly(
    shelves: Shelves,
    ids: Indices,
    similarity: Similarity,
    queries: LDS,
    k: int,
    n_jobs: int | None,
    kept: dict[str, Any],
) -> Best:
    """Return the k most similar of the systems of some ids, or all if there are fewer.

    A block of systems that has all of them is kept in memory, with what its kernels compute once.
    """
    best = [(np.empty(0, dtype=np.int64), np.empty(0))] * len(queries)
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        if len(ids) > _AT_ONCE:
            systems = shelves.gather(some)
        elif "ids" in kept and np.array_equal(kept["ids"], ids):
            systems = kept["systems"]
        else:
            systems = shelves.gather(some)
            kept.update(ids=ids, systems=systems)
        for rows in cut_rows(len(queries), len(some)):
            with locate_systems(rows.start):
                values = similarity.compute(queries[rows], systems, some, n_jobs)
            for row, found in enumerate(values, rows.start):
                earlier_ids, earlier = best[row]
                best[row] = choose_best(
                    np.concatenate([earlier_ids, some]), np.concatenate([earlier, found]), k
                )
    return np.array([one for one, _ in best]), np.array([values for _, values in best])


def rank_candidates(
    shelves: Shelves,
    candidates: Sequence[Indices],
    similarity: Similarity,
    queries: LDS,
    others: Best,
    k: int,
    n_jobs: int | None,
) -> Best:
    """Return the k most similar among the candidates of each query, and others already ranked."""
    ids, values = np.empty((len(queries), k), dtype=np.int64), np.empty((len(queries), k))

    def rank(block: slice) -> None:
        for row in range(block.start, block.stop):
            own = np.sort(candidates[row])
            with locate_systems(row):
                (found,) = similarity.compute(queries[row], shelves.gather(own), own, 1)
            ids[row], values[row] = choose_best(
                np.concatenate([own, others[0][row]]), np.concatenate([found, others[1][row]]), k
            )

    for_each_block(rank, len(queries), n_jobs=n_jobs, description="comparing candidates")
    return ids, values
