"""Checks of transition matrices and of the states they were fitted to."""

from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats


def check_matrices(A: Any) -> Floats:
    """Return a matrix or a batch of matrices as floats, checked."""
    given = np.asarray(A)
    if given.dtype.kind not in "fiub":
        raise _errors.InputTypeError(f"A must hold real numbers; got dtype {given.dtype}.")
    if given.ndim not in (2, 3) or given.shape[-1] != given.shape[-2] or not given.size:
        raise ValueError(
            "A must have shape (n_states, n_states) or (N, n_states, n_states) with N > 0; "
            f"got {given.shape}."
        )
    matrices = np.array(given, dtype=np.float64)
    if not np.isfinite(matrices).all():
        systems = np.flatnonzero(~np.isfinite(np.atleast_3d(matrices)).all(axis=(1, 2)))
        where = "" if given.ndim == 2 else f" in system {_errors.list_some(list(systems))}"
        raise ValueError(f"A must be finite; got NaN or infinity{where}.")
    return matrices


def check_states(states: Any, A: Floats) -> list[Floats]:
    """Check one (n_states, n_timepoints) array per matrix of a batch."""
    if isinstance(states, str):
        raise _errors.InputTypeError(
            f"states must be arrays; got {states!r}. Is it method={states!r}?"
        )
    sequences = [np.asarray(X, dtype=np.float64) for X in states]
    if len(sequences) == A.shape[-1] and len(A) == 1 and sequences[0].ndim == 1:
        sequences = [np.stack(sequences)]  # the states of a single system
    if len(sequences) != len(A):
        raise ValueError(
            f"states must be one array for each of {len(A)} systems; got {len(sequences)}."
        )
    for index, X in enumerate(sequences):
        if X.ndim != 2 or X.shape[0] != A.shape[-1] or X.shape[1] < 2:
            raise ValueError(
                f"states {index} must have shape ({A.shape[-1]}, n_timepoints) with at least "
                f"2 timepoints; got {X.shape}."
            )
        if not np.isfinite(X).all():
            raise ValueError(f"states {index} must be finite; got NaN or infinity.")
    return sequences
