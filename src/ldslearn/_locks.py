"""Lock files: one process writes at a time."""

import importlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Self

from ldslearn._processes import read_boot_id, read_host_name
from ldslearn._records import read_json
from ldslearn._writing import check_regular, name_full_disk

fcntl: Any = None
with suppress(ImportError):  # on Windows
    fcntl = importlib.import_module("fcntl")

_LARGEST = 2**12  # bytes of a lock
_LATEST = 2**37  # seconds since 1970, in the year 6325
_TRIES, _PAUSE = 20, 0.01  # seconds, until the owner of a new lock has written its name
_FLAGS = os.O_RDWR
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


@dataclass(frozen=True)
class Owner:
    """The process that holds a lock.

    Attributes
    ----------
    host : str
    boot : str
        See :func:`~ldslearn._processes.read_boot_id`.
    pid : int
    since : float
        When it took the lock, in seconds since 1970.
    """

    host: str
    boot: str
    pid: int
    since: float

    @classmethod
    def current(cls) -> Self:
        """Return this process, with the current time."""
        return cls(read_host_name(), read_boot_id(), os.getpid(), time.time())

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Return the owner that a JSON value describes, or raise ValueError."""
        if not isinstance(values, dict):
            raise ValueError("the lock file is not a JSON object")
        found: list[Any] = [values.get(name) for name in cls.__dataclass_fields__]
        host, boot, pid, since = found
        is_named = isinstance(host, str) and isinstance(boot, str)
        is_counted = type(pid) is int and 0 <= pid < 2**62
        if not is_named or not is_counted or type(since) not in (int, float):
            raise ValueError("the lock file lacks host, boot, pid or since")
        if not 0 <= since < _LATEST:
            raise ValueError("the lock file has an invalid time")
        return cls(host, boot, pid, since)

    def as_dict(self) -> dict[str, Any]:
        """Inverse of :meth:`from_dict`."""
        return asdict(self)

    @property
    def is_here(self) -> bool:
        """Whether it runs, or ran, on this machine, possibly in another container."""
        return self.host == read_host_name() or (self.boot != "" and self.boot == read_boot_id())


@contextmanager
def lock_file(path: Path, what: str) -> Iterator[None]:
    """Hold a lock inside the block; raise an error that names the owner if another process has it.

    The system locks the file and releases it when the process ends, however it ends. The contents
    of the file are for messages. In two cases the user decides whether to delete the file: it
    belongs to another machine, as not all network file systems pass locks on, or the file system
    has no locks.

    Parameters
    ----------
    path : Path
        The lock file; made by its owner, and removed at the end.
    what : str
        Name of what is written, for the message.
    """
    with name_full_disk(path):
        while (number := _acquire(path, what)) is None:
            pass  # its owner has just removed it
    try:
        yield
    finally:
        _release(path, number)


def _acquire(path: Path, what: str) -> int | None:
    """Return the descriptor of the locked file; None if it was removed meanwhile."""
    check_regular(path)
    try:
        number, is_new = _open_lock(path)
    except (FileNotFoundError, PermissionError) as error:
        if isinstance(error, FileNotFoundError) and path.parent.is_dir():
            return None
        if path.exists():  # of another user
            raise _already_locked(what, path, _read_owner(path), runs=False) from None
        raise
    try:
        is_locked = _lock(number)
        if not _is_at(path, number):
            os.close(number)
            return None
        if is_locked is False:
            raise _already_locked(what, path, _read_owner(path), runs=True)
        if not is_new:
            owner = _read_owner(path, 1)
            if not is_locked or (owner is not None and not owner.is_here):
                raise _already_locked(what, path, owner, runs=False)
    except BaseException:
        os.close(number)
        raise
    try:
        os.ftruncate(number, 0)
        os.write(number, json.dumps(Owner.current().as_dict()).encode())
    except BaseException:
        _release(path, number)
        raise
    return number


def _open_lock(path: Path) -> tuple[int, bool]:
    """Return the descriptor of the opened file, and whether it is new."""
    with suppress(FileExistsError):
        return os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666), True
    return os.open(path, _FLAGS), False


def _lock(number: int) -> bool | None:
    """Lock a file; return whether that succeeded, or None where there are no locks."""
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
    """Whether an open file is the one at a path: a removed file stays locked until it is closed."""
    with suppress(OSError):
        return os.path.samestat(os.lstat(path), os.fstat(number))
    return False


def _release(path: Path, number: int) -> None:
    """Remove the file, unless it was replaced by another one, and then unlock it."""
    is_mine = _is_at(path, number)
    if fcntl is None:  # on Windows an open file cannot be removed
        os.close(number)
    with suppress(OSError):
        if is_mine:
            path.unlink()
    if fcntl is not None:
        os.close(number)


def _read_owner(path: Path, tries: int = _TRIES) -> Owner | None:
    """Return the owner that a lock file names; None if it names none."""
    for left in reversed(range(tries)):
        with suppress(OSError, ValueError):
            return Owner.from_dict(read_json(path, _LARGEST))
        if left:
            time.sleep(_PAUSE)
    return None


def _already_locked(
    what: str, path: str | PathLike[str], owner: Owner | None, *, runs: bool
) -> BlockingIOError:  # fmt: skip
    """Return the error about something that another process writes, or wrote before it ended."""
    who = "another process is writing it"
    if owner is not None:
        when = datetime.fromtimestamp(owner.since).isoformat(" ", "seconds")
        who = f"process {owner.pid} on {owner.host} has been writing it since {when}"
    rest = "" if runs else f"; if it no longer runs there, delete {path}"
    return BlockingIOError(
        f"{what} must be written by one process at a time; {who}. Wait for it, or name another "
        f"place{rest}."
    )
