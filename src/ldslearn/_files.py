"""Files opened for reading: what damage raises, and how much memory a file may take."""

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ldslearn import _errors

VARIABLE = "LDSLEARN_MAX_BYTES"
INFLATION = 1032  # deflate makes at most 1032 bytes of one (zlib.net/zlib_tech.html)
USUAL_INFLATION = 100  # bytes in memory per compressed byte; sparse recordings have thirty
ALWAYS = 2**28  # bytes that any file may take, however small it is
_UNKNOWN = 2**33  # bytes, where the system does not report its memory
_FRACTION = 0.5  # of the available memory; results are computed from what is read
_GROUP = Path("/sys/fs/cgroup")
_MAX_REASON = 300  # characters

# What damaged bytes raise in parsers, ours and those of others (zipfile: RuntimeError). Any other
# error, such as a TypeError or KeyError, is a bug in ldslearn and is never blamed on a file.
DAMAGE = (
    ValueError,
    ArithmeticError,
    EOFError,
    OSError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    _errors.InputTypeError,
)


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; pipes and devices, which may never end, are refused."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise _errors.bad_file(path, "be a regular file", "a pipe or device", "Copy it to a file.")
    if os.path.islink(path) and not os.path.exists(path):
        got = f"a link to {os.readlink(path)}, which does not exist"
        raise _errors.bad_file(path, "be a regular file", got, "Remove or correct the link.")
    return open(path, "rb")


@contextmanager
def name_bad_file(path: str | os.PathLike[str], rule: str, remedy: str = "") -> Iterator[None]:
    """Turn the errors of :data:`DAMAGE` inside the block into one message that names the file.

    Bugs of ldslearn and a lack of memory are raised as they are.
    """
    try:
        yield
    except DAMAGE as error:
        reason = (str(error) or type(error).__name__).rstrip(".")
        if os.path.isfile(path) and not os.path.getsize(path):
            reason = "an empty file (0 bytes)"
        if len(reason) > _MAX_REASON:  # zipfile quotes whole files
            reason = reason[:_MAX_REASON] + "..."
        raise _errors.bad_file(path, rule, reason, remedy) from error


def check_size(path: str | os.PathLike[str], size: int, limit: int | None = None) -> None:
    """Raise if `size` bytes of memory for a file exceed `limit`, or else :func:`memory_limit`."""
    limit = memory_limit() if limit is None else limit
    if size > limit:
        remedy = (
            f"Split it into several files, store it as smaller numbers, or set {VARIABLE}={size} "
            "if you trust it."
        )
        raise _errors.too_large(f"file {path}", size, limit, remedy)


def memory_limit() -> int:
    """Return the bytes that one file may take in memory.

    Half of the available memory, or the value of the environment variable LDSLEARN_MAX_BYTES.
    """
    allowed = _read_variable()
    if allowed is not None:
        return allowed
    available = _available_memory()
    return _UNKNOWN if available is None else max(ALWAYS, int(_FRACTION * available))


def least_limit() -> int:
    """Return the bytes that one file may take whatever memory is available, which takes no time."""
    return _read_variable() or ALWAYS


def inflated_limit(size: int) -> int:
    """Return the bytes that a file of `size` compressed bytes may take in memory.

    A hundred times its size, and at least 256 MiB, if the machine has as much: a small file that
    inflates further is probably an attack. LDSLEARN_MAX_BYTES allows more.
    """
    return _read_variable() or min(memory_limit(), max(ALWAYS, USUAL_INFLATION * size))


def _read_variable() -> int | None:
    """Return the bytes that the user allows; None if the variable is not set."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19 and int(text)):
        raise _errors.invalid_parameter(
            f"the environment variable {VARIABLE}", "be a whole number of bytes", text
        )
    return int(text)


def _available_memory() -> int | None:
    """Return the available bytes of memory; None where the system does not report them."""
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
        cached = counts["active_file"] + counts["inactive_file"]  # freed on demand
        found.append(max(0, most - used + cached))
    return min(found, default=None)
