"""Kernels of two-fold systems in closed form (Sec. 6.2, Table 2)."""

import numpy as np

from ldslearn._types import Floats
from ldslearn.geometry.closed_form import skew_sums, symmetric_sums
from ldslearn.geometry.finite_observability import MANY_CHANNELS, multiply_both_sides
from ldslearn.geometry.pairs import BatchBases, make_bases, sum_pairs
from ldslearn.geometry.tiles import compute_by_tiles
from ldslearn.geometry.window_means import mean_over_windows
from ldslearn.models import LDS, canonical_skew, canonical_symmetric

_SUMS = {"symmetric": symmetric_sums, "skew": skew_sums}


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
    return _mean_over_parts(("symmetric",), X, Y, n_jobs)


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
    return _mean_over_parts(("skew",), X, Y, n_jobs)


@compute_by_tiles
@mean_over_windows
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
    return _mean_over_parts(("symmetric", "skew"), X, Y, n_jobs)


def _mean_over_parts(parts: tuple[str, ...], X: LDS, Y: LDS | None, n_jobs: int | None) -> Floats:
    """Return the mean of the kernels of some parts, each from the products of bases C W."""
    if len(parts) > 1 and X.n_channels > MANY_CHANNELS * X.n_states:
        return _mean_from_shared_products(parts, X, Y, n_jobs)
    found = []
    for part in parts:

        def make(systems: LDS, part: str = part) -> BatchBases:
            W, eigenvalues = _find_part(systems, part)
            size = len(systems), systems.n_states
            return BatchBases(size, lambda block: systems.C[block] @ W[block], eigenvalues)

        bases = make_bases(make, X, Y)
        found.append(sum_pairs(_SUMS[part], *bases, n_jobs, f"{part} kernel"))
    return np.mean(found, axis=0) if len(parts) > 1 else found[0]


def _mean_from_shared_products(
    parts: tuple[str, ...], X: LDS, Y: LDS | None, n_jobs: int | None
) -> Floats:
    """:func:`_mean_over_parts` from products over channels that are computed once, W1' (C1'C2) W2.

    The matrices W are small, and so are products with them if there are many channels.
    """

    def make(systems: LDS) -> BatchBases:
        n, forms = systems.n_states, [_find_part(systems, part) for part in parts]
        # W and the eigenvalues as a last row, which ends with zeros for planes
        packed = np.zeros((len(systems), len(parts), n + 1, n))
        for k, (W, eigenvalues) in enumerate(forms):
            packed[:, k, :n], packed[:, k, n, : eigenvalues.shape[1]] = W, eigenvalues
        return BatchBases((len(systems), n), systems.C.__getitem__, packed)

    def add_up(first: Floats, second: Floats, G: Floats, out: Floats) -> None:
        n1, n2 = first.shape[3], second.shape[3]
        kernels = np.empty((len(parts), *out.shape))
        for k, part in enumerate(parts):
            W1, W2 = first[:, k], second[:, k]
            products = multiply_both_sides(W1[:, :n1], G, W2[:, :n2])
            per = 1 if part == "symmetric" else 2  # columns per eigenvalue
            eigenvalues = W1[:, n1, : n1 // per], W2[:, n2, : n2 // per]
            _SUMS[part](*eigenvalues, products, kernels[k])
        kernels.mean(axis=0, out=out)

    return sum_pairs(add_up, *make_bases(make, X, Y), n_jobs, "two-fold kernel")


def _find_part(systems: LDS, part: str) -> tuple[Floats, Floats]:
    """Return W, (N, n, n), and the eigenvalues of canonical forms whose measurement is C W."""

    def find() -> tuple[Floats, Floats]:
        identity = np.broadcast_to(np.eye(systems.n_states), systems.A.shape)
        inner = LDS._from_trusted(A=systems.A, C=identity)  # states as channels
        if part == "symmetric":
            form = canonical_symmetric(inner)
            return form.measurement, form.eigenvalues
        planes = canonical_skew(inner)
        return planes.basis, planes.theta

    return systems._compute_once(part, find)
