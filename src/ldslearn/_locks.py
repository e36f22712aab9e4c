"""One writer at a time: a file that says which process writes."""

import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ldslearn import _errors
from ldslearn._processes import Owner
from ldslearn._records import read_json

_LARGEST = 2**12  # bytes of a lock
_LATEST = 2**37  # seconds since 1970, in the year 6325
_UNNAMED = 10.0  # seconds in which whoever made a lock must have written its name


@contextmanager
def lock_file(path: Path, what: str) -> Iterator[None]:
    """Hold a lock for the time of the block; say who has it if it is another's.

    A lock of a process of this machine that has ended is taken over. Of other machines nothing is
    known: the message says which file to delete.

    Parameters
    ----------
    path : Path
        The file that is the lock; made by whoever holds it, and removed in the end.
    what : str
        What is written, for the message.
    """
    mine = {**Owner.here().as_dict(), "since": time.time(), "token": secrets.token_hex(8)}
    while not _create(path, mine):
        _take_over(path, what)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            if read_json(path, _LARGEST) == mine:  # else somebody deleted it and made another
                path.unlink()


def _create(path: Path, content: dict[str, Any]) -> bool:
    """Whether the lock could be made: there was none."""
    try:
        number = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    with open(number, "wb") as file:
        file.write(json.dumps(content).encode())
    return True


def _take_over(path: Path, what: str) -> None:
    """Remove a lock that nobody holds, or raise.

    It is moved aside first, which only one process can do, and looked at there: another process may
    have taken it over in the meantime, whose lock is put back.
    """
    try:
        found = _holder(path, what)
        if found is not None and not found[0].is_dead:
            raise _errors.locked(what, path, *found)
        aside = path.with_name(f"{path.name}.{secrets.token_hex(6)}")
        path.rename(aside)
        moved = _holder(aside, what)
        if moved is not None and not moved[0].is_dead:
            with suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink()
    except FileNotFoundError:
        return  # it has just been removed


def _holder(path: Path, what: str) -> tuple[Owner, float] | None:
    """Who holds a lock, since when; None of one that was left before it was written."""
    for _ in range(20):
        try:
            found = read_json(path, _LARGEST)
            owner, since = Owner.from_dict(found), float(found["since"])
            if not 0 <= since < _LATEST:
                raise ValueError("a time that cannot be")
            return owner, since
        except (ValueError, KeyError, TypeError):
            if time.time() - path.stat().st_mtime > _UNNAMED:
                return None
            time.sleep(0.05)  # its holder is just writing it
    raise _errors.locked(what, path, Owner("unknown", 0), path.stat().st_mtime)
