"""Read MATLAB files of version 7.3, which are HDF5."""

import importlib
import math
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import INFLATION
from ldslearn.datasets.formats.mat5 import MAX_DEPTH, UnsupportedError
from ldslearn.datasets.formats.mat_elements import MemoryLimit

_FILTERS = {1, 2, 3}  # deflate, shuffle, fletcher32: others would load a plug-in
_OBJECT = 1024  # bytes of an object beside its values
_SLACK = 2**20


def import_h5py(path: str | os.PathLike[str]) -> Any:
    """Return h5py, or raise with the way to install it."""
    try:
        return importlib.import_module("h5py")
    except ImportError as error:
        raise _errors.bad_file(
            path,
            "have version 7 or earlier when h5py is missing",
            "version 7.3 (HDF5)",
            "Run pip install 'ldslearn[hdf5]', or save it in MATLAB with -v7.",
        ) from error


def read_mat73(h5py: Any, path: str | os.PathLike[str], limit: int) -> dict[str, Any]:
    """Return the variables of a file by name.

    Parameters
    ----------
    h5py : module
    path : path-like
    limit : int
        Bytes that all variables together may take.

    Returns
    -------
    dict
        As :func:`ldslearn.datasets.formats.mat.read_mat`.
    """
    with h5py.File(path, "r") as file:
        reader = _Reader(h5py, file, MemoryLimit(limit), INFLATION * os.stat(path).st_size + _SLACK)
        variables = {}
        for name in _list_names(file):
            if not name.startswith("#"):  # MATLAB's own: targets of references, and objects
                try:
                    variables[name] = reader.read_member(file, name, 0)
                except UnsupportedError:
                    continue
        return variables


