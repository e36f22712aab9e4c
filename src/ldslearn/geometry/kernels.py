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
    r"""Return the projection kernels of all pairs, Equation (12).

    Parameters
    ----------
    X, Y : LDS or LDSStore
        Of the same channels; orders may differ. `Y` is `X` when None.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    :math:`k = \| V_1^\top V_2 \|_F^2`, where the columns of :math:`V` are an orthonormal basis of
    the extended observability subspace, the span of :math:`[C; CA; CA^2; \dots]`.
    :math:`V_1^\top V_2` is the solution of a Stein equation: no infinite matrix is formed.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import projection_kernel
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> projection_kernel(X).round(3)
    array([[1.  , 0.17],
           [0.17, 1.  ]])
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
    r"""Return the Gaussian kernels of the Martin distances of all pairs, Equation (10).

    Parameters
    ----------
    X, Y : LDS or LDSStore
        Of the same channels and order. `Y` is `X` when None.
    bandwidth : float or "median", default=200.0
        The paper's :math:`\sigma^2`; 200 suits twenty states and many channels. It makes kernels of
        small systems all alike or nearly zero. "median" is the median squared distance between the
        given systems. Training and test systems need one number: compute it once.
    psd : "clip", "raise" or "ignore", default="clip"
        What to do when `Y` is None and the matrix is indefinite: set its negative eigenvalues to
        zero, with a warning that says how large they were; raise an error; or do nothing.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    :math:`k = \exp(-d^2 / \sigma^2)`, where :math:`d` is :func:`martin_distance`. The kernel is not
    positive definite in general, though the paper treats it so.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import martin_kernel
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> martin_kernel(X, bandwidth=2.0).round(3)
    array([[1.   , 0.412],
           [0.412, 1.   ]])
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
    r"""Return the hybrid kernels of dynamics and noise of all pairs, Equation (25).

    Parameters
    ----------
    X, Y : LDS or LDSStore
        With `B`, of the same channels; orders may differ. `Y` is `X` when None.
    mix : float, default=0.5
        The paper's :math:`\beta`, in [0, 1].
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    :math:`k = \beta k_\mathrm{projection} + (1 - \beta) k_\mathrm{covariance}`, of
    :func:`projection_kernel` and :func:`covariance_kernel`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 7. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import hybrid_kernel
    >>> X = LDS([[[0.5]], [[0.9]]], [[[1.0], [0.0]], [[0.6], [0.8]]], B=[[[1.0]], [[1.0]]])
    >>> hybrid_kernel(X, mix=0.8).round(3)
    array([[1.   , 0.208],
           [0.208, 1.   ]])
    """
    check_real("mix", mix, "lie between 0 and 1", 0, 1)
    return mix * projection_kernel(X, Y, n_jobs=n_jobs) + (1 - mix) * covariance_kernel(
        X, Y, n_jobs=n_jobs
    )
