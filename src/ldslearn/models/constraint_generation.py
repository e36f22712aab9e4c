r"""Stabilization by constraint generation: one quadratic program in three coordinate systems.

All three methods look for the stable matrix that is closest to A in what it does to the states,
|(A' - A) X(0)|_F^2, which is the state reconstruction error less a constant when A is the
least-squares transition. The non-convex set of stable matrices is approached from outside by
half-spaces u'Mv <= bound, each cut from the leading singular pair (u, v) of the last answer M;
as soon as an answer is stable, a search along the segment from it to the last unstable one goes
back to the boundary.

============  ==================================  ========================================
method        M                                   free
============  ==================================  ========================================
constraint    A'                                  all of M    (Siddiqi, Boots, Gordon 2007)
wls           T^-1 A' T, T as below               all of M    (Huang et al. 2016)
dwls          T^-1 A T W, W diagonal              the weights (Huang et al. 2016)
============  ==================================  ========================================

With X = S V' and V0'V0 = P L P', the paper's Abar = P' V1'V0 P L^-1 is T^-1 A T with T = S P: the
coordinates in which XX' = I and X(0)X(0)' = L are both diagonal.
"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.optimize
from numpy.typing import NDArray

from ldslearn.models.spectrum import spectral_radius

Floats = NDArray[np.float64]

_MAX_CONSTRAINTS = 300
_BISECTIONS = 30
_SLACK = 1e-9  # constraints aim this much inside the bound, so that meeting them in rounding counts
_RIDGE = 1e-12  # relative; keeps directions the states never visit from dividing by zero


@dataclass(frozen=True)
class _Program:
    """Minimise |y|^2 over matrices M(y) = centre + (linear in y)."""

    centre: Floats  # (n, n), the unconstrained optimum
    left: Floats  # M - centre = left @ Y @ right, or centre * weights for `dwls`
    right: Floats
    diagonal: bool

    @property
    def size(self) -> int:
        return len(self.centre) if self.diagonal else self.centre.size

    def matrix(self, y: Floats) -> Floats:
        if self.diagonal:  # centre @ diag(1 + y * right)
            return self.centre * (1.0 + y * self.right)
        n = len(self.centre)
        return self.centre + self.left @ y.reshape(n, n) @ self.right

    def normal(self, u: Floats, v: Floats) -> Floats:
        """Gradient of u'M(y)v with respect to y."""
        if self.diagonal:
            return (u @ self.centre) * v * self.right
        return np.outer(self.left.T @ u, self.right @ v).ravel()


def constraint_generation(A: Floats, states: Floats, bound: float) -> Floats:
    """Constraints on the singular values of A itself."""
    second_moment = _with_ridge(states[:, :-1] @ states[:, :-1].T)
    # Y = (A' - A) X(0)X(0)'^(1/2)
    eigenvalues, vectors = np.linalg.eigh(second_moment)
    root = (vectors / np.sqrt(eigenvalues)) @ vectors.T
    return _solve(_Program(A, np.eye(len(A)), root, False), bound)


def wls(A: Floats, states: Floats, bound: float) -> Floats:
    """Constraints on the singular values of A in the coordinates T, all of it free."""
    T, inverse, kept = _balanced_coordinates(states)
    # Y = T (M - Abar) L^(1/2)
    program = _Program(inverse @ A @ T, inverse, np.diag(1.0 / np.sqrt(kept)), False)
    return T @ _solve(program, bound) @ inverse


def dwls(A: Floats, states: Floats, bound: float) -> Floats:
    """The same with diagonal weights on the right, n unknowns in place of n^2."""
    T, inverse, kept = _balanced_coordinates(states)
    centre = inverse @ A @ T
    # |T Abar (W - I) L^(1/2)|_F^2 = sum_k |T Abar e_k|^2 l_k (w_k - 1)^2
    cost = np.linalg.norm(T @ centre, axis=0) * np.sqrt(kept)
    right = 1.0 / np.maximum(cost, _RIDGE * cost.max())
    program = _Program(centre, np.empty((0, 0)), right, True)
    return T @ _solve(program, bound) @ inverse


def _balanced_coordinates(states: Floats) -> tuple[Floats, Floats, Floats]:
    """T, its inverse and l with T^-1 XX' T^-T = I and T^-1 X(0)X(0)' T^-T = diag(l)."""
    whole = _with_ridge(states @ states.T)
    kept, vectors = scipy.linalg.eigh(_with_ridge(states[:, :-1] @ states[:, :-1].T), whole)
    return whole @ vectors, vectors.T, np.maximum(kept, _RIDGE)


def _with_ridge(moment: Floats) -> Floats:
    ridge = _RIDGE * np.trace(moment) or 1.0
    return moment + ridge * np.eye(len(moment))


def _solve(program: _Program, bound: float) -> Floats:
    """Generate constraints until M is stable, then go back to the boundary."""
    G, h = np.empty((0, program.size)), np.empty(0)  # G y >= h
    unstable = np.zeros(program.size)
    for _ in range(_MAX_CONSTRAINTS):
        U, _, Vt = np.linalg.svd(program.matrix(unstable))
        u, v = U[:, 0], Vt[0]
        G = np.vstack([G, -program.normal(u, v)])
        h = np.append(h, u @ program.centre @ v - (1.0 - _SLACK) * bound)
        candidate, multipliers = _least_distance(G, h)
        if _radius(program.matrix(candidate)) <= bound:
            # From the first stable answer there are two ways back: to the last unstable one, and to
            # the unconstrained optimum y = 0. Both only ever lower |y|; the shorter end wins.
            ends = (_boundary(program, candidate, end, bound) for end in (unstable, 0.0 * unstable))
            return program.matrix(min(ends, key=np.linalg.norm))
        # Constraints that do not bind can go: |y| only grows, so no answer ever comes back.
        binding = multipliers > 0
        G, h, unstable = G[binding], h[binding], candidate
    M = program.matrix(unstable)
    return M * (bound / _radius(M))


def _least_distance(G: Floats, h: Floats) -> tuple[Floats, Floats]:
    """Return the shortest y with G y >= h, and the constraints' multipliers.

    Problem LDP of Lawson and Hanson (1974), chapter 23, by non-negative least squares.
    """
    size = np.abs(h).max() / np.linalg.norm(G, axis=1).max()  # expected |y|: work in its units
    E = np.vstack([G.T * size, h])
    target = np.zeros(len(E))
    target[-1] = 1.0
    multipliers, _ = scipy.optimize.nnls(E, target)
    residual = E @ multipliers - target
    return residual[:-1] / -residual[-1] * size, multipliers


def _boundary(program: _Program, stable: Floats, unstable: Floats, bound: float) -> Floats:
    """Last stable point met by bisection on the way from `stable` to `unstable`."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if _radius(program.matrix(stable + middle * (unstable - stable))) <= bound:
            low = middle
        else:
            high = middle
    return stable + low * (unstable - stable)


def _radius(M: Floats) -> float:
    return float(spectral_radius(M))
