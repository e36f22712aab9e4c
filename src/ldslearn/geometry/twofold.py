"""Kernels of two-fold systems in closed form (Sec. 6.2, Table 2)."""

from ldslearn._places import warn_once
from ldslearn._types import Floats
from ldslearn.geometry.pairs import Side, both_sides, sum_pairs
from ldslearn.geometry.spreading import over_blocks
from ldslearn.geometry.windows import mean_over_windows
from ldslearn.models import LDS, SkewForm, SymmetricForm, canonical_skew, canonical_symmetric


@over_blocks
@mean_over_windows
def symmetric_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return the projection kernel of the symmetric parts, in the closed form of Table 2."""
    sides = both_sides(_symmetric_side, X, Y)
    return sum_pairs("symmetric_sums", *sides, n_jobs, "symmetric kernel")


@over_blocks
@mean_over_windows
def skew_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return the projection kernel of the skew-symmetric parts, in the closed form of Table 2."""
    sides = both_sides(_skew_side, X, Y)
    return sum_pairs("skew_sums", *sides, n_jobs, "skew kernel")


@warn_once
def twofold_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return the mean of :func:`symmetric_kernel` and :func:`skew_kernel` (two-fold systems)."""
    return 0.5 * (symmetric_kernel(X, Y, n_jobs=n_jobs) + skew_kernel(X, Y, n_jobs=n_jobs))


def _symmetric_side(systems: LDS) -> Side:
    form: SymmetricForm | None = systems.__dict__.get("_symmetric_form")
    if form is None:
        form = systems.__dict__["_symmetric_form"] = canonical_symmetric(systems)
    return Side((len(systems), systems.n_states), form.measurement.__getitem__, form.eigenvalues)


def _skew_side(systems: LDS) -> Side:
    form: SkewForm | None = systems.__dict__.get("_skew_form")
    if form is None:
        form = systems.__dict__["_skew_form"] = canonical_skew(systems)
    return Side((len(systems), systems.n_states), form.basis.__getitem__, form.theta)
