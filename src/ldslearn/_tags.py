"""Tags for scikit-learn of estimators whose input is no table."""

from typing import Any


class NonTabularMixin:
    """First base class of estimators of sequences or of batches of systems."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags
