"""Kernel matrices too large for memory: written tile by tile to one file, resumable."""

import hashlib
import io
import json
import os
import secrets
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._locks import lock_file
from ldslearn._places import name_systems, warn_once
from ldslearn._records import check_seal, read_json, seal
from ldslearn._types import Floats
from ldslearn._writing import (
    atomic_write,
    check_outside,
    check_regular,
    check_target,
    create_part,
    name_full_disk,
    replace_file,
    reserve_space,
)
from ldslearn.geometry.fitted_kernels import find_bandwidth
from ldslearn.geometry.registry import Kernel, Part, kernel_parts, sum_parts
from ldslearn.geometry.tiles import iterate_tiles, row_slices
from ldslearn.models.blocks import Block, cut_systems
from ldslearn.models.lds import LDS, as_systems
from ldslearn.scale.store import LDSStore

Tile = tuple[int, int]  # its first row and column

_TILE = 2**24  # bytes of systems along a side of a tile
_SAVED_EVERY = 30.0  # seconds: what a process that is killed may cost


@warn_once
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
    Tiles are compared with their checksums before they are kept. All space on the disk is reserved
    before the work begins, and one process writes a file at a time: ``.lock`` says which.

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
    systems = X if isinstance(X, LDSStore) else as_systems(X, "X", at_least_one=True)
    target = check_target(path, longest_suffix=".part")
    if isinstance(systems, LDSStore):
        check_outside(target, [systems.path])
    parts = [_fixed(part) for part in kernel_parts(kernel, parameters)]
    rows = cut_systems(systems, _TILE)
    part, note, lock = (target.with_name(target.name + end) for end in (".part", ".done", ".lock"))
    with lock_file(lock, f"kernel {target}"):
        for file in (part, note):
            check_regular(file)
            check_target(file)
        print_ = _fingerprint(systems, rows, parts)
        done = _finished(part, note, print_, rows)
        if not done:
            note.unlink(missing_ok=True)  # it tells of another matrix
        with name_full_disk(target, 8 * len(systems) ** 2):
            K = _open(part, target, len(systems), new=not done)
        settings: dict[str, Any] = {"parts": parts, "n_jobs": n_jobs}
        saved = time.monotonic()
        try:
            with name_systems(X=systems):
                for i, j, values in iterate_tiles(tile_of, rows, None, done=set(done), **settings):
                    K[i, j] = values
                    K[j, i] = values.T
                    done[i.start, j.start] = _checksum(K, i, j)
                    if time.monotonic() - saved > _SAVED_EVERY:
                        _save(K, note, print_, done)
                        saved = time.monotonic()
        except BaseException:
            _save(K, note, print_, done)
            raise
        K.flush()
        del K
        replace_file(part, target)
        note.unlink(missing_ok=True)
    return np.load(target, mmap_mode="r", allow_pickle=False)


def tile_of(X: LDS, Y: LDS | None, *, parts: list[Part], n_jobs: int | None) -> Floats:
    """Return the kernels of two blocks."""
    return sum_parts(parts, X, Y, n_jobs)


def _fixed(part: Part) -> Part:
    """The part, if it needs nothing of the whole matrix."""
    name, weight, settings = part
    if find_bandwidth(name, settings) == "median":
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
        facts.append(str(systems._layout))
        arrays = systems._arrays
    digest = hashlib.sha256(json.dumps(facts).encode())
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _header(n_systems: int) -> bytes:
    """The first bytes of the file of a matrix, as this version of NumPy writes them."""
    descr = np.lib.format.dtype_to_descr(np.dtype(np.float64))
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": descr, "fortran_order": False, "shape": (n_systems,) * 2}
    )
    return stream.getvalue()


def _open(part: Path, target: Path, n_systems: int, *, new: bool) -> Any:
    """The matrix of a file, mapped to memory; its space on the disk is reserved."""
    if new:
        part.unlink(missing_ok=True)  # what has another name, too, stays as it is there
    header = _header(n_systems)
    try:
        with create_part(part, target) if new else part.open("r+b") as file:
            if new:
                file.write(header)
                file.flush()
            reserve_space(file, len(header) + 8 * n_systems**2)
    except BaseException:
        if new:
            part.unlink(missing_ok=True)
        raise
    return np.memmap(part, np.float64, "r+", len(header), (n_systems,) * 2)


def _finished(part: Path, note: Path, print_: str, rows: list[Block]) -> dict[Tile, int]:
    """Checksums, by first row and column, of the tiles that an interrupted run of this call wrote.

    A tile counts if it is in the file as it was written, and its mirror image, too.
    """
    places = {place.start: place for place in row_slices(rows)}
    n_systems = sum(map(len, rows))
    header = _header(n_systems)
    try:
        found = read_json(note)
        check_seal(found)
        if found["fingerprint"] != print_:
            return {}
        with part.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if file.read(len(header)) != header or size != len(header) + 8 * n_systems**2:
                return {}
        K = np.memmap(part, np.float64, "r", len(header), (n_systems,) * 2)
        return {
            (i, j): checksum
            for i, j, checksum in found["tiles"]
            if checksum == _checksum(K, places[i], places[j])
            and np.array_equal(K[places[j], places[i]], K[places[i], places[j]].T, equal_nan=True)
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _checksum(K: Any, i: slice, j: slice) -> int:
    """CRC-32 of one tile."""
    return zlib.crc32(np.ascontiguousarray(K[i, j]).tobytes())


def _save(K: Any, note: Path, print_: str, done: dict[Tile, int]) -> None:
    K.flush()
    tiles = [[i, j, checksum] for (i, j), checksum in done.items()]
    with atomic_write(note) as file:
        file.write(json.dumps(seal({"fingerprint": print_, "tiles": tiles})).encode())
