"""k-means on systems: a centre is a dictionary of one atom with codes of one (Sec. 9.3)."""

from typing import NamedTuple

import numpy as np

from ldslearn._parallel import limit_blas_threads
from ldslearn._types import Floats, Indices
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.problem import Atom
from ldslearn.dictionary.samples import Samples, StoredColumns, open_columns
from ldslearn.dictionary.spans import NotInSpanError, Products, improve_centre

_ROUNDING = 1e-13  # mean squared distance of copies to their centre, at most


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
    kernels = [x.kernel(c, n_jobs) for x, c in zip(data, centres, strict=True)]
    return combine_distances(data, centres, weights, kernels)


def combine_distances(
    data: list[Columns], centres: list[Columns], weights: list[float], kernels: list[Floats]
) -> Floats:
    """Squared distances of samples and centres from the kernels of each term."""
    total = np.zeros((len(data[0]), len(centres[0])))
    for x, c, w, K in zip(data, centres, weights, kernels, strict=True):
        total += w * (x.self_kernel[:, None] + c.self_kernel - 2.0 * K)
    return np.maximum(total, 0.0)


def find_nearest_centres(
    terms: StoredColumns,
    centres: list[Columns],
    weights: list[float],
    n_jobs: int | None,
) -> tuple[Indices, Floats]:
    """Return the nearest centre of every sample of a block, and its squared distance."""
    return _pick_nearest(squared_distances(terms, centres, weights, n_jobs))


def _pick_nearest(distances: Floats) -> tuple[Indices, Floats]:
    labels = distances.argmin(axis=1)
    return labels, distances[np.arange(len(distances)), labels]


def assign_samples(
    samples: Samples, centres: list[Columns], weights: list[float], n_jobs: int | None
) -> tuple[Indices, Floats]:
    """Return the nearest centre of every sample, and its squared distance."""
    found = samples.map(find_nearest_centres, centres, weights, n_jobs)
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


class MovingCentres:
    """Centres on their way: their columns, and their spans where products of samples are known.

    Attributes
    ----------
    terms : list of Columns
        The centres, one entry per term of the kernel.
    spans : list of lists of Span or None
        Of each term and centre; empty without products.
    """

    def __init__(
        self,
        samples: Samples,
        weights: list[float],
        seeds: Indices,
        products: list[Products] | None,
        n_jobs: int | None,
    ) -> None:
        self.samples, self.weights, self.n_jobs = samples, weights, n_jobs
        self.terms = [x.complete() for x in samples.take(seeds)]
        self.products = products or []
        self.spans = [[one.start(i) for i in seeds.tolist()] for one in self.products]

    def assign_samples(self) -> tuple[Indices, Floats]:
        """Return the nearest centre of every sample, and its squared distance."""
        if not self.products:
            return assign_samples(self.samples, self.terms, self.weights, self.n_jobs)
        kernels = [
            one.kernel_of_centres(c, spans, self.n_jobs)
            for one, c, spans in zip(self.products, self.terms, self.spans, strict=True)
        ]
        data = [one.data for one in self.products]
        return _pick_nearest(combine_distances(data, self.terms, self.weights, kernels))

    def improve(self, labels: Indices, which: Indices) -> None:
        """Move some centres closer to their members."""
        for j in which.tolist():
            members = np.flatnonzero(labels == j)
            if not self._improve_in_spans(j, members):
                _improve_centre(self.samples, members, self.terms, j)
                for spans in self.spans:
                    spans[j] = None

    def _improve_in_spans(self, j: int, members: Indices) -> bool:
        """Move all terms of a centre in the spans of samples, or none, and return which."""
        found = []
        for one, spans, c in zip(self.products, self.spans, self.terms, strict=False):
            span = spans[j]
            if span is None:
                return False
            try:
                found.append(one.improve(span, members, c.eigenvalues[j]))
            except NotInSpanError:
                return False
        for spans, c, (improved, after) in zip(self.spans, self.terms, found, strict=False):
            c.rows[j], c.eigenvalues[j] = improved.rows, improved.eigenvalues
            spans[j] = after
        return bool(found)

    def occupy_empty(self, labels: Indices, own: Floats) -> None:
        """Move centres without members to the samples furthest from their centres."""
        counts = np.bincount(labels, minlength=len(self.terms[0]))
        for j in np.flatnonzero(counts == 0).tolist():
            movable = np.where(counts[labels] < 2, -1.0, own)  # the last member of a cluster stays
            furthest = int(movable.argmax())
            counts[labels[furthest]] -= 1
            labels[furthest], own[furthest], counts[j] = j, 0.0, 1
            sample = self.samples.take([furthest])
            for c, x, weight in zip(self.terms, sample, self.weights, strict=True):
                whole = x.complete()
                c.put(j, whole)
                # Columns of zeros in the sample are none in the centre.
                own[furthest] += weight * float(whole.self_kernel[0] - x.self_kernel[0])
            for one, spans in zip(self.products, self.spans, strict=True):
                spans[j] = one.start(furthest)


@limit_blas_threads()  # for many small products two threads take four times the processor time
def run_kmeans(
    samples: Samples,
    weights: list[float],
    seeds: Indices,
    max_iter: int,
    tol: float,
    n_jobs: int | None,
    products: list[Products] | None = None,
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
    n_jobs : int or None
    products : list of Products, optional
        Of the samples, one per term, if they are worthwhile. They change nothing but the time.
    """
    centres = MovingCentres(samples, weights, seeds, products, n_jobs)
    inertia: list[float] = []
    last, n_centres = None, len(seeds)
    for iteration in range(max_iter + 1):
        labels, own = centres.assign_samples()
        centres.occupy_empty(labels, own)
        inertia.append(float(own.sum()))
        settled = iteration > 0 and inertia[-2] - inertia[-1] <= tol * inertia[-2]
        if settled or iteration == max_iter:
            break
        # A centre rests on copies of one sample, or if the last move hardly lowered its distances.
        distances = np.bincount(labels, own, minlength=n_centres)
        is_moving = distances > _ROUNDING * np.bincount(labels, minlength=n_centres)
        if last is not None:
            has_settled = last[1] - distances <= tol * last[1]
            changed = labels != last[0]
            has_settled[labels[changed]] = has_settled[last[0][changed]] = False
            is_moving &= ~has_settled
        centres.improve(labels, np.flatnonzero(is_moving))
        last = labels, distances
    return Clustering(centres.terms, labels, inertia)


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
    for j in range(len(seeds)):
        _improve_centre(samples, np.flatnonzero(labels == j), centres, j)
    return centres


def _improve_centre(samples: Samples, members: Indices, centres: list[Columns], j: int) -> None:
    """Move one centre closer to its members."""
    for problem, c in zip(samples.make_problems(members), centres, strict=True):
        improved = improve_centre(problem, Atom(c.rows[j], c.eigenvalues[j]))
        c.rows[j], c.eigenvalues[j] = improved.rows, improved.eigenvalues
