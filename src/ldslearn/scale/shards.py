"""The files of a store: shards of systems, and the index that names them."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._arrays import (
    damaged_contents,
    load_arrays,
    other_version,
    save_arrays,
    unreadable_file,
)
from ldslearn._locks import lock_file
from ldslearn._records import check_seal, read_json, seal
from ldslearn._writing import atomic_write, check_target_folder
from ldslearn.models.batch_files import parse_batch
from ldslearn.models.fields import FIELD_SHAPES
from ldslearn.models.lds import LDS

INDEX = "index.json"
LOCK = ".lock"  # of the process that writes the store
KIND, VERSION = "ldslearn store", 2  # version 2 has a checksum
SHARD_KIND, SHARD_VERSION = "ldslearn shard", 1
TEXTS = ("names", "labels", "splits", "groups", "rates")  # of the sequences, beside their systems
_LARGEST_INDEX = 2**30  # bytes; a million shards take a quarter of it
_verified: set[tuple[str, str, str, int, int]] = set()  # shards, in this process
NUMBERED_NAME = re.compile(r"systems-\d{6,9}\.npz")
SHARD_NAME = re.compile(r"systems-[0-9a-f]{6,16}\.npz")


def name_shard(what: int | str, skipped: Sequence[tuple[str, str]] = ()) -> str:
    """Return the file name of a shard from its number, or from the fingerprint of its items.

    A shard of other files, or with other items skipped, has another name: it does not replace the
    one that an index names.
    """
    if isinstance(what, int):
        return f"systems-{what:06d}.npz"
    if skipped:
        what = hashlib.sha256(json.dumps([what, *map(list, skipped)]).encode()).hexdigest()
    return f"systems-{what[:16]}.npz"


@dataclass(frozen=True)
class IndexFormat:
    """File name, kind and version of an index that names shards."""

    name: str
    kind: str
    version: int


STORE = IndexFormat(INDEX, KIND, VERSION)


@dataclass(frozen=True)
class Shard:
    """An entry of the index: one file of a store.

    Attributes
    ----------
    name : str
    length : int
        Sequences in it; a shard of none has no file.
    n_bytes : int
    sha256 : str
    fingerprint : str
        Hash of its items and parameters; empty if the shard is to be made again.
    skipped : tuple of (str, str)
        Name and reason of the items that could not be encoded.
    """

    name: str
    length: int
    n_bytes: int = 0
    sha256: str = ""
    fingerprint: str = ""
    skipped: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, values: Any) -> Self:
        """Return the shard that a JSON value describes, or raise ValueError."""
        if not isinstance(values, dict) or set(values) != set(cls.__dataclass_fields__):
            raise ValueError("a shard entry lacks fields, or has unknown ones")
        pairs = values["skipped"]
        if not isinstance(pairs, list) or not all(
            isinstance(pair, list) and len(pair) == 2 for pair in pairs
        ):
            raise ValueError("'skipped' of a shard is not a list of pairs")
        skipped = tuple((str(name), str(reason)) for name, reason in pairs)
        shard = cls(**{**values, "skipped": skipped})
        whole = (type(n) is int and 0 <= n < 2**62 for n in (shard.length, shard.n_bytes))
        texts = all(isinstance(text, str) for text in (shard.name, shard.sha256, shard.fingerprint))
        if not all(whole) or not texts or not SHARD_NAME.fullmatch(shard.name):
            raise ValueError(
                f"shard {str(shard.name)[:40]!r} has an invalid name, length or checksum"
            )
        return shard


@dataclass(frozen=True)
class StoredBlock:
    """Consecutive shards of a store: small enough to send, and read where they are needed."""

    path: Path
    shards: tuple[Shard, ...]
    window: int | None = None
    verification_id: str | None = ""  # of the opened store; None: shards are not verified

    def __len__(self) -> int:
        return sum(shard.length for shard in self.shards)

    def load(self) -> LDS:
        """Return the systems, after checks of the files; nothing in them is executed."""
        systems = LDS.concatenate([self._load_systems(shard) for shard in self.shards])
        return systems if self.window is None else systems.window(self.window)

    def read_texts(self, name: str) -> list[str] | None:
        """Return names, labels, splits, groups or rates of the sequences; None if not known."""
        found = [self._read(shard, [name])[1].get(name) for shard in self.shards]
        known = [texts for texts in found if texts is not None]
        return None if len(known) < len(found) else [str(t) for texts in known for t in texts]

    def _load_systems(self, shard: Shard) -> LDS:
        header, arrays = self._read(shard, FIELD_SHAPES)
        try:
            systems = LDS(**parse_batch(header, arrays))
            if len(systems) != shard.length:
                raise ValueError(f"{len(systems)} sequences instead of {shard.length}")
        except (_errors.InputTypeError, ValueError) as error:
            raise damaged_contents(self.path / shard.name, error) from error
        return systems

    def _read(
        self, shard: Shard, names: Iterable[str]
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return header and some arrays of a shard, if its file has the bytes that were written."""
        path = self.path / shard.name
        size = path.stat().st_size if path.is_file() else "no file"
        if size != shard.n_bytes:
            raise _errors.bad_file(
                path, f"have {shard.n_bytes} bytes, as its index says", size,
                "Encode the same files again: complete shards are kept.",
            )  # fmt: skip
        if self.verification_id is not None:
            _check_digest(path, shard.sha256, self.verification_id)
        return load_arrays(path, SHARD_KIND, SHARD_VERSION, list(names))


