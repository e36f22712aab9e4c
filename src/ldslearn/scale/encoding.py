"""From files to a store of systems, block by block: where the files are, and where it was left."""

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
from ldslearn.scale.encoding_tasks import TEXTS, Beginning, Task, begin, encode_block, probe
from ldslearn.scale.resuming import (
    check_contents,
    check_resumable,
    cut_items,
    fingerprint_of,
    finished,
    made_with,
    tidy,
)
from ldslearn.scale.shards import Shard, write_index, writing
from ldslearn.scale.sources import Source, check_output_folder
from ldslearn.scale.store import LDSStore
from ldslearn.video.frame_options import Crop, FrameOptions

SHARD_SIZE = 64  # items; of clips of 48 x 48 pixels and ten states 14 MB
_WARNINGS = 5  # passed on from all blocks together


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
    shard_size: int = SHARD_SIZE,
) -> LDSStore:
    """Encode the videos, image folders or arrays of a folder or manifest into a store of systems.

    Only paths travel: files are read and systems are fitted where a block is worked on, in this
    process or, inside :func:`ldslearn.scale.use_cluster`, on workers, which must see the files
    and the store under the same paths. An item that cannot be read or fitted is left out and
    listed, with its reason, in ``skipped``; one that a disk or network did not give is read again
    by the next call. Given again, the same call keeps the shards that are finished and unchanged,
    and makes the others; names say where a shard begins, so that a new file changes few of them.
    One process writes a store at a time, and says so in a file ``.lock``; the lock of one that was
    killed is taken over.

    Parameters
    ----------
    path : str or path
        As in :func:`load_folder`, and so are the next arguments.
    store : str or path
        Folder to write; new, empty, or an earlier run's, and outside of `path`.
    encoder : LDSEncoder, optional
        Its `n_states` must be whole, as no item is seen by all workers.
    size, colour, crop, stride, length, chunk, features, time, columns, rate, transpose, levels, \
    labels :
        As in :func:`load_folder`.
    channels : sequence of str, optional
        Names that the channels of tables must have, in this order; those of the first table when
        not given.
    shard_size : int
        Items a shard, some fewer on average and at most twice as many.

    Returns
    -------
    LDSStore
    """
    check_whole("shard_size", shard_size)
    template = clone(encoder or LDSEncoder())
    if not isinstance(template.n_states, int | np.integer):
        raise _errors.invalid_parameter("n_states", "be whole to encode files", template.n_states)
    check_output_folder(store)
    listed, _ = list_items(path, levels, labels)
    check_output_folder(store, Source(Path(path), items=listed))
    items = [replace(item, source=Path(item.source).absolute()) for item in listed]
    kept_size = size if crop == "motion" and size != "auto" else None  # others are settled below
    wanted = ReadingSettings(
        FrameOptions(kept_size, colour, crop, stride, length), chunk, features,
        time, None if columns is None else tuple(columns), rate, transpose,
        None if channels is None else tuple(channels),
    )  # fmt: skip
    with _new_folder(Path(store)), writing(Path(store).absolute()) as folder:
        check_contents(folder)
        notes = _encode(items, folder, template, wanted, size, shard_size)
    encoded = LDSStore.open(folder)
    for text in list(dict.fromkeys(notes))[:_WARNINGS]:
        warnings.warn(text, stacklevel=2)
    warn_of_mixed_rates(encoded.texts("names") or [], parse_rates(encoded.texts("rates")))
    if encoded.skipped:
        reasons = [reason for _, reason in encoded.skipped]
        warnings.warn(_errors.describe_skipped(reasons), stacklevel=2)
    return encoded


@contextmanager
def _new_folder(path: Path) -> Iterator[None]:
    """Remove a folder that was made in vain: nothing was written to it."""
    is_new = not path.exists()
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                path.rmdir()
        raise


def _encode(
    items: Sequence[Item],
    folder: Path,
    template: LDSEncoder,
    wanted: ReadingSettings,
    size: Any,
    shard_size: int,
) -> list[str]:
    """Write the shards and the index of a store, and return what there is to warn of."""
    earlier = made_with(folder) or {}
    wanted = _as_before(wanted, earlier.get("reading", {}))
    wanted, _ = agree_on_columns(items, wanted)
    if size == "auto" and earlier:  # whatever comes first by now
        size = None if (kept := earlier["reading"]["size"]) is None else tuple(kept)
    reading, template, frame = _first_of(items, wanted, size, template, earlier.get("frame"))
    known = [
        text for text, of in TEXTS.items() if all(getattr(i, of) is not None for i in items)
    ]  # fmt: skip
    if wanted.chunk and "groups" not in known:
        known.append("groups")
    parameters = {k: v for k, v in template.get_params().items() if k != "n_jobs"}
    about = {
        "encoder": {k: _plain(v) for k, v in parameters.items()},
        "reading": reading.as_dict(),
        "frame": list(frame),
        "texts": known,
    }
    check_resumable(folder, about)
    blocks = {fingerprint_of(about, block): block for block in cut_items(items, shard_size)}
    made, notes = _make(blocks, Task(folder, reading, template, frame, tuple(known)))
    shards = [made[print_] for print_ in blocks]
    if not any(shard.length for shard in shards):
        raise _errors.none_usable(len(items), *shards[0].skipped[0])
    write_index(folder, shards, about)
    tidy(folder, {shard.name for shard in shards if shard.length})
    return notes


def _as_before(wanted: ReadingSettings, earlier: dict[str, Any]) -> ReadingSettings:
    """Take the time and the channels that the store was made with, where none are asked for."""
    for name in ("time", "channels"):
        if getattr(wanted, name) is None and earlier.get(name) is not None:
            wanted = replace(wanted, **{name: earlier[name]})
    return wanted


def _first_of(
    items: Sequence[Item],
    wanted: ReadingSettings,
    size: Any,
    encoder: LDSEncoder,
    frame: list[int] | None,
) -> Beginning:
    """What :func:`begin` makes of the first item that can be read and fitted."""
    reasons: list[str] = []
    for item in items:  # one at a time, on a worker if there are any: it may be a bad one
        (found,) = current_engine().map(
            begin, [(item,)], wanted, size, encoder, frame, fallback=_lost
        )
        if not isinstance(found, str):
            return found
        reasons.append(found)
    raise _errors.none_usable(len(items), items[0].name, reasons[0])


def _make(blocks: dict[str, list[Item]], task: Task) -> tuple[dict[str, Shard], list[str]]:
    """Shards by fingerprint, those of earlier runs among them, and what there is to warn of."""
    engine = current_engine()

    def isolate(block: list[Item], print_: str) -> tuple[Shard, list[str]]:
        """Try the items of a block one by one, and encode those that end no worker."""
        ended: list[str] = []
        for item in block:  # alone: Dask blames whatever else waits for a worker that dies
            ended += engine.map(probe, [(item,)], task, fallback=_lost)
        fatal = {i.name: text for i, text in zip(block, ended, strict=True) if text}
        return next(engine.map(encode_block, [(block, print_)], task, fatal))

    made, notes = finished(task.folder), []
    todo = [(block, print_) for print_, block in blocks.items() if print_ not in made]
    found = engine.map(encode_block, todo, task, {}, description="encoding files", fallback=isolate)
    for (_, print_), (shard, texts) in zip(todo, found, strict=True):
        made[print_] = shard
        notes += texts
    return made, notes


def _lost(item: Item) -> str:
    return f"{item.name} must be readable; it ended every process that read it. Leave it out."


def _plain(value: Any) -> Any:
    """A parameter as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value
