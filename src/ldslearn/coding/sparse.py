"""Sparse codes on a Gram matrix: one call for many samples, and the whole path of one."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_real, check_whole
from ldslearn._types import Floats, Indices
from ldslearn.coding.blocks import STEPS_AN_ATOM
from ldslearn.coding.blocks import solve as solve_rows
from ldslearn.geometry.definite import positive_part

Coded = tuple[Floats, Floats]

_SYMMETRIC = 1e-8  # largest |K - K'| over the largest entry of K
_CERTIFIED = 1e-8  # largest KKT residual over the largest correlation
_ROOM_AN_ATOM = 2  # breakpoints kept at first


@overload
def sparse_code(
    gram: Any, cross: Any, sparsity: float = ..., *, n_nonzero: int | None = ...,
    nonnegative: bool = ..., init: Any = ..., allowed: Any = ..., n_jobs: int | None = ...,
    return_residual: Literal[False] = ...,
) -> Floats: ...  # fmt: skip
@overload
def sparse_code(
    gram: Any, cross: Any, sparsity: float = ..., *, n_nonzero: int | None = ...,
    nonnegative: bool = ..., init: Any = ..., allowed: Any = ..., n_jobs: int | None = ...,
    return_residual: Literal[True],
) -> tuple[Floats, Floats]: ...  # fmt: skip
def sparse_code(
    gram: Any,
    cross: Any,
    sparsity: float = 0.1,
    *,
    n_nonzero: int | None = None,
    nonnegative: bool = False,
    init: Any = None,
    allowed: Any = None,
    n_jobs: int | None = None,
    return_residual: bool = False,
) -> Floats | tuple[Floats, Floats]:
    """Return the codes z that minimise z'Kz - 2 z'k + sparsity |z|_1, Eqs. (9) and (12).

    Exact: the homotopy of Osborne et al. and Donoho & Tsaig, with Cholesky updates. As in the
    paper the quadratic term carries no 1/2: scikit-learn's ``alpha`` is ``sparsity / 2``.

    Parameters
    ----------
    gram : (n_atoms, n_atoms) array
        Kernel K of the atoms with each other, symmetric and positive semi-definite. Of atoms that
        depend on each other (duplicates) only independent ones are used. Where K is indefinite, a
        sample that has no optimal code within reach is coded on its positive part, with a warning.
    cross : (n_samples, n_atoms) array
        Kernels k of the samples with the atoms.
    sparsity : float
        The paper's lambda. At 0 the limit of the path: of all best codes that of least
        |z|_1. From 2 max|k| on the code is zero.
    n_nonzero : int or None
        Instead of the penalty, at most this many coefficients by orthogonal matching pursuit;
        `sparsity` is ignored.
    nonnegative : bool
        Only codes z >= 0.
    init : (n_samples, n_atoms) array or None
        Codes to start from, such as those for slightly different atoms. Changes the time, not the
        answer where there is only one; not used at sparsity 0.
    allowed : (n_samples, n_atoms) bool array or None
        Which atoms each sample may use; all when None.
    n_jobs : int or None
        Threads, as in joblib; the result does not depend on it.
    return_residual : bool
        Also return the certificates.

    Returns
    -------
    codes : (n_samples, n_atoms) array
    residual : (n_samples,) array, if `return_residual`
        Largest violation of the KKT conditions, computed afresh from the codes: |c_j - sparsity/2
        sign z_j| where z_j is not zero and |c_j| - sparsity/2 elsewhere, c = k - Kz. With
        `n_nonzero`, the largest |c_j| where z_j is not zero. Always with the K and k given, also
        where the positive part was used.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import sparse_code
    >>> sparse_code(np.eye(3), [[1.0, -0.5, 0.02]], sparsity=0.1)
    array([[ 0.95, -0.45,  0.  ]])
    """
    K = _check_gram(gram)
    k = _check_rows("cross", cross, len(K))
    check_real("sparsity", sparsity, "be a finite number of at least 0", low=0)
    if not isinstance(nonnegative, bool | np.bool_):
        raise _errors.invalid_parameter("nonnegative", "be True or False", nonnegative)
    barred = _barred(allowed, k.shape)
    start = None
    if n_nonzero is not None:
        check_whole("n_nonzero", n_nonzero)
        if nonnegative or init is not None:
            raise _unused_with_pursuit("nonnegative" if nonnegative else "init")
    elif init is not None:
        start = _check_rows("init", init, len(K))
        if len(start) != len(k):
            raise _errors.invalid("init", f"have {len(k)} rows like cross", len(start), "")
        if sparsity == 0.0:
            start = None  # of many codes that fit equally well it would find another one

    def solve(K: Floats, k: Floats, barred: NDArray[np.bool_], start: Floats | None) -> Coded:
        return solve_rows(K, k, sparsity, n_nonzero, nonnegative, barred, start, n_jobs)

    codes, residuals = solve(K, k, barred, start)
    missed = _missed(k, barred, residuals)
    if len(missed) and n_nonzero is None and (part := positive_part(K)) is not None:
        rows = barred if len(barred) == 1 else barred[missed]
        codes[missed], inner = solve(part.gram, k[missed] @ part.projector, rows, None)
        from ldslearn.coding.homotopy import violation

        warnings.warn(
            (
                f"{part.message} It is not that of any atoms: the codes of sample "
                f"{_errors.list_some(missed.tolist())} are those for its positive part."
            ),
            stacklevel=2,
        )
        for i, row in zip(missed, np.broadcast_to(rows, (len(missed), len(K))), strict=True):
            c = k[i] - K @ codes[i]
            residuals[i] = violation(c, codes[i], 0.5 * sparsity, row, bool(nonnegative))
        missed = missed[_missed(k[missed], rows, inner)]
    if len(missed):
        worst = float(residuals[missed].max())
        warnings.warn(_not_certified(missed.tolist(), worst), stacklevel=2)
    return (codes, residuals) if return_residual else codes


def _missed(k: Floats, barred: NDArray[np.bool_], residuals: Floats) -> Indices:
    largest = np.where(barred, 0.0, np.abs(k)).max(axis=1, initial=0.0)
    return np.flatnonzero(~(residuals <= _CERTIFIED * largest))


@dataclass(frozen=True)
class SparsePath:
    """Codes of one sample for every sparsity: straight lines between breakpoints.

    Attributes
    ----------
    sparsity : (n_breakpoints,) array
        Decreasing; the code is zero at the first and above it.
    codes : (n_breakpoints, n_atoms) array
    """

    sparsity: Floats
    codes: Floats

    def at(self, sparsity: float) -> Floats:
        """Return the code, (n_atoms,), for any sparsity the path covers."""
        low = float(self.sparsity[-1])
        check_real("sparsity", sparsity, f"be at least {low:g}, where the path ends", low=low)
        right = int(np.searchsorted(-self.sparsity, -sparsity))
        if right == 0:
            return np.zeros(self.codes.shape[1])
        above, below = self.sparsity[right - 1], self.sparsity[right]
        share = (above - sparsity) / (above - below)
        return (1.0 - share) * self.codes[right - 1] + share * self.codes[right]


def sparse_path(
    gram: Any, cross: Any, sparsity: float = 0.0, *, nonnegative: bool = False
) -> SparsePath:
    """Return the codes of one sample for every sparsity down to the one given.

    Parameters
    ----------
    gram : (n_atoms, n_atoms) array
    cross : (n_atoms,) array
    sparsity : float
        Where the path ends.
    nonnegative : bool

    Returns
    -------
    SparsePath
        With breakpoints ``sparsity`` and ``codes``, and ``at(sparsity)`` for any in between.
    """
    K = _check_gram(gram)
    if np.ndim(cross) != 1:
        shape = f"shape {np.shape(cross)}"
        raise _errors.invalid("cross", f"have shape ({len(K)},)", shape, "Take one sample's row.")
    k = _check_rows("cross", np.asarray(cross)[None], len(K))[0]
    check_real("sparsity", sparsity, "be a finite number of at least 0", low=0)
    path, residual = _path(K, k, sparsity, nonnegative, nudge=0.0)
    if residual > _CERTIFIED * np.abs(k).max():  # ties: see code_rows
        path, residual = _path(K, k, sparsity, nonnegative, nudge=1e-9)
    if residual > _CERTIFIED * np.abs(k).max():
        warnings.warn(_not_certified([0], residual), stacklevel=2)
    return path


def _path(
    K: Floats, k: Floats, sparsity: float, nonnegative: bool, nudge: float
) -> tuple[SparsePath, float]:
    """The path, and the largest KKT residual on its breakpoints; infinite if it ends early."""
    from ldslearn.coding.homotopy import descend, nudged, violation

    z, barred = np.empty_like(k), np.zeros(len(K), dtype=bool)
    room, limit = _ROOM_AN_ATOM * len(K) + 16, STEPS_AN_ATOM * len(K) + 100
    settings = (0.5 * sparsity, barred, bool(nonnegative), limit, z)
    while True:
        bounds, trace = np.empty(room), np.empty((room, len(K)))
        steps = descend(K, nudged(k, nudge), *settings, bounds, trace)
        if steps < room:
            break
        room = steps + 1
    bounds, trace = bounds[: steps + 1], trace[: steps + 1]
    if steps < limit:
        bounds[-1] = 0.5 * sparsity  # which rounding misses by 1e-15
    moved = np.append(np.diff(bounds) < 0, True)  # of a tie only the last step counts
    bounds, trace = bounds[moved], trace[moved].copy()
    residual = max(
        violation(k - K @ z, z, bound, barred, bool(nonnegative))
        for bound, z in zip(bounds, trace, strict=True)
    )
    return SparsePath(2.0 * bounds, trace), residual if steps < limit else np.inf


def _real(name: str, values: Any) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise _errors.invalid(name, "hold real numbers", f"dtype {array.dtype}", "")
    return np.ascontiguousarray(array, dtype=np.float64)


def _check_gram(gram: Any) -> Floats:
    K = _real("gram", gram)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not len(K):
        raise _errors.invalid("gram", "be a square matrix", f"shape {K.shape}", "")
    if not np.isfinite(K).all():
        raise _errors.invalid("gram", "be finite", "NaN or infinity", "")
    gap = float(np.abs(K - K.T).max())
    if gap > _SYMMETRIC * float(np.abs(K).max()):
        raise _errors.invalid("gram", "be symmetric", f"|K - K'| = {gap:.3g}", "")
    return K if gap == 0.0 else 0.5 * (K + K.T)


def _check_rows(name: str, values: Any, n_atoms: int) -> Floats:
    rows = _real(name, values)
    if rows.ndim != 2 or rows.shape[1] != n_atoms:
        raise _errors.invalid(
            name,
            f"have shape (n_samples, {n_atoms}), one column an atom of gram",
            f"shape {rows.shape}",
            f"For one sample pass {name}[None, :]." if rows.ndim == 1 else "Is it transposed?",
        )
    if not np.isfinite(rows).all():
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1)).tolist()
        raise _errors.invalid(
            name, "be finite", f"NaN or infinity in row {_errors.list_some(bad)}", ""
        )
    return rows


def _barred(allowed: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    if allowed is None:
        return np.zeros((1, shape[1]), dtype=bool)
    mask = np.asarray(allowed)
    if mask.shape != shape or mask.dtype != np.bool_:
        raise _errors.invalid(
            "allowed", f"be a bool array of shape {shape}", f"{mask.dtype} {mask.shape}", ""
        )
    return ~mask


def _unused_with_pursuit(name: str) -> ValueError:
    """A parameter of the lasso together with n_nonzero."""
    return ValueError(
        f"{name} must not be given together with n_nonzero; got both. Orthogonal matching pursuit "
        "has no use for it: leave one of them out."
    )


def _not_certified(indices: Sequence[int], worst: float) -> str:
    """Text of the warning about codes that miss their optimality conditions."""
    return (
        f"the codes of sample {_errors.list_some(indices)} miss the optimality conditions by up to "
        f"{worst:.3g}: cross lies outside the range of gram, so that no samples can have it, or "
        "numbers are extreme. Check that gram and cross come from one kernel; raise sparsity."
    )
