"""The objective in one atom, all else fixed: sum_k u_k* S_k u_k (Thm. 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldslearn._types import Floats
from ldslearn.dictionary import objective
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.eigenvalues import best_eigenvalues


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
        self._last: tuple[Floats, Floats] | None = None

    @classmethod
    def concatenate(cls, problems: "Sequence[AtomProblem]") -> "AtomProblem":
        """Return the sum of several problems of one atom as one."""
        first = problems[0]
        flat = np.concatenate([one.flat for one in problems])
        eigenvalues = np.concatenate([one.eigenvalues for one in problems])
        columns = Columns(first.kind, flat.reshape(-1, first.shape[1], flat.shape[1]), eigenvalues)
        return cls(columns, np.concatenate([one.weights for one in problems]))

    def __sizeof__(self) -> int:
        """Bytes, by which a cluster decides what not to move."""
        cached = sum(array.nbytes for array in self._last or ())
        return object.__sizeof__(self) + self.flat.nbytes + self.eigenvalues.nbytes + cached

    def products(self, rows: Floats) -> Floats:
        """G = W'U, (n_sets, n1, n)."""
        return (self.flat @ rows.T).reshape(*self.shape, len(rows))

    def cached_products(self, rows: Floats) -> Floats:
        """Return :meth:`products`, from the last call if that was of the same rows."""
        last = self._last  # another thread may replace it
        if last is None or not np.array_equal(last[0], rows):
            last = self._last = rows, self.products(rows)
        return last[1]

    def evaluate(
        self, rows: Floats, eigenvalues: Floats, *, with_gradient: bool = False
    ) -> "Evaluation":
        """Return the value of an atom; its gradient is available in any case."""
        return Evaluation(self, rows, eigenvalues)

    def half_gradient(self, H: Floats) -> Floats:
        """W H: the rows S_k u_k, (n, m)."""
        return H.reshape(len(self.flat), -1).T @ self.flat

    def weigh(self, G: Floats, eigenvalues: Floats) -> tuple[float, Floats]:
        """Value of the objective, and H with S_k u_k = W H_k."""
        H = np.empty_like(G)
        if self.kind == "plain":
            return objective.weigh_plain(G, self.weights, H), H
        weigh = objective.weigh_real if self.kind == "symmetric" else objective.weigh_planes
        return weigh(G, eigenvalues, self.eigenvalues, self.weights, H), H

    def eigenvalue_terms(self, G: Floats) -> tuple[Floats, Floats]:
        """P and m: in eigenvalue k the objective is (1-x^2) sum_i p_ki / (1-x m_i)^2 + constant."""
        n_columns = G.shape[2]
        if self.kind == "symmetric":
            fill, n_eigenvalues = objective.fill_real_terms, n_columns
        else:
            fill, n_eigenvalues = objective.fill_plane_terms, n_columns // 2
        p, m = np.empty((n_eigenvalues, len(self.flat))), np.empty(len(self.flat))
        fill(G, self.eigenvalues, self.weights, p, m)
        return p, m

    def best_eigenvalues(self, G: Floats, eigenvalues: Floats) -> Floats:
        """Each eigenvalue at its best, the others fixed."""
        p, m = self.eigenvalue_terms(G)
        return best_eigenvalues(lambda points: evaluate_terms(points, p, m), eigenvalues)


class Evaluation:
    """An atom in an :class:`AtomProblem`: its value, and what improves it.

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

    def half_gradient(self) -> Floats:
        """The rows S_k u_k, (n, m)."""
        return self.problem.half_gradient(self.H)

    def improve_eigenvalues(self) -> "Evaluation":
        """Return the same columns with each eigenvalue at its best."""
        if not len(self.eigenvalues):
            return self
        best = self.problem.best_eigenvalues(self.G, self.eigenvalues)
        return Evaluation(self.problem, self.rows, best, self.G)


def evaluate_terms(points: Floats, p: Floats, m: Floats) -> Floats:
    """Return (1-x^2) sum_i p_ki / (1-x m_i)^2 at points x, (k, n_points)."""
    values = np.empty(points.shape)
    objective.fill_values(points, p, m, values)
    return values
