"""Read MATLAB files, and the sequences in them."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import check_size, inflated_limit, name_bad_file, open_file
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.mat5 import HEADER, read_mat5
from ldslearn.datasets.formats.mat73 import import_h5py, read_mat73
from ldslearn.video import to_sequence

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_OFFSETS = (0, 512, 1024, 2048)  # HDF5 looks for its signature there; MATLAB writes it at 512
_SEQUENCES = ("X", "data", "sequences", "videos")
_LABELS = ("y", "labels", "label", "gt", "classes")


def read_mat(path: str | os.PathLike[str], limit: int | None = None) -> dict[str, Any]:
    """Return the variables of a MATLAB file by name.

    Nothing in the file is executed; variables that hold functions or objects are omitted.

    Parameters
    ----------
    path : path-like
        Of version 5 to 7, or 7.3 if h5py is installed.
    limit : int, optional
        Bytes that all variables together may take; when not given, as many as the size of the file
        justifies and the machine has. An array with several references counts as often.

    Returns
    -------
    dict
        Numeric arrays as arrays of MATLAB's shape and class, sparse ones dense; char arrays as
        str, or a list of str with several rows; cell arrays as flat lists, by columns; structs as
        dicts, struct arrays as lists of dicts.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        limit = inflated_limit(size) if limit is None else limit
        start = file.read(_OFFSETS[-1] + len(_SIGNATURE))
        if any(start[offset:].startswith(_SIGNATURE) for offset in _OFFSETS):
            h5py = import_h5py(path)
            with name_bad_file(path, "be a complete MATLAB file of version 7.3"):
                return read_mat73(h5py, path, limit)
        check_size(path, size, limit)
        if len(start) >= HEADER and start[HEADER - 2 : HEADER] not in (b"IM", b"MI"):
            raise _errors.bad_file(
                path,
                "be a MATLAB file of version 5 or later",
                "another header",
                "If it is of version 4, save it in MATLAB with -v7.",
            )
        file.seek(0)
        with name_bad_file(path, "be a complete MATLAB file"):
            return read_mat5(file.read(), limit)


def load_mat(path: str | os.PathLike[str], *, gaps: bool = False) -> Collection:
    """Return the collection in a MATLAB file.

    Sequences are a cell array of (n_channels, n_timepoints) matrices, or of videos
    (height, width[, n_colours], n_frames), in a variable X, data, sequences or videos, or in the
    only such variable. Labels are a vector, or a cell array of texts or numbers, of the same
    length, named y, labels, label, gt or classes. Nothing in the file is executed.

    Parameters
    ----------
    path : str or path
        Of version 5 to 7, or 7.3 if h5py is installed.
    gaps : bool, default=False
        Accept NaN as missing samples, instead of raising.

    Returns
    -------
    Collection

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from scipy.io import savemat
    >>> from ldslearn.datasets import load_mat
    >>> cells = np.empty(2, dtype=object)
    >>> cells[:] = [np.zeros((3, 40)), np.ones((3, 50))]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     savemat(Path(folder) / "two.mat", {"X": cells, "y": [1, 2]})
    ...     data = load_mat(Path(folder) / "two.mat")
    >>> [sequence.shape for sequence in data.X], data.y.tolist()
    ([(3, 40), (3, 50)], ['1', '2'])
    """
    variables = read_mat(path)
    cells = [name for name, value in variables.items() if _is_cell_of_arrays(value)]
    others = [name for name in cells if name not in _LABELS]
    named = [name for name in _SEQUENCES if name in cells] or others or cells
    if not named or (len(named) > 1 and named[0] not in _SEQUENCES):
        found = ", ".join(f"{name} ({_describe_shape(value)})" for name, value in variables.items())
        raise _errors.bad_file(
            path,
            "hold the sequences as one cell array of numeric matrices",
            f"the variables {found or 'none'}",
            f"Name it one of {', '.join(_SEQUENCES)}.",
        )
    arrays = variables[named[0]]
    with name_bad_file(path, f"hold sequences in {named[0]}"):
        shapes = {array.shape[:-1] for array in arrays if array.ndim > 2}
        if len(shapes) > 1 or (shapes and any(array.ndim == 2 for array in arrays)):
            raise ValueError("videos of several frame sizes")
        return Collection(
            [_to_sequence(array) for array in arrays],
            y=_find_labels(variables, len(arrays)),
            frame_shape=next(iter(shapes), None),
            gaps=gaps,
        )


def _is_cell_of_arrays(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(item, np.ndarray) and item.size for item in value)
    )


def _to_sequence(array: NDArray[Any]) -> NDArray[Any]:
    """Move frames, the last axis in MATLAB, to the first, as to_sequence requires."""
    return array if array.ndim == 2 else to_sequence(np.moveaxis(array, -1, 0))


def _find_labels(variables: dict[str, Any], n_sequences: int) -> NDArray[np.str_] | None:
    for name in _LABELS:
        if name not in variables:
            continue
        value = variables[name]
        labels = read_labels(value)
        if len(labels) == n_sequences:
            return np.array(labels)
        if name != "classes":  # which may be the names of the classes
            raise ValueError(
                f"{_describe_shape(value)} in {name} for the labels of {n_sequences} sequences"
            )
    return None


def read_labels(value: Any) -> list[str]:
    """Return the texts and numbers of a vector, a cell array or a matrix of letters, as texts."""
    if isinstance(value, np.ndarray):
        return [_format_number(number) for number in value.ravel().tolist()]
    cells = value if isinstance(value, list) else [value]
    return [
        cell.rstrip(" ") if isinstance(cell, str) else _format_number(cell.item())
        for cell in cells
        if isinstance(cell, str) or (isinstance(cell, np.ndarray) and cell.size == 1)
    ]


def _format_number(value: complex) -> str:
    """Write 3 rather than 3.0: MATLAB stores all numbers as floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _describe_shape(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return " x ".join(map(str, value.shape)) + f" {value.dtype}"
    if isinstance(value, list):
        return f"cell or struct array of {len(value)}"
    return "text" if isinstance(value, str) else "struct"
