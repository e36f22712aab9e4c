"""From files to a store of systems, block by block: where the files are, and where it was left."""

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._files import atomic_write
from ldslearn._parallel import current_engine, for_each_block
from ldslearn.datasets.folder import automatic_size, list_folder
from ldslearn.datasets.gathering import Item, check_values, frame_of
from ldslearn.datasets.items import Reading
from ldslearn.datasets.resuming import fingerprint_of, finished, note_of, prepared, tidy
from ldslearn.models import LDS, LDSEncoder, LDSStore
from ldslearn.models.shards import Shard, shard_name, write_index, write_shard
from ldslearn.video import to_sequence
from ldslearn.video.reading import FrameOptions

SHARD_SIZE = 64  # items; of clips of 48 x 48 pixels and ten states 14 MB
_AT_ONCE = 16  # items whose frames are in memory
_WARNINGS = 5  # passed on from all blocks together
_TEXTS = {"labels": "label", "splits": "split", "groups": "group"}

Named = tuple[str, "Item", NDArray[Any]]  # a sequence, its name and the item it is of


@dataclass(frozen=True)
class Task:
    """What a block of items needs to become a shard, wherever it is worked on.

    Attributes
    ----------
    folder : Path
        The store.
    reading : Reading
    encoder : LDSEncoder
        Fitted, so that it knows channels and states.
    frame : tuple of int
        Channels, and shape of a frame, that every item must have.
    texts : tuple of str
        What is known of all items: "labels", "splits", "groups".
    """

    folder: Path
    reading: Reading
    encoder: LDSEncoder
    frame: tuple[int, ...]
    texts: tuple[str, ...]


def encode_folder(
    path: str | PathLike[str],
    store: str | PathLike[str],
    encoder: LDSEncoder | None = None,
    *,
    size: tuple[int, int] | Literal["auto"] | None = "auto",
    colour: bool = False,
    crop: tuple[int, int, int, int] | None = None,
    stride: int = 1,
    length: int | None = None,
    chunk: bool = False,
    features: Literal["pixels", "lbp-top"] = "pixels",
    shard_size: int = SHARD_SIZE,
) -> LDSStore:
    """Encode the videos, image folders or arrays of a folder or manifest into a store of systems.

    Only paths travel: files are read and systems are fitted where a block is worked on, in this
    process or, inside :func:`ldslearn.distributed.cluster`, on workers, which must see the files
    and the store under the same paths. An item that cannot be read or fitted is left out and
    listed, with its reason, in ``skipped``. Given again, the same call keeps the shards that are
    finished and unchanged, and makes the others.

    Parameters
    ----------
    path : str or path
        As in :func:`load_folder`, and so are the next arguments.
    store : str or path
        Folder to write; new, empty, or an earlier run's.
    encoder : LDSEncoder, optional
        Its `n_states` must be whole, as no item is seen by all workers.
    size, colour, crop, stride, length, chunk, features :
        As in :func:`load_folder`.
    shard_size : int
        Items a shard.

    Returns
    -------
    LDSStore
    """
    check_whole("shard_size", shard_size)
    template = clone(encoder or LDSEncoder())
    if not isinstance(template.n_states, int | np.integer):
        raise _errors.invalid_parameter("n_states", "be whole to encode files", template.n_states)
    items = [replace(item, source=Path(item.source).absolute()) for item in list_folder(path)]
    if size == "auto":
        size = automatic_size(items, crop)
    reading = Reading(FrameOptions(size, colour, crop, stride, length), chunk, features)
    frame = _fit_to_first(template, items, reading)
    known = [
        text for text, of in _TEXTS.items() if all(getattr(i, of) is not None for i in items)
    ]  # fmt: skip
    if chunk and "groups" not in known:
        known.append("groups")
    parameters = {k: v for k, v in template.get_params().items() if k != "n_jobs"}
    about = {
        "encoder": {k: list(v) if isinstance(v, tuple) else v for k, v in parameters.items()},
        "reading": reading.as_dict(),
        "frame_shape": list(frame[1:]) or None,
        "texts": known,
    }
    folder = prepared(Path(store).absolute(), about)
    task = Task(folder, reading, template, frame, tuple(known))
    blocks = [
        (number, items[start : start + shard_size])
        for number, start in enumerate(range(0, len(items), shard_size))
    ]
    prints = [fingerprint_of(about, block) for _, block in blocks]
    done = finished(folder)
    todo = [
        (*block, print_)
        for block, print_ in zip(blocks, prints, strict=True)
        if (block[0], print_) not in done
    ]
    engine = current_engine()

    def isolate(number: int, block: list[Item], print_: str) -> tuple[Shard, list[str]]:
        """Try the items of a block one by one, and encode those that end no worker."""
        ended: list[str] = []
        for item in block:  # alone: Dask blames whatever else waits for a worker that dies
            ended += engine.map(probe, [(item,)], task, lost=lambda one: _errors.fatal(one.name))
        reasons = {i.name: text for i, text in zip(block, ended, strict=True) if text}
        return next(engine.map(encode_block, [(number, block, print_)], task, reasons))

    made = engine.map(encode_block, todo, task, {}, description="encoding files", lost=isolate)
    notes: list[str] = []
    for (number, _, print_), (shard, texts) in zip(todo, made, strict=True):
        done[number, print_] = shard
        notes += texts
    shards = [done[number, print_] for (number, _), print_ in zip(blocks, prints, strict=True)]
    write_index(folder, shards, about)
    tidy(folder, {shard.name for shard in shards if shard.length})
    encoded = LDSStore.open(folder)
    for text in list(dict.fromkeys(notes))[:_WARNINGS]:
        warnings.warn(text, stacklevel=2)
    if encoded.skipped:
        reasons = [reason for _, reason in encoded.skipped]
        warnings.warn(_errors.skipped_files(reasons), stacklevel=2)
    return encoded


