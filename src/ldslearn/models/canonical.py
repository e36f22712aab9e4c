"""Two-fold canonical forms (Sec. 6.2, Lemma 3): symmetric and skew-symmetric parts of systems.

A symmetric or skew-symmetric transition matrix is normal, so that a unitary change of basis makes
it diagonal and the kernels of Table 2 closed-form.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ldslearn._checks import check_positive
from ldslearn._places import warn_once
from ldslearn._reprs import summarize_fields
from ldslearn._types import Complexes, Floats
from ldslearn.models.identification import largest_entry_signs
from ldslearn.models.lds import LDS, as_systems
from ldslearn.models.structured_parts import (
    find_planes,
    fit_structured_parts,
    limit_eigenvalues,
    turn_planes,
)


@dataclass(frozen=True, eq=False)
class SymmetricForm:
    r"""Canonical tuples :math:`(\Lambda, U)` of N symmetric systems (Lemma 3).

    Returned by :func:`canonical_symmetric`.

    Parameters
    ----------
    eigenvalues : (N, n_states) array
        Real, descending, within (-1, 1).
    measurement : (N, n_channels, n_states) array
        Real, orthonormal columns; the largest entry of each is positive.
    delays : int, default=1
        Consecutive samples stacked in a measurement.

    Notes
    -----
    The systems are :math:`A = \mathrm{diag}(\Lambda)`, :math:`C = U`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.models import canonical_symmetric
    >>> form = canonical_symmetric(LDS(A=[[0.5, 0.4], [0.0, 0.5]], C=[[1.0, 0.0], [0.0, 1.0]]))
    >>> form.eigenvalues.round(3)
    array([[0.7, 0.3]])
    >>> form.systems()
    LDS(1 system, n_channels=2, n_states=2)
    """

    eigenvalues: Floats
    measurement: Floats
    delays: int = 1

    __repr__ = summarize_fields

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def systems(self) -> LDS:
        r"""Return the real systems :math:`(\mathrm{diag}(\Lambda), U)` as an `LDS` batch."""
        A = self.eigenvalues[:, :, None] * np.eye(self.eigenvalues.shape[1])
        return LDS(A, self.measurement, delays=self.delays)


@dataclass(frozen=True, eq=False)
class SkewForm:
    r"""Canonical tuples of N skew-symmetric systems as real pairs :math:`(\Theta, Q)` (Lemma 3).

    Returned by :func:`canonical_skew`.

    Parameters
    ----------
    theta : (N, n_states // 2) array
        Descending, within [0, 1): the eigenvalues are :math:`\pm i\theta`, and 0 once more
        for odd n.
    basis : (N, n_channels, n_states) array
        :math:`Q`: real, orthonormal columns; columns 2k and 2k + 1 span the plane of the k-th
        :math:`\theta`, and the last column stands alone for odd n.
    delays : int, default=1
        Consecutive samples stacked in a measurement.

    Notes
    -----
    The systems are :math:`A = \Theta`, :math:`C = Q`: :math:`\Theta` is block diagonal, with one
    block :math:`\begin{pmatrix} 0 & \theta \\ -\theta & 0 \end{pmatrix}` per plane.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.models import canonical_skew
    >>> form = canonical_skew(LDS(A=[[0.5, 0.4], [0.0, 0.5]], C=[[1.0, 0.0], [0.0, 1.0]]))
    >>> form.theta.round(3)
    array([[0.2]])
    >>> abs(form.eigenvalues).round(3)
    array([[0.2, 0.2]])
    """

    theta: Floats
    basis: Floats
    delays: int = 1

    __repr__ = summarize_fields

    def __len__(self) -> int:
        return len(self.theta)

    @property
    def eigenvalues(self) -> Complexes:
        r""":math:`\Lambda = i\theta_1, -i\theta_1, i\theta_2, \dots` (0), shape (N, n_states)."""
        values = np.zeros((len(self), self.basis.shape[2]), dtype=np.complex128)
        pairs = 2 * self.theta.shape[1]
        values[:, 0:pairs:2] = 1j * self.theta
        values[:, 1:pairs:2] = -1j * self.theta
        return values

    @property
    def measurement(self) -> Complexes:
        r""":math:`U`: :math:`(q_1 + i q_2) / \sqrt 2`, its conjugate, ..., (the lone column)."""
        U = self.basis.astype(np.complex128)
        pairs = 2 * self.theta.shape[1]
        first, second = self.basis[:, :, 0:pairs:2], self.basis[:, :, 1:pairs:2]
        U[:, :, 0:pairs:2] = (first + 1j * second) / np.sqrt(2)
        U[:, :, 1:pairs:2] = (first - 1j * second) / np.sqrt(2)
        return U

    def systems(self) -> LDS:
        """Return the real systems as an `LDS` batch.

        `A` has blocks ``[[0, theta], [-theta, 0]]`` on its diagonal, and `C` is `basis`.
        """
        n_states = self.basis.shape[2]
        A = np.zeros((len(self), n_states, n_states))
        k = 2 * np.arange(self.theta.shape[1])
        A[:, k, k + 1] = self.theta
        A[:, k + 1, k] = -self.theta
        return LDS(A, self.basis, delays=self.delays)


@warn_once
def canonical_symmetric(
    systems: LDS, states: Any = None, *, scale: float | None = 2.5
) -> SymmetricForm:
    r"""Return the canonical form of the symmetric parts of a batch (Lemma 3).

    Parameters
    ----------
    systems : LDS
    states : list of N (n_states, n_timepoints) arrays, optional
        Such as ``systems.states(sequences)``; see Notes.
    scale : float or None, default=2.5
        Soft normalisation, Eq. (2), of a part fitted to `states`; None leaves it as fitted.

    Returns
    -------
    SymmetricForm

    Notes
    -----
    Without `states` the part is :math:`(A + A^\top)/2`, as in the paper. With them it is the
    symmetric matrix :math:`S` that reconstructs them best: it minimises
    :math:`\sum_t \|x(t+1) - S x(t)\|^2`, in closed form.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.models import canonical_symmetric
    >>> system = LDS(A=[[0.5, 0.4], [0.0, 0.5]], C=[[1.0, 0.0], [0.0, 1.0]])
    >>> canonical_symmetric(system).systems().A.round(3)
    array([[[0.7, 0. ],
            [0. , 0.3]]])
    """
    A = _check_arguments(systems, scale).A
    part = (
        0.5 * (A + A.swapaxes(1, 2))
        if states is None
        else fit_structured_parts(systems, states, sign=1)
    )
    eigenvalues, vectors = np.linalg.eigh(part)
    eigenvalues, vectors = eigenvalues[:, ::-1], vectors[:, :, ::-1]
    scale = None if states is None else scale
    eigenvalues = limit_eigenvalues(eigenvalues, scale, "symmetric", systems.n_states)
    U = systems.C @ vectors
    U *= largest_entry_signs(U)
    return SymmetricForm(eigenvalues, U, systems.delays)


@warn_once
def canonical_skew(systems: LDS, states: Any = None, *, scale: float | None = 2.5) -> SkewForm:
    r"""Return the canonical form of the skew-symmetric parts of a batch (Lemma 3).

    Parameters
    ----------
    systems : LDS
    states : list of N (n_states, n_timepoints) arrays, optional
        Such as ``systems.states(sequences)``; see Notes.
    scale : float or None, default=2.5
        Soft normalisation, Eq. (2), of a part fitted to `states`; None leaves it as fitted.

    Returns
    -------
    SkewForm

    Notes
    -----
    Without `states` the part is :math:`(A - A^\top)/2`, as in the paper. With them it is the
    skew-symmetric matrix :math:`S` that reconstructs them best: it minimises
    :math:`\sum_t \|x(t+1) - S x(t)\|^2`, in closed form.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.models import canonical_skew
    >>> system = LDS(A=[[0.5, 0.4], [0.0, 0.5]], C=[[1.0, 0.0], [0.0, 1.0]])
    >>> canonical_skew(system).systems().A.round(3)
    array([[[ 0. ,  0.2],
            [-0.2,  0. ]]])
    """
    A = _check_arguments(systems, scale).A
    part = (
        0.5 * (A - A.swapaxes(1, 2))
        if states is None
        else fit_structured_parts(systems, states, sign=-1)
    )
    theta, W = find_planes(part)
    scale = None if states is None else scale
    theta = limit_eigenvalues(theta, scale, "skew-symmetric", systems.n_states)
    Q = systems.C @ W
    turn_planes(Q, theta.shape[1])
    return SkewForm(theta, Q, systems.delays)


def _check_arguments(systems: LDS, scale: float | None) -> LDS:
    if scale is not None:
        check_positive("scale", scale, "be positive or None")
    return as_systems(systems)
