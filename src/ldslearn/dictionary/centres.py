"""k-means on systems: a centre is a dictionary of one atom with codes of one (Sec. 9.3)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ldslearn._parallel import limit_blas_threads
from ldslearn._types import Floats, Indices
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom
from ldslearn.dictionary.samples import Samples, StoredColumns, open_columns
from ldslearn.dictionary.updates import improve_jointly

_MOST_PAIRED = 3000  # samples whose distances are all kept while seeds are chosen


class Clustering(NamedTuple):
    """Centres, labels and the inertia of every iteration."""

    centres: list[Columns]
    labels: Indices
    inertia: list[float]


def squared_distances(
    terms: StoredColumns, centres: list[Columns], weights: list[float], n_jobs: int | None
) -> Floats:
    """Squared projection distances of samples and centres, (N, J)."""
    data = open_columns(terms)
    total = np.zeros((len(data[0]), len(centres[0])))
    for x, c, w in zip(data, centres, weights, strict=True):
        total += w * (x.self_kernel[:, None] + c.self_kernel - 2.0 * x.kernel(c, n_jobs))
    return np.maximum(total, 0.0)


def find_nearest_centres(
    terms: StoredColumns,
    centres: list[Columns],
    weights: list[float],
    n_jobs: int | None,
) -> tuple[Indices, Floats]:
    """Return the nearest centre of every sample of a block, and its squared distance."""
    D = squared_distances(terms, centres, weights, n_jobs)
    labels = D.argmin(axis=1)
    return labels, D[np.arange(len(D)), labels]


def assign_samples(
    samples: Samples, centres: list[Columns], weights: list[float], n_jobs: int | None
) -> tuple[Indices, Floats]:
    """Return the nearest centre of every sample, and its squared distance."""
    found = samples.map(find_nearest_centres, centres, weights, n_jobs)
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


def _measure_distances(
    samples: Samples, centres: list[Columns], weights: list[float], n_jobs: int | None
) -> Floats:
    return np.concatenate(samples.map(squared_distances, centres, weights, n_jobs))


def seed_centres(
    samples: Samples,
    weights: list[float],
    n_centres: int,
    random: np.random.RandomState,
    n_jobs: int | None,
    known: Floats | None = None,
) -> Indices:
    """Return samples far from each other as initial centres (k-means++, best of several trials).

    `known` are the squared distances of all pairs of samples, where they are worth their memory.
    """
    n_samples, n_trials = len(samples), _count_trials(n_centres)

    def measure(chosen: Any) -> Floats:
        if known is not None:
            return known[:, chosen]
        return _measure_distances(samples, samples.take(chosen), weights, n_jobs)

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
    return np.array(chosen)


def _count_trials(n_centres: int) -> int:
    """Return the candidates for each centre."""
    return 2 + int(np.log(n_centres))


@limit_blas_threads()  # for many small products two threads take four times the processor time
def run_kmeans(
    samples: Samples,
    weights: list[float],
    seeds: Indices,
    max_iter: int,
    tol: float,
    n_jobs: int | None,
) -> Clustering:
    """Update centres and labels in turn; the inertia never rises.

    Parameters
    ----------
    samples : Samples
    weights : list of float
        Of the terms of the kernel.
    seeds : (n_centres,) array
        Samples that are the initial centres.
    max_iter, tol : int and float
        Stops when an iteration lowers the inertia by less than the fraction `tol`.
    """
    centres = [x.complete() for x in samples.take(seeds)]
    inertia: list[float] = []
    for iteration in range(max_iter + 1):
        labels, own = assign_samples(samples, centres, weights, n_jobs)
        _occupy_empty(labels, own, centres, weights, samples)
        inertia.append(float(own.sum()))
        settled = iteration > 0 and inertia[-2] - inertia[-1] <= tol * inertia[-2]
        if settled or iteration == max_iter:
            break
        _improve_centres(samples, labels, centres)
    return Clustering(centres, labels, inertia)


@limit_blas_threads()
def fit_centres(samples: Samples, labels: Indices, seeds: Indices) -> list[Columns]:
    """Return the centre of each cluster of known members, from a member of it.

    Parameters
    ----------
    samples : Samples
    labels : (N,) array
    seeds : (n_centres,) array
        A member of each cluster.
    """
    centres = [x.complete() for x in samples.take(seeds)]
    _improve_centres(samples, labels, centres)
    return centres


def _improve_centres(samples: Samples, labels: Indices, centres: list[Columns]) -> None:
    """Move every centre closer to its members."""
    for j in range(len(centres[0])):
        problems = samples.make_problems(np.flatnonzero(labels == j))
        for problem, c in zip(problems, centres, strict=True):
            improved = improve_jointly(problem, Atom(c.rows[j], c.eigenvalues[j]))
            c.rows[j], c.eigenvalues[j] = improved.rows, improved.eigenvalues


def _occupy_empty(
    labels: Indices,
    own: Floats,
    centres: list[Columns],
    weights: list[float],
    samples: Samples,
) -> None:
    """Move centres without members to the samples furthest from their centres."""
    counts = np.bincount(labels, minlength=len(centres[0]))
    for j in np.flatnonzero(counts == 0).tolist():
        movable = np.where(counts[labels] < 2, -1.0, own)  # the last member of a cluster stays
        furthest = int(movable.argmax())
        counts[labels[furthest]] -= 1
        labels[furthest], own[furthest], counts[j] = j, 0.0, 1
        for c, x, weight in zip(centres, samples.take([furthest]), weights, strict=True):
            whole = x.complete()
            c.put(j, whole)
            # Columns of zeros in the sample are none in the centre.
            own[furthest] += weight * float(whole.self_kernel[0] - x.self_kernel[0])


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
    terms, known = samples.in_memory, None
    n_pairs = n_init * n_centres * _count_trials(n_centres) * len(samples)
    if terms is not None and len(samples) <= _MOST_PAIRED and len(samples) ** 2 / 2 < n_pairs:
        known = squared_distances(terms, terms, weights, n_jobs)
    for _ in range(n_init):
        seeds = seed_centres(samples, weights, n_centres, random, n_jobs, known)
        yield run_kmeans(samples, weights, seeds, max_iter, tol, n_jobs)
