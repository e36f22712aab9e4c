"""Kernel matrices too large for memory: written tile by tile to one file, resumable."""

import hashlib
import json
import os
import secrets
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import atomic_write, check_target
from ldslearn.geometry.fitted import usual_bandwidth
from ldslearn.geometry.registry import Kernel, Part, kernel_parts, sum_parts
from ldslearn.geometry.spreading import each_tile
from ldslearn.models import LDS
from ldslearn.models.store import LDSStore, as_batch
from ldslearn.models.streaming import Block, cut_systems

Floats = NDArray[np.float64]

_TILE = 2**24  # bytes of systems along a side of a tile
_SAVED_EVERY = 30.0  # seconds: what a process that is killed may cost


def write_kernel(
    path: str | os.PathLike[str],
    X: LDS | LDSStore,
    kernel: Kernel = "projection",
    *,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Floats:
    """Write the kernel matrix of all pairs to an ``.npy`` file, and return it, mapped to memory.

    An interrupted run leaves ``path`` with the suffixes ``.part`` and ``.done`` beside it; the
    same call goes on from there, unless `kernel` is a function, which may be another one by then.

    Parameters
    ----------
    path : str or path
        File to write, 8 N^2 bytes.
    X : LDS or LDSStore
    kernel : str, callable or mapping of str to float
        As in :func:`pairwise_kernel`. A bandwidth must be a number here: its median is that of a
        matrix that does not exist yet. The Martin kernel is written as it is (``psd="ignore"``).
    n_jobs : int or None
    **parameters
        As in :func:`pairwise_kernel`.

    Returns
    -------
    (N, N) array, read-only, in the file
    """
    systems = as_batch(X)
    target = check_target(path)
    parts = [_fixed(part) for part in kernel_parts(kernel, parameters)]
    rows = cut_systems(systems, _TILE)
    part, note = (target.with_name(target.name + end) for end in (".part", ".done"))
    print_ = _fingerprint(systems, rows, parts)
    done = _finished(part, note, print_, len(systems))
    if done:
        K = np.lib.format.open_memmap(part, "r+")
    else:
        note.unlink(missing_ok=True)  # it tells of another matrix
        K = np.lib.format.open_memmap(part, "w+", np.float64, (len(systems), len(systems)))
    settings: dict[str, Any] = {"parts": parts, "n_jobs": n_jobs}
    saved = time.monotonic()
    try:
        for i, j, values in each_tile(tile_of, rows, None, done=set(done), **settings):
            K[i, j] = values
            K[j, i] = values.T
            done.append((i.start, j.start))
            if time.monotonic() - saved > _SAVED_EVERY:
                _save(K, note, print_, done)
                saved = time.monotonic()
    except BaseException:
        _save(K, note, print_, done)
        raise
    K.flush()
    del K
    part.replace(target)
    note.unlink(missing_ok=True)
    return np.load(target, mmap_mode="r", allow_pickle=False)


def tile_of(X: LDS, Y: LDS | None, *, parts: list[Part], n_jobs: int | None) -> Floats:
    """Return the kernels of two blocks."""
    return sum_parts(parts, X, Y, n_jobs)


def _fixed(part: Part) -> Part:
    """The part, if it needs nothing of the whole matrix."""
    name, weight, settings = part
    if usual_bandwidth(name, settings) == "median":
        raise _errors.invalid_parameter(f"bandwidth of {name!r}", "be a number", "median")
    return (name, weight, {**settings, "psd": "ignore"}) if name == "martin" else part


def _fingerprint(systems: LDS | LDSStore, rows: list[Block], parts: list[Part]) -> str:
    """Of what the matrix is made from: the files of a store, or the numbers of a batch."""
    facts: list[Any] = [[str(name), weight, str(rest)] for name, weight, rest in parts]
    facts.append([len(block) for block in rows])
    if any(callable(name) for name, _, _ in parts):
        facts.append(secrets.token_hex())
    if isinstance(systems, LDSStore):
        facts += [[shard.sha256 for shard in systems.shards], systems._window]
        arrays = {}
    else:
        facts.append(str(systems._layout()))
        arrays = systems._arrays()
    digest = hashlib.sha256(json.dumps(facts).encode())
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _finished(part: Path, note: Path, print_: str, n_systems: int) -> list[tuple[int, int]]:
    """First rows and columns of the tiles that an interrupted run of the same call wrote."""
    try:
        found = json.loads(note.read_bytes())
        if found["fingerprint"] != print_ or part.stat().st_size <= 8 * n_systems**2:
            return []
        return [(int(i), int(j)) for i, j in found["tiles"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _save(K: Any, note: Path, print_: str, done: list[tuple[int, int]]) -> None:
    K.flush()
    with atomic_write(note) as file:
        file.write(json.dumps({"fingerprint": print_, "tiles": done}).encode())
