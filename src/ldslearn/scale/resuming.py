"""Stores of interrupted runs: which shards are complete, and whether they can be kept."""

import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ldslearn import _errors
from ldslearn._records import check_seal, read_json, seal
from ldslearn._writing import atomic_write, check_target
from ldslearn.datasets.items import Item
from ldslearn.scale.shards import (
    INDEX,
    SHARD_NAME,
    Shard,
    check_index,
    name_shard,
    read_index,
)


def fingerprint_items(about: dict[str, Any], items: Sequence[Item]) -> str:
    """Return a hash of the parameters, and of names, labels, sizes and times of the files."""
    facts: list[Any] = [about]
    for item in items:
        known = [item.name, str(item.source), item.label, item.split, item.group]
        facts.append([*known, _describe_source(item.source)])
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _describe_source(path: Path) -> Any:
    """Return size and time of a file; of a folder of images, those of each."""
    try:
        if path.is_dir():
            return [[one.name, _describe_source(one)] for one in sorted(path.iterdir())]
        status = path.stat()
        return [status.st_size, status.st_mtime_ns]
    except OSError:
        return None


def cut_items(items: Sequence[Item], size: int) -> list[list[Item]]:
    """Return consecutive blocks of about `size` items, at most twice as many.

    A hash of its name decides whether an item begins a block. A new item then changes its own
    block and, where blocks are full, those up to the next item that begins one.
    """
    blocks: list[list[Item]] = []
    for item in items:
        begins = zlib.crc32(item.name.encode()) % size == 0
        if not blocks or begins or len(blocks[-1]) == 2 * size:
            blocks.append([])
        blocks[-1].append(item)
    return blocks


def name_note(fingerprint: str) -> str:
    """Return the name of the file that records a finished shard until the index does."""
    return name_shard(fingerprint).replace(".npz", ".json")


def write_note(folder: Path, fingerprint: str, shard: Shard) -> None:
    """Record a finished shard for the next run."""
    with atomic_write(folder / name_note(fingerprint)) as file:
        file.write(json.dumps(seal({"shard": asdict(shard)})).encode())


def _read_note(path: Path) -> Shard:
    """Return the shard that a note records; raise ValueError if it is damaged."""
    note = read_json(path)
    check_seal(note)
    return Shard.of(note.get("shard"))


def is_store_file(name: str) -> bool:
    """Whether a file is a shard of a store, or a note about one."""
    return SHARD_NAME.fullmatch(name.replace(".json", ".npz")) is not None


def check_contents(folder: Path) -> None:
    """Raise unless a folder is empty or holds a store, whose index can be replaced."""
    check_index(folder)
    check_target(folder / INDEX)
    names = sorted(path.name for path in folder.iterdir())
    others = [n for n in names if n != INDEX and not n.startswith(".") and not is_store_file(n)]
    if others:
        got = f"{others[0]} in it"
        raise _errors.invalid(
            f"store {folder}", "be new, empty or a store", got, "Choose another folder."
        )


def check_resumable(folder: Path, about: dict[str, Any]) -> None:
    """Raise if the store in a folder was made in another way than `about` describes."""
    now = json.loads(json.dumps(about))
    earlier = read_origin(folder)
    if earlier is None:
        return
    if "encoder" not in earlier:
        raise _errors.invalid(
            f"store {folder}", "be new, empty or one made by encode", "one made by LDSStore.write",
            "Choose another folder.",
        )  # fmt: skip
    for what in ("encoder", "reading"):
        for name, value in now[what].items():
            got = earlier.get(what, {}).get(name)
            if got != value:
                raise ValueError(
                    f"store {folder} must have been made with {name}={value!r}, as is required "
                    f"now; got one made with {name}={got!r}. Name another folder, or delete this "
                    "one."
                )


def read_origin(folder: Path) -> dict[str, Any] | None:
    """Return the record of how the store in a folder was made; None if there is no store."""
    return read_index(folder)[1] if (folder / INDEX).is_file() else None


def find_finished(folder: Path) -> dict[str, Shard]:
    """Return the complete shards of earlier runs by fingerprint."""
    found = list(read_index(folder)[0]) if (folder / INDEX).is_file() else []
    for path in sorted(folder.glob("systems-*.json")):
        try:
            found.append(_read_note(path))
        except (ValueError, OSError):
            continue  # the shard is made again
    whole = [shard for shard in found if shard.length == 0 or _is_complete(folder, shard)]
    return {shard.fingerprint: shard for shard in whole}


def _is_complete(folder: Path, shard: Shard) -> bool:
    path = folder / shard.name
    return path.is_file() and path.stat().st_size == shard.n_bytes


def remove_leftovers(folder: Path, names: set[str]) -> None:
    """Remove notes, and shards that the index does not name."""
    for path in list(folder.iterdir()):
        if is_store_file(path.name) and path.name not in names:
            path.unlink(missing_ok=True)
