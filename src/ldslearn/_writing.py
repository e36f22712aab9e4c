"""Files written whole or not at all, and never over what is no file of the user's to replace."""

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
from pathlib import Path
from typing import BinaryIO

from ldslearn import _errors
from ldslearn._processes import has_ended, place_name

_LONGEST_NAME = 255  # bytes, where the system does not tell
_ABANDONED = 24 * 3600.0  # seconds, after which a leftover of another machine is removed
_LEFTOVER = re.compile(r"\.ldslearn-([A-Za-z0-9._]+)-(\d{1,18})-\w+\.(?:part|scratch)")
_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
_SHORT = re.compile(r"\d+ requested and \d+ written")
_tidied: set[str] = set()  # folders, once per process

# Files beside the items of a collection that no reader takes for an item.
_RESULTS = frozenset({".html", ".json", ".lds"})


def check_target(
    path: str | os.PathLike[str],
    inputs: Iterable[str | os.PathLike[str]] = (),
    *,
    longest_suffix: str = "",
) -> Path:
    """Return where `path` leads if a file can be written there: better asked before long work.

    A target is new, or a regular file that may be written, and none of the inputs. Links are
    followed: the file that a link leads to is the one that is replaced.

    Parameters
    ----------
    path : path-like
    inputs : paths
        Files that are read, and folders of them; see :func:`check_apart`.
    longest_suffix : str
        What is appended to the name while the file is being written.
    """
    target = Path(os.path.realpath(path))
    _check_name(target, longest_suffix)
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"folder {target.parent} must exist to write {target.name}. Create it first."
        )
    for place in (Path(path), target):  # /dev/stdout leads to a name that does not exist
        _check_kind(place)
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"folder {target.parent} must be writable to write {target.name}.")
    check_apart(target, inputs)
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


def _check_kind(path: Path) -> None:
    """Raise for what exists and is not a regular file that may be written."""
    try:
        status = path.stat()
    except OSError:
        return  # nothing there
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"{path} must be a file name; got a folder.")
    if not stat.S_ISREG(status.st_mode):
        raise _errors.invalid(
            str(path), "be a new or a regular file", describe_kind(status.st_mode),
            "Name another file.",
        )  # fmt: skip
    # To root every file is writable; one without a writer is meant to stay all the same.
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(
            f"file {path} must be writable to be replaced; got a read-only one. Name another, or "
            "make it writable."
        )


def describe_kind(mode: int) -> str:
    """Return what a mode of ``os.stat`` says a file is."""
    kinds = {stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFIFO: "a pipe"}
    kinds |= {stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder", stat.S_IFREG: "a regular file"}
    kinds[stat.S_IFLNK] = "a link"
    return kinds.get(stat.S_IFMT(mode), "something else")


def check_regular(path: Path) -> None:
    """Raise if what is at `path`, a file of ours beside another, is a link or no regular file."""
    with suppress(FileNotFoundError):
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode):
            raise _errors.bad_file(
                path, "be a new or a regular file", describe_kind(mode),
                "Delete it, or name another place.",
            )  # fmt: skip


def check_apart(
    target: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]
) -> None:  # fmt: skip
    """Raise if writing `target` would replace an input, by whatever name either is called.

    Of an input that is a folder every file is an input, at any depth, but for pages, records and
    models, which no reader takes for an item. Links count as what they lead to.
    """
    try:
        wanted = os.stat(target)
    except OSError:
        return  # what does not exist is no input
    key = wanted.st_dev, wanted.st_ino
    for source in inputs:
        for file in _files_of(Path(source)):
            try:
                found = os.stat(file)
            except OSError:
                continue
            if (found.st_dev, found.st_ino) == key:
                raise _errors.output_is_input(target, file)


def check_outside(target: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Raise if `target`, a file or folder that may be new, is `folder` or lies in it."""
    inner, outer = Path(os.path.realpath(target)), Path(os.path.realpath(folder))
    for place in (inner, *inner.parents):
        same = place == outer
        with suppress(OSError):
            same = same or os.path.samefile(place, outer)
        if same:
            raise _errors.output_inside_input(target, folder)


def _files_of(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path, followlinks=False):
        for name in names:
            if os.path.splitext(name)[1].lower() not in _RESULTS:
                yield Path(folder, name)


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that replaces `path` when the block ends without an error.

    The bytes go to a temporary file beside `path`, are flushed to disk, and are moved into place in
    one step: a reader sees the old file or the new one, never a part, and an error leaves the old
    one as it was. The temporary file is named after this process, so that one that a killed process
    left can be told, and is removed when the folder is next written to.
    """
    target = check_target(path)
    tidy_leftovers(target.parent)
    part = target.with_name(f"{own_prefix()}{secrets.token_hex(6)}.part")
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
        shutil.copymode(target, name)  # what the umask took away
        return number

    return open(part, "xb", opener=create)


def replace_file(part: Path, target: Path) -> None:
    """Move a finished file into place, so that it is there after a power cut, too."""
    part.replace(target)
    with suppress(OSError, AttributeError):  # some systems do not let folders be opened
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def name_full_disk(target: Path, size: int | None = None) -> Iterator[None]:
    """Let the error of a full disk say which file was to be written, and how large if known."""
    try:
        yield
    except OSError as error:
        short = error.errno is None and _SHORT.fullmatch(str(error))  # as ndarray.tofile tells it
        if error.errno not in _FULL and not short:
            raise
        raise _errors.disk_full(target, size, error) from error


def reserve_space(file: BinaryIO, size: int) -> None:
    """Make a file `size` bytes long whose blocks are on the disk, or raise the error of a full one.

    To write to a mapping of a file whose blocks are missing ends the process if the disk is full.
    Where blocks cannot be reserved, there must be room for them at least.
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
def scratch_folder(home: Path | None) -> Iterator[Path]:
    """Make a folder for the time of the block, in `home` or where the system keeps such."""
    place = Path(tempfile.gettempdir()) if home is None else home
    tidy_leftovers(place)
    with tempfile.TemporaryDirectory(suffix=".scratch", prefix=own_prefix(), dir=place) as folder:
        yield Path(folder)


def own_prefix() -> str:
    """Return how names begin of temporary files of this process."""
    return f".ldslearn-{place_name()}-{os.getpid()}-"


def tidy_leftovers(folder: Path) -> None:
    """Remove temporary files that ended processes left in a folder; looked for once per process.

    Those of other machines and containers are removed when nobody wrote to them for a day.
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
    if place == place_name():
        return has_ended(pid)
    with suppress(OSError):
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED
    return False