def encode_block(
    number: int, items: Sequence[Item], print_: str, task: Task, fatal: dict[str, str]
) -> tuple[Shard, list[str]]:
    """Read items, fit their systems, and write one shard; return it, and what there is to warn of.

    `fatal` holds names and reasons of items that are not to be touched.
    """
    batches: list[LDS] = []
    owners: list[tuple[str, Item]] = []
    skipped: list[tuple[str, str]] = list(fatal.items())
    sound = [item for item in items if item.name not in fatal]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for start in range(0, len(sound), _AT_ONCE):
            read = _read_all(sound[start : start + _AT_ONCE], task, skipped)
            for name, item, systems in _encode(read, task, skipped):
                owners.append((name, item))
                batches.append(systems)
    shard = Shard(shard_name(number), 0, fingerprint=print_, skipped=tuple(skipped))
    if batches:
        texts = {"names": [name for name, _ in owners]}
        for text in task.texts:
            texts[text] = [getattr(item, _TEXTS[text]) or item.name for _, item in owners]
        systems = LDS.concatenate(batches)
        shard = write_shard(task.folder, number, systems, texts, print_, skipped)
    with atomic_write(task.folder / note_of(number)) as file:
        file.write(json.dumps(asdict(shard)).encode())
    return shard, [str(warning.message) for warning in caught]


def probe(item: Item, task: Task) -> str:
    """Read and fit one item and return nothing, to see whether the process lives."""
    try:
        _encode(_read(item, task), task, [])
    except Exception:
        return ""  # it is told when the block is encoded
    return ""


def _read_all(items: Sequence[Item], task: Task, skipped: list[tuple[str, str]]) -> list[Named]:
    """Sequences of items, over threads; those that fail are listed."""
    found: list[list[Named]] = [[] for _ in items]
    reasons = [""] * len(items)

    def work(block: slice) -> None:
        for index in range(block.start, block.stop):
            try:
                found[index] = _read(items[index], task)
            except Exception as error:  # whatever it is, it is this item's
                reasons[index] = str(error) or type(error).__name__

    for_each_block(work, len(items), n_jobs=task.encoder.n_jobs, description="reading files")
    skipped += [(i.name, reason) for i, reason in zip(items, reasons, strict=True) if reason]
    return [one for several in found for one in several]


def _read(item: Item, task: Task) -> list[Named]:
    values = task.reading.read(item.source)
    check_values(item, values)
    for value in values:
        if frame_of(value) != task.frame:
            raise _errors.unlike_first(item.name, frame_of(value), "the first item", task.frame)
    several = len(values) > 1
    return [
        (f"{item.name}#{part}" if several else item.name, item,
         value if value.ndim == 2 else to_sequence(value))
        for part, value in enumerate(values)
    ]  # fmt: skip


def _encode(
    read: list[Named], task: Task, skipped: list[tuple[str, str]]
) -> list[tuple[str, Item, LDS]]:
    """Systems of sequences, all at once; one by one if any fails, to leave out those that do."""
    if not read:
        return []
    try:
        systems = task.encoder.transform([sequence for _, _, sequence in read])
        return [(name, item, systems[i]) for i, (name, item, _) in enumerate(read)]
    except ValueError as error:
        if len(read) == 1:
            skipped.append((read[0][0], str(error).replace("sequence 0", read[0][0], 1)))
            return []
    return [found for one in read for found in _encode([one], task, skipped)]


def _fit_to_first(encoder: LDSEncoder, items: Sequence[Item], reading: Reading) -> tuple[int, ...]:
    """Fit the encoder to the first item that it can be fitted to, and return its frame."""
    reason: Exception | None = None
    for item in items:
        try:
            value = reading.read(item.source)[0]
            check_values(item, [value])
            encoder.fit([value if value.ndim == 2 else to_sequence(value)])
            return frame_of(value)
        except (ValueError, OSError) as error:
            reason = reason or error
    raise _errors.bad_file(items[0].name, "be readable, or one of the others", reason)
