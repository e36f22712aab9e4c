"""What scikit-learn is told about estimators whose input is no table."""

from typing import Any


class NoTable:
    """Mixin, to stand first: the input is a collection of sequences or a batch of systems."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags
