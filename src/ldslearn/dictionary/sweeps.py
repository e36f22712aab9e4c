"""A sweep over all atoms from products of columns: each moves in a space of three places.

Half the gradients of all atoms, and their products with all samples, are two matrix products. With
them at hand, atom after atom is moved in the span of its columns, of its gradient, and of its
columns before the last move (as LOBPCG does [1]_), where the objective costs 3 n numbers per column
instead of m. The gradients are those at the beginning of the sweep; the objective is always that of
the atoms as they are, so that no move raises it.

.. [1] A. V. Knyazev, "Toward the optimal preconditioned eigensolver", SIAM J. Sci. Comput. 23
   (2001) 517-541. doi:10.1137/S1064827500366124
"""

from dataclasses import dataclass, field

import numpy as np

from ldslearn._types import Floats, Indices
from ldslearn.dictionary.columns import Columns, sum_products
from ldslearn.dictionary.problem import Atom, AtomProblem
from ldslearn.dictionary.samples import Samples, StoredColumns, open_columns
from ldslearn.dictionary.updates import improve_jointly, invert_root

_LONG = 60  # times as many channels as columns: with fewer, steps of one atom at a time are faster
_LARGEST = 2**28  # bytes of all products of a code, of samples in memory or on workers
_LARGEST_OF_FILES = 2**26  # of samples in files, which are there because memory is small
_STEPS = 12  # of one atom in its span
_PERIOD = 4  # steps of columns from one update of eigenvalues, which takes longer, to the next
_SETTLED = 1e-4  # relative decrease at which the steps of one atom end: the next sweep goes on
_NEGLIGIBLE = 1e-4  # length of a direction, next to which its rounding errors count
_DEPENDENT = 1e-4  # squared length of a combination of unit directions, likewise
_MANY = 8  # atoms with fewer users than an eighth of all samples are better moved one by one

Link = tuple[Indices, Indices, Floats]  # other atoms and users of an atom, and their weights


@dataclass
class Sweep:
    """The atoms of one term on their way, with products of all samples.

    Attributes
    ----------
    samples : Samples
    term : int
        Which of the terms of the samples.
    atoms : Columns
        Moved in place.
    """

    samples: Samples
    term: int
    atoms: Columns
    _eigenvalues: Floats = field(init=False)  # of the samples
    _products: Floats = field(init=False)  # of the samples and the atoms, (N, n, J, n)
    _before: Floats = field(init=False)  # the atoms before their last move, (J, n, m)
    _products_before: Floats = field(init=False)

    def __post_init__(self) -> None:
        self._before = np.zeros_like(self.atoms.rows)  # unknown: not a direction
        self._eigenvalues = np.concatenate(self.samples.map(get_eigenvalues, self.term))
        self._products = self._multiply(self.atoms.rows)
        self._products_before = np.zeros_like(self._products)

    @staticmethod
    def is_worthwhile(samples: Samples, atoms: list[Columns], n_nonzero: int) -> bool:
        """Whether columns are long, many codes not zero, and products fit in memory."""
        n_samples, n_atoms = len(samples), len(atoms[0])
        is_long = all(one.rows.shape[2] >= _LONG * one.n_columns for one in atoms)
        is_dense = _MANY * n_nonzero >= n_atoms * (n_samples + 4 * n_atoms)
        # Four arrays: products now, before, and with gradients; and what gradients are made of.
        n_bytes = sum(4 * 8 * n_samples * n_atoms * one.n_columns**2 for one in atoms)
        in_files = samples.in_memory is None and not samples.engine.n_workers
        fits = n_bytes <= (_LARGEST_OF_FILES if in_files else _LARGEST)
        return is_long and is_dense and fits

    def kernel(self) -> Floats:
        """Return the kernels of the samples and the atoms, (N, J)."""
        out = np.empty((len(self._products), len(self.atoms)))
        samples = Columns(self.atoms.kind, self._products, self._eigenvalues)
        sum_products(samples, self.atoms, self._products, out)
        return out

    def start_again(self, r: int) -> None:
        """Forget where atom r comes from: another one is in its place."""
        self._before[r] = 0.0
        self._products[:, :, [r]] = self._multiply(self.atoms.rows[[r]])
        self._products_before[:, :, r] = 0.0

    def move_atoms(self, codes: Floats) -> None:
        """Move every atom that a code uses.

        Parameters
        ----------
        codes : (N, J) array
        """
        rows, pairs = self.atoms.rows, codes.T @ codes
        if self._before.any():  # moves add up their errors of rounding, and amplify them
            self._products = self._multiply(rows)
        links = [_link(codes, pairs, r) for r in range(len(rows))]
        ahead, _, _ = _find_directions(self._find_gradients(links), rows)
        back, factors, overlaps = _find_directions(self._before, rows)
        along = self._multiply(ahead)
        for r in np.flatnonzero(codes.any(axis=0)).tolist():
            directions = np.concatenate([ahead[r], back[r]])
            # Of what products are known: the atom, its direction, and the place before.
            known = (self._products, along, self._products_before)
            G = np.concatenate([one[:, :, r] for one in known], axis=2)
            change = _orthonormalize(directions)
            basis = np.concatenate([rows[r], change @ directions])
            self._move_atom(r, links[r], basis, _write_in_known(change, factors[r], overlaps[r]), G)

    def _move_atom(self, r: int, link: Link, basis: Floats, in_known: Floats, G: Floats) -> None:
        """Move atom r in a basis, which is `in_known` times that of which G are products."""
        (others, users, _), (n_atoms, n, m) = link, self.atoms.rows.shape
        rows, eigenvalues = self.atoms.rows, self.atoms.eigenvalues
        of_atoms = rows if 2 * len(others) > n_atoms else rows[others]  # a copy takes time
        near = (of_atoms.reshape(-1, m) @ basis.T).reshape(len(of_atoms), n, len(basis))
        own = (G[users].reshape(-1, G.shape[2]) @ in_known.T).reshape(len(users), n, len(basis))
        columns = np.concatenate([near[others] if of_atoms is rows else near, own])
        problem = self._make_problem(columns, link)
        start = Atom(np.eye(n, len(basis)), eigenvalues[r])
        found = improve_jointly(problem, start, _STEPS, period=_PERIOD, settled=_SETTLED)
        moved = found.rows @ basis
        root = invert_root(moved @ moved.T)
        assert root is not None  # it is the identity but for rounding
        self._before[r], self._products_before[:, :, r] = rows[r], self._products[:, :, r]
        rows[r], eigenvalues[r] = root @ moved, found.eigenvalues
        flat = G.reshape(-1, G.shape[2]) @ (root @ found.rows @ in_known).T
        self._products[:, :, r] = flat.reshape(-1, n, n)

    def _make_problem(self, columns: Floats, link: Link) -> AtomProblem:
        """Return the problem of an atom from products of the other atoms, then of samples."""
        others, users, weights = link
        values = np.concatenate([self.atoms.eigenvalues[others], self._eigenvalues[users]])
        return AtomProblem(Columns(self.atoms.kind, columns, values), weights)

    def _find_gradients(self, links: list[Link]) -> Floats:
        """Return half the gradient in every atom, (J, n, m)."""
        rows = self.atoms.rows
        flat = rows.reshape(-1, rows.shape[2])
        between = (flat @ flat.T).reshape(*rows.shape[:2], *rows.shape[:2])
        on_samples, on_atoms = np.zeros_like(self._products), np.zeros_like(between)
        for r, link in enumerate(links):
            others, users, _ = link
            if len(users):
                G = np.concatenate([between[others, :, r], self._products[users, :, r]])
                H = self._make_problem(G, link).weigh(G, self.atoms.eigenvalues[r])[1]
                on_atoms[others, :, r], on_samples[users, :, r] = np.split(H, [len(others)])
        ends = np.cumsum(self.samples.sizes)[:-1]
        blocks = list(zip(self.samples.blocks, np.split(on_samples, ends), strict=True))
        gradients = (on_atoms.reshape(len(flat), -1).T @ flat).reshape(rows.shape)
        for part in self.samples.engine.map(combine_columns, blocks, self.term):
            gradients += part
        return gradients

    def _multiply(self, rows: Floats) -> Floats:
        """Return the products of the columns of all samples and rows, (N, n, J, n)."""
        return np.concatenate(self.samples.map(multiply_columns, self.term, rows))