def write_shard(
    folder: str | os.PathLike[str],
    number: int | str,
    systems: LDS,
    texts: Mapping[str, Sequence[str]] | None = None,
    skipped: Sequence[tuple[str, str]] = (),
) -> Shard:
    """Write systems to one file of a store, completely or not at all, and return its entry.

    See :func:`name_shard` for `number` and `skipped`.
    """
    path = Path(folder) / name_shard(number, skipped)
    arrays = {**systems._arrays, **{k: np.array(v, np.str_) for k, v in (texts or {}).items()}}
    save_arrays(path, SHARD_KIND, SHARD_VERSION, systems._settings, arrays)
    size = path.stat().st_size
    fingerprint = number if isinstance(number, str) else ""
    return Shard(path.name, len(systems), size, hash_file(path), fingerprint, tuple(skipped))


def _check_digest(path: Path, sha256: str, verification_id: str) -> None:
    """Raise unless a shard has the bytes that were written; checked once per opened store."""
    status = path.stat()
    key = (verification_id, str(path), sha256, status.st_ino, status.st_mtime_ns)
    if not sha256 or key in _verified:  # stores of early versions have none
        return
    if hash_file(path) != sha256:
        raise _errors.bad_file(
            path, "match its SHA-256", "another checksum",
            "Delete it and encode the same files again: complete shards are kept.",
        )  # fmt: skip
    _verified.add(key)


def hash_file(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def lock_store(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make the folder of a store if it is new, and lock it against other writers."""
    folder = Path(path)
    check_target_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with lock_file(folder / LOCK, f"store {folder}"):
        yield folder


def clear_folder(folder: Path) -> None:
    """Remove numbered shards that an interrupted :meth:`LDSStore.write` left in a folder.

    Raise if it holds other files that are not hidden.
    """
    found = [path for path in folder.iterdir() if not path.name.startswith(".")]
    if not all(NUMBERED_NAME.fullmatch(path.name) for path in found):
        raise _errors.invalid(
            f"store {folder}", "be new or empty", "files in it", "Choose another folder."
        )
    for path in found:
        path.unlink()


def write_index(
    folder: Path, shards: Sequence[Shard], about: Mapping[str, Any], form: IndexFormat = STORE
) -> None:
    """Write the index of a store, the last of its files."""
    check_index(folder, form)
    index = {
        "format": form.kind,
        "version": form.version,
        "about": dict(about),
        "shards": [asdict(shard) for shard in shards],
    }
    with atomic_write(folder / form.name) as file:
        file.write(json.dumps(seal(index)).encode())


def check_index(folder: Path, form: IndexFormat = STORE) -> None:
    """Raise if the index is a link: its target belongs to another store."""
    if (folder / form.name).is_symlink():
        raise _errors.bad_file(
            folder / form.name, "be a regular file in order to be replaced", "a link",
            "Name another store, or replace the link by a copy.",
        )  # fmt: skip


def read_index(folder: Path, form: IndexFormat = STORE) -> tuple[tuple[Shard, ...], dict[str, Any]]:
    """Return the shards of a store and the record of how it was made."""
    path = folder / form.name
    try:
        index = read_json(path, _LARGEST_INDEX)
    except ValueError as error:
        raise unreadable_file(path, form.kind) from error
    if not isinstance(index, dict) or index.get("format") != form.kind:
        raise unreadable_file(path, form.kind)
    version = index.get("version")
    if type(version) is not int or not 1 <= version <= form.version:
        raise other_version(path, version, form.version)
    try:
        if version > 1 or form is not STORE:
            check_seal(index)
        elif set(index) != {"format", "version", "about", "shards"}:
            raise ValueError("fields of another version")
        listed, about = index.get("shards"), index.get("about")
        if not isinstance(listed, list) or not isinstance(about, dict):
            raise ValueError("the index lacks 'shards' or 'about'")
        shards = tuple(map(Shard.of, listed))
        if len({shard.name for shard in shards}) < len(shards):
            raise ValueError("two shards of one name")
        return shards, about
    except ValueError as error:
        raise damaged_contents(path, error) from error
