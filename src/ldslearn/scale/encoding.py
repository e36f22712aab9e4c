"""Encode a folder of files into a store of systems, block by block, resuming earlier runs."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._parallel import current_engine
from ldslearn.datasets.folder import list_items
from ldslearn.datasets.items import Item
from ldslearn.datasets.rates import parse_rates, warn_of_mixed_rates
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.datasets.shared_columns import agree_on_columns
from ldslearn.models import LDSEncoder
from ldslearn.scale.encoding_tasks import (
    ITEM_FIELDS,
    Start,
    Task,
    begin_encoding,
    encode_block,
    probe,
)
from ldslearn.scale.output_checks import Input, check_output_folder
from ldslearn.scale.resuming import (
    check_contents,
    check_resumable,
    cut_items,
    find_finished,
    fingerprint_items,
    read_origin,
    remove_leftovers,
)
from ldslearn.scale.shards import Shard, lock_store, write_index
from ldslearn.scale.store import LDSStore
from ldslearn.video.frame_options import Crop, FrameOptions

SHARD_SIZE = 64  # items: 14 MB for clips of 48 x 48 pixels and ten states
_OF_GAPS = ("missing", "max_iter", "tol")  # unknown to stores of earlier releases
_WARNINGS = 5  # repeated from all blocks together


def encode_folder(
    path: str | PathLike[str],
    store: str | PathLike[str],
    encoder: LDSEncoder | None = None,
    *,
    size: tuple[int, int] | Literal["auto"] | None = "auto",
    colour: bool = False,
    crop: Crop = None,
    stride: int = 1,
    length: int | None = None,
    chunk: bool = False,
    features: Literal["pixels", "lbp-top"] = "pixels",
    time: str | None = None,
    columns: Sequence[str] | None = None,
    rate: float | None = None,
    transpose: bool = False,
    channels: Sequence[str] | None = None,
    levels: str | None = None,
    labels: str | PathLike[str] | None = None,
    gaps: bool = False,
    shard_size: int = SHARD_SIZE,
) -> LDSStore:
    """Return a store of the systems of all videos, tables and other items of a folder or manifest.

    Files are read and systems are fitted in this process or, inside
    :func:`ldslearn.scale.use_cluster`, on workers, which must see the files and the store under
    the same paths. An item that cannot be read or fitted is skipped and listed, with its reason,
    in ``skipped``. An item that a disk or network failed to deliver is read again by the next
    call. When repeated, the same call keeps finished and unchanged shards, and makes the others.
    Hashes of names decide where a shard begins, so that a new file changes few shards. One process
    writes a store at a time and holds the file ``.lock``; the lock of a killed process is taken
    over.

    Parameters
    ----------
    path : str or path
        A folder or manifest, as in :func:`ldslearn.datasets.load_folder`.
    store : str or path
        Folder to write; new, empty, or of an earlier run, and outside of `path`.
    encoder : LDSEncoder, optional
        Its `n_states` must be a number, as no worker sees all items.
    size : (height, width), "auto" or None, default="auto"
        As in :func:`ldslearn.datasets.load_folder`.
    colour, crop, stride, length, chunk, features : optional
        Likewise.
    time, columns, rate, transpose : optional
        Likewise.
    channels : sequence of str, optional
        Names that the channels of tables must have, in this order; those of the first table when
        not given.
    levels, labels : optional
        As in :func:`ldslearn.datasets.load_folder`.
    gaps : bool, default=False
        Likewise, with ``LDSEncoder(missing="smooth")``. Channels without samples in an item have
        the mean and variance of the first item that can be encoded. Tables of several rates need
        `rate`.
    shard_size : int, default=64
        Items per shard: a few less on average, and at most twice as many.

    Returns
    -------
    LDSStore

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import make_lds_sequences
    >>> from ldslearn.scale import encode_folder
    >>> X, y = make_lds_sequences(2, 3, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number, (sequence, label) in enumerate(zip(X, y)):
    ...         path = Path(folder) / "data" / f"class{label}" / f"{number}.npy"
    ...         path.parent.mkdir(parents=True, exist_ok=True)
    ...         np.save(path, sequence)
    ...     store = encode_folder(Path(folder) / "data", Path(folder) / "store", LDSEncoder(4))
    ...     print(store.shape, store.read_texts("labels")[:3])
    (6, 10, 4) ['class0', 'class0', 'class0']
    """
    check_whole("shard_size", shard_size)
    template = clone(encoder or LDSEncoder())
    if not isinstance(template.n_states, int | np.integer):
        raise _errors.invalid_parameter("n_states", "be whole to encode files", template.n_states)
    check_output_folder(store)
    listed, _ = list_items(path, levels, labels)
    check_output_folder(store, Input(Path(path), items=listed))
    items = [replace(item, source=Path(item.source).absolute()) for item in listed]
    kept_size = (
        size if crop == "motion" and size != "auto" else None
    )  # other sizes are chosen below
    wanted = ReadingSettings(
        FrameOptions(kept_size, colour, crop, stride, length), chunk, features,
        time, None if columns is None else tuple(columns), rate, transpose,
        None if channels is None else tuple(channels), gaps,
    )  # fmt: skip
    with _remove_if_unused(Path(store)), lock_store(Path(store).absolute()) as folder:
        check_contents(folder)
        notes = _encode_items(items, folder, template, wanted, size, shard_size)
    encoded = LDSStore.open(folder)
    for text in list(dict.fromkeys(notes))[:_WARNINGS]:
        warnings.warn(text, stacklevel=2)
    warn_of_mixed_rates(encoded.read_texts("names") or [], parse_rates(encoded.read_texts("rates")))
    if encoded.skipped:
        reasons = [reason for _, reason in encoded.skipped]
        warnings.warn(_errors.describe_skipped(reasons), stacklevel=2)
    return encoded


@contextmanager
def _remove_if_unused(path: Path) -> Iterator[None]:
    """Remove a new folder if the block fails before anything is written to it."""
    is_new = not path.exists()
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                path.rmdir()
        raise


def _encode_items(
    items: Sequence[Item],
    folder: Path,
    template: LDSEncoder,
    wanted: ReadingSettings,
    size: Any,
    shard_size: int,
) -> list[str]:
    """Write the shards and the index of a store, and return texts of warnings."""
    earlier = read_origin(folder) or {}
    wanted = _adopt_origin(wanted, earlier.get("reading", {}))
    wanted, _ = agree_on_columns(items, wanted)
    if size == "auto" and earlier:  # whatever the first item is now
        size = None if (kept := earlier["reading"]["size"]) is None else tuple(kept)
    reading, template, frame = _begin(items, wanted, size, template, earlier.get("frame"))
    known = [
        text for text, of in ITEM_FIELDS.items() if all(getattr(i, of) is not None for i in items)
    ]  # fmt: skip
    if wanted.chunk and "groups" not in known:
        known.append("groups")
    left_out = ["n_jobs"] if template.missing == "smooth" else ["n_jobs", *_OF_GAPS]
    parameters = {k: v for k, v in template.get_params().items() if k not in left_out}
    about = {
        "encoder": {k: _as_plain(v) for k, v in parameters.items()},
        "reading": reading.as_dict(),
        "frame": list(frame),
        "texts": known,
    }
    check_resumable(folder, about)
    blocks = {fingerprint_items(about, block): block for block in cut_items(items, shard_size)}
    made, notes = _encode_blocks(blocks, Task(folder, reading, template, frame, tuple(known)))
    shards = [made[fingerprint] for fingerprint in blocks]
    if not any(shard.length for shard in shards):
        raise _errors.none_usable(len(items), *shards[0].skipped[0])
    write_index(folder, shards, about)
    remove_leftovers(folder, {shard.name for shard in shards if shard.length})
    return notes


def _adopt_origin(wanted: ReadingSettings, earlier: dict[str, Any]) -> ReadingSettings:
    """Return the settings, with time and channels of the earlier run where they are None."""
    for name in ("time", "channels"):
        if getattr(wanted, name) is None and earlier.get(name) is not None:
            wanted = replace(wanted, **{name: earlier[name]})
    return wanted


def _begin(
    items: Sequence[Item],
    wanted: ReadingSettings,
    size: Any,
    encoder: LDSEncoder,
    frame: list[int] | None,
) -> Start:
    """Return the result of :func:`begin_encoding` for the first usable item."""
    reasons: list[str] = []
    for item in items:  # one at a time, on a worker if there is one: an item may end it
        (found,) = current_engine().map(
            begin_encoding, [(item,)], wanted, size, encoder, frame, fallback=_blame
        )
        if not isinstance(found, str):
            return found
        reasons.append(found)
    raise _errors.none_usable(len(items), items[0].name, reasons[0])


def _encode_blocks(blocks: dict[str, list[Item]], task: Task) -> tuple[dict[str, Shard], list[str]]:
    """Return shards by fingerprint, including those of earlier runs, and texts of warnings."""
    engine = current_engine()

    def isolate(block: list[Item], fingerprint: str) -> tuple[Shard, list[str]]:
        """Read the items of a block one by one, and encode those that do not end a worker."""
        ended: list[str] = []
        for item in block:  # one by one: Dask blames all tasks of a worker that dies
            ended += engine.map(probe, [(item,)], task, fallback=_blame)
        fatal = {i.name: text for i, text in zip(block, ended, strict=True) if text}
        return next(engine.map(encode_block, [(block, fingerprint)], task, fatal))

    made, notes = find_finished(task.folder), []
    todo = [(block, key) for key, block in blocks.items() if key not in made]
    found = engine.map(encode_block, todo, task, {}, description="encoding files", fallback=isolate)
    for (_, fingerprint), (shard, texts) in zip(todo, found, strict=True):
        made[fingerprint] = shard
        notes += texts
    return made, notes


def _blame(item: Item) -> str:
    return f"{item.name} must be readable; it ended every process that read it. Leave it out."


def _as_plain(value: Any) -> Any:
    """Return a parameter as JSON represents it."""
    if isinstance(value, np.generic):
        return value.item()
    return [_as_plain(one) for one in value] if isinstance(value, tuple | list) else value
