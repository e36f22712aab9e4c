"""The best eigenvalues of an atom, all else fixed: one minimiser for every use.

The objective in one eigenvalue x is f(x) = (1-x^2) sum_i p_i / (1-x m_i)^2. The minimiser needs
values of f alone, so that it serves samples in memory, sums over blocks, and averages over the
batches of a stream.
"""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from ldslearn._compiling import njit
from ldslearn._types import Floats
from ldslearn.geometry.stein import OPTIONS
from ldslearn.models.spectrum import largest_singular_value

LIMIT = largest_singular_value(100)  # modulus: kernels accept a hundred such states

_N_NODES = 24  # of the polynomial that stands for f between two points of the grid
_ANGLES = np.pi * (np.arange(_N_NODES) + 0.5) / _N_NODES
_NODES = np.cos(_ANGLES)  # Chebyshev's, descending
_TO_COEFFICIENTS = 2.0 / _N_NODES * np.cos(np.outer(np.arange(_N_NODES), _ANGLES))
_TO_COEFFICIENTS[0] /= 2.0


class EigenvalueGrid(NamedTuple):
    """Points in [-limit, limit] that show every valley of f.

    With x = tanh u and m = tanh v, (1-x^2)(1-m^2) / (1-xm)^2 is 1 / cosh(u-v)^2: in u, f is a sum
    of bumps of one width. Steps of 1/3 miss waves of exp(-1.5 pi^2) of it, 4e-7. Beyond |u| = 4,
    where few eigenvalues of systems are, steps are at most 1.

    Attributes
    ----------
    limit : float
    places : (n,) array
        u, ascending.
    points : (n,) array
        x = tanh u.
    """

    limit: float
    places: Floats
    points: Floats

    @classmethod
    def of(cls, limit: float) -> Self:
        """Return the grid of an interval."""
        end = float(np.arctanh(limit))
        turn = min(4.0, end)
        inner = np.arange(np.ceil(3.0 * turn)) / 3.0
        outer = np.linspace(turn, end, 1 + int(np.ceil(end - turn)))
        half = np.concatenate([inner, outer])
        places = np.concatenate([-half[:0:-1], half])
        return cls(limit, places, np.clip(np.tanh(places), -limit, limit))

    def repeat(self, n_eigenvalues: int) -> Floats:
        """Return the points once per eigenvalue, (n_eigenvalues, n)."""
        return np.tile(self.points, (n_eigenvalues, 1))


GRID = EigenvalueGrid.of(LIMIT)


def best_eigenvalues(
    evaluate: Callable[[Floats], Floats],
    current: Floats,
    grid: EigenvalueGrid = GRID,
    on_grid: Floats | None = None,
) -> Floats:
    """Return the minimiser of every f on [-limit, limit], or `current` where that is lower.

    The grid finds the valleys. Those whose floor, by a parabola through three points, is above the
    lowest point of the grid are skipped. Between the neighbours of a valley, in u = artanh x, a
    polynomial through some points equals f to rounding; its minimum is the floor.

    Parameters
    ----------
    evaluate : callable
        Values of every f at points, (k, n_points) to (k, n_points). Called once, or twice without
        `on_grid`.
    current : (k,) array
    grid : EigenvalueGrid
    on_grid : (k, n) array, optional
        Values at the grid, if they are known.
    """
    heights = evaluate(grid.repeat(len(current))) if on_grid is None else on_grid
    ends = find_valleys(heights, grid.places)
    points = place_nodes(ends, current, grid.limit, _NODES)
    return pick_lowest(points, evaluate(points), ends, grid.limit, _NODES, _TO_COEFFICIENTS)


