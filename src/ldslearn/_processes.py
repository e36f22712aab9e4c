"""Names of processes in file names, whether a process still runs, and ends of processes."""

import hashlib
import os
import platform
import re
import time
from contextlib import suppress
from pathlib import Path

_HOST_LENGTH = 40  # characters, of the 255 of a file name
_SECONDS_BETWEEN_LOOKS = 1.0  # at the parent of this process


def read_host_name() -> str:
    """Return the name of this machine in characters that a file name may hold."""
    return re.sub(r"[^A-Za-z0-9.]", "_", platform.node())[:_HOST_LENGTH] or "unknown"


def read_boot_id() -> str:
    """Return the identifier of this start of the machine, shared by containers; "" if unknown."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def name_process_space() -> str:
    """Return a name for the set of processes in which process numbers are unique.

    Containers of one machine may share a host name and number their processes from 1 each; a
    machine that restarts does so again.
    """
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    digest = hashlib.sha256(f"{read_boot_id()} {space}".encode()).hexdigest()
    return f"{read_host_name()}.{digest[:8]}"


def has_ended(pid: int) -> bool:
    """Whether a process of :func:`place_name` is known to have ended."""
    if os.name != "posix":
        return False  # os.kill would end it
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass  # of another user, and alive
    with suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_bytes()
        return text[text.rindex(b")") + 1 :].split()[0] in (b"Z", b"X")  # ended, but still listed
    return False


def end_with(parent: int) -> None:
    """End this process when the one that started it has ended; to be run in a thread.

    A process that is killed cannot end those that it started.
    """
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
