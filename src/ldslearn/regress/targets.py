"""Targets of a regression: checks, and their scale."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats


@dataclass(frozen=True)
class ScaledTargets:
    """Targets with mean 0 and deviation 1 per output.

    Attributes
    ----------
    values : (N, n_outputs) array
    mean, scale : (n_outputs,) arrays
        What was subtracted, and divided by; a deviation of 0 is replaced by 1.
    is_column : bool
        Whether targets were one number per item, and predictions are.
    """

    values: Floats
    mean: Floats
    scale: Floats
    is_column: bool


def scale_targets(y: Any, n_items: int, what: str = "systems") -> ScaledTargets:
    """Return targets of one or several outputs, checked and scaled.

    Parameters
    ----------
    y : (N,) or (N, n_outputs) array of numbers
    n_items : int
    what : str
        Noun for the items.
    """
    one = what.removesuffix("s")
    found = np.asarray(y)
    if found.dtype == object:  # as pandas keeps mixed columns
        try:
            found = found.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise _bad_targets(one, f"values such as {found.ravel()[0]!r}") from error
    if found.dtype.kind not in "biuf":
        raise _bad_targets(one, f"dtype {found.dtype}")
    if found.ndim not in (1, 2) or (found.ndim == 2 and not found.shape[1]):
        raise _bad_targets(one, f"shape {found.shape}")
    if len(found) != n_items:
        raise ValueError(f"y must hold one row per {one}; got {len(found)} for {n_items} {what}.")
    values = found.reshape(n_items, -1).astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise _bad_targets(one, f"NaN or infinity for {one} {_errors.list_some(bad.tolist())}")
    unit = np.abs(values).max(axis=0)  # squares of large numbers would overflow
    unit[unit == 0] = 1.0
    mean, scale = unit * (values / unit).mean(axis=0), unit * (values / unit).std(axis=0)
    # Deviations of equal numbers are rounding errors of their mean.
    scale[scale <= 1e-14 * np.abs(mean)] = 1.0
    return ScaledTargets((values - mean) / scale, mean, scale, found.ndim == 1)


def _bad_targets(one: str, got: str) -> ValueError:
    return ValueError(f"y must hold finite numbers, one row per {one}; got {got}.")
