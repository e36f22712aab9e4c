"""Read MATLAB files of version 5 to 7, without trust in any count, size or type of the file.

Each element is read within the bytes of the one around it, by "MAT-File Format" (MathWorks).
scipy.io.loadmat is not used because damaged files crash the interpreter there (SciPy 1.17).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.datasets.formats.mat_elements import (
    COMPRESSED,
    MATRIX,
    TYPES,
    MemoryLimit,
    Stream,
    inflate,
)

HEADER = 128
MAX_DEPTH = 32
_MAX_DIMENSIONS = 32
_OBJECT = 256  # bytes of an array or dict in Python beside its values

_ENCODINGS = {16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CELL, _STRUCT, _OBJECT_CLASS, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_CLASSES = {
    6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"
}  # fmt: skip
_FUNCTION, _OPAQUE = 16, 17
_COMPLEX, _LOGICAL = 0x800, 0x200


class UnsupportedError(Exception):
    """A variable that holds code or objects, and is omitted."""


def read_mat5(content: bytes, limit: int) -> dict[str, Any]:
    """Return the variables in the bytes of a file by name.

    Parameters
    ----------
    content : bytes
    limit : int
        Bytes that all variables together may take.

    Returns
    -------
    dict
        As :func:`ldslearn.datasets.formats.mat.read_mat`.
    """
    mark = content[HEADER - 2 : HEADER]
    if mark not in (b"IM", b"MI"):
        raise ValueError("no header of version 5 to 7")
    order = "<" if mark == b"IM" else ">"
    memory = MemoryLimit(limit)
    stream = Stream(memoryview(content)[HEADER:], order, memory)
    variables: dict[str, Any] = {}
    while stream.content:
        kind, body = stream.read_element()
        taken = 0
        if kind == COMPRESSED:
            kind, body = inflate(body, order, memory)
            taken = len(body)
        if kind != MATRIX:
            raise ValueError(f"an element of type {kind} for a variable")
        try:
            name, value = _read_matrix(Stream(body, order, memory), 0)
        except UnsupportedError:
            continue
        finally:
            memory.left += taken  # freed before the next variable
        if name in variables:
            raise ValueError(f"two variables {name!r}")
        if name:  # the workspace of functions has none
            variables[name] = value
    return variables


def _read_matrix(stream: Stream, depth: int) -> tuple[str, Any]:
    """Name and value of the array in a stream."""
    if depth > MAX_DEPTH:
        raise ValueError(f"arrays nested more than {MAX_DEPTH} deep")
    flags = stream.read_numbers()
    if len(flags) != 2:
        raise ValueError("an array without flags")
    flag = int(flags[0])
    kind = flag & 0xFF
    if kind in (_OBJECT_CLASS, _FUNCTION, _OPAQUE):
        raise UnsupportedError
    shape = tuple(int(length) for length in stream.read_numbers())
    if not 2 <= len(shape) <= _MAX_DIMENSIONS or min(shape) < 0:
        raise ValueError(f"an array of shape {shape}")
    name = stream.read_text()
    count = math.prod(shape)
    stream.memory.take(_OBJECT)
    if kind == _CELL:
        stream.memory.take(_OBJECT * count)
        return name, [_read_inner(stream, depth + 1) for _ in range(count)]
    if kind == _STRUCT:
        return name, _read_structs(stream, count, depth)
    if kind == _CHAR:
        return name, _read_text(stream, shape)
    if kind == _SPARSE:
        return name, _read_sparse(stream, shape, bool(flag & _COMPLEX), bool(flag & _LOGICAL))
    if kind not in _CLASSES:
        raise ValueError(f"an array of class {kind}")
    dtype = np.dtype(np.bool_ if flag & _LOGICAL else _CLASSES[kind])
    values = _read_values(stream, count, dtype, bool(flag & _COMPLEX))
    return name, values.reshape(shape, order="F")


def _read_inner(stream: Stream, depth: int) -> Any:
    """The array in the next element."""
    kind, body = stream.read_element()
    if kind != MATRIX:
        raise ValueError(f"an element of type {kind} for an array")
    if not body:
        return np.empty((0, 0))
    return _read_matrix(Stream(body, stream.order, stream.memory), depth)[1]


def _read_values(
    stream: Stream, count: int, dtype: np.dtype[Any], is_complex: bool
) -> NDArray[Any]:
    """`count` numbers, which may be stored in a narrower type than `dtype`."""
    parts = [stream.read_numbers() for _ in range(2 if is_complex else 1)]
    for part in parts:
        if len(part) != count:
            raise ValueError(f"{len(part)} numbers for an array of {count}")
        if part.dtype.kind == "f" and dtype.kind in "iu":
            raise ValueError("floats for integers")
    stream.memory.take(count * dtype.itemsize * (4 if is_complex else 1))
    if is_complex:
        return parts[0].astype(np.float64) + 1j * parts[1].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return parts[0].astype(dtype)


def _read_structs(stream: Stream, count: int, depth: int) -> Any:
    lengths = stream.read_numbers()
    names = bytes(stream.read_numbers().astype(np.uint8))
    width = int(lengths[0]) if len(lengths) == 1 else 0
    if width <= 0 or len(names) % width:
        raise ValueError("names of fields that are cut short")
    fields = [
        names[start : start + width].split(b"\0")[0].decode("latin-1")
        for start in range(0, len(names), width)
    ]
    stream.memory.take(_OBJECT * count * (1 + len(fields)))
    structs = [{field: _read_inner(stream, depth + 1) for field in fields} for _ in range(count)]
    return structs[0] if count == 1 else structs


def _read_text(stream: Stream, shape: tuple[int, ...]) -> Any:
    """One row as str, several as a list."""
    kind, body = stream.read_element()
    order = stream.order
    stream.memory.take(8 * len(body) + _OBJECT * shape[0])
    if kind in _ENCODINGS:
        suffix = "" if kind == 16 else "-le" if order == "<" else "-be"
        letters = list(bytes(body).decode(_ENCODINGS[kind] + suffix))
    elif kind in (1, 2, 4):
        codes = np.frombuffer(body, order + TYPES[kind])
        letters = list(map(chr, codes.astype(np.uint8 if kind == 1 else codes.dtype).tolist()))
    else:
        raise ValueError(f"an element of type {kind} for text")
    count = math.prod(shape)
    if len(letters) != count and shape[0] == 1:  # characters of several bytes, counted as bytes
        return "".join(letters)
    if len(letters) != count:
        raise ValueError(f"{len(letters)} characters for {count}")
    rows = ["".join(letters[row :: shape[0]]) for row in range(shape[0])] if count else [""]
    return rows[0] if len(rows) == 1 else rows


def _read_sparse(stream: Stream, shape: tuple[int, ...], is_complex: bool, logical: bool) -> Any:
    """A sparse matrix, made dense."""
    rows, starts = stream.read_numbers().astype(np.int64), stream.read_numbers().astype(np.int64)
    if (
        len(shape) != 2
        or len(starts) != shape[1] + 1
        or starts[0] != 0
        or (np.diff(starts) < 0).any()
    ):
        raise ValueError("a sparse matrix of wrong columns")
    count = int(starts[-1])
    if logical:  # bytes, whatever their type says
        stored = np.frombuffer(stream.read_element()[1], np.uint8).astype(np.bool_)
        values: NDArray[Any] = stored[: len(rows)]
    else:
        values = _read_values(stream, len(rows), np.dtype(np.float64), is_complex)
    rows = rows[:count]
    if (
        len(rows) != count
        or len(values) < count
        or (count and not 0 <= rows.min() <= rows.max() < shape[0])
    ):
        raise ValueError("a sparse matrix of wrong rows")
    stream.memory.take(math.prod(shape) * values.itemsize)
    dense = np.zeros(shape, values.dtype)
    dense[rows, np.repeat(np.arange(shape[1]), np.diff(starts))] = values[:count]
    return dense
