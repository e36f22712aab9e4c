"""JSON files, read with limits and sealed by a checksum."""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from typing import Any

from ldslearn._writing import describe_kind

SEAL = "sha256"
_LARGEST = 2**26  # bytes
_CHUNK = 2**20
_DEEPEST = 200  # levels of nested values; Python writes no more than about 900


def read_json(path: str | os.PathLike[str], largest: int = _LARGEST) -> Any:
    """Return the JSON value in a file; raise ValueError if it is damaged or no regular file.

    A pipe does not block, and a file of more than `largest` bytes is not read to its end.
    """
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(number, "rb") as file:
        mode = os.fstat(number).st_mode
        if not stat.S_ISREG(mode):
            raise ValueError(f"{describe_kind(mode)} instead of a regular file")
        content = bytearray()
        while chunk := file.read(_CHUNK):  # memory grows with the bytes that are read
            content += chunk
            if len(content) > largest:
                raise ValueError(f"more than {largest} bytes")
    return parse_json(content)


def parse_json(text: str | bytes | bytearray) -> Any:
    """Return the value of a JSON text; raise ValueError if it is nested too deeply.

    The limit of Python itself depends on its version, on the caller, and on whether it reads or
    writes.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("values nested too deeply") from None
    level = [[value]]
    for _ in range(_DEEPEST + 1):
        inner = (one for values in level for one in values)
        found = [one for one in inner if isinstance(one, dict | list)]
        if not found:
            return value
        level = [list(one.values()) if isinstance(one, dict) else one for one in found]
    raise ValueError("values nested too deeply")


def seal(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record, as JSON represents it, with its checksum."""
    plain = json.loads(json.dumps(record))  # keys become texts, and are sorted as texts
    return {**plain, SEAL: _hash_record(plain)}


def check_seal(record: Any) -> None:
    """Raise ValueError unless a record matches its checksum."""
    if not isinstance(record, dict) or record.get(SEAL) != _hash_record(record):
        raise ValueError("its contents do not match their checksum")


def _hash_record(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all fields but the checksum, in any order."""
    rest = {name: value for name, value in record.items() if name != SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
