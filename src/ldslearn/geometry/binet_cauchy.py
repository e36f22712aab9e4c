"""The Binet-Cauchy kernel, which the paper cites (Sec. 2)."""

import numpy as np

from ldslearn._checks import check_between
from ldslearn._places import warn_once
from ldslearn._types import Floats
from ldslearn.geometry.output_normal import output_normal_form
from ldslearn.geometry.pairs import check_pair, field_missing, output_normal_forms, solve_pairs
from ldslearn.geometry.stein import solutions
from ldslearn.geometry.window_means import mean_over_windows
from ldslearn.models import LDS


@warn_once
@mean_over_windows
def binet_cauchy_kernel(
    X: LDS,
    Y: LDS | None = None,
    *,
    decay: float = 0.9,
    normalise: bool = True,
    n_jobs: int | None = None,
) -> Floats:
    r"""Return the Binet-Cauchy trace kernels of the outputs of all pairs.

    Parameters
    ----------
    X, Y : LDS
        With `x0`, of the same channels; orders may differ. `Y` is `X` when None.
    decay : float, default=0.9
        Factor :math:`\gamma` of the weight per time point, in (0, 1).
    normalise : bool, default=True
        Divide by the square roots of k(X, X) and k(Y, Y), so that k(X, X) = 1.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Returns
    -------
    (len(X), len(Y)) array

    Notes
    -----
    The outputs have no noise and no mean. Time is counted from 0 here: :math:`y(0) = C x_0`, with
    :math:`x_0` the state `x0`, and :math:`y(t) = C A^t x_0`. The kernel is

    .. math:: k = \sum_{t \ge 0} \gamma^t y_1(t)^\top y_2(t) = x_{0,1}^\top M x_{0,2}, \quad
              M = \gamma A_1^\top M A_2 + C_1^\top C_2.

    References
    ----------
    .. [1] S. V. N. Vishwanathan, A. J. Smola, R. Vidal, *Binet-Cauchy kernels on dynamical systems
       and its application to the analysis of dynamic scenes*, International Journal of Computer
       Vision 73 (2007) 95-119. doi:10.1007/s11263-006-9352-0

    Examples
    --------
    >>> from ldslearn import LDS
    >>> from ldslearn.geometry import binet_cauchy_kernel
    >>> X = LDS([[[0.5]], [[0.9]]], [[[1.0], [0.0]], [[0.6], [0.8]]], x0=[[1.0], [1.0]])
    >>> binet_cauchy_kernel(X).round(3)
    array([[1.   , 0.462],
           [0.462, 1.   ]])
    """
    check_between("decay", decay, 0, 1)
    first, second = check_pair(X, Y)
    if first.x0 is None or second.x0 is None:
        raise field_missing("the Binet-Cauchy kernel", "x0")
    decayed = _apply_decay(first, decay)
    others = decayed if second is first else _apply_decay(second, decay)
    output_normal_forms(decayed, others, n_jobs)
    starts, other_starts = _output_normal_x0(decayed), _output_normal_x0(others)

    def contract(rows: slice, columns: slice, V: Floats) -> Floats:
        return ((starts[rows, None, None] @ V)[:, :, 0] * other_starts[columns]).sum(axis=-1)

    tail = (decayed.n_states, others.n_states)
    K = solve_pairs(solutions, decayed, others, n_jobs, "Binet-Cauchy kernel", tail, contract)
    if not normalise:
        return K
    own, other_own = (np.linalg.norm(s, axis=1) for s in (starts, other_starts))
    scale = np.where(own > 0, own, 1.0)[:, None] * np.where(other_own > 0, other_own, 1.0)
    return np.asarray(K / scale)


def _apply_decay(systems: LDS, decay: float) -> LDS:
    """Return systems whose outputs at t are smaller by decay^(t/2)."""
    return LDS._from_trusted(
        A=np.sqrt(decay) * systems.A,
        C=systems.C,
        x0=systems.x0,
        allow_unstable=systems.allow_unstable,
    )


def _output_normal_x0(systems: LDS) -> Floats:
    """Return x0 in output-normal coordinates, (N, n)."""
    assert systems.x0 is not None
    return np.asarray(
        np.linalg.solve(output_normal_form(systems).transform, systems.x0[..., None])[..., 0]
    )
