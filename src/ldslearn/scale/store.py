"""Systems in a folder, read on demand: a batch larger than memory."""

import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from ldslearn import _errors
from ldslearn._types import Indices
from ldslearn.models.blocks import StoredSystems
from ldslearn.models.lds import LDS, as_systems
from ldslearn.scale.shards import (
    INDEX,
    TEXTS,
    Shard,
    StoredBlock,
    clear_folder,
    hash_file,
    lock_store,
    read_index,
    write_index,
    write_shard,
)


@dataclass(frozen=True, repr=False)
class LDSStore(StoredSystems):
    """Systems in the files of a folder, as one batch that need not fit in memory.

    It has the attributes n_states, n_channels, n_noise, delays, windows and allow_unstable of an
    :class:`~ldslearn.LDS` batch. Indexing reads the selected systems; iterating yields one batch
    per shard. Dictionaries, :class:`~ldslearn.DictionaryClassifier` and
    :class:`~ldslearn.LDSKMeans` are fitted to a store, and every ``transform`` and ``predict``
    takes one, block by block. Make one with :func:`~ldslearn.scale.encode_folder` or
    `LDSStore.write`, and open it with `LDSStore.open`.

    Attributes
    ----------
    path : Path
    shards : tuple of Shard
        Name, length, size and SHA-256 of each file.
    about : dict
        Encoder and reading settings, as JSON values.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn import LDSDictionary, LDSEncoder
    >>> from ldslearn.datasets import make_lds_sequences
    >>> from ldslearn.scale import LDSStore
    >>> systems = LDSEncoder(4).fit_transform(make_lds_sequences(2, 5, random_state=0)[0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = LDSStore.write(Path(folder) / "store", [systems[:5], systems[5:]])
    ...     dictionary = LDSDictionary(2, max_iter=2, random_state=0).fit(store)
    ...     print(len(store), len(store.shards), store[3:6].shape, store.verify())
    10 2 (3, 10, 4) []
    """

    path: Path
    shards: tuple[Shard, ...]
    about: dict[str, Any] = field(default_factory=dict)
    _window: int | None = None
    # A new one per opened store: each shard is verified once per id. None: never verified.
    _verification_id: str | None = field(default="", compare=False)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True) -> Self:
        """Return the store in a folder; its systems are read later.

        Parameters
        ----------
        path : str or path
        verify : bool, default=True
            Compare each shard with its SHA-256 when it is first read. The index is always checked.

        Returns
        -------
        LDSStore
        """
        folder = Path(path)
        if not (folder / INDEX).is_file():
            raise FileNotFoundError(
                f"{folder} must be a store with a file {INDEX}; it has none. Make one with "
                "`ldslearn encode`, which resumes an interrupted run when it is repeated, or with "
                "LDSStore.write."
            )
        verification_id = secrets.token_hex(8) if verify else None
        store = cls(folder, *read_index(folder), _verification_id=verification_id)
        if not len(store):
            raise _errors.bad_file(folder / INDEX, "name at least one sequence", "none")
        return store

    @classmethod
    def write(cls, path: str | os.PathLike[str], batches: LDS | Iterable[LDS]) -> Self:
        """Write batches of systems to a new or empty folder, and return the store.

        There is one shard per batch. Files of an interrupted earlier call are replaced.

        Parameters
        ----------
        path : str or path
        batches : LDS or iterable of LDS
            All of the same sizes.

        Returns
        -------
        LDSStore
        """
        batches = [batches] if isinstance(batches, LDS) else batches
        shards: list[Shard] = []
        layout = None
        with lock_store(path) as folder:
            clear_folder(folder)
            for number, batch in enumerate(batches):
                systems = as_systems(batch, f"batch {number}", at_least_one=True)
                layout = layout or systems._layout
                if systems._layout != layout:
                    raise _errors.invalid(
                        f"batch {number}", f"have the layout of batch 0, {layout}",
                        systems._layout, "Encode all sequences with the same parameters.",
                    )  # fmt: skip
                shards.append(write_shard(folder, number, systems))
            if not shards:
                raise _errors.invalid_parameter("batches", "hold at least one LDS batch", [])
            write_index(folder, shards, {})
        return cls.open(folder)

    def __len__(self) -> int:
        return sum(shard.length for shard in self.shards)

    def __repr__(self) -> str:
        sizes = f"n_channels={self.n_channels}, n_states={self.n_states}"
        return f"LDSStore({self.path}: {len(self)} systems in {len(self.shards)} shards, {sizes})"

    @cached_property
    def _example(self) -> LDS:
        """The first sequence, which has the sizes of all."""
        shard = next(shard for shard in self.shards if shard.length)
        return self._make_block([shard]).load()[:1]

    @property
    def shape(self) -> tuple[int, int, int]:
        """(N, n_channels, n_states); scikit-learn counts samples by it."""
        return (len(self), *self._example.shape[1:])

    def __getattr__(self, name: str) -> Any:
        """Return n_states, n_channels, n_noise, delays, windows or allow_unstable."""
        shared = ("n_states", "n_channels", "n_noise", "delays", "windows", "allow_unstable")
        if name in shared:
            return getattr(self._example, name)
        raise AttributeError(f"LDSStore has no attribute {name!r}: read systems with store[key].")

    def __getitem__(self, key: Any) -> LDS:
        """Return systems in memory, by integer (a batch of one), slice, mask or index array."""
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # the form that scikit-learn uses
        wanted = np.atleast_1d(np.arange(len(self))[key])
        if wanted.ndim != 1:
            raise _errors.unusable_index(key)
        ends = np.cumsum([shard.length for shard in self.shards])
        shard_of = np.searchsorted(ends, wanted, side="right")
        order = np.argsort(shard_of, kind="stable")
        numbers, starts = np.unique(shard_of[order], return_index=True)
        parts = [self._example[:0]]
        groups = np.split(order, starts[1:])  # a single empty one if nothing is selected
        for number, places in zip(numbers.tolist(), groups, strict=False):
            rows = wanted[places] - (ends[number] - self.shards[number].length)
            systems = self._make_block([self.shards[number]]).load()
            parts.append(systems if _counts_up(rows, len(systems)) else systems[rows])
        joined = LDS.concatenate(parts)
        return joined if _counts_up(order, len(joined)) else joined[np.argsort(order)]

    def __iter__(self) -> Iterator[LDS]:
        """Yield batches of systems, one per shard."""
        return (block.load() for block in self.blocks())

    def blocks(self, n_bytes: int = 0) -> list[StoredBlock]:
        """Return blocks of consecutive shards of at most `n_bytes` (at least one shard each).

        Parameters
        ----------
        n_bytes : int, default=0

        Returns
        -------
        list of StoredBlock
            ``load()`` of a block reads its systems.
        """
        found: list[list[Shard]] = []
        size = 0
        for shard in self.shards:
            if shard.length and (not found or size + shard.n_bytes > n_bytes):
                found.append([shard])
                size = shard.n_bytes
            elif shard.length:
                found[-1].append(shard)
                size += shard.n_bytes
        return [self._make_block(shards) for shards in found]

    def window(self, index: int) -> Self:
        """Return one window of every sequence, as a store of single systems.

        Parameters
        ----------
        index : int

        Returns
        -------
        LDSStore
        """
        self._example.window(index)  # raises if there is none
        return self if self.windows == 1 else replace(self, _window=index)

    def _make_block(self, shards: Iterable[Shard]) -> StoredBlock:
        return StoredBlock(self.path, tuple(shards), self._window, self._verification_id)

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """Name and reason of the items that could not be encoded."""
        return [pair for shard in self.shards for pair in shard.skipped]

    @property
    def n_bytes(self) -> int:
        """Bytes of all shards."""
        return sum(shard.n_bytes for shard in self.shards)

    def read_texts(self, name: str) -> list[str] | None:
        """Return "names", "labels", "splits", "groups" or "rates" of all sequences.

        Parameters
        ----------
        name : str

        Returns
        -------
        list of str or None
            None if a shard has none.
        """
        if name not in TEXTS:
            raise _errors.unknown_name("name", name, TEXTS)
        found = [block.read_texts(name) for block in self.blocks()]
        known = [texts for texts in found if texts is not None]
        return None if len(known) < len(found) else [text for texts in known for text in texts]

    def verify(self) -> list[str]:
        """Return the names of shards that are missing or do not match their SHA-256.

        Returns
        -------
        list of str
        """
        paths = {shard: self.path / shard.name for shard in self.shards if shard.length}
        return [
            shard.name
            for shard, path in paths.items()
            if not path.is_file() or hash_file(path) != shard.sha256
        ]


def _counts_up(indices: Indices, length: int) -> bool:
    """Whether indices are 0, 1, ..., length - 1, which select without a copy."""
    return np.array_equal(indices, np.arange(length))
