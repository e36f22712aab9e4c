"""Systems that join an index: shards in memory or in files."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ldslearn import _errors
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems, cut_systems, load_block
from ldslearn.scale.shards import Shard, StoredBlock, name_shard, write_shard
from ldslearn.search.mapped_systems import Texts, map_shard
from ldslearn.search.shelves import Shelves
from ldslearn.search.similarity import OF_INDEX

_SHARD = 2**26  # bytes

Part = tuple[LDS, Texts]


@contextmanager
def count_from(first: int) -> Iterator[None]:
    """Name the systems of an error by their places in X, whose first one has the id `first`."""
    try:
        yield
    except _errors.SystemsError as error:
        if error.batch != OF_INDEX or min(error.indices) < first:
            raise
        raise error.move(lambda place: ("", place[1] - first)) from error.__cause__


def cut_parts(batch: LDS | StoredSystems, names: Sequence[str] | None) -> Iterator[Part]:
    """Yield systems and their texts, a shard at a time."""
    if names is not None and len(names) != len(batch):
        raise _errors.invalid_parameter("names", f"have one name per system, {len(batch)}", names)
    start = 0
    for block in cut_systems(batch, _SHARD):
        texts: Texts = {}
        if isinstance(block, StoredBlock):
            known = {name: block.read_texts(name) for name in ("names", "labels")}
            texts = {k: np.array(v, np.str_) for k, v in known.items() if v is not None}
        if names is not None:
            texts["names"] = np.array(names[start : start + len(block)], np.str_)
        yield load_block(block), texts
        start += len(block)


def write_parts(
    folder: Path | None, first: int, parts: Iterable[Part]
) -> tuple[list[Shard], Shelves]:
    """Return shards of systems, numbered from `first`, in the files of a folder or in memory."""
    shards: list[Shard] = []
    kept: list[Part] = []
    for number, (systems, texts) in enumerate(parts, first):
        if folder is None:
            shards.append(Shard(name_shard(number), len(systems)))
            kept.append((systems, texts))
        else:
            written = {name: array.tolist() for name, array in texts.items()}
            shards.append(write_shard(folder, number, systems, written))
            kept.append(map_shard(folder, shards[-1], verify=False))
    return shards, Shelves([one for one, _ in kept], [texts for _, texts in kept])
