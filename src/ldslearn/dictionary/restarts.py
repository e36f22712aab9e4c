"""k-means on systems from chosen samples: where its centres start, and how often."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ldslearn._types import Floats, Indices
from ldslearn.dictionary.centres import (
    Clustering,
    combine_distances,
    run_kmeans,
    squared_distances,
)
from ldslearn.dictionary.samples import Samples
from ldslearn.dictionary.spans import Products

_MOST_PAIRED = 3000  # samples whose distances are all kept while seeds are chosen


def run_restarts(
    samples: Samples,
    weights: list[float],
    n_centres: int,
    random: np.random.RandomState,
    *,
    n_init: int,
    max_iter: int,
    tol: float,
    n_jobs: int | None,
) -> Iterator[Clustering]:
    """Yield :func:`run_kmeans` from several seedings."""
    known, products = _compare_samples(samples, weights, n_centres, n_init, n_jobs)
    for _ in range(n_init):
        seeds, _ = seed_centres(samples, weights, n_centres, random, n_jobs, known)
        yield run_kmeans(samples, weights, seeds, max_iter, tol, n_jobs, products)


def run_from_best_seeds(
    samples: Samples,
    weights: list[float],
    n_centres: int,
    random: np.random.RandomState,
    *,
    n_seedings: int,
    max_iter: int,
    tol: float,
    n_jobs: int | None,
) -> Clustering:
    """Return :func:`run_kmeans` from that of several seedings which has the lowest inertia."""
    known, products = _compare_samples(samples, weights, n_centres, n_seedings, n_jobs)
    seedings = (
        seed_centres(samples, weights, n_centres, random, n_jobs, known) for _ in range(n_seedings)
    )
    seeds, _ = min(seedings, key=lambda seeding: seeding[1])
    return run_kmeans(samples, weights, seeds, max_iter, tol, n_jobs, products)


def seed_centres(
    samples: Samples,
    weights: list[float],
    n_centres: int,
    random: np.random.RandomState,
    n_jobs: int | None,
    known: Floats | None = None,
) -> tuple[Indices, float]:
    """Return samples far from each other as initial centres (k-means++, best of several trials).

    Also returned is their inertia. `known` are the squared distances of all pairs of samples, where
    they are worth their memory.
    """
    n_samples, n_trials = len(samples), _count_trials(n_centres)

    def measure(chosen: Any) -> Floats:
        if known is not None:
            return known[:, chosen]
        centres = samples.take(chosen)
        return np.concatenate(samples.map(squared_distances, centres, weights, n_jobs))

    chosen = [int(random.randint(n_samples))]
    nearest = measure(chosen)[:, 0]
    while len(chosen) < n_centres:
        nearest[chosen] = 0.0
        total = nearest.sum()
        if total <= 1e-9 * n_samples:  # only copies are left
            chosen.append(int(random.choice(np.setdiff1d(np.arange(n_samples), chosen))))
            continue
        trials = random.choice(n_samples, n_trials, p=nearest / total)
        left = np.minimum(measure(trials), nearest[:, None])
        best = int(left.sum(axis=0).argmin())
        chosen.append(int(trials[best]))
        nearest = left[:, best]
    return np.array(chosen), float(nearest.sum())


def _count_trials(n_centres: int) -> int:
    """Return the candidates for each centre."""
    return 2 + int(np.log(n_centres))


def _compare_samples(
    samples: Samples, weights: list[float], n_centres: int, n_seedings: int, n_jobs: int | None
) -> tuple[Floats | None, list[Products] | None]:
    """Return squared distances of all pairs of samples and their products, where worthwhile."""
    terms = samples.in_memory
    n_pairs = n_seedings * n_centres * _count_trials(n_centres) * len(samples)
    if terms is None or len(samples) > _MOST_PAIRED or len(samples) ** 2 / 2 >= n_pairs:
        return None, None
    if Products.are_worthwhile(terms, n_centres):
        products = [Products(x) for x in terms]
        kernels = [one.kernel() for one in products]
        return combine_distances(terms, terms, weights, kernels), products
    return squared_distances(terms, terms, weights, n_jobs), None
