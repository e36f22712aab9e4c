"""One atom, all else fixed: minimise sum_k u_k* S_k u_k over columns and eigenvalues (Thm. 4).

Both updates never raise the objective. *joint* moves all columns at once by two products with the
other columns; *column* takes the smallest eigenvectors of one S_k at a time (Thms. 5 and 6).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ldslearn._types import Floats
from ldslearn.dictionary.columns import Columns
from ldslearn.models.spectrum import largest_singular_value

LIMIT = largest_singular_value(100)  # modulus: a hundred such states are accepted by kernels
_DENSE = 80  # rows up to which an eigenvalue problem is solved in full
_SETTLED = 1e-5  # relative decrease at which an atom is left for this round


def _eigenvalue_grid() -> Floats:
    """Return u = artanh x of points x from -LIMIT to LIMIT.

    With m = tanh v, (1-x^2)(1-m^2) / (1-xm)^2 is 1 / cosh(u-v)^2: the objective in an eigenvalue is
    a sum of bumps of one width. Steps of 1/3 miss waves of exp(-1.5 pi^2) of it, 4e-7; beyond
    |u| = 4, where few eigenvalues of systems are, steps are three times as long.
    """
    inner, end = np.arange(12) / 3.0, np.arctanh(LIMIT)
    half = np.concatenate([inner, np.linspace(4.0, end, 7)])
    return np.concatenate([-half[:0:-1], half])


PLACES = _eigenvalue_grid()
GRID = np.clip(np.tanh(PLACES), -LIMIT, LIMIT)


@dataclass
class Atom:
    """Columns and eigenvalues of one atom, with its value in a problem.

    Attributes
    ----------
    rows : (n, m) array
    eigenvalues : (k,) array
    value : float
    """

    rows: Floats
    eigenvalues: Floats
    value: float = np.inf


class AtomProblem:
    """The objective in one atom, sum_s c_s k(atom, columns_s).

    Parameters
    ----------
    columns : Columns
        All other atoms and the samples that use this one.
    weights : (len(columns),) array
        c: sum_i z_ri z_ji of another atom j, -z_ri of a sample i.
    """

    def __init__(self, columns: Columns, weights: Floats) -> None:
        self.kind, self.weights = columns.kind, np.ascontiguousarray(weights, dtype=np.float64)
        self.eigenvalues = np.ascontiguousarray(columns.eigenvalues)
        self.flat = columns.rows.reshape(-1, columns.rows.shape[2])
        self.shape = columns.rows.shape[:2]
        # Columns of one set are orthonormal and E <= 1, so that no S_k has a larger eigenvalue.
        self.largest = float(self.weights[self.weights > 0].sum())

    def __sizeof__(self) -> int:
        """Bytes, by which a cluster knows what is better not moved."""
        kept = sum(array.nbytes for array in self.__dict__.get("_last", ()))
        return object.__sizeof__(self) + self.flat.nbytes + self.eigenvalues.nbytes + kept

    def products(self, rows: Floats) -> Floats:
        """G = W'U, (n_sets, n1, n)."""
        return (self.flat @ rows.T).reshape(*self.shape, len(rows))

    def products_again(self, rows: Floats) -> Floats:
        """Return :meth:`products`, kept from the last call if that was of the same rows."""
        kept = self.__dict__.get("_last")
        if kept is None or not np.array_equal(kept[0], rows):
            kept = self.__dict__["_last"] = (rows, self.products(rows))
        return kept[1]

    def view(self, rows: Floats, eigenvalues: Floats) -> "View":
        """Return the atom as it looks here."""
        return View(self, rows, eigenvalues)

    start = view

    def pull(self, H: Floats) -> Floats:
        """W H: the rows S_k u_k, (n, m)."""
        return H.reshape(len(self.flat), -1).T @ self.flat

    def weigh(self, G: Floats, eigenvalues: Floats) -> tuple[float, Floats]:
        """Value of the objective, and H with S_k u_k = W H_k."""
        from ldslearn.dictionary import terms

        H = np.empty_like(G)
        if self.kind == "plain":
            return terms.weigh_plain(G, self.weights, H), H
        weigh = terms.weigh_real if self.kind == "symmetric" else terms.weigh_planes
        return weigh(G, eigenvalues, self.eigenvalues, self.weights, H), H

    def best_eigenvalues(self, G: Floats, eigenvalues: Floats) -> Floats:
        """Each eigenvalue at its best, exactly: a rational function of one variable."""
        from ldslearn.dictionary import terms

        found = eigenvalues.copy()
        for k in range(len(found)):
            found[k] = terms.best_eigenvalue(*self.eigenvalue_terms(G, k), eigenvalues[k], GRID)
        return found

    def eigenvalue_terms(self, G: Floats, k: int) -> tuple[Floats, Floats]:
        """P and m: the objective in eigenvalue k is (1-x^2) sum p / (1-x m)^2, and a constant."""
        from ldslearn.dictionary import terms

        fill = terms.fill_real_terms if self.kind == "symmetric" else terms.fill_plane_terms
        p, m = np.empty(len(self.flat)), np.empty(len(self.flat))
        fill(G, k, self.eigenvalues, self.weights, p, m)
        return p, m


class View:
    """An atom in an :class:`AtomProblem`: its value, and what moves it.

    Attributes
    ----------
    rows, eigenvalues : arrays
    value : float
    """

    def __init__(
        self, problem: AtomProblem, rows: Floats, eigenvalues: Floats, G: Floats | None = None
    ) -> None:
        self.problem, self.rows, self.eigenvalues = problem, rows, eigenvalues
        self.G = problem.products(rows) if G is None else G
        self.value, self.H = problem.weigh(self.G, eigenvalues)

    def pull(self) -> Floats:
        """The rows S_k u_k, (n, m)."""
        return self.problem.pull(self.H)

    def better(self) -> "View":
        """Return the same columns with each eigenvalue at its best."""
        best = self.problem.best_eigenvalues(self.G, self.eigenvalues)
        return View(self.problem, self.rows, best, self.G)