@njit(**OPTIONS)
def find_valleys(heights, places):  # type: ignore[no-untyped-def]
    """Both ends, in u, of the valleys that may hold the minimum of each f, (k, n_valleys, 2).

    `heights` (k, n) are values at the grid. All f have as many valleys as the one with most: the
    last valley is repeated.
    """
    k, n = heights.shape
    counts = np.zeros(k, dtype=np.intp)
    valleys = np.zeros((k, n), dtype=np.intp)
    for row in range(k):
        least = heights[row].min()
        for i in range(n):
            f = heights[row, i]
            left, right = heights[row, max(i - 1, 0)], heights[row, min(i + 1, n - 1)]
            if f <= left and f <= right and f - 0.5 * (max(left, right) - f) <= least:
                valleys[row, counts[row]] = i
                counts[row] += 1
    ends = np.empty((k, counts.max(), 2))
    for row in range(k):
        for v in range(ends.shape[1]):
            i = valleys[row, min(v, counts[row] - 1)]
            ends[row, v, 0], ends[row, v, 1] = places[max(i - 1, 0)], places[min(i + 1, n - 1)]
    return ends


@njit(**OPTIONS)
def to_eigenvalue(ends, t, limit):  # type: ignore[no-untyped-def]
    """The eigenvalue at t in [-1, 1] between the two ends of a valley."""
    x = np.tanh(0.5 * (ends[0] + ends[1]) + 0.5 * (ends[1] - ends[0]) * t)
    return min(max(x, -limit), limit)


@njit(**OPTIONS)
def place_nodes(ends, current, limit, nodes):  # type: ignore[no-untyped-def]
    """Points at which every f is needed, (k, n_valleys n_nodes + 1): all nodes, and `current`."""
    k, n_valleys, n_nodes = ends.shape[0], ends.shape[1], len(nodes)
    points = np.empty((k, n_valleys * n_nodes + 1))
    for row in range(k):
        for v in range(n_valleys):
            for j in range(n_nodes):
                points[row, v * n_nodes + j] = to_eigenvalue(ends[row, v], nodes[j], limit)
        points[row, -1] = current[row]
    return points


@njit(**OPTIONS)
def pick_lowest(points, values, ends, limit, nodes, to_coefficients):  # type: ignore[no-untyped-def]
    """The minimiser of each f from its values at the points of :func:`place_nodes`, (k,)."""
    n_nodes = len(nodes)
    best = points[:, -1].copy()
    for row in range(len(best)):
        least = values[row, -1]
        for v in range(ends.shape[1]):
            own = values[row, v * n_nodes : (v + 1) * n_nodes]
            t, height = minimize_polynomial(own, nodes, to_coefficients)
            if height < least:
                best[row], least = to_eigenvalue(ends[row, v], t, limit), height
    return best


@njit(**OPTIONS)
def evaluate_polynomial(t, coefficients):  # type: ignore[no-untyped-def]
    """Value, first and second derivative of a Chebyshev series at t, by Clenshaw's recurrence."""
    a, b, c = 0.0, 0.0, 0.0
    previous_a, previous_b, previous_c = 0.0, 0.0, 0.0
    for j in range(len(coefficients) - 1, 0, -1):
        c, previous_c = 2.0 * t * c - previous_c + 4.0 * b, c
        b, previous_b = 2.0 * t * b - previous_b + 2.0 * a, b
        a, previous_a = 2.0 * t * a - previous_a + coefficients[j], a
    value = t * a - previous_a + coefficients[0]
    return value, a + t * b - previous_b, 2.0 * b + t * c - previous_c


@njit(**OPTIONS)
def minimize_polynomial(values, nodes, to_coefficients):  # type: ignore[no-untyped-def]
    """Minimiser on [-1, 1] of the polynomial through values at nodes (descending), and its minimum.

    Newton steps, kept by bisection between the neighbours of the lowest node.
    """
    coefficients = to_coefficients @ values
    lowest = values.argmin()
    low = nodes[lowest + 1] if lowest < len(nodes) - 1 else -1.0
    high = nodes[lowest - 1] if lowest > 0 else 1.0
    t = best = nodes[lowest]
    least = values[lowest]
    for end in (low, high):  # next to the first or last node, the minimum may be at an end
        height = evaluate_polynomial(end, coefficients)[0]
        if height < least:
            best, least = end, height
    for _ in range(40):
        height, slope, curvature = evaluate_polynomial(t, coefficients)
        if height < least:
            best, least = t, height
        if slope > 0.0:
            high = t
        else:
            low = t
        step = t - slope / curvature if curvature > 0.0 else low - 1.0
        following = step if low < step < high else 0.5 * (low + high)
        if abs(following - t) <= 1e-14:
            break
        t = following
    return best, least
