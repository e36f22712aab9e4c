r"""Stabilization by constraint generation: one quadratic program in three coordinate systems.

All three methods look for the stable matrix that is closest to A in what it does to the states,
|(A' - A) X(0)|_F^2, which is the state reconstruction error less a constant when A is the
least-squares transition. The non-convex set of stable matrices is approached from outside by
half-spaces u'Mv <= bound, cut from the singular pairs (u, v) of the last answer M that exceed the
bound, the leading one first. As soon as an answer is stable, a search along the segments from it to
the last unstable one and to the optimum returns to the boundary. The result is the best stable
matrix found, among them A scaled to the boundary.

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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.linalg
import scipy.optimize

from ldslearn._types import Floats
from ldslearn.models.spectrum import spectral_radius

_MAX_ROUNDS = 100
_BISECTIONS = 30
_SLACK = (
    1e-9  # constraints are this much tighter than the bound, so that rounding does not violate it
)
_RIDGE = 1e-12  # relative; no division by zero in directions that the states never visit


class _Program(Protocol):
    """Minimise |y|^2 over matrices M(y), affine in y, with the unconstrained optimum at y = 0."""

    @property
    def centre(self) -> Floats:
        """M(0)."""

    def matrix(self, y: Floats) -> Floats:
        """M(y)."""

    def normal(self, u: Floats, v: Floats) -> Floats:
        """Gradient of u'M(y)v."""

    def scale_centre(self, factor: float) -> Floats:
        """The y with M(y) = factor * centre."""


@dataclass(frozen=True)
class _MatrixProgram:
    """M(y) = centre + left Y right."""

    centre: Floats
    left: Floats
    right: Floats

    def matrix(self, y: Floats) -> Floats:
        return self.centre + self.left @ y.reshape(self.centre.shape) @ self.right

    def normal(self, u: Floats, v: Floats) -> Floats:
        return np.outer(self.left.T @ u, self.right @ v).ravel()

    def scale_centre(self, factor: float) -> Floats:
        return self.coordinates(factor * self.centre)

    def coordinates(self, M: Floats) -> Floats:
        """The y with M(y) = M."""
        change = np.linalg.solve(self.left, M - self.centre)
        return np.linalg.solve(self.right.T, change.T).T.ravel()


@dataclass(frozen=True)
class _WeightProgram:
    """M(y) = centre diag(1 + y / cost)."""

    centre: Floats
    cost: Floats

    def matrix(self, y: Floats) -> Floats:
        return self.centre * (1.0 + y / self.cost)

    def normal(self, u: Floats, v: Floats) -> Floats:
        return (u @ self.centre) * v / self.cost

    def scale_centre(self, factor: float) -> Floats:
        return (factor - 1.0) * self.cost


def constraint_generation(A: Floats, states: Floats, bound: float) -> Floats:
    """Return a stable matrix by constraints on the singular values of A itself."""
    norms, past = _unit_rows(states[:, :-1])
    # Y = (A' - A) L with X(0)X(0)' = LL'
    factor = norms[:, None] * np.linalg.cholesky(_add_ridge(past @ past.T))
    return _solve(_MatrixProgram(A, np.eye(len(A)), np.linalg.inv(factor)), bound)


def wls(A: Floats, states: Floats, bound: float) -> Floats:
    """Return a stable matrix by constraints in the coordinates T, all of it free.

    The result of `dwls` is a candidate, too, so that the error is never above its error.
    """
    T, inverse, kept = _balanced_coordinates(states)
    # Y = T (M - Abar) L^(1/2)
    program = _MatrixProgram(inverse @ A @ T, inverse, np.diag(1.0 / np.sqrt(kept)))
    weighted = _solve(_weight_program(T, program.centre, kept), bound)
    return T @ _solve(program, bound, [program.coordinates(weighted)]) @ inverse


def dwls(A: Floats, states: Floats, bound: float) -> Floats:
    """Return a stable matrix by diagonal weights on the right, n unknowns in place of n^2."""
    T, inverse, kept = _balanced_coordinates(states)
    return T @ _solve(_weight_program(T, inverse @ A @ T, kept), bound) @ inverse


