"""One atom and samples that are elsewhere: the sums of the joint update, block by block.

All that an update asks of the samples is a sum over them: the value, the pulls S_k u_k, and the
objective in one eigenvalue at some points. So per question an atom travels to the blocks, n m
numbers, and as many come back.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval, chebvander

from ldslearn._parallel import Engine
from ldslearn._types import Floats
from ldslearn.dictionary.updates import GRID, LIMIT, PLACES, AtomProblem, View

Answer = tuple[float, Floats | None, Floats]

_NODES = 24  # of the polynomial that stands for the objective in an eigenvalue between two points
_NO_POINTS = np.empty((0, 0))
_ANGLES = np.pi * (np.arange(_NODES) + 0.5) / _NODES
_PLACES = np.cos(_ANGLES)
_TO_COEFFICIENTS = 2.0 / _NODES * np.cos(np.outer(np.arange(_NODES), _ANGLES))
_TO_COEFFICIENTS[0] /= 2.0
_FINE = np.linspace(-1.0, 1.0, 65)
_FINE_BASIS = chebvander(_FINE, _NODES - 1)
_NEWTON = 30  # steps, or halvings where Newton's leave the valley


class SpreadProblem:
    """The objective in one atom, as :class:`AtomProblem`, with samples in blocks.

    Parameters
    ----------
    here : AtomProblem or None
        All other atoms.
    parts : list
        Handles of the samples that use the atom, lists of an AtomProblem per term.
    term : int
        Which of them.
    kind : "symmetric", "skew" or "plain"
    positive : float
        Sum of the positive weights of the samples.
    engine : Engine
    """

    def __init__(
        self,
        here: AtomProblem | None,
        parts: list[Any],
        term: int,
        kind: str,
        positive: float,
        engine: Engine,
    ) -> None:
        self.here, self.parts, self.term, self.engine = here, parts, term, engine
        self.kind = kind
        self.largest = positive + (0.0 if here is None else here.largest)

    def view(self, rows: Floats, eigenvalues: Floats) -> "SpreadView":
        """Return the atom as it looks here."""
        return SpreadView(self, rows, eigenvalues, np.tile(GRID, (len(eigenvalues), 1)))

    def start(self, rows: Floats, eigenvalues: Floats) -> "SpreadView":
        """Return the atom before its first step, of which the pull is needed."""
        return SpreadView(self, rows, eigenvalues, None)

    def ask(self, rows: Floats, eigenvalues: Floats, points: Floats | None) -> Answer:
        """Value, pull if no points are given, and the objective in every eigenvalue at `points`."""
        question = (self.term, rows, eigenvalues, points)
        value, curves = 0.0, np.zeros((0, 0) if points is None else points.shape)
        pull = np.zeros(rows.shape) if points is None else None
        if self.here is not None:
            value, pull, curves = answer([self.here], 0, rows, eigenvalues, points)
        for found in self.engine.map(answer, [(part,) for part in self.parts], *question):
            value += found[0]
            curves = curves + found[2]
            if pull is not None and found[1] is not None:
                pull += found[1]
        return value, pull, curves


AnyProblem = AtomProblem | SpreadProblem


class SpreadView(View):
    """An atom in a :class:`SpreadProblem`: its value, and what moves it, asked for at once."""

    def __init__(
        self, problem: SpreadProblem, rows: Floats, eigenvalues: Floats, points: Floats | None
    ) -> None:
        self.spread, self.rows, self.eigenvalues = problem, rows, eigenvalues
        if not len(eigenvalues):
            points = None  # subspaces have nothing but columns
        self.value, self._pull, self._curves = problem.ask(rows, eigenvalues, points)
        self._has_curves = points is not None

    def pull(self) -> Floats:
        """The rows S_k u_k, (n, m)."""
        if self._pull is None:
            self._pull = self.spread.ask(self.rows, self.eigenvalues, None)[1]
        return self._pull  # type: ignore[return-value]

    def better(self) -> "SpreadView":
        """Return the same columns with each eigenvalue at its best."""
        if not len(self.eigenvalues):
            return self
        if not self._has_curves:
            points = np.tile(GRID, (len(self.eigenvalues), 1))
            self._curves, self._has_curves = self._at(points), True
        best = best_eigenvalues(self._at, self._curves, self.eigenvalues)
        return SpreadView(self.spread, self.rows, best, None)

    def _at(self, points: Floats) -> Floats:
        return self.spread.ask(self.rows, self.eigenvalues, points)[2]


def answer(
    part: Any, term: int, rows: Floats, eigenvalues: Floats, points: Floats | None
) -> Answer:
    """What the samples of one block add: value, pull or nothing, values at points."""
    problem: AtomProblem = (part() if callable(part) else part)[term]
    G = problem.products_again(rows)
    value, H = problem.weigh(G, eigenvalues)
    if points is None:
        return value, problem.pull(H), _NO_POINTS
    from ldslearn.dictionary import terms

    curves = np.empty(points.shape)
    for k in range(len(points)):
        terms.values_on_grid(points[k], *problem.eigenvalue_terms(G, k), curves[k])
    return value, None, curves


def best_eigenvalues(at: Callable[[Floats], Floats], on_grid: Floats, current: Floats) -> Floats:
    """Return each eigenvalue at its best, as :func:`terms.best_eigenvalue`, from few questions.

    The grid finds the valleys, of which the two that may be lowest are asked about. Between its
    neighbours, in u = artanh x, a polynomial through some points is the objective to rounding, and
    its lowest point is the floor.

    Parameters
    ----------
    at : callable
        Objective in every eigenvalue at points (k, n_points).
    on_grid : (k, len(GRID)) array
    current : (k,) array
    """
    last = len(GRID) - 1
    left = np.concatenate([on_grid[:, :1], on_grid[:, :-1]], axis=1)
    right = np.concatenate([on_grid[:, 1:], on_grid[:, -1:]], axis=1)
    floors = on_grid - 0.5 * (np.maximum(left, right) - on_grid)
    floors[(on_grid > left) | (on_grid > right)] = np.inf
    valleys = [*np.argsort(floors, axis=1, kind="stable")[:, :2].T]
    ends = [(PLACES[np.maximum(v - 1, 0)], PLACES[np.minimum(v + 1, last)]) for v in valleys]
    nodes = [_between(low, high, _PLACES) for low, high in ends]
    values = at(np.concatenate([*nodes, current[:, None]], axis=1))
    best, least = current, values[:, -1]
    for number, (low, high) in enumerate(ends):
        t, height = _lowest(values[:, number * _NODES : (number + 1) * _NODES])
        lower = height < least
        best = np.where(lower, _between(low, high, t[:, None])[:, 0], best)
        least = np.where(lower, height, least)
    return best


def _between(low: Floats, high: Floats, t: Floats) -> Floats:
    """Eigenvalues at places t in [-1, 1] of intervals from `low` to `high`, in u = artanh x."""
    places = 0.5 * (low + high)[:, None] + 0.5 * (high - low)[:, None] * t
    return np.clip(np.tanh(places), -LIMIT, LIMIT)


def _lowest(values: Floats) -> tuple[Floats, Floats]:
    """Where in [-1, 1] polynomials through values at Chebyshev nodes are lowest, and how low."""
    coefficients = _TO_COEFFICIENTS @ values.T
    heights = _FINE_BASIS @ coefficients
    place = heights.argmin(axis=0)
    t, low, high = _FINE[place], _FINE[np.maximum(place - 1, 0)], _FINE[np.minimum(place + 1, 64)]
    slope = chebder(coefficients)
    bend = chebder(slope)
    for _ in range(_NEWTON):
        down, curvature = chebval(t, slope, tensor=False), chebval(t, bend, tensor=False)
        low, high = np.where(down > 0, low, t), np.where(down > 0, t, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = t - down / curvature
        before = t
        t = np.where((curvature > 0) & (step > low) & (step < high), step, 0.5 * (low + high))
        if np.abs(t - before).max() < 1e-14:
            break
    found = chebval(t, coefficients, tensor=False)
    ends = heights.min(axis=0)
    return np.where(found < ends, t, _FINE[place]), np.minimum(found, ends)