def improve_jointly(problem: Any, atom: Atom, max_steps: int = 5) -> Atom:
    """Return the atom after some steps U <- polar([(s I - S_k) u_k]_k), eigenvalues in between.

    With s at the largest eigenvalue of any S_k or above, no step can raise the objective: the
    linear bound that it minimises touches it. Shorter s step further, and are tried first.

    Parameters
    ----------
    problem : AtomProblem or SpreadProblem
        With samples here, or elsewhere.
    atom : Atom
    max_steps : int
    """
    view = problem.start(atom.rows, atom.eigenvalues)
    share = 0.0
    for _ in range(max_steps):
        before, pull = view.value, view.pull()
        while True:
            columns = polar(share * problem.largest * view.rows - pull)
            moved = problem.view(columns, view.eigenvalues)
            if moved.value <= view.value or share == 1.0:
                break
            share = min(1.0, max(4.0 * share, 1.0 / 16.0))
        if moved.value < view.value:
            view = moved
        share = share / 4.0 if share > 1.0 / 64.0 else 0.0
        better = view.better()
        if better.value < view.value:
            view = better
        if before - view.value <= _SETTLED * abs(before):
            break
    return _oriented(problem.kind, Atom(view.rows, view.eigenvalues, view.value))


def improve_by_columns(problem: AtomProblem, atom: Atom) -> Atom:
    """Return the atom after one update of each column (Thm. 5) or plane (Thm. 6).

    Of the smallest eigenvectors of S'_k both orientations of the plane are tried with the exact
    objective, delta included; whatever does not lower it is not taken.
    """
    view = problem.view(atom.rows, atom.eigenvalues)
    n = len(atom.rows)
    width = 2 if problem.kind == "skew" else n if problem.kind == "plain" else 1
    for start in range(0, n, width):
        own = slice(start, min(start + width, n))
        others = np.delete(view.rows, own, axis=0)
        u = _smallest(problem, others, view.rows[own], view.eigenvalues, own)
        trials = [u] if problem.kind != "skew" or len(u) < 2 else [u, u * [[1.0], [-1.0]]]
        for trial in trials:
            rows = view.rows.copy()
            rows[own] = trial
            view = min(view, problem.view(rows, view.eigenvalues), key=lambda one: one.value)
        view = min(view, view.better(), key=lambda one: one.value)
    return _oriented(problem.kind, Atom(view.rows, view.eigenvalues, view.value))


def polar(rows: Floats) -> Floats:
    """Return the orthonormal rows nearest to those given."""
    U, _, Vt = np.linalg.svd(rows, full_matrices=False)
    return np.ascontiguousarray(U @ Vt)


def _oriented(kind: str, atom: Atom) -> Atom:
    """A plane with theta < 0 is the plane turned over with -theta."""
    if kind == "skew":
        flipped = np.flatnonzero(atom.eigenvalues < 0)
        atom.rows = atom.rows.copy()
        atom.rows[2 * flipped + 1] *= -1.0
        atom.eigenvalues = np.abs(atom.eigenvalues)
    return atom


def _diagonal(problem: AtomProblem, eigenvalues: Floats, own: slice) -> Floats:
    """D with S'_k = W diag(d) W', one entry a column of W."""
    mu, c = problem.eigenvalues, problem.weights[:, None]
    if problem.kind == "plain":
        d = np.broadcast_to(c, problem.shape)
    elif problem.kind == "symmetric":
        lam = eigenvalues[own.start]
        d = c * (1 - mu**2) * (1 - lam**2) / (1 - lam * mu) ** 2
    else:
        plane = own.start // 2
        t = eigenvalues[plane] if plane < len(eigenvalues) else 0.0
        both = 0.5 / (1 - t * mu) ** 2 + 0.5 / (1 + t * mu) ** 2
        d = np.repeat(c * (1 - mu**2) * (1 - t**2) * both, 2, axis=1)
        if problem.shape[1] % 2:
            d = np.concatenate([d, c * (1 - t**2)], axis=1)
    return np.ascontiguousarray(d).ravel()


def _smallest(
    problem: AtomProblem, others: Floats, rows: Floats, eigenvalues: Floats, own: slice
) -> Floats:
    """Smallest eigenvectors of S'_k orthogonal to the other columns, as many as `rows` has."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    from ldslearn.dictionary import terms

    m, W, d = problem.flat.shape[1], problem.flat, _diagonal(problem, eigenvalues, own)
    above = problem.largest + 1.0

    def apply(v: Floats) -> Floats:
        """S'_k - above, all negative, in the null space of the other columns; zero elsewhere."""
        inside, image = v.ravel() - others.T @ (others @ v.ravel()), np.empty(m)
        terms.there_and_back(W, d, inside, image)
        image -= above * inside
        return image - others.T @ (others @ image)

    if m <= _DENSE or len(rows) >= m - 1:
        S = W.T @ (d[:, None] * W) - above * np.eye(m)
        S -= others.T @ (others @ S)
        S -= (S @ others.T) @ others
        vectors = np.linalg.eigh(0.5 * (S + S.T))[1][:, : len(rows)]
    else:
        operator = LinearOperator((m, m), matvec=apply, dtype=np.float64)
        start = apply(rows.sum(axis=0))
        try:
            vectors = eigsh(operator, k=len(rows), which="LM", v0=start, tol=1e-6)[1]
        except ArpackNoConvergence:  # eigenvalues too close to tell apart: left as it is
            return rows
    return polar(vectors.T - (vectors.T @ others.T) @ others)
