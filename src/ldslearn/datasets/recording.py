"""What is read of one item: sequences or videos, the names of channels, and their rate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from ldslearn.datasets.channels import order_of
from ldslearn.datasets.formats.time_checks import Trouble


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
        dropped = [name for name in self.names or () if name not in channels]
        left_out = (*self.left_out, *(f"column {name!r}" for name in dropped))
        return replace(
            self,
            parts=[part[order] for part in self.parts],
            names=tuple(channels),
            left_out=left_out,
        )
