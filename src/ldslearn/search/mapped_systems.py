"""Systems in a shard, mapped to memory: those that are needed are read, and no others."""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._arrays import damaged_contents, load_arrays, map_npz
from ldslearn.models import LDS
from ldslearn.models.batch_files import parse_batch
from ldslearn.models.fields import FIELD_SHAPES
from ldslearn.scale.shards import SHARD_KIND, SHARD_VERSION, Shard, hash_file

_REMEDY = "Restore it from a copy, or make the index again."

Texts = dict[str, NDArray[Any]]  # names and labels, where known


def map_shard(folder: Path, shard: Shard, *, verify: bool) -> tuple[LDS, Texts]:
    """Return the systems of a shard, with arrays in the file, and the texts beside them.

    The file must have the size and, with `verify`, the SHA-256 that the index states. Values are
    not checked one by one.
    """
    path = folder / shard.name
    size = path.stat().st_size if path.is_file() else "no file"
    if size != shard.n_bytes:
        rule = f"have {shard.n_bytes} bytes, as the index says"
        raise _errors.bad_file(path, rule, size, _REMEDY)
    if verify:
        check_digest(path, shard.sha256)
    header, _ = load_arrays(path, SHARD_KIND, SHARD_VERSION, [])
    arrays = map_npz(path, f"be a complete {SHARD_KIND} file")
    fields = {name: array for name, array in arrays.items() if name in FIELD_SHAPES}
    try:
        systems = LDS._from_trusted(**parse_batch(header, fields))
        _check_shapes(systems, shard)
    except (_errors.InputTypeError, ValueError) as error:
        raise damaged_contents(path, error) from error
    texts = {name: array for name, array in arrays.items() if name in ("names", "labels")}
    for name, array in texts.items():
        if array.shape != (shard.length,) or array.dtype.kind != "U":
            raise damaged_contents(path, f"{name} are not one text per system")
    return systems, texts


def _check_shapes(systems: LDS, shard: Shard) -> None:
    """Raise ValueError unless there are as many systems as the index says, and the first is one."""
    lengths = {len(array) for array in systems._arrays.values()}
    if lengths != {shard.length * systems.windows}:
        raise ValueError(f"arrays of other lengths than {shard.length} sequences")
    first = systems[:1]
    LDS(**{**first._arrays, **first._settings})


def check_digest(path: Path, sha256: str) -> None:
    """Raise unless a file of an index has the bytes that were written."""
    if not path.is_file():
        raise _errors.bad_file(path, "be part of the index", "no file", _REMEDY)
    if hash_file(path) != sha256:
        raise _errors.bad_file(path, "match its SHA-256", "another checksum", _REMEDY)
