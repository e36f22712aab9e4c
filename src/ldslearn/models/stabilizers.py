"""Stable transition matrices from unstable ones (Sec. 4.2), one dispatcher over a registry."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, overload

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from ldslearn import _errors
from ldslearn._checks import check_between, check_positive
from ldslearn._types import Floats
from ldslearn.models.certificate import StabilityCertificate, reconstruction_errors
from ldslearn.models.constraint_generation import constraint_generation, dwls, wls
from ldslearn.models.spectrum import (
    largest_singular_value,
    shrink_to_gramian,
    spectral_radius,
    unit_scale,
)
from ldslearn.models.stabilizer_checks import check_matrices, check_states

_LARGEST_ENTRY = 1e12  # of a matrix whose difference from a stable one has digits to optimise
_ROUNDING = 4 * np.finfo(np.float64).eps  # relative to the largest entry of a matrix


def soften(A: Floats, scale: float) -> Floats:
    """Apply soft normalisation, Eq. (2): singular values s -> 2 Sig(a s) - 1 = tanh(a s / 2)."""
    unit, factors = unit_scale(A)
    U, s, Vt = np.linalg.svd(unit)
    with np.errstate(over="ignore"):
        s = 0.5 * scale * (s * factors[..., 0])
    return (U * limit_softly(s, A.shape[-1])[:, None]) @ Vt


def limit_softly(values: Floats, n_states: int) -> Floats:
    """Return tanh, kept so far from -1 and 1 that kernels of n_states such values are accurate."""
    limit = largest_singular_value(n_states)
    return np.clip(np.tanh(values), -limit, limit)


def shrink(A: Floats, bound: float) -> Floats:
    """Multiply each matrix whose spectral radius exceeds `bound` by bound / radius."""
    stable, outside = A.copy(), spectral_radius(A) > bound
    stable[outside] = _keep_within(A[outside], bound)
    return stable


def _keep_within(A: Floats, bound: float) -> Floats:
    """Shrink matrices until their radius is within `bound` despite rounding."""
    stable, limit = A, bound * (1 - 1e-12)
    for _ in range(8):  # the eigenvalues of a defective matrix move when it is rounded
        radius = _largest_radius(stable)
        if (radius <= limit).all():
            break
        factor = np.where(radius > limit, limit / radius * (1 - 1e-12), 1.0)
        stable = stable * factor[:, None, None]
    return stable


def _largest_radius(A: Floats) -> Floats:
    """Return the spectral radius plus what rounding may add to it.

    Nearly defective matrices suffer most, and `clip` makes such matrices: it gives several
    eigenvalues one modulus. Rounding differs between similar matrices as it differs between builds
    of LAPACK. Computed eigenvalues are those of a matrix that differs from A by a small multiple
    of the machine precision, so two such matrices are tried, too. Triangular matrices are not
    changed: their eigenvalues, the diagonal, are computed exactly.
    """
    n = A.shape[-1]
    pattern = np.cos(np.add.outer(np.arange(n), 2.0 * np.arange(n)))  # without structure
    triangular = (np.tril(A, -1) == 0).all(axis=(-2, -1)) | (np.triu(A, 1) == 0).all(axis=(-2, -1))
    size = _ROUNDING * np.abs(A).max(axis=(-2, -1)) * ~triangular
    change = size[:, None, None] * pattern
    similar = (A, A.swapaxes(-1, -2), A[..., ::-1, ::-1], A + change, A - change)
    radii = np.stack([spectral_radius(matrices) for matrices in similar])
    return radii.max(axis=0) + 2 * np.ptp(radii, axis=0)


def clip(A: Floats, bound: float) -> Floats:
    """Pull eigenvalues of modulus above `bound` back to it along their rays.

    Done on the diagonal blocks of the real Schur form, which exists and is well conditioned for
    defective matrices, too. No eigenvectors are computed.
    """
    clipped = A.copy()
    for index in np.flatnonzero(spectral_radius(A) > bound):
        T, Z = scipy.linalg.schur(A[index], output="real")
        k = 0
        while k < len(T):
            width = 2 if k + 1 < len(T) and T[k + 1, k] != 0.0 else 1
            block = T[k : k + width, k : k + width]
            modulus = np.abs(np.linalg.eigvals(block)).max()
            block *= min(1.0, bound / modulus) if modulus > 0 else 1.0
            k += width
        clipped[index] = Z @ T @ Z.T
    return clipped


_CLOSED_FORM: dict[str, Callable[[Floats, float, float], Floats]] = {
    "soft": lambda A, scale, bound: soften(A, scale),
    "scale": lambda A, scale, bound: shrink(A, bound),
    "clip": lambda A, scale, bound: clip(A, bound),
    "none": lambda A, scale, bound: A,
}
_OPTIMISED: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "dwls": dwls,
    "wls": wls,
    "constraint": constraint_generation,
}
# The docstring of `stabilize` and the help of the option --stabilizer list these names, too.
STABILIZERS = (*_CLOSED_FORM, *_OPTIMISED)


@overload
def stabilize(
    A: ArrayLike,
    states: Any = ...,
    method: str = ...,
    *,
    scale: float = ...,
    bound: float = ...,
    return_certificate: Literal[False] = ...,
) -> Floats: ...
@overload
def stabilize(
    A: ArrayLike,
    states: Any = ...,
    method: str = ...,
    *,
    scale: float = ...,
    bound: float = ...,
    return_certificate: Literal[True],
) -> tuple[Floats, StabilityCertificate]: ...
def stabilize(
    A: ArrayLike,
    states: Any = None,
    method: str = "soft",
    *,
    scale: float = 2.5,
    bound: float = 0.99,
    return_certificate: bool = False,
) -> Floats | tuple[Floats, StabilityCertificate]:
    r"""Return stable transition matrices close to A (Section 4.2).

    Parameters
    ----------
    A : (n_states, n_states) or (N, n_states, n_states) array
        Transition matrices.
    states : list of N (n_states, n_timepoints) arrays, or one 3-D array, optional
        Needed by "dwls", "wls" and "constraint", and for the errors in the certificate.
    method : str, default="soft"
        ================  ========================================================================
        ``"soft"``        soft normalisation, Eq. (2), of the singular values; changes all systems
        ``"scale"``       A times bound / radius
        ``"clip"``        eigenvalue moduli limited to `bound`
        ``"dwls"``        diagonal weights, least-squares, constraints generated [3]_
        ``"wls"``         the same with a full weight matrix [3]_
        ``"constraint"``  constraint generation [2]_
        ``"none"``        A as it is
        ================  ========================================================================

        All but "soft" and "none" do not change a matrix whose radius is within `bound`. All but
        "none" return matrices that every kernel accepts: a matrix that is still too close to
        instability, because `bound` is near 1 or A far from normal, is scaled down.
    scale : float, default=2.5
        The paper's :math:`a`, for "soft".
    bound : float, default=0.99
        Largest spectral radius for the methods that search the boundary, in (0, 1).
    return_certificate : bool, default=False
        Also return radius and error of each system before and after.

    Returns
    -------
    A : array of the shape given
    certificate : StabilityCertificate, if `return_certificate`

    Notes
    -----
    Soft normalisation, Eq. (2) of [1]_, maps each singular value :math:`s` of :math:`A` to
    :math:`2 / (1 + e^{-as}) - 1 = \tanh(as/2)`.

    "dwls", "wls" and "constraint" minimise :math:`\|(A' - A) X_0\|_F` over stable :math:`A'`, where
    :math:`X_0` are all states but the last. If A is the least-squares transition of these states,
    the result reconstructs them well.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.2. doi:10.48550/arXiv.1608.01059
    .. [2] S. M. Siddiqi, B. Boots, G. J. Gordon, *A constraint generation approach to learning
       stable linear dynamical systems*, Advances in Neural Information Processing Systems 20, 2007.
    .. [3] W. Huang, L. Cao, F. Sun, D. Zhao, H. Liu, S. Yu, *Learning stable linear dynamical
       systems with the weighted least square method*, IJCAI 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.models import stabilize
    >>> A = np.array([[1.2, 0.0], [0.0, 0.5]])
    >>> stabilize(A, method="clip").round(2)
    array([[0.99, 0.  ],
           [0.  , 0.5 ]])
    >>> stabilize(A, method="soft").round(2)
    array([[0.91, 0.  ],
           [0.  , 0.55]])
    """
    matrices, sequences = check_matrices(A), None
    single = matrices.ndim == 2
    batch = matrices[None] if single else matrices
    check_stabilizer(method, scale, bound)
    if states is not None:
        sequences = check_states(states, batch)
    stable = stabilize_checked(batch, sequences, method, scale, bound)
    result = stable[0] if single else stable
    if not return_certificate:
        return result
    return result, certify(method, batch, stable, sequences)


def stabilize_checked(
    A: Floats, states: list[Floats] | None, method: str, scale: float, bound: float
) -> Floats:
    """:func:`stabilize` for a batch and parameters that are known to be right."""
    if method in _OPTIMISED and states is None:
        raise ValueError(
            f"states must be given for method={method!r}, which minimises their "
            "reconstruction error; got None. Pass LDS.states(sequences)."
        )
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # of huge matrices
        if states is None or method in _CLOSED_FORM:
            stable = _CLOSED_FORM[method](A, scale, bound)
        else:
            stable = A.copy()
            for index in np.flatnonzero(spectral_radius(A) > bound):
                stable[index] = _optimise(method, A[index], states[index], bound)
        if method not in ("soft", "scale", "none"):
            outside = spectral_radius(A) > bound
            stable[outside] = _keep_within(stable[outside], bound)
        return stable if method in ("soft", "none") else shrink_to_gramian(stable)


def _optimise(method: str, A: Floats, states: Floats, bound: float) -> Floats:
    """Return one matrix by constraint generation; scaled where that fails in double precision."""
    # States beyond the rank of a sequence are idle: they neither move nor matter.
    busy = np.flatnonzero(states.any(axis=1) | A.any(axis=0) | A.any(axis=1))
    block = np.ix_(busy, busy)
    stable, part = A.copy(), A[block]
    found = np.full_like(part, np.nan)
    if np.abs(part).max() <= _LARGEST_ENTRY:
        # Infinite or singular matrices have no answer.
        with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError, ValueError):
            found = _OPTIMISED[method](part, states[busy], bound)
    stable[block] = found if np.isfinite(found).all() else shrink(part[None], bound)[0]
    return stable


def certify(
    method: str, before: Floats, after: Floats, states: list[Floats] | None
) -> StabilityCertificate:
    """Return radius and error of each system before and after."""
    return StabilityCertificate(
        method,
        spectral_radius(before),
        spectral_radius(after),
        None if states is None else reconstruction_errors(before, states),
        None if states is None else reconstruction_errors(after, states),
    )


def check_stabilizer(method: Any, scale: Any, bound: Any) -> None:
    """Check the parameters of :func:`stabilize`."""
    if method not in STABILIZERS:
        raise _errors.unknown_name("stabilizer", method, STABILIZERS)
    check_positive("scale", scale)
    check_between("bound", bound, 0, 1)
