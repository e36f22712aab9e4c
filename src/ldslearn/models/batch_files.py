"""Files of batches of systems: arrays and a JSON header with a checksum."""

import os
from typing import Any

from numpy.typing import NDArray

from ldslearn._arrays import digest_contents, load_arrays, save_arrays
from ldslearn._types import Floats
from ldslearn.models.fields import FIELD_SHAPES

_FORMAT = "ldslearn.LDS"
_VERSION = 1
_SETTINGS = {"windows": int, "delays": int, "allow_unstable": bool}  # of a batch, in files

Contents = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # the header, and the arrays


def write_batch(
    path: str | os.PathLike[str], settings: dict[str, Any], arrays: dict[str, Floats]
) -> None:
    """Write settings and arrays of a batch to one file, replaced in one step."""
    header = {**settings, "digest": digest_contents(settings, arrays)}
    save_arrays(path, _FORMAT, _VERSION, header, arrays)


def read_batch(path: str | os.PathLike[str]) -> Contents:
    """Return what a file of the right kind holds, unchecked."""
    return load_arrays(path, _FORMAT, _VERSION)


def parse_batch(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the parameters of a batch if header and arrays hold them; raise ValueError if not."""
    settings = {name: header.get(name) for name in ("delays", "allow_unstable", "windows")}
    # Files of the first release have no checksum.
    if "digest" in header and header["digest"] != digest_contents(settings, arrays):
        raise ValueError("its contents do not match their checksum")
    if not {"A", "C"} <= arrays.keys() <= FIELD_SHAPES.keys():
        raise ValueError(f"the arrays {', '.join(sorted(arrays)) or 'none'}")
    settings = {"windows": 1} | {k: header[k] for k in _SETTINGS if k in header}
    if {k: type(value) for k, value in settings.items()} != _SETTINGS:
        raise ValueError("settings of another kind")
    return {**arrays, **settings}
