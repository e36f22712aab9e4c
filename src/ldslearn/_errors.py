"""Classes of errors, and the messages that several folders share.

Every message has the form ``<what> must <rule>; got <value>. <remedy>``. Functions return errors,
for the caller to raise. A message of one module or folder stands there.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import get_close_matches
from os import PathLike


class SequenceError(ValueError):
    """An error about some sequences of a collection; the others may be usable without them.

    Attributes
    ----------
    indices : tuple of int
        Indices of these sequences.
    """

    def __init__(self, message: str, indices: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.indices = tuple(int(index) for index in indices)


class SystemsError(ValueError):
    """An error about some systems of a batch; :mod:`ldslearn._places` follows them through blocks.

    Parameters
    ----------
    template : str
        The message, with ``{systems}`` in place of their indices and names.
    indices : iterable of int
    batch : str
        " of Y" if they are systems of a second batch.
    names : sequence of str
        Files of these systems, where known.
    """

    def __init__(
        self, template: str, indices: Iterable[int], batch: str = "", names: Sequence[str] = ()
    ) -> None:
        self.template, self.batch, self.names = template, batch, tuple(names)
        self.indices = tuple(int(index) for index in indices)
        super().__init__(template, self.indices, batch, self.names)

    def __str__(self) -> str:
        who = format_systems([(self.batch, index) for index in self.indices], self.names)
        return self.template.replace("{systems}", who)

    def move(self, locate: Callable[[tuple[str, int]], tuple[str, int]]) -> "SystemsError":
        """Return the error with the batches and indices that `locate` gives for its own."""
        places = [locate((self.batch, index)) for index in self.indices]
        return SystemsError(self.template, [index for _, index in places], places[0][0], self.names)

    def add_names(self, names: Sequence[str]) -> "SystemsError":
        """Return the error with the files of its systems; `names` are those of the whole batch."""
        return SystemsError(
            self.template, self.indices, self.batch, [names[index] for index in self.indices]
        )


class InputTypeError(TypeError):
    """An argument or the content of a file has the wrong type.

    The command line reports a plain TypeError as a bug of ldslearn.
    """


def invalid(what: str, rule: str, got: object, remedy: str) -> ValueError:
    """Return the error about a value that breaks a rule."""
    return ValueError(f"{what} must {rule}; got {got}. {remedy}".rstrip())


def invalid_parameter(name: str, rule: str, got: object) -> ValueError:
    """Return the error about a parameter outside its range."""
    return ValueError(f"{name} must {rule}; got {got!r}.")


def unknown_name(what: str, got: object, known: Collection[str]) -> ValueError:
    """Return the error about a name that is not one of `known`."""
    names = ", ".join(repr(name) for name in known)
    return ValueError(f"{what} must be one of {names}; got {got!r}.{suggest_name(got, known)}")


def unusable_index(got: object) -> IndexError:
    """Return the error about an index that selects no systems."""
    return IndexError(f"the index must be an integer, a slice, a mask or indices; got {got!r}.")


def suggest_name(name: object, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return `` Did you mean 'soft'?`` for a misspelt name; empty if no known name is close."""
    names = {one.lower(): one for one in known}
    found = get_close_matches(str(name).lower(), names, 1, cutoff)
    return f" Did you mean {names[found[0]]!r}?" if found else ""


def list_some(values: Sequence[object], limit: int = 5) -> str:
    """Return the first `limit` values as text: ``3, 8, 9, 12, 20 and 7 more``."""
    first = ", ".join(str(value) for value in values[:limit])
    return first if len(values) <= limit else f"{first} and {len(values) - limit} more"


def format_systems(places: Sequence[tuple[str, int]], names: Sequence[str] = ()) -> str:
    """Return systems as text: ``system 3, 8 and system 2 of Y``, with their files where known."""
    texts = []
    for batch in dict.fromkeys(batch for batch, _ in places):
        indices = [index for of, index in places if of == batch]
        texts.append(f"system {list_some(indices)}{batch}")
    files = f" ({list_some(names)})" if names else ""
    return " and ".join(texts) + files


def pluralize(count: int) -> str:
    """Return "sequence is" or "sequences are"."""
    return "sequence is" if count == 1 else "sequences are"


def empty_file(path: str | PathLike[str], rule: str) -> ValueError:
    """Return the error about a file of 0 bytes."""
    return bad_file(path, rule, "an empty file (0 bytes)", "Copy it again, or delete it.")


def bad_file(path: str | PathLike[str], rule: str, reason: object, remedy: str = "") -> ValueError:
    """Return the error about a file, or a line of one, that cannot be read."""
    return invalid(f"file {path}", rule, reason, remedy)


def describe_skipped(reasons: Sequence[str]) -> str:
    """Return the text of the warning about skipped items."""
    count = "1 item was" if len(reasons) == 1 else f"{len(reasons)} items were"
    return f"{count} skipped, the first because: {reasons[0]}"


def none_usable(count: int, name: str, reason: str) -> ValueError:
    """Return the error about items none of which is usable; `reason` is that of the first."""
    if name not in reason:  # errors of a disk or network do not hold it
        reason = f"{name}: {reason}"
    if count == 1:
        return ValueError(reason)
    return ValueError(
        f"at least one of {count} items must be usable; got none. The first: {reason}"
    )


def too_large(what: str, size: int, limit: int, remedy: str) -> ValueError:
    """Return the error about something too large, raised before memory is allocated."""
    return invalid(what, f"take at most {limit / 2**30:.1f} GiB", f"{size / 2**30:.1f} GiB", remedy)
