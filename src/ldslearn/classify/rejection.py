"""The label of systems that belong to no class, and the checks of open-set rejection."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._checks import check_real

_NUMBER_KINDS = "biuf"  # numpy.dtype.kind of Boolean, integer and floating-point labels


def check_rejection(reject: float | None, reject_label: Any, classes: NDArray[Any]) -> None:
    """Raise unless `reject` and `reject_label` can be used with these classes."""
    if reject is not None:
        check_real("reject", reject, "lie between 0 and 1, or be None", 0, 1)
        label = find_reject_label(reject_label, classes)
        rule = None
        if label in classes:
            rule = "not be one of the classes"
        elif (np.asarray(label).dtype.kind in _NUMBER_KINDS) != (
            classes.dtype.kind in _NUMBER_KINDS
        ):
            rule = "be a number if the classes are numbers, else a string"
        if rule is not None:
            raise ValueError(f"reject_label must {rule}; got {label!r}. Choose another one.")


def find_reject_label(reject_label: Any, classes: NDArray[Any]) -> Any:
    """Return the label that was given, or the one that suits the classes."""
    if reject_label is not None:
        return reject_label
    return -1 if classes.dtype.kind in _NUMBER_KINDS else "unknown"
