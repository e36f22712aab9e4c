"""Lists of sequences with names, so that messages can name the file of a sequence."""

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, overload

from numpy.typing import NDArray

from ldslearn.drawing.card import list_first

_SHOWN = 3  # names in a message


class NamedSequences(list[NDArray[Any]]):
    """A list of sequences, each with its name in messages, as a rule its file.

    A name belongs to an array: in a list that was reordered or changed in place, an array that has
    moved has no name.

    Parameters
    ----------
    sequences : sequence of arrays
    names : sequence of str
        As many.
    """

    def __init__(self, sequences: Sequence[NDArray[Any]], names: Sequence[str]) -> None:
        super().__init__(sequences)
        self._named = tuple(zip(self, names, strict=True))

    def __repr__(self) -> str:
        names = [name_sequence(self, index) for index in range(len(self))]
        return f"NamedSequences({len(self)} sequences: {list_first(names, _SHOWN)})"

    @overload
    def __getitem__(self, index: SupportsIndex) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[NDArray[Any]]: ...
    def __getitem__(self, index: Any) -> Any:
        """Return a sequence; a slice keeps the names."""
        if not isinstance(index, slice):
            return super().__getitem__(index)
        return select(self, range(*index.indices(len(self))))


def name_sequence(sequences: Any, index: int, first: int = 0) -> str:
    """Return the name of a sequence for messages, or its number where it has none.

    `first` is the number of the first sequence, where `sequences` are a part of a list.
    """
    named = getattr(sequences, "_named", ())
    if index < len(named) and named[index][0] is sequences[index]:
        return str(named[index][1])
    return f"sequence {first + index}"


def name_some(sequences: Any, indices: Sequence[int]) -> str:
    """Return the names of the first three of some sequences, and how many more there are."""
    names = [name_sequence(sequences, int(index)) for index in indices[:_SHOWN]]
    if len(indices) > _SHOWN:
        return f"{', '.join(names)} and {len(indices) - _SHOWN} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def keep_names(sequences: list[NDArray[Any]], originals: Any) -> list[NDArray[Any]]:
    """Return sequences, each made from one of `originals`, with the names of those."""
    if not isinstance(originals, NamedSequences):
        return sequences
    return NamedSequences(sequences, [name_sequence(originals, i) for i in range(len(originals))])


def select(sequences: list[NDArray[Any]], indices: Iterable[int]) -> list[NDArray[Any]]:
    """Return some sequences of a list, with their names if it has any."""
    chosen = [int(index) for index in indices]
    found = [sequences[index] for index in chosen]
    if not isinstance(sequences, NamedSequences):
        return found
    return NamedSequences(found, [name_sequence(sequences, index) for index in chosen])
