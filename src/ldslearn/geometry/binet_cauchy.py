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
    """Return the Binet-Cauchy trace kernel sum_t decay^t y1(t)'y2(t) of outputs without noise.

    From the first states x0, without means (Vishwanathan, Smola and Vidal 2007):
    x0_1' M x0_2 with M = decay A1'M A2 + C1'C2.

    Parameters
    ----------
    X, Y : LDS
        With x0; orders may differ.
    decay : float
        Factor of the weight per time point, in (0, 1).
    normalise : bool
        Divide by the square roots of k(X, X) and k(Y, Y), so that k(X, X) = 1.
    n_jobs : int or None
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
