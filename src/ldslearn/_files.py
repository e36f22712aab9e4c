"""Arrays with a JSON header in one file, written whole or not at all, read without executing."""

import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that replaces `path` when the block ends without an error.

    The bytes go to a temporary file beside `path`, are flushed to disk, and are moved into place in
    one step: a reader sees the old file or the new one, never a part, and an error leaves the old
    one as it was.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"folder {target.parent} must exist to write {target.name}. Create it first."
        )
    if target.is_dir():
        raise IsADirectoryError(f"{target} must be a file name; got a folder.")
    part = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


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
    path: str | os.PathLike[str], kind: str, version: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of a file written by :func:`save_arrays`, or say what is wrong."""
    with open(path, "rb") as file:
        try:
            with np.load(file, allow_pickle=False) as stored:
                arrays = dict(stored)
            header = json.loads(str(arrays.pop("header")))
            found = header["format"], header["version"]
        except Exception as error:  # whatever np.load, zipfile and json make of damaged bytes
            raise _errors.unreadable_file(path, kind) from error
    if found[0] != kind:
        raise _errors.unreadable_file(path, kind)
    if found[1] != version:
        raise _errors.other_version(path, found[1], version)
    if sorted(arrays) != header.get("arrays"):
        raise _errors.unreadable_file(path, kind)
    return header, arrays
