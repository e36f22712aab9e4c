"""Checks of parameters: numbers, seeds and types."""

from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ldslearn import _errors


def check_whole(name: str, value: Any, least: int = 1) -> None:
    """Raise unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise _errors.invalid_parameter(name, f"be an integer of at least {least}", value)


def check_jobs(n_jobs: Any) -> None:
    """Raise unless `n_jobs` is a number of jobs as in joblib."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or int(n_jobs) == 0):
        raise _errors.invalid_parameter("n_jobs", "be a non-zero integer or None", n_jobs)


def check_real(name: str, value: Any, rule: str, low: float = -inf, high: float = inf) -> None:
    """Raise unless `value` is finite and low <= value <= high; `rule` states this in words."""
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not (low <= float(value) <= high)
        or abs(float(value)) == inf
    ):
        raise _errors.invalid_parameter(name, rule, value)


def check_between(name: str, value: Any, low: float, high: float) -> None:
    """Raise unless low < value < high."""
    rule = f"lie strictly between {low:g} and {high:g}"
    check_real(name, value, rule, float(np.nextafter(low, high)), float(np.nextafter(high, low)))


def check_positive(name: str, value: Any, rule: str = "be positive") -> None:
    """Raise unless `value` is a positive number."""
    check_real(name, value, rule, low=float(np.nextafter(0, 1)))


def check_channel_count(name: str, got: int, expected: int) -> None:
    """Raise unless sequences have as many channels as those that a model was fitted with."""
    if got != expected:
        raise _errors.invalid(
            name, f"have {expected} channels, as the model was fitted with", got,
            "Sequences are (n_channels, n_timepoints): are these transposed?",
        )  # fmt: skip


def check_unmasked(what: str, values: Any) -> None:
    """Raise for masked values: the mask would be ignored."""
    if np.ma.is_masked(values):
        raise _errors.InputTypeError(
            f"{what} must have no masked values; got a masked array. Interpolate or drop them "
            "before encoding: masks are not used."
        )


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Return a RandomState for a seed, a RandomState, a Generator or None."""
    if isinstance(random_state, np.random.Generator):
        random_state = int(random_state.integers(2**31 - 1))
    return check_random_state(random_state)
