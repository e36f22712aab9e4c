"""Arrays in npy and npz files, and in ldslearn files, read without trusting their bytes."""

import hashlib
import json
import math
import os
import re
import zipfile
from collections.abc import Container, Mapping, Sequence
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ldslearn._files import DAMAGE, INFLATION, check_size, inflated_limit, name_bad_file, open_file
from ldslearn._kinds import recognize
from ldslearn._records import parse_json
from ldslearn._writing import atomic_write

_MAX_JSON = 2**26  # bytes of the JSON header of an ldslearn file
_MAX_HEADER = 10_000  # bytes of an npy header; the limit of np.load
_END = 22  # bytes of the last record of an archive, without its comment

# An npy header is the text of a Python dict: here with plain numbers, in any order and quotes.
_HEADER = re.compile(
    r"""\{(?:[ ]{0,4}(?:
        ['"]descr['"][ ]{0,4}:[ ]{0,4}['"](?P<descr>[^'"]{1,20})['"]
        | ['"]fortran_order['"][ ]{0,4}:[ ]{0,4}(?P<by_columns>True|False)
        | ['"]shape['"][ ]{0,4}:[ ]{0,4}\((?P<shape>[0-9, L]*)\)
    )[ ]{0,4},?){3}[ ]{0,4}\}[ ]*\n?""",
    re.VERBOSE,
)
_DTYPE = re.compile(r"[<>|=][biufcSU][1-9][0-9]{0,8}")


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
    """Write `arrays` and a JSON `header` as an npz file whose header names its kind."""
    text = json.dumps({"format": kind, "version": version, "arrays": sorted(arrays), **header})
    with atomic_write(path) as file:
        np.savez(file, header=np.array(text), **arrays)  # type: ignore[arg-type]


def find_kind(path: str | os.PathLike[str]) -> str | None:
    """Return the kind of a file written by :func:`save_arrays`; None for any other file."""
    try:
        with open_file(path) as file, zipfile.ZipFile(file) as archive:
            member = archive.NameToInfo.get("header.npy")
            if member is None:
                return None
            if member.file_size > _MAX_JSON or member.compress_type != zipfile.ZIP_STORED:
                return None
            with archive.open(member) as stream:
                header = _parse_header(_read_array(stream, member.file_size))
            return str(header["format"])
    except DAMAGE:  # not an ldslearn file, whatever it is
        return None


