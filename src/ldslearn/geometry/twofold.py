"""Kernels of two-fold systems in closed form (Sec. 6.2, Table 2)."""

from ldslearn._places import warn_once
from ldslearn._types import Floats
from ldslearn.geometry.closed_form import skew_sums, symmetric_sums
from ldslearn.geometry.pairs import BatchBases, make_bases, sum_pairs
from ldslearn.geometry.tiles import compute_by_tiles
from ldslearn.geometry.window_means import mean_over_windows
from ldslearn.models import LDS, canonical_skew, canonical_symmetric


@compute_by_tiles
@mean_over_windows
def symmetric_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return the projection kernel of the symmetric parts, in the closed form of Table 2."""
    bases = make_bases(_symmetric_bases, X, Y)
    return sum_pairs(symmetric_sums, *bases, n_jobs, "symmetric kernel")


@compute_by_tiles
@mean_over_windows
def skew_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return the projection kernel of the skew-symmetric parts, in the closed form of Table 2."""
    bases = make_bases(_skew_bases, X, Y)
    return sum_pairs(skew_sums, *bases, n_jobs, "skew kernel")


@warn_once
def twofold_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return the mean of :func:`symmetric_kernel` and :func:`skew_kernel` (two-fold systems)."""
    return 0.5 * (symmetric_kernel(X, Y, n_jobs=n_jobs) + skew_kernel(X, Y, n_jobs=n_jobs))


def _symmetric_bases(systems: LDS) -> BatchBases:
    form = systems._compute_once("symmetric", lambda: canonical_symmetric(systems))
    return BatchBases(
        (len(systems), systems.n_states), form.measurement.__getitem__, form.eigenvalues
    )


def _skew_bases(systems: LDS) -> BatchBases:
    form = systems._compute_once("skew", lambda: canonical_skew(systems))
    return BatchBases((len(systems), systems.n_states), form.basis.__getitem__, form.theta)
