"""One writer at a time: a file that is locked by the process that writes."""

import importlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

from ldslearn._processes import Owner
from ldslearn._records import read_json
from ldslearn._writing import check_regular, name_full_disk

fcntl: Any = None
with suppress(ImportError):  # on Windows
    fcntl = importlib.import_module("fcntl")

_LARGEST = 2**12  # bytes of a lock
_TRIES, _PAUSE = 20, 0.01  # seconds, until whoever made a lock has written its name
_FLAGS = os.O_RDWR
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


@contextmanager
def lock_file(path: Path, what: str) -> Iterator[None]:
    """Hold a lock for the time of the block; say who has it if it is another's.

    The system locks the file and gives it free when the process ends, however it ends; what the
    file says is for messages. Two cases are left to the reader of the message, which says which
    file to delete: a file of another machine, as not all network file systems pass locks on, and
    any file where the file system has no locks.

    Parameters
    ----------
    path : Path
        The file that is the lock; made by whoever holds it, and removed in the end.
    what : str
        What is written, for the message.
    """
    with name_full_disk(path):
        while (number := _acquire(path, what)) is None:
            pass  # its holder has just removed it
    try:
        yield
    finally:
        _release(path, number)


def _acquire(path: Path, what: str) -> int | None:
    """The number of the open file that is now locked; None if it is no longer at its path."""
    check_regular(path)
    try:
        number, is_new = _open(path)
    except (FileNotFoundError, PermissionError) as error:
        if isinstance(error, FileNotFoundError) and path.parent.is_dir():
            return None
        if path.exists():  # another user's
            raise _locked(what, path, _holder(path), runs=False) from None
        raise
    try:
        is_locked = _lock(number)
        if not _is_at(path, number):
            os.close(number)
            return None
        if is_locked is False:
            raise _locked(what, path, _holder(path), runs=True)
        if not is_new:
            holder = _holder(path, 1)
            if not is_locked or (holder is not None and not holder.is_here):
                raise _locked(what, path, holder, runs=False)
    except BaseException:
        os.close(number)
        raise
    try:
        os.ftruncate(number, 0)
        os.write(number, json.dumps(Owner.here().as_dict()).encode())
    except BaseException:
        _release(path, number)
        raise
    return number


def _open(path: Path) -> tuple[int, bool]:
    """The file, opened, and whether it was made just now."""
    with suppress(FileExistsError):
        return os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666), True
    return os.open(path, _FLAGS), False


def _lock(number: int) -> bool | None:
    """Whether a file is now locked by this process; None where there are no such locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True


def _is_at(path: Path, number: int) -> bool:
    """Whether an open file is the one at a path: removed ones stay locked until they are closed."""
    with suppress(OSError):
        return os.path.samestat(os.lstat(path), os.fstat(number))
    return False


def _release(path: Path, number: int) -> None:
    """Remove the file, unless somebody deleted it and made another, and then give it free."""
    is_mine = _is_at(path, number)
    if fcntl is None:  # on Windows an open file cannot be removed
        os.close(number)
    with suppress(OSError):
        if is_mine:
            path.unlink()
    if fcntl is not None:
        os.close(number)


def _holder(path: Path, tries: int = _TRIES) -> Owner | None:
    """Who holds a lock by what the file says; None if it does not say."""
    for left in reversed(range(tries)):
        with suppress(OSError, ValueError):
            return Owner.from_dict(read_json(path, _LARGEST))
        if left:
            time.sleep(_PAUSE)
    return None


def _locked(
    what: str, path: str | PathLike[str], owner: Owner | None, *, runs: bool
) -> BlockingIOError:  # fmt: skip
    """Something that another process is writing, or whose lock may be left of one that ended."""
    who = "another process is writing it"
    if owner is not None:
        when = datetime.fromtimestamp(owner.since).isoformat(" ", "seconds")
        who = f"process {owner.pid} on {owner.host} has been writing it since {when}"
    rest = "" if runs else f"; if it no longer runs there, delete {path}"
    return BlockingIOError(
        f"{what} must be written by one process at a time; {who}. Wait for it, or name another "
        f"place{rest}."
    )
