"""A short `repr` of values that hold arrays: shapes instead of numbers."""

from dataclasses import fields
from reprlib import Repr
from typing import Any

_LONGEST = 80  # characters of one field


class _ShortRepr(Repr):
    """Texts of values: arrays by their shape, the first few items of containers."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxdict = self.maxlist = self.maxtuple = 4
        self.maxstring = self.maxother = 60

    def repr_ndarray(self, array: Any, level: int) -> str:
        """Return the shape of an array."""
        return f"{array.shape} array"

    def repr_instance(self, value: Any, level: int) -> str:
        """Return the text of any other value on one line."""
        return _cut_end(" ".join(repr(value).split()), _LONGEST)


_SHORT = _ShortRepr()


def summarize_fields(value: Any) -> str:
    """Return the name of a dataclass and its fields, on one line.

    A dataclass that holds arrays or long lists has it as ``__repr__ = summarize_fields``.
    """
    texts = [
        f"{each.name}={_cut_end(_SHORT.repr(getattr(value, each.name)), _LONGEST)}"
        for each in fields(value)
        if each.repr
    ]
    return f"{type(value).__name__}({', '.join(texts)})"


def _cut_end(text: str, most: int) -> str:
    """Return the first `most` characters; drawings lose the middle of a name instead."""
    return text if len(text) <= most else text[: most - 3] + "..."
