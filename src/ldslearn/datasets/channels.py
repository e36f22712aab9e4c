"""Find channels by name or number, put them in the order of others, and describe them."""

import os
from collections.abc import Sequence

import numpy as np

from ldslearn import _errors
from ldslearn._types import Indices
from ldslearn.sequences.time_recognition import is_time_name

TRAINING = "the training data"  # what new files are compared with


def find_column(
    path: str | os.PathLike[str], names: Sequence[str] | None, n_columns: int, reference: str
) -> int:
    """Return the index of a column by its name, in any case if unambiguous, or number from 1."""
    if names:
        for found in (
            [i for i, name in enumerate(names) if name == reference],
            [i for i, name in enumerate(names) if name.lower() == reference.lower()],
        ):
            if len(found) == 1:
                return found[0]
            if found:
                raise _errors.bad_file(
                    path, f"have one column {reference!r}", f"{len(found)} of them",
                    f"Give its number, one of {', '.join(str(i + 1) for i in found)}.",
                )  # fmt: skip
    if reference.isdecimal() and 1 <= int(reference) <= n_columns:
        return int(reference) - 1
    got = f"the columns {', '.join(map(repr, names))}" if names else f"{n_columns} without names"
    raise _errors.bad_file(
        path, f"have a column {reference!r}", got, "Give one of its names, or a number from 1."
    )


def find_channel_order(
    names: Sequence[str] | None, channels: Sequence[str], what: str, reference_name: str
) -> Indices:
    """Return the indices that put named channels in the order of `channels`.

    Time columns that are not among `channels` are omitted; other differences raise.
    """
    if names is None:
        raise other_columns(what, channels, reference_name, None)
    kept = [i for i, name in enumerate(names) if name in channels or not is_time_name(name)]
    found = [names[i] for i in kept]
    if found == list(channels):
        return np.array(kept)
    if sorted(found) != sorted(channels) or len(set(found)) < len(found):
        raise other_columns(what, channels, reference_name, names)
    return np.array([kept[found.index(name)] for name in channels])


def describe_channels(names: Sequence[str] | None, n_channels: int) -> str:
    """Return ``channels ax, ay, az``, shortened when there are many, or their number."""
    if names is None:
        return "1 channel" if n_channels == 1 else f"{n_channels} channels"
    return f"channel{'s' if len(names) > 1 else ''} {_errors.list_some(names, 8)}"


def other_columns(
    what: str, expected: Sequence[str], reference_name: str, got: Sequence[str] | None
) -> ValueError:
    """Return the error about channels whose names are not those of the first table."""
    rule = f"have the channels {', '.join(expected)} like {reference_name}"
    if got is None:
        return _errors.invalid(
            what, rule, "no line of names", "Give it a first line with their names."
        )
    missing = [name for name in expected if name not in got]
    new = [name for name in got if name not in expected]
    parts = [("missing", missing), ("new", new)]
    differ = "; ".join(f"{word}: {', '.join(names)}" for word, names in parts if names)
    remedy = "Rename its columns, or choose some that all files have with columns=, --columns."
    if reference_name == TRAINING:
        remedy = "Rename its columns, or train on columns that all files have."
    return _errors.invalid(what, rule, f"{', '.join(got)} ({differ or 'some twice'})", remedy)
