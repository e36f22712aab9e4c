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
from ldslearn.geometry.registry import Kernel, KernelTerm, parse_kernel, sum_terms
from ldslearn.geometry.tiles import iterate_tiles, row_slices
from ldslearn.models.blocks import Block, cut_systems
from ldslearn.models.lds import LDS, as_systems
from ldslearn.scale.store import LDSStore

Tile = tuple[int, int]  # its first row and column

_TILE = 2**24  # bytes of the systems along one side of a tile
_SAVED_EVERY = 30.0  # seconds: the work that a killed process loses at most


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

    An interrupted run leaves two files, ``path`` with the suffixes ``.part`` and ``.done``. The
    same call resumes from them, unless `kernel` is a function, which may have changed. Tiles are
    compared with their checksums before they are kept. Disk space is reserved before the work
    begins. One process writes a file at a time; ``.lock`` names it.

    Parameters
    ----------
    path : str or path
        File to write, 8 N^2 bytes.
    X : LDS or LDSStore
        N systems.
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`. A bandwidth must be a number here: the
        median of the matrix is not known before it is computed. The Martin kernel is not corrected
        (``psd="ignore"``).
    n_jobs : int or None, default=None
    **parameters : dict
        As in :func:`ldslearn.geometry.pairwise_kernel`.

    Returns
    -------
    (N, N) array
        Read-only, in the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import make_lds_sequences
    >>> from ldslearn.geometry import projection_kernel
    >>> from ldslearn.scale import write_kernel
    >>> systems = LDSEncoder(4).fit_transform(make_lds_sequences(2, 3, random_state=0)[0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     K = write_kernel(Path(folder) / "kernel.npy", systems)
    ...     print(np.allclose(K, projection_kernel(systems)))
    ...     del K  # closes the file
    True
    """
    systems = X if isinstance(X, LDSStore) else as_systems(X, "X", at_least_one=True)
    target = check_target(path, longest_suffix=".part")
    if isinstance(systems, LDSStore):
        check_outside(target, [systems.path])
    parts = [_check_part(part) for part in parse_kernel(kernel, parameters)]
    rows = cut_systems(systems, _TILE)
    part, note, lock = (target.with_name(target.name + end) for end in (".part", ".done", ".lock"))
    with lock_file(lock, f"kernel {target}"):
        for file in (part, note):
            check_regular(file)
            check_target(file)
        fingerprint = _fingerprint_inputs(systems, rows, parts)
        done = _read_progress(part, note, fingerprint, rows)
        if not done:
            note.unlink(missing_ok=True)  # of another matrix
        with name_full_disk(target, 8 * len(systems) ** 2):
            K = _open_matrix(part, target, len(systems), new=not done)
        settings: dict[str, Any] = {"parts": parts, "n_jobs": n_jobs}
        saved = time.monotonic()
        try:
            with name_systems(X=systems):
                tiles = iterate_tiles(compute_tile, rows, None, done=set(done), **settings)
                for i, j, values in tiles:
                    K[i, j] = values
                    K[j, i] = values.T
                    done[i.start, j.start] = _compute_checksum(K, i, j)
                    if time.monotonic() - saved > _SAVED_EVERY:
                        _save_progress(K, note, fingerprint, done)
                        saved = time.monotonic()
        except BaseException:
            _save_progress(K, note, fingerprint, done)
            raise
        K.flush()
        del K
        replace_file(part, target)
        note.unlink(missing_ok=True)
    return np.load(target, mmap_mode="r", allow_pickle=False)


def compute_tile(X: LDS, Y: LDS | None, *, parts: list[KernelTerm], n_jobs: int | None) -> Floats:
    """Return the kernels of two blocks."""
    return sum_terms(parts, X, Y, n_jobs)


def _check_part(part: KernelTerm) -> KernelTerm:
    """Return the part of a kernel; raise if it needs the whole matrix."""
    name, weight, settings = part
    if find_bandwidth(name, settings) == "median":
        raise _errors.invalid_parameter(f"bandwidth of {name!r}", "be a number", "median")
    return (name, weight, {**settings, "psd": "ignore"}) if name == "martin" else part


def _fingerprint_inputs(systems: LDS | LDSStore, rows: list[Block], parts: list[KernelTerm]) -> str:
    """Return a hash of kernel and systems: of the files of a store, or the arrays of a batch."""
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


def _make_header(n_systems: int) -> bytes:
    """Return the npy header of the matrix, as this version of NumPy writes it."""
    descr = np.lib.format.dtype_to_descr(np.dtype(np.float64))
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": descr, "fortran_order": False, "shape": (n_systems,) * 2}
    )
    return stream.getvalue()


def _open_matrix(part: Path, target: Path, n_systems: int, *, new: bool) -> Any:
    """Return the matrix of a file, mapped to memory, with its disk space reserved."""
    if new:
        part.unlink(missing_ok=True)  # a hard link of it elsewhere keeps its contents
    header = _make_header(n_systems)
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


def _read_progress(part: Path, note: Path, fingerprint: str, rows: list[Block]) -> dict[Tile, int]:
    """Return checksums, by first row and column, of the tiles of an interrupted run.

    A tile counts if the file holds it and its mirror image as they were written.
    """
    places = {place.start: place for place in row_slices(rows)}
    n_systems = sum(map(len, rows))
    header = _make_header(n_systems)
    try:
        found = read_json(note)
        check_seal(found)
        if found["fingerprint"] != fingerprint:
            return {}
        with part.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if file.read(len(header)) != header or size != len(header) + 8 * n_systems**2:
                return {}
        K = np.memmap(part, np.float64, "r", len(header), (n_systems,) * 2)
        return {
            (i, j): checksum
            for i, j, checksum in found["tiles"]
            if checksum == _compute_checksum(K, places[i], places[j])
            and np.array_equal(K[places[j], places[i]], K[places[i], places[j]].T, equal_nan=True)
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _compute_checksum(K: Any, i: slice, j: slice) -> int:
    """Return the CRC-32 of one tile."""
    return zlib.crc32(np.ascontiguousarray(K[i, j]).tobytes())


def _save_progress(K: Any, note: Path, fingerprint: str, done: dict[Tile, int]) -> None:
    K.flush()
    tiles = [[i, j, checksum] for (i, j), checksum in done.items()]
    with atomic_write(note) as file:
        file.write(json.dumps(seal({"fingerprint": fingerprint, "tiles": tiles})).encode())
