"""Processes that leave files behind: who made a file, and whether they still run."""

import hashlib
import os
import platform
import re
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

_HOST_LENGTH = 40  # characters; file names have room for 255
_LATEST = 2**37  # seconds since 1970, in the year 6325


def host_name() -> str:
    """Return the name of this machine in characters that a file name may hold."""
    return re.sub(r"[^A-Za-z0-9.]", "_", platform.node())[:_HOST_LENGTH] or "unknown"


def boot_id() -> str:
    """Return what this start of the machine is called, in all its containers; "" if unknown."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def place_name() -> str:
    """Return a name of the processes among which numbers of processes are unique.

    Containers of one machine may share a host name and number their processes each from 1; a
    machine that starts again begins anew.
    """
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{host_name()}.{hashlib.sha256(f'{boot_id()} {space}'.encode()).hexdigest()[:8]}"


def has_ended(pid: int) -> bool:
    """Whether a process of :func:`place_name` is known to have ended."""
    if os.name != "posix":
        return False  # to ask might end it
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass  # somebody else's, and alive
    with suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_bytes()
        return text[text.rindex(b")") + 1 :].split()[0] in (b"Z", b"X")  # ended, still listed
    return False


@dataclass(frozen=True)
class Owner:
    """The process that holds a lock.

    Attributes
    ----------
    host : str
    boot : str
        See :func:`boot_id`.
    pid : int
    since : float
        When it took the lock, in seconds since 1970.
    """

    host: str
    boot: str
    pid: int
    since: float

    @classmethod
    def here(cls) -> Self:
        """Return this process, now."""
        return cls(host_name(), boot_id(), os.getpid(), time.time())

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Return the owner that a JSON value describes, or raise ValueError."""
        if not isinstance(values, dict):
            raise ValueError("no owner")
        found: list[Any] = [values.get(name) for name in cls.__dataclass_fields__]
        host, boot, pid, since = found
        is_named = isinstance(host, str) and isinstance(boot, str)
        is_counted = type(pid) is int and 0 <= pid < 2**62
        if not is_named or not is_counted or type(since) not in (int, float):
            raise ValueError("an owner without host, boot, pid and since")
        if not 0 <= since < _LATEST:
            raise ValueError("an owner since a time that cannot be")
        return cls(host, boot, pid, since)

    def as_dict(self) -> dict[str, Any]:
        """Inverse of :meth:`from_dict`."""
        return asdict(self)

    @property
    def is_here(self) -> bool:
        """Whether it runs, or ran, on this machine, maybe in another container."""
        return self.host == host_name() or (self.boot != "" and self.boot == boot_id())
