"""Files written completely or not at all, and never over something that must not be replaced."""

import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from ldslearn import _errors
from ldslearn._processes import has_ended, name_process_space

_LONGEST_NAME = 255  # bytes, where the system does not report it
_ABANDONED = 24 * 3600.0  # seconds, after which a leftover of another machine is removed
_LEFTOVER = re.compile(r"\.ldslearn-([A-Za-z0-9._]+)-(\d{1,18})-\w+\.(?:part|scratch)")
_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
_SHORT = re.compile(r"\d+ requested and \d+ written")
_tidied: set[str] = set()  # folders, once per process


def check_target(path: str | os.PathLike[str], *, longest_suffix: str = "") -> Path:
    """Return the target of `path`, links followed; raise if no file can be written there.

    Call it before long work. A target is new, or a regular file that may be written. A link is
    kept and its target is replaced. `longest_suffix` is appended to the name during the writing.
    """
    target = Path(os.path.realpath(path))
    _check_name(target, longest_suffix)
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"folder {target.parent} must exist to write {target.name}. Create it first."
        )
    for place in (Path(path), target):  # /dev/stdout is a link to a name that does not exist
        _check_replaceable(place)
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"folder {target.parent} must be writable to write {target.name}.")
    return target


def check_target_folder(path: str | os.PathLike[str]) -> Path:
    """Return the target of `path`, links followed; raise if no folder is or can be made there."""
    target = Path(os.path.realpath(path))
    there = target
    while not os.path.lexists(there):
        _check_name(there, "")
        there = there.parent
    kind = _describe_path(there)
    if kind != "a folder":
        of = "" if there == target else f" to make {target} in it"
        raise NotADirectoryError(f"{there} must be a folder{of}; got {kind}. Name another.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(f"folder {there} must be writable to write {target}. Name another.")
    return target


def _check_name(target: Path, suffix: str) -> None:
    """Raise for a name that no file can have."""
    longest = _LONGEST_NAME
    with suppress(OSError, ValueError, AttributeError):
        longest = os.pathconf(target.parent, "PC_NAME_MAX")
    size = len(os.fsencode(target.name + suffix))
    if size > longest:
        short = f"{target.name[:40]}..."
        raise _errors.invalid(
            f"the name of file {target.parent / short}",
            f"have at most {longest - len(suffix.encode())} bytes",
            size - len(suffix.encode()), "Name another.",
        )  # fmt: skip


def _check_replaceable(path: Path) -> None:
    """Raise if a path exists and is not a regular file that may be written."""
    if not os.path.lexists(path):
        return
    kind = _describe_path(path)
    if kind == "nothing":
        return  # a link to a new file
    if kind == "a folder":
        raise IsADirectoryError(f"{path} must be a file name; got a folder.")
    if kind != "a regular file":
        rule = "be a new or a regular file"
        raise _errors.invalid(str(path), rule, kind, "Name another file.")
    status = path.stat()
    # To root every file is writable; a read-only one is respected all the same.
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(
            f"file {path} must be writable to be replaced; got a read-only one. Name another, or "
            "make it writable."
        )
    _check_sticky(path.parent, status)


def _check_sticky(folder: Path, status: os.stat_result) -> None:
    """Raise for a file of another user in a folder like /tmp, where only owners replace files."""
    parent = folder.stat()
    if not parent.st_mode & stat.S_ISVTX or not hasattr(os, "geteuid"):
        return
    if os.geteuid() not in (0, parent.st_uid, status.st_uid):
        raise PermissionError(
            f"a file in {folder} must be your own to be replaced, as in every folder with the "
            f"sticky bit; got one of the user {status.st_uid}. Name another."
        )


def _describe_path(path: Path) -> str:
    """Return the kind of file at a path, links followed."""
    try:
        return describe_kind(path.stat().st_mode)
    except FileNotFoundError:
        return "nothing"
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a link that leads to itself"
        raise


def describe_kind(mode: int) -> str:
    """Return the kind of file that a mode of ``os.stat`` means."""
    kinds = {stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFIFO: "a pipe"}
    kinds |= {stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder", stat.S_IFREG: "a regular file"}
    kinds[stat.S_IFLNK] = "a link"
    return kinds.get(stat.S_IFMT(mode), "something else")


def check_regular(path: Path) -> None:
    """Raise if `path` exists and is a link or no regular file."""
    with suppress(FileNotFoundError):
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode):
            raise _errors.bad_file(
                path, "be a new or a regular file", describe_kind(mode),
                "Delete it, or name another place.",
            )  # fmt: skip


def check_outside(
    target: str | os.PathLike[str], folders: Iterable[str | os.PathLike[str]]
) -> None:
    """Raise if `target`, a file or folder that may be new, is one of the folders or lies in one."""
    inner = Path(os.path.realpath(target))
    places = {_identify(place) for place in (inner, *inner.parents)} - {None}
    for folder in folders:
        if _identify(folder) in places:
            raise ValueError(
                f"output {target} must be outside of {folder}, which is read; got a place in it. "
                "Name another."
            )


def _identify(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Device and number of a file or folder, which no other one has; None if it does not exist."""
    with suppress(OSError):
        status = os.stat(path)
        return status.st_dev, status.st_ino
    return None


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that replaces `path` when the block ends without an error.

    The bytes go to a temporary file beside `path`, are flushed to disk, and are moved into place in
    one step: a reader sees the old file or the new one, never a part, and an error leaves the old
    one unchanged. The temporary file is named after this process: one that a killed process left is
    recognized, and removed when the folder is next written to.
    """
    target = check_target(path)
    tidy_leftovers(target.parent)
    part = target.with_name(f"{make_prefix()}{secrets.token_hex(6)}.part")
    try:
        with name_full_disk(target):
            with create_part(part, target) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            replace_file(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def create_part(part: Path, target: Path) -> BinaryIO:
    """Open a new file that is to replace `target`, with its permissions from the beginning."""

    def create(name: str, flags: int) -> int:
        if not target.exists():
            return os.open(name, flags, 0o666)
        number = os.open(name, flags, stat.S_IMODE(target.stat().st_mode))
        shutil.copymode(target, name)  # restores what the umask removed
        return number

    return open(part, "xb", opener=create)


def replace_file(part: Path, target: Path) -> None:
    """Move a finished file into place, so that it survives a power cut."""
    part.replace(target)
    with suppress(OSError, AttributeError):  # some systems do not let folders be opened
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def name_full_disk(target: Path, size: int | None = None) -> Iterator[None]:
    """Turn the error of a full disk into one that names the file, and its size if known."""
    try:
        yield
    except OSError as error:
        short = error.errno is None and _SHORT.fullmatch(str(error))  # as ndarray.tofile says
        if error.errno not in _FULL and not short:
            raise
        raise _full_disk(target, size, error) from error


def reserve_space(file: BinaryIO, size: int) -> None:
    """Make a file `size` bytes long with blocks on the disk; raise if the disk is full.

    Writing to a memory map without blocks ends the process if the disk is full. Where blocks
    cannot be reserved, the free space must suffice.
    """
    try:
        os.posix_fallocate(file.fileno(), 0, size)
    except (AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            raise
        if shutil.disk_usage(os.path.dirname(os.path.abspath(file.name))).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
        file.truncate(size)


@contextmanager
def make_scratch_folder(home: Path | None) -> Iterator[Path]:
    """Make a temporary folder for the block, in `home` or in that of the system."""
    place = Path(tempfile.gettempdir()) if home is None else home
    tidy_leftovers(place)
    with tempfile.TemporaryDirectory(suffix=".scratch", prefix=make_prefix(), dir=place) as folder:
        yield Path(folder)


def make_prefix() -> str:
    """Return the prefix of the names of temporary files of this process."""
    return f".ldslearn-{name_process_space()}-{os.getpid()}-"


def tidy_leftovers(folder: Path) -> None:
    """Remove temporary files of ended processes from a folder, once per process.

    Those of other machines and containers are removed a day after they were last written.
    """
    if str(folder) in _tidied:
        return
    _tidied.add(str(folder))
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            match = _LEFTOVER.fullmatch(entry.name)
            if match is None or not _is_abandoned(entry, match[1], int(match[2])):
                continue
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


def _is_abandoned(entry: os.DirEntry[str], place: str, pid: int) -> bool:
    if place == name_process_space():
        return has_ended(pid)
    with suppress(OSError):
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED
    return False


def _full_disk(path: str | PathLike[str], size: int | None, error: OSError) -> OSError:
    """Return the error about a file that does not fit on its disk, with its `errno`."""
    needs = "" if size is None else f" It needs {size / 2**20:,.1f} MiB."
    full = OSError(
        f"file {path} must fit on its disk; got: {error.strerror or error}.{needs} "
        "Make room, or name a file on another disk."
    )
    full.errno = error.errno or errno.ENOSPC
    return full
