"""Changed files of ldslearn.save with a right checksum, as a hostile writer would make them."""

import json

import numpy as np

from ldslearn._arrays import digest_contents

PARTS = ("estimator", "about", "saved")
VALUES = (
    *(None, True, -1, 0, 10**9, 10**30, 1e300, -0.5, float("nan"), "", "text", [], {}),
    *({"list": []}, {"dict": []}, {"tuple": [1]}, {"array": "a0"}, {"array": "missing"}),
    *({"number": "inf"}, {"class": "LDSEncoder", "state": {}}, {"class": "Popen", "state": {}}),
    {"objects": [{"list": [1]}]},
)


def open_file(path):
    """Header and arrays of a file."""
    with np.load(path) as stored:
        arrays = dict(stored)
    return json.loads(str(arrays.pop("header"))), arrays


def write_file(path, header, arrays):
    """Write them with the checksum and list of arrays that they should have."""
    body = {name: header.get(name) for name in PARTS}
    header = {**header, "digest": digest_contents(body, arrays), "arrays": sorted(arrays)}
    with path.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), **arrays)


def forge(header, arrays, random):
    """Change a value, drop or add an attribute, or change an array; drawn by a `random.Random`."""
    kinds = (change_value, change_value, drop_attribute, add_attribute, change_array, change_array)
    random.choice(kinds if arrays else kinds[:4])(header, arrays, random)


def places(node, found=None):
    """All (container, key) below a node."""
    found = [] if found is None else found
    keys = node.keys() if isinstance(node, dict) else range(len(node))
    for key in list(keys):
        found.append((node, key))
        if isinstance(node[key], dict | list):
            places(node[key], found)
    return found


def states(header):
    """The attributes of all objects."""
    return [c[k] for c, k in places(header) if k == "state" and isinstance(c[k], dict) and c[k]]


def change_value(header, arrays, random):
    chosen = [header["estimator"], header["estimator"], {"about": header["about"]}]
    container, key = random.choice(places({"root": random.choice(chosen)})[1:])
    container[key] = random.choice(VALUES)


def drop_attribute(header, arrays, random):
    state = random.choice(states(header))
    del state[random.choice(list(state))]


def add_attribute(header, arrays, random):
    state = random.choice(states(header))
    name = random.choice(("predict", "__class__", "transform", "get_params", "x_", *state))
    state[name] = random.choice(VALUES)


def change_array(header, arrays, random):
    name = random.choice(sorted(arrays))
    array = arrays[name]
    changes = [
        lambda a: a[:-1] if a.ndim else a,
        lambda a: np.concatenate([a, a]) if a.ndim else a,
        lambda a: a[..., None],
        lambda a: a.ravel(),
        lambda a: a.T,
        lambda a: a[:0] if a.ndim else a,
        lambda a: a.astype(np.float32) if a.dtype.kind in "fiub" else a,
        lambda a: a.astype(np.int64) if a.dtype.kind in "fiub" else a,
        lambda a: a.astype(str),
        lambda a: a.astype(bool) if a.dtype.kind in "fiub" else a,
        lambda a: a.astype(np.complex128) if a.dtype.kind in "fiub" else a,
        lambda a: np.full_like(a, np.nan) if a.dtype.kind == "f" else a,
        lambda a: a * 1e200 if a.dtype.kind == "f" else a,
        lambda a: a + a.dtype.type(100) if a.dtype.kind in "iu" else a,
        lambda a: -a if a.dtype.kind in "fi" else a,
        lambda a: np.zeros_like(a),
        lambda a: a[::-1] if a.ndim else a,
        lambda a: np.zeros((3, 3)),
    ]
    with np.errstate(all="ignore"):
        arrays[name] = random.choice(changes)(array)
