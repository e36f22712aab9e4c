"""Checks of Gram matrices, of kernels with atoms, and of the codes found."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Floats, Indices

CERTIFIED = 1e-8  # largest KKT residual over the largest correlation
_SYMMETRIC = 1e-8  # largest |K - K'| over the largest entry of K


def _as_floats(name: str, values: Any) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise _errors.invalid(name, "hold real numbers", f"dtype {array.dtype}", "")
    return np.ascontiguousarray(array, dtype=np.float64)


def check_gram(gram: Any) -> Floats:
    """Return a kernel matrix of atoms as floats, symmetric to the last bit."""
    K = _as_floats("gram", gram)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not len(K):
        raise _errors.invalid("gram", "be a square matrix", f"shape {K.shape}", "")
    if not np.isfinite(K).all():
        raise _errors.invalid("gram", "be finite", "NaN or infinity", "")
    gap = float(np.abs(K - K.T).max())
    if gap > _SYMMETRIC * float(np.abs(K).max()):
        raise _errors.invalid("gram", "be symmetric", f"|K - K'| = {gap:.3g}", "")
    return K if gap == 0.0 else 0.5 * (K + K.T)


def check_rows(name: str, values: Any, n_atoms: int) -> Floats:
    """Return an array of one row per sample as floats."""
    rows = _as_floats(name, values)
    if rows.ndim != 2 or rows.shape[1] != n_atoms:
        raise _errors.invalid(
            name,
            f"have shape (n_samples, {n_atoms}), one column per atom of gram",
            f"shape {rows.shape}",
            f"For one sample pass {name}[None, :]." if rows.ndim == 1 else "Is it transposed?",
        )
    if not np.isfinite(rows).all():
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1)).tolist()
        raise _errors.invalid(
            name, "be finite", f"NaN or infinity in row {_errors.list_some(bad)}", ""
        )
    return rows


def find_excluded(allowed: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return which atoms samples may not use: one row per sample, or one for all."""
    if allowed is None:
        return np.zeros((1, shape[1]), dtype=bool)
    mask = np.asarray(allowed)
    if mask.shape != shape or mask.dtype != np.bool_:
        raise _errors.invalid(
            "allowed", f"be a bool array of shape {shape}", f"{mask.dtype} {mask.shape}", ""
        )
    return ~mask


def find_uncertified(k: Floats, excluded: NDArray[np.bool_], residuals: Floats) -> Indices:
    """Return the samples whose codes miss the optimality conditions."""
    largest = np.where(excluded, 0.0, np.abs(k)).max(axis=1, initial=0.0)
    return np.flatnonzero(~(residuals <= CERTIFIED * largest))


def describe_uncertified(indices: Sequence[int], worst: float) -> str:
    """Return the text of the warning about codes that miss the optimality conditions."""
    return (
        f"the codes of sample {_errors.list_some(indices)} miss the optimality conditions by up to "
        f"{worst:.3g}: cross lies outside the range of gram, so that no samples can have it, or "
        "numbers are extreme. Check that gram and cross come from one kernel; raise sparsity."
    )


def kkt_violation(
    c: Floats, z: Floats, bound: float, excluded: NDArray[np.bool_], nonnegative: bool
) -> float:
    """Return the largest violation of the KKT conditions by a code z, in the units of c = k - K z.

    The bound is half of the sparsity.
    """
    used = np.flatnonzero(z)
    own = np.abs(c[used] - bound * np.sign(z[used]))
    others = np.where(excluded, 0.0, (c if nonnegative else np.abs(c)) - bound)
    others[used] = 0.0
    return float(max(own.max(initial=0.0), others.max(initial=0.0)))
