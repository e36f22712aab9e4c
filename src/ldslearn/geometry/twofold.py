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
    r"""Return the projection kernels of the symmetric parts of all pairs (Table 2).

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
    In closed form, for canonical forms :math:`(\Lambda, U)` of the parts
    (:func:`ldslearn.models.canonical_symmetric`),

    .. math:: k = \sum_{a,b} \frac{(1 - \lambda_a^2)(1 - \mu_b^2)}{(1 - \lambda_a \mu_b)^2}
              (u_a^\top w_b)^2.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.2, Table 2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import symmetric_kernel
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> symmetric_kernel(X).round(3)
    array([[1.  , 0.17],
           [0.17, 1.  ]])
    """
    bases = make_bases(_symmetric_bases, X, Y)
    return sum_pairs(symmetric_sums, *bases, n_jobs, "symmetric kernel")


@compute_by_tiles
@mean_over_windows
def skew_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    r"""Return the projection kernels of the skew-symmetric parts of all pairs (Table 2).

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
    In closed form, for canonical forms :math:`(\Theta, Q)` of the parts
    (:func:`ldslearn.models.canonical_skew`), with planes :math:`(q_1, q_2)` of :math:`\theta` and
    :math:`(w_1, w_2)` of :math:`\phi` and products :math:`g_{ij} = q_i^\top w_j`, the kernel is the
    sum over pairs of planes

    .. math:: k = \sum \frac{(1 - \theta^2)(1 - \phi^2)}{2} \left[
              \frac{(g_{11} + g_{22})^2 + (g_{12} - g_{21})^2}{(1 - \theta\phi)^2} +
              \frac{(g_{11} - g_{22})^2 + (g_{12} + g_{21})^2}{(1 + \theta\phi)^2} \right].

    The last column of an odd order is a real one with eigenvalue 0.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.2, Table 2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import skew_kernel
    >>> turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> X = LDS(A=[0.5 * turn, 0.9 * turn], C=[np.eye(2), np.eye(2)])
    >>> skew_kernel(X).round(3)
    array([[2.   , 0.942],
           [0.942, 2.   ]])
    """
    bases = make_bases(_skew_bases, X, Y)
    return sum_pairs(skew_sums, *bases, n_jobs, "skew kernel")


@warn_once
def twofold_kernel(X: LDS, Y: LDS | None = None, *, n_jobs: int | None = None) -> Floats:
    r"""Return the kernels of two-fold systems of all pairs: the means of both parts (Section 6.2).

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
    :math:`k = (k_\mathrm{symmetric} + k_\mathrm{skew}) / 2`, of :func:`symmetric_kernel` and
    :func:`skew_kernel`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import twofold_kernel
    >>> X = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> twofold_kernel(X).round(3)
    array([[1.   , 0.265],
           [0.265, 1.   ]])
    """
    return 0.5 * (symmetric_kernel(X, Y, n_jobs=n_jobs) + skew_kernel(X, Y, n_jobs=n_jobs))


def _symmetric_bases(systems: LDS) -> BatchBases:
    form = systems._compute_once("symmetric", lambda: canonical_symmetric(systems))
    return BatchBases(
        (len(systems), systems.n_states), form.measurement.__getitem__, form.eigenvalues
    )


def _skew_bases(systems: LDS) -> BatchBases:
    form = systems._compute_once("skew", lambda: canonical_skew(systems))
    return BatchBases((len(systems), systems.n_states), form.basis.__getitem__, form.theta)
