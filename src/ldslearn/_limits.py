"""How much memory a file may take: what its bytes justify, and what the machine has."""

import os
from contextlib import suppress
from pathlib import Path

from ldslearn import _errors

VARIABLE = "LDSLEARN_MAX_BYTES"
USUAL_INFLATION = 100  # bytes in memory of one compressed byte; sparse recordings have thirty
ALWAYS = 2**28  # bytes that any file may take, however small it is
_UNKNOWN = 2**33  # bytes, where the system does not tell how much memory it has
_SHARE = 0.5  # of the memory that is available; results are made of what is read
_GROUP = Path("/sys/fs/cgroup")


def memory_limit() -> int:
    """Return the bytes that one file may take in memory.

    Half of what is available, or what the environment variable LDSLEARN_MAX_BYTES says.
    """
    given = _given()
    if given is not None:
        return given
    available = _available()
    return _UNKNOWN if available is None else max(ALWAYS, int(_SHARE * available))


def inflated_limit(size: int) -> int:
    """Return the bytes that a file of `size` compressed bytes may take in memory.

    A hundred times its size, and 256 MiB in any case, if the machine has so much: a small file that
    is larger is an attack, as a rule. LDSLEARN_MAX_BYTES allows more.
    """
    given = _given()
    return given or min(memory_limit(), max(ALWAYS, USUAL_INFLATION * size))


def _given() -> int | None:
    """What the user allows."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19 and int(text)):
        raise _errors.invalid_parameter(
            f"the environment variable {VARIABLE}", "be a whole number of bytes", text
        )
    return int(text)


def _available() -> int | None:
    """Bytes of memory that could be had now; None where the system does not tell."""
    found = []
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(1024 * int(next(x for x in lines if x.startswith("MemAvailable:")).split()[1]))
    if not found:
        with suppress(OSError, ValueError, AttributeError):
            found.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError, KeyError):  # "max" where a container has no limit
        most, used = (
            int((_GROUP / f"memory.{name}").read_text()) for name in ("max", "current")
        )  # fmt: skip
        lines = (_GROUP / "memory.stat").read_text().splitlines()
        counts = {name: int(count) for name, count in map(str.split, lines)}
        cached = counts["active_file"] + counts["inactive_file"]  # given up when asked for
        found.append(max(0, most - used + cached))
    return min(found, default=None)
