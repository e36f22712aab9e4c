"""Processes that leave files behind: who made a file, and whether they still run."""

import os
import platform
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

_HOST_LENGTH = 40  # characters; file names have room for 255


def host_name() -> str:
    """Return the name of this machine in characters that a file name may hold."""
    return re.sub(r"[^A-Za-z0-9.]", "_", platform.node())[:_HOST_LENGTH] or "unknown"


@dataclass(frozen=True)
class Owner:
    """The process that made a file.

    Attributes
    ----------
    host : str
    pid : int
    start : int
        When it started, in ticks since the machine did; 0 where the system does not tell.
    """

    host: str
    pid: int
    start: int = 0

    @classmethod
    def here(cls) -> Self:
        """Return this process."""
        return cls(host_name(), os.getpid(), _start_of(os.getpid()))

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Return the owner that a JSON value describes, or raise ValueError."""
        if not isinstance(values, dict):
            raise ValueError("no owner")
        host, pid, start = (values.get(name) for name in ("host", "pid", "start"))
        numbers = all(type(number) is int and 0 <= number < 2**62 for number in (pid, start))
        if not isinstance(host, str) or not numbers:
            raise ValueError("an owner without host, pid and start")
        return cls(host, pid, start)  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, Any]:
        """Inverse of :meth:`from_dict`."""
        return asdict(self)

    @property
    def is_here(self) -> bool:
        """Whether it runs, or ran, on this machine."""
        return self.host == host_name()

    @property
    def is_dead(self) -> bool:
        """Whether it is known to have ended; nothing is known of other machines."""
        if not self.is_here or os.name != "posix":
            return False
        try:
            os.kill(self.pid, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except PermissionError:
            pass  # somebody else's, and alive
        now = _start_of(self.pid)
        return bool(self.start and now and now != self.start)  # the number was given out again


def _start_of(pid: int) -> int:
    """When a process started, in ticks since the machine did; 0 where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_bytes()
        return int(text[text.rindex(b")") + 1 :].split()[19])  # field 22; names hold anything
    return 0
