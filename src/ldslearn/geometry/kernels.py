"""Kernels of observability subspaces, each ``f(X, Y=None, ...) -> (len(X), len(Y))``."""

from typing import Literal

from ldslearn import _errors
from ldslearn._checks import check_real
from ldslearn._places import warn_once
from ldslearn._types import Floats
from ldslearn.geometry.definiteness import POLICIES, apply_policy
from ldslearn.geometry.distances import squared_martin_distance
from ldslearn.geometry.pairs import check_pair, solve_pairs
from ldslearn.geometry.static_kernels import covariance_kernel, radial_kernel
from ldslearn.geometry.stein import squared_norms
from ldslearn.geometry.tiles import compute_by_tiles
from ldslearn.geometry.window_means import mean_over_windows
from ldslearn.models import LDS


@compute_by_tiles
@mean_over_windows
def projection_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    """Return |V1'V2|_F^2 of the observability subspaces of all pairs, Eq. (12).

    Parameters
    ----------
    X, Y : LDS
        Of the same channels; orders may differ. Y is X when None.
    n_jobs : int or None
        Threads, as in joblib; the result does not depend on it.
    """
    first, second = check_pair(X, Y)
    return solve_pairs(squared_norms, first, second, n_jobs, "projection kernel")


@warn_once
def martin_kernel(
    X: LDS,
    Y: LDS | None = None,
    *,
    bandwidth: float | Literal["median"] = 200.0,
    psd: Literal["clip", "raise", "ignore"] = "clip",
    n_jobs: int | None = None,
) -> Floats:
    """Return exp(-d^2 / bandwidth) of the Martin distances of all pairs, Eq. (10).

    The kernel is not positive definite in general, though the paper treats it so.

    Parameters
    ----------
    X, Y : LDS
        Of the same channels and order. Y is X when None.
    bandwidth : float or "median"
        The paper's sigma^2; 200 suits twenty states and many channels. It makes kernels of small
        systems all alike or nearly zero. "median" is the median squared distance between the
        given systems. Training and test systems need one number: compute it once.
    psd : "clip", "raise" or "ignore"
        What to do when Y is None and the matrix is indefinite: set its negative eigenvalues to
        zero, with a warning that says how large they were; raise an error; or do nothing.
    n_jobs : int or None
    """
    if psd not in POLICIES:
        raise _errors.unknown_name("psd", psd, POLICIES)
    K, _ = radial_kernel(squared_martin_distance, X, Y, bandwidth, n_jobs=n_jobs)
    part = apply_policy(K, psd, stacklevel=3) if Y is None or Y is X else None
    return K if part is None else part.gram


@warn_once
def hybrid_kernel(
    X: LDS, Y: LDS | None = None, *, mix: float = 0.5, n_jobs: int | None = None
) -> Floats:
    """Return mix * projection_kernel + (1 - mix) * covariance_kernel, Eq. (25).

    Parameters
    ----------
    X, Y : LDS
    mix : float
        The paper's beta, in [0, 1].
    n_jobs : int or None
    """
    check_real("mix", mix, "lie between 0 and 1", 0, 1)
    return mix * projection_kernel(X, Y, n_jobs=n_jobs) + (1 - mix) * covariance_kernel(
        X, Y, n_jobs=n_jobs
    )
