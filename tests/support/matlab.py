"""MATLAB files to read: version 7.3 as MATLAB lays it out, written by h5py."""

import numpy as np


def cell(*values):
    """A row cell array for scipy.io.savemat."""
    array = np.empty((1, len(values)), dtype=object)
    array[0] = values
    return array


def save_mat73(h5py, path, variables):
    """Write arrays, texts, lists (cells), dicts (structs) and lists of dicts (struct arrays)."""
    with h5py.File(path, "w", userblock_size=512) as file:
        targets = file.create_group("#refs#")
        for name, value in variables.items():
            _write(h5py, targets, file, name, value)
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def _write(h5py, targets, group, name, value):
    if isinstance(value, dict):
        struct = group.create_group(name)
        struct.attrs["MATLAB_class"] = np.bytes_(b"struct")
        for field, item in value.items():
            _write(h5py, targets, struct, field, item)
        return struct
    if isinstance(value, list) and value and isinstance(value[0], dict):
        struct = group.create_group(name)
        struct.attrs["MATLAB_class"] = np.bytes_(b"struct")
        for field in value[0]:
            _references(h5py, targets, struct, field, [item[field] for item in value])
        return struct
    if isinstance(value, list):
        dataset = _references(h5py, targets, group, name, value)
        kind = b"cell"
    elif isinstance(value, str):
        codes = np.frombuffer(value.encode("utf-16-le"), np.uint16)[:, None]
        dataset = group.create_dataset(name, data=codes)
        kind = b"char"
    else:
        array = np.atleast_2d(value)
        stored = array.astype(np.uint8) if array.dtype == bool else array
        options = {"compression": "gzip", "shuffle": True} if array.size > 20 else {}
        dataset = group.create_dataset(name, data=stored.T, **options)
        names = {"float64": b"double", "float32": b"single", "bool": b"logical"}
        kind = names.get(str(array.dtype), str(array.dtype).encode())
    dataset.attrs["MATLAB_class"] = np.bytes_(kind)
    return dataset


def _references(h5py, targets, group, name, values):
    dataset = group.create_dataset(name, (len(values), 1), dtype=h5py.ref_dtype)
    for i, value in enumerate(values):
        dataset[i, 0] = _write(h5py, targets, targets, f"r{len(targets)}", value).ref
    return dataset
