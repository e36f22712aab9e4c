"""The systems of an index by id: batches in memory, or shards mapped to memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ldslearn._types import Indices
from ldslearn.models import LDS
from ldslearn.scale.shards import Shard
from ldslearn.search.mapped_systems import Texts, map_shard


class Shelves:
    """Batches of systems side by side; ids count their systems from 0.

    Attributes
    ----------
    batches : list of LDS
    texts : list of dict
        Arrays of names and labels beside each batch, where known.
    """

    def __init__(self, batches: Sequence[LDS] = (), texts: Sequence[Texts] = ()) -> None:
        self.batches, self.texts = list(batches), list(texts)
        self._starts = np.cumsum([0, *map(len, self.batches)])

    def extend(self, other: "Shelves") -> "Shelves":
        """Return these batches, and those of another after them."""
        return Shelves([*self.batches, *other.batches], [*self.texts, *other.texts])

    @classmethod
    def open(cls, folder: Path, shards: Sequence[Shard], *, verify: bool) -> "Shelves":
        """Return the systems of shards, in their files."""
        mapped = [map_shard(folder, shard, verify=verify) for shard in shards]
        return cls([systems for systems, _ in mapped], [texts for _, texts in mapped])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def gather(self, ids: Indices) -> LDS:
        """Return copies of the systems of some ids, in their order."""
        like = self.batches[0]
        windows = np.arange(like.windows)
        found = {
            name: np.empty((len(ids) * like.windows, *array.shape[1:]))
            for name, array in like._arrays.items()
        }
        for number, positions in self._locate(ids):
            rows = ids[positions] - self._starts[number]
            taken = (rows[:, None] * like.windows + windows).ravel()
            placed = (positions[:, None] * like.windows + windows).ravel()
            for name, array in self.batches[number]._arrays.items():
                found[name][placed] = array[taken]
        return LDS._from_trusted(**like._settings, **found)

    def read_texts(self, ids: Indices, name: str) -> list[str | None]:
        """Return "names" or "labels" of some ids; None where they are not known."""
        found: list[str | None] = [None] * len(ids)
        for number, positions in self._locate(ids):
            if name in self.texts[number]:
                rows = ids[positions] - self._starts[number]
                texts = self.texts[number][name][rows].tolist()
                for position, text in zip(positions.tolist(), texts, strict=True):
                    found[position] = str(text)
        return found

    def _locate(self, ids: Indices) -> Iterator[tuple[int, Indices]]:
        """Yield the number of each batch that holds some ids, and the positions of these."""
        owners = np.searchsorted(self._starts, ids, side="right") - 1
        for number in np.unique(owners).tolist():
            yield number, np.flatnonzero(owners == number)