class _Reader:
    """Objects of one file; each is read once, and counted once per reference."""

    def __init__(self, h5py: Any, file: Any, memory: MemoryLimit, largest: int) -> None:
        self.h5py, self.file, self.memory, self.largest = h5py, file, memory, largest
        self.known: dict[int, tuple[Any, int]] = {}  # values, and the bytes they took

    def read_member(self, group: Any, name: str, depth: int) -> Any:
        """Return an object of a group; links to other files raise."""
        return self.read_value(self._open_object(group, name), depth)

    def _open_object(self, group: Any, key: Any) -> Any:
        """Object of a group by its name, or of the file by a reference."""
        try:
            if isinstance(key, str) and not isinstance(
                group.get(key, getlink=True), self.h5py.HardLink
            ):
                raise ValueError(f"a link to elsewhere in {key!r}")
            return group[key]
        except KeyError as error:  # h5py's error for what cannot be opened
            raise ValueError(str(error)) from error

    def read_value(self, item: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ValueError(f"arrays nested more than {MAX_DEPTH} deep")
        address = self.h5py.h5o.get_info(item.id).addr
        if address in self.known:
            return self._reuse(address)
        before = self.memory.left
        self.memory.take(_OBJECT)
        if isinstance(item, self.h5py.Dataset):
            value = self._read_dataset(item, depth)
        elif isinstance(item, self.h5py.Group):
            value = self._read_group(item, depth)
        else:
            raise UnsupportedError
        self.known[address] = value, before - self.memory.left
        return value

    def _reuse(self, address: int) -> Any:
        """An object that was read before, counted once more."""
        value, cost = self.known[address]
        self.memory.take(cost)
        return value

    def _follow_references(self, dataset: Any, references: NDArray[Any], depth: int) -> list[Any]:
        """Objects of references; each is opened once, because opening is slow."""
        tokens = np.empty(dataset.shape, np.uint64)  # references as stored in the file
        everything, kind = self.h5py.h5s.ALL, self.h5py.h5t.STD_REF_OBJ
        dataset.id.read(everything, everything, tokens, kind)
        addresses: dict[int, int] = {}
        values = []
        in_order = zip(tokens.T.ravel(order="F").tolist(), references, strict=True)
        for token, reference in in_order:
            if token in addresses:
                values.append(self._reuse(addresses[token]))
                continue
            item = self._open_object(self.file, reference)
            values.append(self.read_value(item, depth))
            addresses[token] = self.h5py.h5o.get_info(item.id).addr
        return values

    def _read_group(self, group: Any, depth: int) -> Any:
        if "MATLAB_sparse" in group.attrs:
            return self._read_sparse(group, depth)
        if _matlab_class(group) not in ("struct", ""):
            raise UnsupportedError
        fields = {name: self.read_member(group, name, depth + 1) for name in _list_names(group)}
        columns = [
            isinstance(fields[name], list) and not _matlab_class(self._open_object(group, name))
            for name in fields
        ]
        if not fields or not all(columns):
            return fields
        # A struct array: every field is an array of references of one size.
        lengths = {len(column) for column in fields.values()}
        if len(lengths) != 1:
            raise ValueError("a struct array with fields of several sizes")
        self.memory.take(_OBJECT * lengths.pop())
        return [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]

    def _read_dataset(self, dataset: Any, depth: int) -> Any:
        kind = _matlab_class(dataset)
        if "MATLAB_empty" in dataset.attrs:
            empty = {"char": "", "cell": [], "struct": []}
            return empty.get(kind, np.empty((0, 0)))
        if "MATLAB_object_decode" in dataset.attrs and kind not in ("char", "logical", "cell"):
            raise UnsupportedError
        values = self._read_array(dataset)
        if dataset.dtype == self.h5py.ref_dtype:
            references = values.T.ravel(order="F")
            return self._follow_references(dataset, references, depth + 1)
        if values.dtype.names == ("real", "imag"):
            values = values["real"] + 1j * values["imag"]
        if values.dtype.kind not in "biufc":
            raise ValueError(f"dtype {values.dtype} in {dataset.name!r}")
        matrix = values.T  # HDF5 stores the columns of MATLAB as rows
        if kind == "char":
            rows = ["".join(map(chr, row)) for row in np.atleast_2d(matrix).astype(int).tolist()]
            return rows[0] if len(rows) == 1 else rows
        return matrix.astype(np.bool_) if kind == "logical" else matrix

    def _read_array(self, dataset: Any) -> NDArray[Any]:
        """All values of a dataset whose size agrees with the file's."""
        try:
            dtype = dataset.dtype
        except TypeError as error:  # h5py's, for types that NumPy does not have
            raise ValueError(f"{error} in {dataset.name!r}") from error
        size = math.prod(dataset.shape or ()) * dtype.itemsize
        if dataset.shape is None or size > self.largest:
            raise ValueError(f"shape {dataset.shape} in {dataset.name!r}, more than the file holds")
        self.memory.take(_OBJECT // 8 * size if dtype.hasobject else 2 * size)
        settings = dataset.id.get_create_plist()
        filters = {settings.get_filter(i)[0] for i in range(settings.get_nfilters())}
        if dataset.external or dataset.is_virtual or not filters <= _FILTERS:
            raise ValueError(f"values outside the file or of an unknown filter in {dataset.name!r}")
        if dtype.hasobject and dtype != self.h5py.ref_dtype:
            raise ValueError(f"dtype {dtype} in {dataset.name!r}")
        return np.asarray(dataset[()])

    def _read_sparse(self, group: Any, depth: int) -> NDArray[Any]:
        """A sparse matrix, made dense."""
        n_rows = int(_read_sparse_part(_read_attribute(group, "MATLAB_sparse"))[0])
        starts = _read_sparse_part(self.read_member(group, "jc", depth + 1)).astype(np.int64)
        n_columns = len(starts) - 1
        count = int(starts[-1])
        if starts[0] != 0 or (np.diff(starts) < 0).any() or n_rows < 0:
            raise ValueError("a sparse matrix of wrong columns")
        self.memory.take(16 * n_rows * n_columns)
        if not count:
            return np.zeros((n_rows, n_columns))
        rows = _read_sparse_part(self.read_member(group, "ir", depth + 1)).astype(np.int64)
        values = _read_sparse_part(self.read_member(group, "data", depth + 1), "biufc")
        if len(rows) != count or len(values) != count or not 0 <= rows.min() <= rows.max() < n_rows:
            raise ValueError("a sparse matrix of wrong rows")
        dense = np.zeros((n_rows, n_columns), values.dtype)
        dense[rows, np.repeat(np.arange(n_columns), np.diff(starts))] = values
        return dense


def _read_sparse_part(value: Any, kinds: str = "biuf") -> NDArray[Any]:
    """Numbers of a part of a sparse matrix; raise if there are none."""
    numbers = np.ravel(value) if isinstance(value, np.ndarray | np.number) else np.empty(0)
    if not numbers.size or numbers.dtype.kind not in kinds:
        raise ValueError("a sparse matrix without its parts")
    return numbers


def _matlab_class(item: Any) -> str:
    name = _read_attribute(item, "MATLAB_class") if "MATLAB_class" in item.attrs else ""
    return name.decode("latin-1") if isinstance(name, bytes) else str(name)


def _list_names(group: Any) -> list[str]:
    try:
        names = list(group)
    except KeyError as error:  # h5py's, for groups that cannot be read
        raise ValueError(str(error)) from error
    if not all(isinstance(name, str) for name in names):
        raise ValueError("names that are no texts")
    return names


def _read_attribute(item: Any, name: str) -> Any:
    try:
        return item.attrs[name]
    except (KeyError, TypeError) as error:  # h5py's, for what cannot be read
        raise ValueError(f"{error} in {name}") from error
