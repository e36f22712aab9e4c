"""Homotopy for the lasso on a Gram matrix: exact codes from paths of solutions.

With c = k - K z the correlations of the residual, z minimises z'Kz - 2 z'k + sparsity |z|_1 when
c_j = bound sign(z_j) on the active atoms and |c_j| <= bound on the others; bound = sparsity / 2.
Start where a solution is known and move the problem linearly to the wanted one: the solution
moves linearly, too, until an atom reaches the bound and joins, or a coefficient reaches zero and
leaves. There are two such starts: z = 0 with the bound at max |k|, which is then lowered; and
any z, for a modified k for which z is optimal; k is then moved back to its true value.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ldslearn._types import Floats, Indices
from ldslearn.coding.path_following import EXCLUDED, FREE, JOINING, Paths, follow

_SMALL = 256  # atoms: products with all of them take no time
_MAX_PASSES = 4
_CONVERGED = 1e-13  # KKT residual, relative to max |k|: stop
_ACCEPTABLE = 1e-9  # a larger one is a failure
_PERTURBATIONS = (0.0, 1e-9, 1e-7, 1e-5)  # relative, of k, of one descent after another


def descend(
    K: Floats,
    bound: float,
    excluded: NDArray[np.bool_],
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    k: Floats,
    trace: tuple[Floats, Floats] | None = None,
) -> int:
    """Fill z with solutions by lowering the bound from where they are zero.

    k is overwritten. Returns the steps of the last sample.
    """
    sizes = k if nonnegative else np.abs(k)
    starts = np.where(excluded, bound, sizes).max(axis=1, initial=bound)
    roles = np.where(np.broadcast_to(excluded, k.shape), EXCLUDED, FREE).astype(np.int8)
    z[:] = 0.0
    paths = Paths.at(bound, z, k, np.zeros_like(k), roles)
    paths.bounds[:], paths.times[:] = starts, starts - bound
    follow(K, paths, -1.0, nonnegative, max_steps, trace)
    return int(paths.steps[-1])


def correlate(K: Floats, k: Floats, z: Floats) -> Floats:
    """Return k - K z of some samples."""
    if len(K) <= _SMALL:
        return np.asarray(k - z @ K)
    rows, columns = np.nonzero(z)
    ends = np.searchsorted(rows, np.arange(len(z) + 1))
    return np.asarray(k - csr_array((z[rows, columns], columns, ends), shape=z.shape) @ K)


def code_rows(
    K: Floats,
    cross: Floats,
    excluded: NDArray[np.bool_],
    bound: float,
    nonnegative: bool,
    warm: bool,
    max_steps: int,
    codes: Floats,
    residuals: Floats,
) -> None:
    """Fill `codes` and their KKT residuals for every row of `cross`.

    With `warm` the search starts at the codes given. `excluded` has one row for all samples, or one
    per sample.

    A solution is found by paths in turn: a descent, unless there are codes to start at, and then
    corrections. Ties between atoms can cause cycles: the next descent is for a perturbed k.
    """
    excluded = np.broadcast_to(excluded, cross.shape)
    largest = np.where(excluded, 0.0, np.abs(cross)).max(axis=1, initial=0.0)
    residuals[:] = np.inf
    rows = np.arange(len(cross))
    for perturbation in (None, *_PERTURBATIONS) if warm else _PERTURBATIONS:
        k, out, z = cross[rows], excluded[rows], codes[rows]
        if perturbation is None:
            z[out] = 0.0
        else:
            moved = k.copy()
            if perturbation:
                moved *= 1.0 + perturbation * np.sin(np.arange(1.0, len(K) + 1.0))
            descend(K, bound, out, nonnegative, max_steps, z, moved)
        _improve(K, k, out, bound, nonnegative, max_steps, z, largest, rows, codes, residuals)
        rows = rows[~(residuals[rows] <= _ACCEPTABLE * largest[rows])]
        if not len(rows):
            break


def _improve(
    K: Floats,
    k: Floats,
    excluded: NDArray[np.bool_],
    bound: float,
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    largest: Floats,
    rows: Indices,
    codes: Floats,
    residuals: Floats,
) -> None:
    """Write z to some rows of `codes` where it is better, and again after corrections.

    A correction starts from the modified problem that z solves, and removes the errors of rounding
    and of degenerate steps of the previous path.
    """
    smallest = np.full(len(rows), np.inf)
    for n_passes in range(_MAX_PASSES):
        if nonnegative:
            z[z < 0.0] = 0.0
        c = correlate(K, k, z)
        is_active = z != 0.0
        sizes = c if nonnegative else np.abs(c)
        violations = np.where(excluded, 0.0, sizes - bound)  # as kkt_violation
        violations[is_active] = np.abs(c - bound * np.sign(z))[is_active]
        found = violations.max(axis=1, initial=0.0)
        better = found < residuals[rows]
        residuals[rows[better]], codes[rows[better]] = found[better], z[better]
        left = (found < smallest) & (found > _CONVERGED * largest[rows])
        if n_passes == _MAX_PASSES - 1 or not left.any():
            break
        rows, k, excluded, z, c, smallest = (
            part[left] for part in (rows, k, excluded, z, c, found)
        )
        _correct(K, bound, excluded, nonnegative, max_steps, z, c)


def _correct(
    K: Floats,
    bound: float,
    excluded: NDArray[np.bool_],
    nonnegative: bool,
    max_steps: int,
    z: Floats,
    c: Floats,
) -> None:
    """Move z to solutions from those of the problems that they solve, with their c = k - K z."""
    optimal, changes = clip_correlations(c, z, bound, nonnegative)
    roles = np.where(excluded, EXCLUDED, JOINING * np.sign(z)).astype(np.int8)
    follow(K, Paths.at(bound, z, optimal, changes, roles), 0.0, nonnegative, max_steps)


def clip_correlations(
    c: Floats, z: Floats, bound: float, nonnegative: bool
) -> tuple[Floats, Floats]:
    """Return the correlations for which z is optimal, and what they differ by from c."""
    optimal = np.clip(c, -np.inf if nonnegative else -bound, bound)
    optimal = np.where(z != 0.0, bound * np.sign(z), optimal)
    return optimal, c - optimal
