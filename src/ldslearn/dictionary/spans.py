"""Centres of few samples in coordinates: combinations of the columns of their samples.

A step of :func:`improve_jointly` combines the columns of a centre and of its members. Products of
columns are all that it needs, and all that distances need: with those of all samples at hand, a
centre of b columns costs b numbers per column, whatever the number of channels.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ldslearn._parallel import for_each_block
from ldslearn._types import Floats, Indices
from ldslearn.dictionary.block_problem import BlockProblem
from ldslearn.dictionary.columns import Columns, sum_products
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.updates import improve_jointly, invert_root, polar

_LARGEST = 2**27  # bytes of the products of all columns


def improve_centre(
    problem: AtomProblem | BlockProblem,
    centre: Atom,
    orthonormalize: Callable[[Floats], Floats] = polar,
) -> Atom:
    """Return a centre closer to its members: few samples, and no other atoms, need no momentum."""
    return improve_jointly(problem, centre, 5, ahead=0.0, period=4, orthonormalize=orthonormalize)


class NotInSpanError(ArithmeticError):
    """The columns of a step are dependent: other columns than those of samples complete them."""


class SpanProblem(AtomProblem):
    """The objective in one centre, whose rows are coordinates.

    Parameters
    ----------
    data : Columns
    members : (k,) array
        Samples of the centre; their weights are -1.
    products : (T, T) array
        Of all columns in which the centre is written, those of the members first.
    """

    def __init__(self, data: Columns, members: Indices, products: Floats) -> None:
        own = products[: len(members) * data.n_columns]
        rows = own.reshape(len(members), data.n_columns, len(products))
        # G = W'U has the products in place of W, and coordinates in place of U.
        columns = Columns(data.kind, rows, data.eigenvalues[members])
        super().__init__(columns, -np.ones(len(members)))
        self.all_products = products

    def half_gradient(self, H: Floats) -> Floats:
        """Coordinates of the rows S_k u_k, (n, T): those of W H."""
        gradient = np.zeros((H.shape[2], len(self.all_products)))
        gradient[:, : len(self.flat)] = H.reshape(len(self.flat), -1).T
        return gradient

    def nearest(self, rows: Floats) -> Floats:
        """Coordinates of the orthonormal rows nearest to those given; see :func:`polar`."""
        root = invert_root(rows @ self.all_products @ rows.T)
        if root is None:
            raise NotInSpanError
        near = root @ rows
        return 1.5 * near - 0.5 * ((near @ self.all_products @ near.T) @ near)


@dataclass(frozen=True)
class Span:
    """A centre as a combination of samples.

    Attributes
    ----------
    samples : (k,) array
    rows : (n, k n1) array
        Coordinates in the columns of the samples.
    """

    samples: Indices
    rows: Floats


class Products:
    """Products of all columns of all samples, and what they give.

    Parameters
    ----------
    data : Columns
    """

    def __init__(self, data: Columns) -> None:
        flat = data.rows.reshape(-1, data.rows.shape[2])
        self.data, self.products = data, flat @ flat.T
        self.is_whole = np.isclose(data.self_kernel, data.n_columns, rtol=0.0, atol=1e-6)

    @staticmethod
    def are_worthwhile(data: list[Columns], n_centres: int) -> bool:
        """Whether products fit in memory, and centres have fewer samples' columns than channels."""
        n_columns = [x.rows.shape[0] * x.rows.shape[1] for x in data]
        few = all(n < n_centres * x.rows.shape[2] for n, x in zip(n_columns, data, strict=True))
        return few and 8 * sum(n * n for n in n_columns) <= _LARGEST

    def kernel(self) -> Floats:
        """Return the kernel matrix of the samples, (N, N)."""
        n_samples, n = len(self.data), self.data.n_columns
        G = self.products.reshape(n_samples, n, n_samples, n)
        out = np.empty((n_samples, n_samples))
        sum_products(self.data, self.data, G, out)
        return out

    def kernel_of_centres(
        self, centres: Columns, spans: list[Span | None], n_jobs: int | None
    ) -> Floats:
        """Return the kernels of samples and centres, (N, J); None is a centre in no span."""
        out = np.empty((len(centres), len(self.data)))
        shape = (1, centres.n_columns, len(self.data), self.data.n_columns)

        def work(block: slice) -> None:
            for j in range(block.start, block.stop):
                one, own = spans[j], centres[j : j + 1]
                if one is None:
                    G = own.rows[0] @ self.data.rows.reshape(-1, own.rows.shape[2]).T
                else:
                    G = one.rows @ self.products[self._find_columns(one.samples)]
                sum_products(own, self.data, G.reshape(shape), out[j : j + 1])

        for_each_block(work, len(centres), n_jobs=n_jobs, description="kernels of atoms")
        return out.T

    def start(self, sample: int) -> Span | None:
        """Return the span of a centre at a sample; None if columns of zeros were replaced."""
        if not self.is_whole[sample]:
            return None
        return Span(np.array([sample]), np.eye(self.data.n_columns))

    def improve(self, span: Span, members: Indices, eigenvalues: Floats) -> tuple[Atom, Span]:
        """Return a centre closer to its members, and its span.

        Raises
        ------
        NotInSpanError
        """
        n = self.data.n_columns
        samples = np.concatenate([members, np.setdiff1d(span.samples, members, assume_unique=True)])
        rows = np.zeros((n, len(samples), n))
        order = np.argsort(samples)
        rows[:, order[np.searchsorted(samples, span.samples, sorter=order)]] = span.rows.reshape(
            n, -1, n
        )
        columns = self._find_columns(samples)
        problem = SpanProblem(self.data, members, self.products[np.ix_(columns, columns)])
        found = improve_centre(problem, Atom(rows.reshape(n, -1), eigenvalues), problem.nearest)
        coordinates = found.rows.reshape(n, -1, n)
        used = coordinates.any(axis=(0, 2))  # after a step with s = 0 only members are
        after = Span(samples[used], coordinates[:, used].reshape(n, -1))
        flat = self.data.rows[after.samples].reshape(-1, self.data.rows.shape[2])
        return Atom(after.rows @ flat, found.eigenvalues, found.value), after

    def _find_columns(self, samples: Indices) -> Indices:
        n = self.data.n_columns
        return (n * samples[:, None] + np.arange(n)).ravel()
