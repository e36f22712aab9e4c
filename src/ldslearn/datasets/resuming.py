"""What earlier runs left of a store, and whether it is still what is asked for."""

import hashlib
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldslearn import _errors
from ldslearn.datasets.gathering import Item
from ldslearn.models.shards import INDEX, SHARD_NAME, Shard, read_index, shard_name


def fingerprint_of(about: dict[str, Any], items: Sequence[Item]) -> str:
    """Changes with the parameters, and with names, labels, sizes and times of the files."""
    facts: list[Any] = [about]
    for item in items:
        known = [item.name, str(item.source), item.label, item.split, item.group]
        facts.append([*known, _state_of(item.source)])
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _state_of(path: Path) -> Any:
    """Size and time of a file; of a folder of images, those of each."""
    try:
        if path.is_dir():
            return [[one.name, _state_of(one)] for one in sorted(path.iterdir())]
        status = path.stat()
        return [status.st_size, status.st_mtime_ns]
    except OSError:
        return None


def cut_items(items: Sequence[Item], size: int) -> list[list[Item]]:
    """Return consecutive blocks of some `size` items, at most twice as many.

    A block begins with an item whose name says so, wherever it is: a new item changes the block
    that it falls into and, where blocks are full, those up to the next such name.
    """
    blocks: list[list[Item]] = []
    for item in items:
        begins = zlib.crc32(item.name.encode()) % size == 0
        if not blocks or begins or len(blocks[-1]) == 2 * size:
            blocks.append([])
        blocks[-1].append(item)
    return blocks


def note_of(fingerprint: str) -> str:
    """Name of the file that tells of a finished shard until the index does."""
    return shard_name(fingerprint).replace(".npz", ".json")


def is_own(name: str) -> bool:
    """Whether a file is a shard of a store, or a note about one."""
    return SHARD_NAME.fullmatch(name.replace(".json", ".npz")) is not None


def prepared(folder: Path, about: dict[str, Any]) -> Path:
    """The folder, made if need be; one that holds something else is refused."""
    if folder.exists() and not folder.is_dir():
        raise _errors.invalid(f"store {folder}", "be a folder", "a file", "Name another.")
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in folder.iterdir())
    others = [n for n in names if n != INDEX and not n.startswith(".") and not is_own(n)]
    if others:
        got = f"{others[0]} in it"
        raise _errors.invalid(f"store {folder}", "be new, empty or a store", got, "Name another.")
    now = json.loads(json.dumps(about))
    earlier = made_with(folder)
    if earlier is None:
        return folder
    if "encoder" not in earlier:
        raise _errors.invalid(
            f"store {folder}", "be new, empty or one that encode made", "systems of another origin",
            "Name another.",
        )  # fmt: skip
    for what in ("encoder", "reading"):
        for name, value in now[what].items():
            got = earlier.get(what, {}).get(name)
            if got != value:
                raise _errors.other_store(folder, name, got, value)
    return folder


def made_with(folder: Path) -> dict[str, Any] | None:
    """How the files of the store in a folder were read and fitted; None if there is none."""
    return read_index(folder)[1] if (folder / INDEX).is_file() else None


def finished(folder: Path) -> dict[str, Shard]:
    """What earlier runs left whole, by fingerprint."""
    found = list(read_index(folder)[0]) if (folder / INDEX).is_file() else []
    for path in sorted(folder.glob("systems-*.json")):
        try:
            found.append(Shard.of(json.loads(path.read_bytes())))
        except (ValueError, RecursionError):
            continue  # it is made again
    whole = [shard for shard in found if shard.length == 0 or _has_its_bytes(folder, shard)]
    return {shard.fingerprint: shard for shard in whole}


def _has_its_bytes(folder: Path, shard: Shard) -> bool:
    path = folder / shard.name
    return path.is_file() and path.stat().st_size == shard.n_bytes


def tidy(folder: Path, names: set[str]) -> None:
    """Remove notes that the index now holds, shards that it does not name, parts of files."""
    own = [path for path in folder.iterdir() if is_own(path.name)]
    for path in [*own, *folder.glob(".systems-*.part")]:
        if path.name not in names:
            path.unlink(missing_ok=True)