def load_arrays(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    only: Sequence[str] | None = None,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of a file written by :func:`save_arrays`.

    Files of `version` and of older versions are read; the header names the version. With `only`,
    just the arrays of these names are read.
    """
    wanted = None if only is None else {"header", *only}
    try:
        arrays = read_npz(path, compressed=False, only=wanted)  # never compressed: no bombs
        header = _parse_header(arrays.pop("header", None))
    except OSError:
        raise
    except DAMAGE as error:
        raise unreadable_file(path, kind) from error
    if header["format"] != kind:
        raise unreadable_file(path, kind)
    if type(header["version"]) is not int or not 1 <= header["version"] <= version:
        raise other_version(path, header["version"], version)
    with open_file(path) as file, zipfile.ZipFile(file) as archive:
        names = {_array_name(member) for member in archive.infolist()} - {"header"}
    if sorted(names) != header.get("arrays"):
        raise unreadable_file(path, kind)
    return header, arrays


def _parse_header(text: NDArray[Any] | None) -> dict[str, Any]:
    """Return the JSON header of an ldslearn file; raise ValueError if there is none."""
    header = parse_json(str(text))
    if not isinstance(header, dict) or not {"format", "version"} <= header.keys():
        raise ValueError("a header without format and version")
    return header


def read_npz(
    path: str | os.PathLike[str],
    limit: int | None = None,
    *,
    compressed: bool = True,
    only: Container[str] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file by name.

    No object is unpickled. The sizes that the file states must agree with its bytes before memory
    is allocated.

    Parameters
    ----------
    path : path-like
    limit : int, optional
        Bytes that all arrays together may take; by default as many as the size of the file
        justifies and the machine has.
    compressed : bool
        Whether members may be compressed.
    only : container of str, optional
        Names to read; all by default.

    Returns
    -------
    dict of str to ndarray
        Booleans, numbers and texts only.
    """
    rule = "be a complete npz file of numbers and texts"
    with open_file(path) as file:
        with name_bad_file(path, rule):
            archive = zipfile.ZipFile(file)
            members = {_array_name(member): member for member in archive.infolist()}
            members = {k: member for k, member in members.items() if only is None or k in only}
            size = os.fstat(file.fileno()).st_size
            _check_count(archive, file)
            _check_members(archive, size, compressed)
        with archive:
            limit = inflated_limit(size) if limit is None else limit
            check_size(path, sum(member.file_size for member in members.values()), limit)
            with name_bad_file(path, rule):
                arrays = {}
                for name, member in members.items():
                    with archive.open(member) as stream:
                        arrays[name] = _read_array(stream, member.file_size)
                return arrays


def map_npz(path: str | os.PathLike[str], rule: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file that is not compressed, read-only, in the file itself.

    Sizes and headers are checked as in :func:`read_npz`; `rule` states what the file must be.
    """
    found: dict[str, NDArray[Any]] = {}
    with open_file(path) as file, name_bad_file(path, rule), zipfile.ZipFile(file) as archive:
        _check_count(archive, file)
        _check_members(archive, os.fstat(file.fileno()).st_size, compressed=False)
        for member in archive.infolist():
            with archive.open(member) as stream:
                dtype, shape, by_columns = _check_header(stream, member.file_size)
                length = stream.tell()
            file.seek(member.header_offset)
            fixed = file.read(30)  # ends with the lengths of a name and of an extra field
            start = file.tell() + sum(int.from_bytes(fixed[i : i + 2], "little") for i in (26, 28))
            found[_array_name(member)] = (
                np.asarray(
                    np.memmap(path, dtype, "r", start + length, shape, "F" if by_columns else "C")
                )
                if math.prod(shape) * dtype.itemsize
                else np.empty(shape, dtype)
            )
    return found


def read_npy(path: str | os.PathLike[str], limit: int | None = None) -> NDArray[Any]:
    """Return the array of an npy file, with the checks of :func:`read_npz`."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        check_size(path, size, limit)
        with name_bad_file(path, "be a complete npy file of numbers or texts"):
            return _read_array(file, size)


def _array_name(member: zipfile.ZipInfo) -> str:
    if not member.filename.endswith(".npy"):
        raise ValueError(f"the member {member.filename!r}, which is no array")
    return member.filename.removesuffix(".npy")


def _check_count(archive: zipfile.ZipFile, file: BinaryIO) -> None:
    """Raise if the end record counts other members than zipfile found: damage can hide some."""
    file.seek(-_END - len(archive.comment), os.SEEK_END)
    end = file.read(_END)
    count = int.from_bytes(end[10:12], "little")
    if end[:4] != b"PK\x05\x06" or count != min(len(archive.infolist()), 0xFFFF):
        raise ValueError("fewer or more members than it says")


def _check_members(archive: zipfile.ZipFile, size: int, compressed: bool) -> None:
    """Raise for members that share names or bytes, or state sizes that are impossible."""
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
    """Return the array in a stream of `size` bytes, read by NumPy once its header is checked.

    NumPy alone is not safe. It allocates what the header states before it counts the bytes, and
    parses the header as a Python literal, where hostile text raises any error or a warning.
    """
    _check_header(stream, size)
    stream.seek(0)
    values = np.lib.format.read_array(stream, allow_pickle=False, max_header_size=_MAX_HEADER)
    if stream.read(1):  # reaches the end, where zipfile compares the checksum
        raise ValueError("more bytes than it says")
    _check_values(values)
    return values


def _check_header(stream: IO[bytes], size: int) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    """Return dtype, shape and whether columns come first of an npy header.

    Raise unless it is one of numbers or texts that fill `size` bytes with it.
    """
    magic = stream.read(8)
    if magic[:6] != np.lib.format.MAGIC_PREFIX:
        raise ValueError("no npy header")
    length = int.from_bytes(stream.read(2 if magic[6:7] == b"\x01" else 4), "little")
    if length > _MAX_HEADER:
        raise ValueError(f"an npy header of {length} bytes")
    header = _HEADER.fullmatch(stream.read(length).decode("latin-1"))
    if header is None or header["descr"] is None or header["shape"] is None:
        raise ValueError("an npy header that is damaged, or of records")
    if not _DTYPE.fullmatch(header["descr"]):
        raise ValueError(f"dtype {header['descr']}, which is neither numbers nor texts")
    try:
        dtype = np.dtype(header["descr"])
    except TypeError as error:  # such as floats of nine bytes
        raise ValueError(f"dtype {header['descr']}, which does not exist") from error
    shape, rest = tuple(map(int, re.findall("[0-9]+", header["shape"]))), size - stream.tell()
    if math.prod(shape) * dtype.itemsize != rest:
        raise ValueError(f"{rest} bytes for an array of shape {shape} and dtype {dtype.str}")
    return dtype, shape, header["by_columns"] == "True"


def _check_values(values: NDArray[Any]) -> None:
    """Raise for booleans that NumPy, or texts that Python, cannot represent."""
    if values.dtype.kind == "b" and values.size and values.view(np.uint8).max() > 1:
        raise ValueError("booleans other than 0 and 1")
    if values.dtype.kind == "U" and values.size:
        dtype = np.dtype(np.uint32).newbyteorder(values.dtype.byteorder)
        codes = values.ravel(order="K").view(dtype)
        if codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
            raise ValueError("texts of characters that do not exist")


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
