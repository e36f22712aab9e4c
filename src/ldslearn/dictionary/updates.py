"""One atom, all else fixed: minimise sum_k u_k* S_k u_k over columns and eigenvalues (Thm. 4).

Both updates never raise the objective. *joint* moves all columns at once by two products with the
other columns; *column* finds the smallest eigenvectors of one S_k at a time (Thms. 5 and 6).
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from ldslearn._types import Floats
from ldslearn.dictionary.block_problem import BlockProblem
from ldslearn.dictionary.objective import multiply_weighted_gram
from ldslearn.dictionary.problem import Atom, AtomProblem, Evaluation

_DENSE = 80  # rows up to which an eigenvalue problem is solved in full
_LONG = 2  # times as many entries as rows: their products are cheap
_WELL_CONDITIONED = 1e-6  # ratio of squared singular values from which products have the digits
_AHEAD = 0.25  # of the pull: momentum that suits a second eigenvalue close to the first
_FRACTIONS = (0.0, 1 / 16, 1 / 4, 1.0)  # s, of the largest eigenvalue, the longest step first
_SETTLED = 1e-5  # relative decrease at which the steps of one atom end


def improve_jointly(
    problem: AtomProblem | BlockProblem,
    atom: Atom,
    max_steps: int = 2,
    *,
    ahead: float = _AHEAD,
    period: int = 1,
    settled: float = _SETTLED,
    orthonormalize: Callable[[Floats], Floats] | None = None,
) -> Atom:
    """Return the atom after some steps U <- polar([(s I - S_k) u_k]_k), eigenvalues in between.

    With s at the largest eigenvalue of any S_k or above, no step can raise the objective: the
    linear bound that it minimises touches it. Shorter s step further, and are tried first. The very
    first trial steps beyond s = 0, away from the last two places of the atom, as an accelerated
    power iteration does [1]_.

    Parameters
    ----------
    problem : AtomProblem or BlockProblem
        With samples in memory, or in blocks.
    atom : Atom
    max_steps : int
    ahead : float
        How far to step beyond s = 0. 0 is for sums of few samples, which need few steps.
    period : int
        Steps from one update of the eigenvalues to the next; the last step is always followed by
        one.
    settled : float
        Relative decrease by one step at which steps end.
    orthonormalize : callable, optional
        :func:`polar`, if rows are coordinates in a basis that is not orthonormal.

    References
    ----------
    .. [1] P. Xu, B. He, C. De Sa, I. Mitliagkas, C. Re, "Accelerated stochastic power iteration",
       AISTATS 2018. doi:10.48550/arXiv.1707.02670
    """
    nearest = orthonormalize or polar
    best = problem.evaluate(atom.rows, atom.eigenvalues, with_gradient=True)
    previous: Floats | float = 0.0
    for step in range(max_steps):
        before, gradient = best, best.half_gradient()
        enough = before.value - settled * abs(before.value)
        # The least of all -u_k* S_k u_k, in proportion to which steps are longer.
        pull = -float(np.einsum("ij,ij->i", gradient, best.rows).max()) if ahead else 0.0
        if pull > 0.0:
            target = -ahead * pull * (best.rows + previous) - gradient
            best = _pick_lower(best, problem.evaluate(nearest(target), best.eigenvalues))
        if best.value > enough:
            for fraction in _FRACTIONS:
                target = fraction * problem.largest * before.rows - gradient
                moved = problem.evaluate(nearest(target), before.eigenvalues)
                if moved.value <= before.value:
                    break
            best = _pick_lower(best, moved)
        if best is not before:
            previous = before.rows
        if step % period == 0 or best.value >= enough or step == max_steps - 1:
            best = _pick_lower(best, best.improve_eigenvalues())
        if best.value >= enough:
            break
    return _orient_planes(problem.kind, Atom(best.rows, best.eigenvalues, best.value))


def improve_by_columns(problem: AtomProblem, atom: Atom) -> Atom:
    """Return the atom after one update of each column (Thm. 5) or plane (Thm. 6).

    Both orientations of the plane of the smallest eigenvectors of S'_k are tried with the exact
    objective, delta included. A trial that does not lower the objective is rejected.
    """
    best = problem.evaluate(atom.rows, atom.eigenvalues)
    n = len(atom.rows)
    width = 2 if problem.kind == "skew" else n if problem.kind == "plain" else 1
    for start in range(0, n, width):
        own = slice(start, min(start + width, n))
        others = np.delete(best.rows, own, axis=0)
        u = _smallest_eigenvectors(problem, others, best.rows[own], best.eigenvalues, own)
        trials = [u] if problem.kind != "skew" or len(u) < 2 else [u, u * [[1.0], [-1.0]]]
        for trial in trials:
            rows = best.rows.copy()
            rows[own] = trial
            best = _pick_lower(best, problem.evaluate(rows, best.eigenvalues))
        best = _pick_lower(best, best.improve_eigenvalues())
    return _orient_planes(problem.kind, Atom(best.rows, best.eigenvalues, best.value))


def polar(rows: Floats) -> Floats:
    """Return the orthonormal rows nearest to those given, (R R')^(-1/2) R.

    The products of many long rows are decomposed, not the rows, unless that would cost digits. A
    step of Newton's iteration restores those that it does cost.
    """
    if rows.shape[1] >= _LONG * len(rows):
        root = invert_root(rows @ rows.T)
        if root is not None:
            near = root @ rows
            return 1.5 * near - 0.5 * ((near @ near.T) @ near)
    U, _, Vt = np.linalg.svd(rows, full_matrices=False)
    return np.ascontiguousarray(U @ Vt)


def invert_root(products: Floats) -> Floats | None:
    """Return P^(-1/2) of a positive definite matrix; None if that would cost digits."""
    values, vectors = np.linalg.eigh(products)
    if not values[0] > _WELL_CONDITIONED * values[-1]:  # or NaN
        return None
    return (vectors / np.sqrt(values)) @ vectors.T


def _pick_lower(first: Evaluation, second: Evaluation) -> Evaluation:
    """The one with the lower value; the first of equals."""
    return second if second.value < first.value else first


def _orient_planes(kind: str, atom: Atom) -> Atom:
    """Make every theta positive by changing the sign of one column of its plane, too."""
    if kind == "skew":
        flipped = np.flatnonzero(atom.eigenvalues < 0)
        atom.rows = atom.rows.copy()
        atom.rows[2 * flipped + 1] *= -1.0
        atom.eigenvalues = np.abs(atom.eigenvalues)
    return atom


def _diagonal(problem: AtomProblem, eigenvalues: Floats, own: slice) -> Floats:
    """D with S'_k = W diag(d) W', one entry per column of W."""
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


def _smallest_eigenvectors(
    problem: AtomProblem, others: Floats, rows: Floats, eigenvalues: Floats, own: slice
) -> Floats:
    """Smallest eigenvectors of S'_k orthogonal to the other columns, as many as `rows` has."""
    m, W, d = problem.flat.shape[1], problem.flat, _diagonal(problem, eigenvalues, own)
    above = problem.largest + 1.0

    def apply(v: Floats) -> Floats:
        """S'_k - above, all negative, in the null space of the other columns; zero elsewhere."""
        inside, image = v.ravel() - others.T @ (others @ v.ravel()), np.empty(m)
        multiply_weighted_gram(W, d, inside, image)
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
        except ArpackNoConvergence:  # eigenvalues too close to distinguish: no change
            return rows
    return polar(vectors.T - (vectors.T @ others.T) @ others)
