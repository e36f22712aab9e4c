"""Arrays in files, read without executing or trusting anything."""

import hashlib
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._kinds import recognize
from ldslearn._limits import VARIABLE, inflated_limit, memory_limit
from ldslearn._records import parse_json
from ldslearn._writing import atomic_write as atomic_write
from ldslearn._writing import check_target as check_target

INFLATION = 1032  # deflate makes at most 1032 bytes of one (zlib.net/zlib_tech.html)
_MAX_KIND = 2**26  # bytes of the JSON header of a file of ours
_MAX_HEADER = 10_000  # as np.load: longer ones are attacks
_MAX_DIMENSIONS = 32
_CHUNK = 2**20
_MAX_REASON = 300
_END = 22  # bytes of the last record of an archive, without its comment

# What damaged bytes raise in parsers, ours and those of others (zipfile: RuntimeError). Any other
# error, a TypeError or KeyError say, is a mistake in ldslearn and is never blamed on a file.
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

# The fields of an npy header, a Python dict in text that is matched and never evaluated.
_DESCR = re.compile(r"""['"]descr['"]\s*:\s*['"]([^'"]{1,20})['"]""")
_ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d,L\s]*)\)""")
_DTYPE = re.compile(r"[<>|=][biufcSU]\d{1,9}")


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """Return what a file written by :func:`save_arrays` says it is, None of any other file."""
    try:
        with open_file(path) as file, zipfile.ZipFile(file) as archive:
            member = archive.NameToInfo.get("header.npy")
            if member is None:
                return None
            if member.file_size > _MAX_KIND or member.compress_type != zipfile.ZIP_STORED:
                return None
            with archive.open(member) as stream:
                header = _parse_header(_read_array(stream, member.file_size))
            return str(header["format"])
    except DAMAGE:  # whatever it is, it is not ours
        return None


def digest_contents(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of plain values and arrays, whatever file they are in."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        if array.size:
            digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def save_arrays(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write `arrays` and a JSON `header` as an npz file that says what it is."""
    text = json.dumps({"format": kind, "version": version, "arrays": sorted(arrays), **header})
    with atomic_write(path) as file:
        np.savez(file, header=np.array(text), **arrays)  # type: ignore[arg-type]