def multiply_columns(terms: StoredColumns, term: int, rows: Floats) -> Floats:
    """Return the products of the columns of a block and some rows (J, n, m), (N, n, J, n)."""
    columns = open_columns([terms[term]])[0].rows
    G = columns.reshape(-1, columns.shape[2]) @ rows.reshape(-1, rows.shape[2]).T
    return G.reshape(*columns.shape[:2], *rows.shape[:2])


def combine_columns(terms: StoredColumns, H: Floats, term: int) -> Floats:
    """Return the columns of a block times H (N, n, J, n), as rows (J, n, m)."""
    columns = open_columns([terms[term]])[0].rows
    flat = columns.reshape(-1, columns.shape[2])
    return (H.reshape(len(flat), -1).T @ flat).reshape(*H.shape[2:], -1)


def get_eigenvalues(terms: StoredColumns, term: int) -> Floats:
    """Return the eigenvalues of a block."""
    return open_columns([terms[term]])[0].eigenvalues


def _link(codes: Floats, pairs: Floats, r: int) -> Link:
    users, others = np.flatnonzero(codes[:, r]), np.flatnonzero(pairs[r])
    others = others[others != r]
    return others, users, np.concatenate([pairs[r, others], -codes[users, r]])


def _find_directions(places: Floats, rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the parts of places orthogonal to atoms, their factors, and what was subtracted.

    Directions have length one, or zero if they are negligible: factors * (places - overlaps rows).
    """
    columns = np.swapaxes(rows, 1, 2)
    overlaps = places @ columns
    left = places - overlaps @ rows
    again = left @ columns
    left -= again @ rows
    lengths, whole = np.linalg.norm(left, axis=2), np.linalg.norm(places, axis=2)
    factors = np.zeros_like(lengths)
    np.divide(1.0, lengths, out=factors, where=lengths > _NEGLIGIBLE * whole)
    left *= factors[:, :, None]
    return left, factors, overlaps + again


def _orthonormalize(rows: Floats) -> Floats:
    """Return the matrix that makes rows of length one or zero orthonormal; fewer if dependent."""
    values, vectors = np.linalg.eigh(rows @ rows.T)
    kept = values > _DEPENDENT
    return vectors[:, kept].T / np.sqrt(values[kept])[:, None]


def _write_in_known(change: Floats, factors: Floats, overlaps: Floats) -> Floats:
    """Return the basis of one atom in its columns, its direction, and its columns before."""
    n = len(factors)
    ahead, back = change[:, :n], change[:, n:] * factors
    return np.concatenate(
        [np.eye(n, 3 * n), np.concatenate([-back @ overlaps, ahead, back], axis=1)]
    )
