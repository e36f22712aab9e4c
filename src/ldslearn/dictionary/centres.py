"""k-means on systems: a centre is a dictionary of one atom with codes of one (Sec. 9.3)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldslearn._parallel import single_threaded_blas
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.updates import Atom, AtomProblem, improve_jointly

Floats = NDArray[np.float64]


class Clusters(NamedTuple):
    """Centres, labels and the inertia of every iteration."""

    centres: list[Columns]
    labels: NDArray[np.intp]
    inertia: list[float]


def squared_distances(
    data: list[Columns], centres: list[Columns], weights: list[float], n_jobs: int | None
) -> Floats:
    """Squared projection distances of samples and centres, (N, J)."""
    total = np.zeros((len(data[0]), len(centres[0])))
    for x, c, w in zip(data, centres, weights, strict=True):
        total += w * (x.own[:, None] + c.own - 2.0 * x.kernel(c, n_jobs))
    return np.maximum(total, 0.0)


def seed_centres(
    data: list[Columns],
    weights: list[float],
    n_centres: int,
    random: np.random.RandomState,
    n_jobs: int | None,
) -> NDArray[np.intp]:
    """Return samples far from each other to start from (k-means++, the best of several draws)."""
    n_samples, n_draws = len(data[0]), 2 + int(np.log(n_centres))
    chosen = [int(random.randint(n_samples))]
    first = [x[chosen] for x in data]
    nearest = squared_distances(data, first, weights, n_jobs)[:, 0]
    while len(chosen) < n_centres:
        nearest[chosen] = 0.0
        total = nearest.sum()
        if total <= 1e-9 * n_samples:  # only copies are left
            chosen.append(int(random.choice(np.setdiff1d(np.arange(n_samples), chosen))))
            continue
        drawn = random.choice(n_samples, n_draws, p=nearest / total)
        D = squared_distances(data, [x[drawn] for x in data], weights, n_jobs)
        left = np.minimum(D, nearest[:, None])
        best = int(left.sum(axis=0).argmin())
        chosen.append(int(drawn[best]))
        nearest = left[:, best]
    return np.array(chosen)


@single_threaded_blas()  # many small products: two threads take four times the processor
def cluster(
    data: list[Columns],
    weights: list[float],
    seeds: NDArray[np.intp],
    max_iter: int,
    tol: float,
    n_jobs: int | None,
) -> Clusters:
    """Move centres and members in turn; the inertia never rises.

    Parameters
    ----------
    data : list of Columns
        Terms of the kernel.
    weights : list of float
    seeds : (n_centres,) array
        Samples to start from.
    max_iter, tol : int and float
        Stops when an iteration lowers the inertia by less than `tol` of it.
    """
    centres = [x[seeds].completed() for x in data]
    inertia: list[float] = []
    for iteration in range(max_iter + 1):
        D = squared_distances(data, centres, weights, n_jobs)
        labels = D.argmin(axis=1)
        _occupy_empty(D, labels, centres, data)
        inertia.append(float(D[np.arange(len(D)), labels].sum()))
        settled = iteration > 0 and inertia[-2] - inertia[-1] <= tol * inertia[-2]
        if settled or iteration == max_iter:
            break
        for j in range(len(seeds)):
            members = np.flatnonzero(labels == j)
            for x, c in zip(data, centres, strict=True):
                problem = AtomProblem(x[members], -np.ones(len(members)))
                better = improve_jointly(problem, Atom(c.rows[j], c.eigenvalues[j]))
                c.rows[j], c.eigenvalues[j] = better.rows, better.eigenvalues
    return Clusters(centres, labels, inertia)


def _occupy_empty(
    D: Floats, labels: NDArray[np.intp], centres: list[Columns], data: list[Columns]
) -> None:
    """Move centres without members to the samples furthest from theirs."""
    counts = np.bincount(labels, minlength=D.shape[1])
    for j in np.flatnonzero(counts == 0).tolist():
        own = D[np.arange(len(D)), labels]
        own[counts[labels] < 2] = -1.0  # the last member of a cluster stays
        furthest = int(own.argmax())
        for x, c in zip(data, centres, strict=True):
            c.put(j, x[[furthest]].completed())
        counts[labels[furthest]] -= 1
        labels[furthest], D[furthest, j], counts[j] = j, 0.0, 1


def restarts(
    data: list[Columns],
    weights: list[float],
    n_centres: int,
    random: np.random.RandomState,
    *,
    n_init: int,
    max_iter: int,
    tol: float,
    n_jobs: int | None,
) -> Iterator[Clusters]:
    """Yield :func:`cluster` from several seedings."""
    for _ in range(n_init):
        seeds = seed_centres(data, weights, n_centres, random, n_jobs)
        yield cluster(data, weights, seeds, max_iter, tol, n_jobs)
