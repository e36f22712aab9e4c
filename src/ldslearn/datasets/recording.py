"""What is read of one item: sequences or videos, the names of channels, and their rate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.time_checks import Trouble
from ldslearn.sequences.clocks import is_time_name


@dataclass(frozen=True)
class Recording:
    """One item as it was read.

    Attributes
    ----------
    parts : list of arrays
        Sequences (n_channels, n_timepoints), or videos (n_frames, height, width[, n_colours]).
    names : tuple of str or None
        Of the channels, where the file names them.
    rate : float or None
        Time points per second, where the file tells.
    time : str or None
        The column of time.
    troubles : tuple of Trouble
        What is wrong with its times.
    is_table : bool
        Whether it is a table, which might have names.
    left_out : tuple of str
        Further columns of time.
    """

    parts: list[NDArray[Any]]
    names: tuple[str, ...] | None = None
    rate: float | None = None
    time: str | None = None
    troubles: tuple[Trouble, ...] = ()
    is_table: bool = False
    left_out: tuple[str, ...] = ()

    def order_channels(self, path: Any, channels: Sequence[str], like: str) -> "Recording":
        """Return the same with the channels in a given order, or say what is missing or new.

        Further columns of time are left out.
        """
        if not self.is_table:
            return self
        order = order_of(self.names, channels, f"file {path}", like)
        if list(order) == list(range(len(self.names or ()))):
            return self
        return replace(self, parts=[part[order] for part in self.parts], names=tuple(channels))


def order_of(
    names: Sequence[str] | None, channels: Sequence[str], what: str, like: str
) -> NDArray[np.intp]:
    """Indices that put named channels in the order of `channels`, or say what differs.

    Names of time that are not among `channels` are left out.
    """
    if names is None:
        raise _errors.other_columns(what, channels, like, None)
    kept = [i for i, name in enumerate(names) if name in channels or not is_time_name(name)]
    found = [names[i] for i in kept]
    if found == list(channels):
        return np.array(kept)
    if sorted(found) != sorted(channels) or len(set(found)) < len(found):
        raise _errors.other_columns(what, channels, like, names)
    return np.array([kept[found.index(name)] for name in channels])