def _weight_program(T: Floats, centre: Floats, kept: Floats) -> _WeightProgram:
    # |T Abar (W - I) L^(1/2)|_F^2 = sum_k |T Abar e_k|^2 l_k (w_k - 1)^2
    cost = np.linalg.norm(T @ centre, axis=0) * np.sqrt(kept)
    return _WeightProgram(centre, np.maximum(cost, _RIDGE * cost.max()))


def _balanced_coordinates(states: Floats) -> tuple[Floats, Floats, Floats]:
    """Return T, its inverse and l with T^-1 XX' T^-T = I and T^-1 X(0)X(0)' T^-T = diag(l)."""
    norms, unit = _unit_rows(states)
    whole = _add_ridge(unit @ unit.T)
    kept, vectors = scipy.linalg.eigh(_add_ridge(unit[:, :-1] @ unit[:, :-1].T), whole)
    return norms[:, None] * (whole @ vectors), vectors.T / norms, np.maximum(kept, _RIDGE)


def _unit_rows(states: Floats) -> tuple[Floats, Floats]:
    """Return the norms of the rows, and rows of norm 1: states differ by orders of magnitude."""
    norms = np.linalg.norm(states, axis=1)
    norms = np.maximum(norms, _RIDGE * norms.max())
    return norms, states / norms[:, None]


def _add_ridge(moment: Floats) -> Floats:
    return moment + _RIDGE * np.trace(moment) * np.eye(len(moment))


def _solve(program: _Program, bound: float, known: Sequence[Floats] = ()) -> Floats:
    """Generate constraints until M is stable, and return to the boundary; `known` are stable."""
    unstable = 0.0 * program.scale_centre(1.0)
    G, h = np.empty((0, len(unstable))), np.empty(0)  # G y >= h
    stable = [program.scale_centre(bound / _radius(program.centre) * (1.0 - _SLACK)), *known]
    for _ in range(_MAX_ROUNDS):
        U, s, Vt = np.linalg.svd(program.matrix(unstable))
        for k in np.flatnonzero(s > bound):
            normal = program.normal(U[:, k], Vt[k])
            length = np.linalg.norm(normal)
            excess = U[:, k] @ program.centre @ Vt[k] - (1.0 - _SLACK) * bound
            G, h = np.vstack([G, -normal / length]), np.append(h, excess / length)
        try:
            candidate, multipliers = _least_distance(G, h)
        except RuntimeError:  # the solver gave up: use what is known to be stable
            break
        if _radius(program.matrix(candidate)) <= bound:
            # From the first stable answer there are two ways back: to the last unstable one, and to
            # the unconstrained optimum. Both only ever lower |y|.
            stable += [
                _bisect_to_boundary(program, candidate, end, bound)
                for end in (unstable, 0.0 * unstable)
            ]
            break
        # Constraints that do not bind are dropped: |y| only grows, so no answer comes twice.
        binding = multipliers > 0
        G, h, unstable = G[binding], h[binding], candidate
    return program.matrix(min(stable, key=np.linalg.norm))


def _least_distance(G: Floats, h: Floats) -> tuple[Floats, Floats]:
    """Return the shortest y with G y >= h, and the constraints' multipliers.

    Problem LDP of Lawson and Hanson (1974), chapter 23, by non-negative least squares; the rows of
    G have norm 1.
    """
    size = np.abs(h).max()  # expected |y|: work in its units
    E = np.vstack([G.T, h / size])
    target = np.zeros(len(E))
    target[-1] = 1.0
    multipliers, _ = scipy.optimize.nnls(E, target, maxiter=30 * len(h))
    residual = E @ multipliers - target
    if not residual[-1] < 0:
        raise RuntimeError("the constraints contradict each other in rounding")
    return residual[:-1] / -residual[-1] * size, multipliers


def _bisect_to_boundary(
    program: _Program, stable: Floats, unstable: Floats, bound: float
) -> Floats:
    """Return the last stable point found by bisection between `stable` and `unstable`."""
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
