"""From files to a store of systems, block by block: where the files are, and where it was left."""

import json
import time
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
from ldslearn.datasets.folder import automatic_size, frame_size, list_folder
from ldslearn.datasets.gathering import Item, check_values, frame_of
from ldslearn.datasets.items import Reading
from ldslearn.datasets.resuming import (
    cut_items,
    fingerprint_of,
    finished,
    made_with,
    note_of,
    prepared,
    tidy,
)
from ldslearn.models import LDS, LDSEncoder, LDSStore
from ldslearn.models.shards import Shard, shard_name, write_index, write_shard
from ldslearn.video import to_sequence
from ldslearn.video.reading import FrameOptions

SHARD_SIZE = 64  # items; of clips of 48 x 48 pixels and ten states 14 MB
_AT_ONCE = 16  # items whose frames are in memory
_WARNINGS = 5  # passed on from all blocks together
_PAUSES = (0.1, 1.0)  # seconds before a file is read again that a disk or network did not give
_TEXTS = {"labels": "label", "splits": "split", "groups": "group"}

Beginning = tuple[Reading, LDSEncoder, tuple[int, ...]]  # how to read, to fit, and a frame
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
    listed, with its reason, in ``skipped``; one that a disk or network did not give is read again
    by the next call. Given again, the same call keeps the shards that are finished and unchanged,
    and makes the others; names say where a shard begins, so that a new file changes few of them.

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
        Items a shard, some fewer on average and at most twice as many.

    Returns
    -------
    LDSStore
    """
    check_whole("shard_size", shard_size)
    template = clone(encoder or LDSEncoder())
    if not isinstance(template.n_states, int | np.integer):
        raise _errors.invalid_parameter("n_states", "be whole to encode files", template.n_states)
    items = [replace(item, source=Path(item.source).absolute()) for item in list_folder(path)]
    wanted = Reading(FrameOptions(None, colour, crop, stride, length), chunk, features)
    earlier = made_with(Path(store)) or {}
    if size == "auto" and earlier:  # whatever comes first by now
        size = None if (kept := earlier["reading"]["size"]) is None else tuple(kept)
    reading, template, frame = _first_of(items, wanted, size, template, earlier.get("frame"))
    known = [
        text for text, of in _TEXTS.items() if all(getattr(i, of) is not None for i in items)
    ]  # fmt: skip
    if chunk and "groups" not in known:
        known.append("groups")
    parameters = {k: v for k, v in template.get_params().items() if k != "n_jobs"}
    about = {
        "encoder": {k: _plain(v) for k, v in parameters.items()},
        "reading": reading.as_dict(),
        "frame": list(frame),
        "texts": known,
    }
    folder = prepared(Path(store).absolute(), about)
    blocks = {fingerprint_of(about, block): block for block in cut_items(items, shard_size)}
    made, notes = _make(blocks, Task(folder, reading, template, frame, tuple(known)))
    shards = [made[print_] for print_ in blocks]
    if not any(shard.length for shard in shards):
        name, reason = shards[0].skipped[0]
        raise _errors.bad_file(name, "be fit to encode, or one of the others", reason)
    write_index(folder, shards, about)
    tidy(folder, {shard.name for shard in shards if shard.length})
    encoded = LDSStore.open(folder)
    for text in list(dict.fromkeys(notes))[:_WARNINGS]:
        warnings.warn(text, stacklevel=2)
    if encoded.skipped:
        reasons = [reason for _, reason in encoded.skipped]
        warnings.warn(_errors.skipped_files(reasons), stacklevel=2)
    return encoded


def _first_of(
    items: Sequence[Item], wanted: Reading, size: Any, encoder: LDSEncoder, frame: list[int] | None
) -> Beginning:
    """What :func:`begin` makes of the first item that can be read and fitted."""
    reasons: list[str] = []
    for item in items:  # one at a time, on a worker if there are any: it may be a bad one
        (found,) = current_engine().map(begin, [(item,)], wanted, size, encoder, frame, lost=_lost)
        if not isinstance(found, str):
            return found
        reasons.append(found)
    raise _errors.bad_file(items[0].name, "be readable, or one of the others", reasons[0])


def _make(blocks: dict[str, list[Item]], task: Task) -> tuple[dict[str, Shard], list[str]]:
    """Shards by fingerprint, those of earlier runs among them, and what there is to warn of."""
    engine = current_engine()

    def isolate(block: list[Item], print_: str) -> tuple[Shard, list[str]]:
        """Try the items of a block one by one, and encode those that end no worker."""
        ended: list[str] = []
        for item in block:  # alone: Dask blames whatever else waits for a worker that dies
            ended += engine.map(probe, [(item,)], task, lost=_lost)
        fatal = {i.name: text for i, text in zip(block, ended, strict=True) if text}
        return next(engine.map(encode_block, [(block, print_)], task, fatal))

    made, notes = finished(task.folder), []
    todo = [(block, print_) for print_, block in blocks.items() if print_ not in made]
    found = engine.map(encode_block, todo, task, {}, description="encoding files", lost=isolate)
    for (_, print_), (shard, texts) in zip(todo, found, strict=True):
        made[print_] = shard
        notes += texts
    return made, notes


def encode_block(
    items: Sequence[Item], print_: str, task: Task, fatal: dict[str, str]
) -> tuple[Shard, list[str]]:
    """Read items, fit their systems, and write one shard; return it, and what there is to warn of.

    `fatal` holds names and reasons of items that are not to be touched.
    """
    batches: list[LDS] = []
    owners: list[tuple[str, Item]] = []
    skipped: list[tuple[str, str]] = list(fatal.items())
    sound = [item for item in items if item.name not in fatal]
    notes: list[str] = []
    passing = False
    for start in range(0, len(sound), _AT_ONCE):
        some = sound[start : start + _AT_ONCE]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read, passed_by = _read_all(some, task, skipped)
            for name, item, systems in _encode(read, task, skipped):
                owners.append((name, item))
                batches.append(systems)
        passing = passing or passed_by
        notes += [
            _errors.of_items(some[0].name, some[-1].name, str(one.message)) for one in caught
        ]  # fmt: skip
    shard = Shard(shard_name(print_), 0, fingerprint=print_, skipped=tuple(skipped))
    if batches:
        texts = {"names": [name for name, _ in owners]}
        for text in task.texts:
            values = [(getattr(item, _TEXTS[text]), item.name) for _, item in owners]
            texts[text] = [name if value is None else value for value, name in values]
        systems = LDS.concatenate(batches)
        shard = write_shard(task.folder, print_, systems, texts, skipped)
    if passing:  # the next run tries again
        shard = replace(shard, fingerprint="")
    with atomic_write(task.folder / note_of(print_)) as file:
        file.write(json.dumps(asdict(shard)).encode())
    return shard, notes


def probe(item: Item, task: Task) -> str:
    """Read and fit one item and return nothing, to see whether the process lives."""
    try:
        _encode(_read(item, task), task, [])
    except Exception:
        return ""  # it is told when the block is encoded
    return ""


def _read_all(
    items: Sequence[Item], task: Task, skipped: list[tuple[str, str]]
) -> tuple[list[Named], bool]:
    """Sequences of items, over threads, and whether some failed for a reason that may pass.

    Those that fail are listed; the memory of the machine is not their fault.
    """
    found: list[list[Named]] = [[] for _ in items]
    failed: list[Exception | None] = [None] * len(items)

    def work(block: slice) -> None:
        for index in range(block.start, block.stop):
            for pause in (*_PAUSES, None):
                try:
                    found[index], failed[index] = _read(items[index], task), None
                    break
                except MemoryError:
                    raise
                except Exception as error:  # whatever it is, it is this item's
                    failed[index] = error
                    if pause is None or not may_pass(error):
                        break
                    time.sleep(pause)

    for_each_block(work, len(items), n_jobs=task.encoder.n_jobs, description="reading files")
    pairs = [(i.name, e) for i, e in zip(items, failed, strict=True) if e is not None]
    skipped += [(name, str(error) or type(error).__name__) for name, error in pairs]
    passing = any(may_pass(error) for _, error in pairs)
    return [one for several in found for one in several], passing


def may_pass(error: BaseException | None) -> bool:
    """Whether an error is of disks or networks, of which another time might see nothing."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return True
        error = error.__cause__
    return False


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


def begin(
    item: Item, wanted: Reading, size: Any, encoder: LDSEncoder, frame: list[int] | None
) -> Beginning | str:
    """How all items are to be read, an encoder fitted to one of them, and its frame; or why not.

    `frame` is that of the systems in the store, if there are any.
    """
    try:
        if size == "auto":
            size = automatic_size([item], wanted.frames.crop)
        elif size is None and wanted.features == "lbp-top":
            size = frame_size([item], wanted.frames.crop)  # patterns of larger frames are others
        reading = replace(wanted, frames=replace(wanted.frames, size=size))
        value = reading.read(item.source)[0]
        check_values(item, [value])
        if frame is not None and frame_of(value) != tuple(frame):
            raise _errors.unlike_first(item.name, frame_of(value), "the store", tuple(frame))
        encoder.fit([value if value.ndim == 2 else to_sequence(value)])
        return reading, encoder, frame_of(value)
    except MemoryError:
        raise
    except Exception as error:  # whatever it is, it is this item's
        return str(error) or type(error).__name__


def _lost(item: Item) -> str:
    return _errors.fatal(item.name)


def _plain(value: Any) -> Any:
    """A parameter as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value