def load_arrays(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    only: Sequence[str] | None = None,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of a file written by :func:`save_arrays`, or say what is wrong.

    Files of this version and of older ones are read; the header tells which it is. Of the arrays
    `only` those named are read, if there are any.
    """
    wanted = None if only is None else {"header", *only}
    try:
        arrays = read_npz(path, compressed=False, only=wanted)  # as we write them: no bombs
        header = _parse_header(arrays.pop("header", None))
    except OSError:
        raise
    except DAMAGE as error:
        raise unreadable_file(path, kind) from error
    found = header["format"], header["version"]
    if found[0] != kind:
        raise unreadable_file(path, kind)
    if type(found[1]) is not int or not 1 <= found[1] <= version:
        raise other_version(path, found[1], version)
    present = sorted(arrays) if only is None else _names_in(path)
    if present != header.get("arrays"):
        raise unreadable_file(path, kind)
    return header, arrays


def _parse_header(text: NDArray[Any] | None) -> dict[str, Any]:
    """The JSON header of a file of ours; ValueError if it is none."""
    header = parse_json(str(text))
    if not isinstance(header, dict) or not {"format", "version"} <= header.keys():
        raise ValueError("a header without format and version")
    return header


def _names_in(path: str | os.PathLike[str]) -> list[str]:
    """Names of all arrays of a file of ours, read or not."""
    with open_file(path) as file, zipfile.ZipFile(file) as archive:
        return sorted({_array_name(member) for member in archive.infolist()} - {"header"})


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; pipes and devices, which may never end, are refused."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise _errors.bad_file(path, "be a regular file", "a pipe or device", "Copy it to a file.")
    if os.path.islink(path) and not os.path.exists(path):
        got = f"a link to {os.readlink(path)}, which is not there"
        raise _errors.bad_file(path, "be a regular file", got, "Remove the link, or mend it.")
    return open(path, "rb")


@contextmanager
def explained(path: str | os.PathLike[str], rule: str, remedy: str = "") -> Iterator[None]:
    """Turn the errors of damaged bytes inside the block into one message that names the file.

    See :data:`DAMAGE` for those; mistakes of ours and a lack of memory are raised as they are.
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
    """Refuse a file that would take more than `limit` bytes of memory, or than there are to use."""
    limit = memory_limit() if limit is None else limit
    if size > limit:
        remedy = (
            f"Split it into several files, store it as smaller numbers, or set {VARIABLE}={size} "
            "if you trust it."
        )
        raise _errors.too_large(f"file {path}", size, limit, remedy)


def read_npz(
    path: str | os.PathLike[str],
    limit: int | None = None,
    *,
    compressed: bool = True,
    only: Container[str] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file by name.

    No object is unpickled and no text evaluated. What the file says about its sizes must agree
    with the bytes it has before memory is taken.

    Parameters
    ----------
    path : path-like
    limit : int, optional
        Bytes that all arrays together may take; when not given, as many as the size of the file
        justifies and the machine has.
    compressed : bool
        Whether members may be.
    only : container of str, optional
        Names to read; all when not given.

    Returns
    -------
    dict of str to ndarray
        Booleans, numbers and texts only.
    """
    rule = "be a complete npz file of numbers and texts"
    with open_file(path) as file:
        with explained(path, rule):
            archive = zipfile.ZipFile(file)
            members = {_array_name(member): member for member in archive.infolist()}
            members = {k: member for k, member in members.items() if only is None or k in only}
            size = os.fstat(file.fileno()).st_size
            _check_count(archive, file)
            _check_members(archive, size, compressed)
        with archive:
            limit = inflated_limit(size) if limit is None else limit
            check_size(path, sum(member.file_size for member in members.values()), limit)
            with explained(path, rule):
                arrays = {}
                for name, member in members.items():
                    with archive.open(member) as stream:
                        arrays[name] = _read_array(stream, member.file_size)
                return arrays


def read_npy(path: str | os.PathLike[str], limit: int | None = None) -> NDArray[Any]:
    """Return the array of an npy file, as carefully as :func:`read_npz`."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        check_size(path, size, limit)
        with explained(path, "be a complete npy file of numbers or texts"):
            return _read_array(file, size)


def _array_name(member: zipfile.ZipInfo) -> str:
    if not member.filename.endswith(".npy"):
        raise ValueError(f"the member {member.filename!r}, which is no array")
    return member.filename.removesuffix(".npy")


def _check_count(archive: zipfile.ZipFile, file: BinaryIO) -> None:
    """Refuse an archive whose end counts other members than were found: some were swallowed."""
    file.seek(-_END - len(archive.comment), os.SEEK_END)
    end = file.read(_END)
    count = int.from_bytes(end[10:12], "little")
    if end[:4] != b"PK\x05\x06" or count != min(len(archive.infolist()), 0xFFFF):
        raise ValueError("fewer or more members than it says")


def _check_members(archive: zipfile.ZipFile, size: int, compressed: bool) -> None:
    """Refuse members that share names or bytes, or say that they are larger than can be."""
    members = archive.infolist()
    if len(archive.NameToInfo) != len(members):
        raise ValueError("two members of one name")
    if sum(member.compress_size for member in members) > size:
        raise ValueError("members that overlap or end outside the file")
    for member in members:
        known = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) if compressed else (zipfile.ZIP_STORED,)
        if member.compress_type not in known:
            raise ValueError(f"compression method {member.compress_type} in {member.filename!r}")
        most = 1 if member.compress_type == zipfile.ZIP_STORED else INFLATION
        if member.file_size > most * member.compress_size:
            raise ValueError(f"a false size in {member.filename!r}")


def _read_array(stream: IO[bytes], size: int) -> NDArray[Any]:
    """The array in `size` bytes of npy format; memory is taken once header and size agree."""
    dtype, fortran_order, shape, start = _read_header(stream)
    count = math.prod(shape)
    if count * dtype.itemsize != size - start:
        raise ValueError(
            f"{size - start} bytes for an array of shape {shape} and dtype {dtype.str}"
        )
    values = np.empty(count, dtype)
    content = memoryview(values.view(np.uint8)) if count else memoryview(b"")  # type: ignore[arg-type]
    done = 0
    while done < len(content):
        chunk = stream.read(min(_CHUNK, len(content) - done))
        if not chunk:
            raise ValueError(f"{done} of {len(content)} bytes")
        content[done : done + len(chunk)] = chunk
        done += len(chunk)
    if stream.read(1):
        raise ValueError("more bytes than it says")
    return _sound(values).reshape(shape, order="F" if fortran_order else "C")


def _read_header(stream: IO[bytes]) -> tuple[np.dtype[Any], bool, tuple[int, ...], int]:
    """Dtype, order, shape and the position of the first value."""
    magic = stream.read(8)
    if len(magic) != 8 or magic[:6] != b"\x93NUMPY" or magic[6] not in (1, 2, 3):
        raise ValueError("no npy header")
    width = 2 if magic[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > _MAX_HEADER:
        raise ValueError(f"an npy header of {length} bytes")
    header = stream.read(length)
    text = header.decode("latin-1")
    descr, order, shape = _DESCR.search(text), _ORDER.search(text), _SHAPE.search(text)
    if len(header) != length or descr is None or order is None or shape is None:
        raise ValueError("an npy header that is damaged, or of records")
    if not _DTYPE.fullmatch(descr[1]):
        raise ValueError(f"dtype {descr[1]}, which is neither numbers nor texts")
    try:
        dtype = np.dtype(descr[1])
    except TypeError as error:  # floats of nine bytes, say
        raise ValueError(f"dtype {descr[1]}, which does not exist") from error
    lengths = re.findall(r"\d+", shape[1])
    if (
        len(lengths) > _MAX_DIMENSIONS
        or max(map(len, lengths), default=0) > 19
        or not dtype.itemsize
    ):
        raise ValueError(f"{len(lengths)} dimensions of dtype {descr[1]}, or a size of many digits")
    return dtype, order[1] == "True", tuple(map(int, lengths)), len(magic) + width + length


def _sound(values: NDArray[Any]) -> NDArray[Any]:
    """The values, if their bytes are booleans that NumPy and texts that Python can hold."""
    if values.dtype.kind == "b" and values.size and values.view(np.uint8).max() > 1:
        raise ValueError("booleans other than 0 and 1")
    if values.dtype.kind == "U" and values.size:
        codes = values.view(np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))
        if codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
            raise ValueError("texts of characters that do not exist")
    return values


def unreadable_file(path: str | os.PathLike[str], kind: str) -> ValueError:
    """Return the error about a truncated, foreign or damaged file."""
    return ValueError(
        f"{path} must be a complete {kind} file; got {recognize(path) or 'other bytes'}. "
        "It may have been cut short in a copy, or be another program's file."
    )


def other_version(path: str | os.PathLike[str], got: object, expected: int) -> ValueError:
    """Return the error about a file of another version of the format."""
    return ValueError(
        f"{path} must have format version {expected}; got {got}. "
        "It was written by another release of ldslearn: read it with that one."
    )


def damaged_contents(path: str | os.PathLike[str], reason: object) -> ValueError:
    """Return the error about a file of the right kind whose contents break the rules."""
    return ValueError(f"{path} must hold valid contents; {reason}")
