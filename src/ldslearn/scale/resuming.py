"""What earlier runs left of a store, and whether it is still what is asked for."""

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
    read_index,
    shard_name,
)


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


def write_note(folder: Path, fingerprint: str, shard: Shard) -> None:
    """Tell the next run of a finished shard."""
    with atomic_write(folder / note_of(fingerprint)) as file:
        file.write(json.dumps(seal({"shard": asdict(shard)})).encode())


def _read_note(path: Path) -> Shard:
    """The shard that a note tells of, or ValueError."""
    note = read_json(path)
    check_seal(note)
    return Shard.of(note.get("shard"))


def is_own(name: str) -> bool:
    """Whether a file is a shard of a store, or a note about one."""
    return SHARD_NAME.fullmatch(name.replace(".json", ".npz")) is not None


def check_contents(folder: Path) -> None:
    """Raise unless a folder is empty or holds a store, whose index can be replaced."""
    check_index(folder)
    check_target(folder / INDEX)
    names = sorted(path.name for path in folder.iterdir())
    others = [n for n in names if n != INDEX and not n.startswith(".") and not is_own(n)]
    if others:
        got = f"{others[0]} in it"
        raise _errors.invalid(f"store {folder}", "be new, empty or a store", got, "Name another.")


def check_resumable(folder: Path, about: dict[str, Any]) -> None:
    """Raise unless the store in a folder, if there is one, is made as this one is to be."""
    now = json.loads(json.dumps(about))
    earlier = made_with(folder)
    if earlier is None:
        return
    if "encoder" not in earlier:
        raise _errors.invalid(
            f"store {folder}", "be new, empty or one that encode made", "systems of another origin",
            "Name another.",
        )  # fmt: skip
    for what in ("encoder", "reading"):
        for name, value in now[what].items():
            got = earlier.get(what, {}).get(name)
            if got != value:
                raise ValueError(
                    f"store {folder} must have been made with {name}={value!r}, as is asked "
                    f"for; got one made with {name}={got!r}. Name another folder, or delete "
                    "this one."
                )


def made_with(folder: Path) -> dict[str, Any] | None:
    """How the files of the store in a folder were read and fitted; None if there is none."""
    return read_index(folder)[1] if (folder / INDEX).is_file() else None


def finished(folder: Path) -> dict[str, Shard]:
    """What earlier runs left whole, by fingerprint."""
    found = list(read_index(folder)[0]) if (folder / INDEX).is_file() else []
    for path in sorted(folder.glob("systems-*.json")):
        try:
            found.append(_read_note(path))
        except (ValueError, OSError):
            continue  # it is made again
    whole = [shard for shard in found if shard.length == 0 or _has_its_bytes(folder, shard)]
    return {shard.fingerprint: shard for shard in whole}


def _has_its_bytes(folder: Path, shard: Shard) -> bool:
    path = folder / shard.name
    return path.is_file() and path.stat().st_size == shard.n_bytes


def tidy(folder: Path, names: set[str]) -> None:
    """Remove notes that the index now holds, and shards that it does not name."""
    for path in list(folder.iterdir()):
        if is_own(path.name) and path.name not in names:
            path.unlink(missing_ok=True)
