"""The parameters of LDSEncoder: which values they may have."""

import numbers
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_jobs, check_positive, check_real, check_whole
from ldslearn.models.encoder_gaps import MISSING_POLICIES
from ldslearn.models.stabilizers import check_stabilizer
from ldslearn.sequences.windows import window_levels

_CONSTANT_POLICIES = ("raise", "rest")


def check_parameters(encoder: Any) -> None:
    """Raise unless the parameters of an LDSEncoder are valid."""
    n_states: Any = encoder.n_states
    whole = isinstance(n_states, numbers.Integral) and not isinstance(n_states, bool)
    fraction = isinstance(n_states, numbers.Real) and 0 < float(n_states) < 1
    if not (whole and n_states >= 1) and not fraction:
        raise _errors.invalid_parameter(
            "n_states", "be an integer of at least 1 or a fraction in (0, 1)", n_states
        )
    check_whole("n_noise", encoder.n_noise)
    check_whole("delays", encoder.delays)
    window_levels(encoder.windows)
    if encoder.constant not in _CONSTANT_POLICIES:
        raise _errors.unknown_name("constant", encoder.constant, _CONSTANT_POLICIES)
    if not isinstance(encoder.center, bool | np.bool_):
        raise _errors.invalid_parameter("center", "be True or False", encoder.center)
    if encoder.missing not in MISSING_POLICIES:
        raise _errors.unknown_name("missing", encoder.missing, MISSING_POLICIES)
    check_whole("max_iter", encoder.max_iter, 0)
    check_real("tol", encoder.tol, "be a number of at least 0", 0.0)
    if encoder.step is not None:
        check_positive("step", encoder.step)
    check_jobs(encoder.n_jobs)
    check_stabilizer(encoder.stabilizer, encoder.scale, encoder.bound)
