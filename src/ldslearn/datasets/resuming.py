"""What earlier runs left of a store, and whether it is still what is asked for."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldslearn import _errors
from ldslearn.datasets.gathering import Item
from ldslearn.models.shards import INDEX, Shard, read_index, shard_name


def fingerprint_of(about: dict[str, Any], items: Sequence[Item]) -> str:
    """Changes with the parameters, and with names, labels, sizes and times of the files."""
    facts: list[Any] = [about]
    for item in items:
        try:
            status = item.source.stat()
            when: Any = [status.st_size, status.st_mtime_ns]
        except OSError:
            when = None
        facts.append([item.name, str(item.source), item.label, item.split, item.group, when])
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def note_of(number: int) -> str:
    """Name of the file that tells of a finished shard until the index does."""
    return shard_name(number).replace(".npz", ".json")


def prepared(folder: Path, about: dict[str, Any]) -> Path:
    """The folder, made if need be; one that holds something else is refused."""
    if folder.exists() and not folder.is_dir():
        raise _errors.invalid(f"store {folder}", "be a folder", "a file", "Name another.")
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in folder.iterdir())
    others = [n for n in names if n != INDEX and not n.startswith(("systems-", "."))]
    if others:
        got = f"{others[0]} in it"
        raise _errors.invalid(f"store {folder}", "be new, empty or a store", got, "Name another.")
    if (folder / INDEX).is_file() and read_index(folder)[1] != json.loads(json.dumps(about)):
        raise _errors.other_store(folder)
    return folder


def finished(folder: Path) -> dict[tuple[int, str], Shard]:
    """What earlier runs left whole, by number and fingerprint."""
    found = list(read_index(folder)[0]) if (folder / INDEX).is_file() else []
    for path in sorted(folder.glob("systems-*.json")):
        try:
            found.append(Shard.of(json.loads(path.read_bytes())))
        except (ValueError, KeyError, TypeError):
            continue  # it is made again
    whole = [shard for shard in found if shard.length == 0 or _has_its_bytes(folder, shard)]
    return {(int(shard.name[len("systems-") : -4]), shard.fingerprint): shard for shard in whole}


def _has_its_bytes(folder: Path, shard: Shard) -> bool:
    path = folder / shard.name
    return path.is_file() and path.stat().st_size == shard.n_bytes


def tidy(folder: Path, names: set[str]) -> None:
    """Remove notes that the index now holds, and shards that it does not name."""
    for path in folder.glob("systems-*"):
        if path.suffix == ".json" or path.name not in names:
            path.unlink(missing_ok=True)
