"""Channels by name: found, chosen, and put in the order of others."""

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldslearn import _errors
from ldslearn._types import Indices
from ldslearn.datasets.collection import Collection
from ldslearn.sequences.clocks import is_time_name

TRAINING = "the training data"  # what new files are compared with


def find_column(
    path: str | os.PathLike[str], names: Sequence[str] | None, n_columns: int, reference: str
) -> int:
    """The column with a name, in any case if that is clear, or else a number from 1."""
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


def order_of(names: Sequence[str] | None, channels: Sequence[str], what: str, like: str) -> Indices:
    """Indices that put named channels in the order of `channels`, or say what differs.

    Names of time that are not among `channels` are left out.
    """
    if names is None:
        raise other_columns(what, channels, like, None)
    kept = [i for i, name in enumerate(names) if name in channels or not is_time_name(name)]
    found = [names[i] for i in kept]
    if found == list(channels):
        return np.array(kept)
    if sorted(found) != sorted(channels) or len(set(found)) < len(found):
        raise other_columns(what, channels, like, names)
    return np.array([kept[found.index(name)] for name in channels])


def order_channels(data: Collection, channels: Sequence[str] | None, like: str) -> Collection:
    """Return a collection with its channels in the order of others, or say what differs.

    One without names, or with others without names, is taken as it is.
    """
    if channels is None or data.channel_names is None:
        return data
    order = order_of(data.channel_names, channels, "the collection", like)
    return replace(data, X=[x[order] for x in data.X], channel_names=tuple(channels))


def choose_channels(data: Collection, columns: Sequence[str]) -> Collection:
    """Return some channels of a collection, by their names or numbers from 1."""
    names = data.channel_names
    chosen = [find_column("of the collection", names, len(data.X[0]), one) for one in columns]
    if len(set(chosen)) < len(chosen):
        raise _errors.invalid_parameter("columns", "name each channel once", tuple(columns))
    return replace(
        data,
        X=[sequence[chosen] for sequence in data.X],
        channel_names=None if names is None else tuple(names[i] for i in chosen),
        frame_shape=None,
        preprocessing={**data.preprocessing, "columns": list(columns)},
    )


def other_columns(
    what: str, expected: Sequence[str], like: str, got: Sequence[str] | None
) -> ValueError:
    """Return the error about channels whose names are not those of the first table."""
    rule = f"have the channels {', '.join(expected)} like {like}"
    if got is None:
        return _errors.invalid(
            what, rule, "no line of names", "Give it a first line with their names."
        )
    missing = [name for name in expected if name not in got]
    new = [name for name in got if name not in expected]
    parts = [("missing", missing), ("new", new)]
    differ = "; ".join(f"{word}: {', '.join(names)}" for word, names in parts if names)
    remedy = "Rename its columns, or choose some that all files have with columns=, --columns."
    if like == TRAINING:
        remedy = "Rename its columns, or train on columns that all files have."
    return _errors.invalid(what, rule, f"{', '.join(got)} ({differ or 'some twice'})", remedy)
