"""The work on a block of files: read them, fit their systems, write one shard."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ldslearn._files import DAMAGE
from ldslearn._parallel import for_each_block
from ldslearn.datasets.folder import choose_frame_size, read_frame_size
from ldslearn.datasets.formats.time_faults import describe_time_faults
from ldslearn.datasets.items import Item
from ldslearn.datasets.parallel_reading import check_values, frame_of, unlike_first
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.models import LDS, LDSEncoder
from ldslearn.scale.resuming import write_note
from ldslearn.scale.shards import Shard, name_shard, write_shard
from ldslearn.sequences.named import NamedSequences
from ldslearn.video import to_sequence

ITEM_FIELDS = {"labels": "label", "splits": "split", "groups": "group"}  # texts of a store
_AT_ONCE = 16  # items whose frames are in memory
_PAUSES = (0.1, 1.0)  # seconds before a file is read again after an error of disk or network

Start = tuple[ReadingSettings, LDSEncoder, tuple[int, ...]]  # how to read, to fit, and a frame
# A sequence, its name, the item it is of, and its rate.
Named = tuple[str, Item, NDArray[Any], float | None]


def begin_encoding(
    item: Item, wanted: ReadingSettings, size: Any, encoder: LDSEncoder, frame: list[int] | None
) -> Start | str:
    """Return how to read all items, an encoder fitted to one, and its frame; or a reason why not.

    `frame` is that of the systems already in the store, if there are any.
    """
    try:
        if size == "auto":
            size = choose_frame_size([item], wanted.frames.crop)
        elif size is None and wanted.features == "lbp-top":
            size = read_frame_size(
                [item], wanted.frames.crop
            )  # patterns of larger frames are others
        reading = replace(wanted, frames=replace(wanted.frames, size=size))
        value = reading.read_recording(item.source, "the store").parts[0]
        check_values(item, [value], gaps=reading.gaps)
        if frame is not None and frame_of(value) != tuple(frame):
            raise unlike_first(item.name, frame_of(value), "the store", tuple(frame))
        sequence = value if value.ndim == 2 else to_sequence(value)
        encoder.fit(NamedSequences([sequence], [item.name]))
        return reading, encoder, frame_of(value)
    except DAMAGE as error:
        return str(error) or type(error).__name__


@dataclass(frozen=True)
class Task:
    """Everything that a block of items needs to become a shard, on any worker.

    Attributes
    ----------
    folder : Path
        The store.
    reading : ReadingSettings
    encoder : LDSEncoder
        Fitted, so that it knows channels and states.
    frame : tuple of int
        Channels, and shape of a frame, that every item must have.
    texts : tuple of str
        Fields that all items have: "labels", "splits", "groups".
    """

    folder: Path
    reading: ReadingSettings
    encoder: LDSEncoder
    frame: tuple[int, ...]
    texts: tuple[str, ...]


def encode_block(
    items: Sequence[Item], fingerprint: str, task: Task, fatal: dict[str, str]
) -> tuple[Shard, list[str]]:
    """Read items, fit their systems, and write one shard; return it, and texts of warnings.

    `fatal` maps names of items that end a process, and are not read, to reasons.
    """
    batches: list[LDS] = []
    owners: list[tuple[str, Item]] = []
    rates: list[str] = []
    skipped: list[tuple[str, str]] = list(fatal.items())
    sound = [item for item in items if item.name not in fatal]
    notes: list[str] = []
    failed_for_now = False
    for start in range(0, len(sound), _AT_ONCE):
        some = sound[start : start + _AT_ONCE]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read, temporary = _read_items(some, task, skipped)
            for name, item, systems, rate in _fit_systems(read, task, skipped):
                owners.append((name, item))
                rates.append("nan" if rate is None else repr(rate))
                batches.append(systems)
        failed_for_now = failed_for_now or temporary
        notes += [str(one.message) for one in caught]
    shard = Shard(name_shard(fingerprint), 0, fingerprint=fingerprint, skipped=tuple(skipped))
    if batches:
        texts = {"names": [name for name, _ in owners], "rates": rates}
        for text in task.texts:
            values = [(getattr(item, ITEM_FIELDS[text]), item.name) for _, item in owners]
            texts[text] = [name if value is None else value for value, name in values]
        systems = LDS.concatenate(batches)
        shard = write_shard(task.folder, fingerprint, systems, texts, skipped)
    if failed_for_now:  # the next run tries again
        shard = replace(shard, fingerprint="")
    write_note(task.folder, fingerprint, shard)
    return shard, notes


def probe(item: Item, task: Task) -> str:
    """Read and fit one item, to see whether the process survives; return an empty text."""
    try:
        _fit_systems(_read_item(item, task), task, [])
    except DAMAGE:
        return ""  # reported when the block is encoded
    return ""


def _read_items(
    items: Sequence[Item], task: Task, skipped: list[tuple[str, str]]
) -> tuple[list[Named], bool]:
    """Return sequences of items, read on threads, and whether an error was temporary.

    Items that fail are added to `skipped`. A lack of memory is not the fault of an item.
    """
    found: list[list[Named]] = [[] for _ in items]
    failed: list[Exception | None] = [None] * len(items)

    def work(block: slice) -> None:
        for index in range(block.start, block.stop):
            for pause in (*_PAUSES, None):
                try:
                    found[index], failed[index] = _read_item(items[index], task), None
                    break
                except DAMAGE as error:
                    failed[index] = error
                    if pause is None or not is_temporary(error):
                        break
                    time.sleep(pause)

    for_each_block(work, len(items), n_jobs=task.encoder.n_jobs, description="reading files")
    pairs = [(i.name, e) for i, e in zip(items, failed, strict=True) if e is not None]
    skipped += [(name, str(error) or type(error).__name__) for name, error in pairs]
    temporary = any(is_temporary(error) for _, error in pairs)
    return [one for several in found for one in several], temporary


def is_temporary(error: BaseException | None) -> bool:
    """Whether an error is one of a disk or network, which may not occur again."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return True
        error = error.__cause__
    return False


def _read_item(item: Item, task: Task) -> list[Named]:
    recording = task.reading.read_recording(item.source, "the first item")
    values, rate = recording.parts, recording.rate
    check_values(item, values, gaps=task.reading.gaps)
    resampled = task.reading.rate is not None
    for text in describe_time_faults({item.name: recording.time_faults}, rate, resampled):
        warnings.warn(text, stacklevel=2)
    for value in values:
        if frame_of(value) != task.frame:
            raise unlike_first(item.name, frame_of(value), "the first item", task.frame)
    several = len(values) > 1
    return [
        (f"{item.name}#{part}" if several else item.name, item,
         value if value.ndim == 2 else to_sequence(value), rate)
        for part, value in enumerate(values)
    ]  # fmt: skip


def _fit_systems(
    read: list[Named], task: Task, skipped: list[tuple[str, str]]
) -> list[tuple[str, Item, LDS, float | None]]:
    """Return systems of sequences, fitted together; one by one if that fails, to skip some."""
    if not read:
        return []
    try:
        names = [name for name, _, _, _ in read]
        sequences = NamedSequences([values for _, _, values, _ in read], names)
        systems = task.encoder.transform(sequences)
        return [(name, item, systems[i], rate) for i, (name, item, _, rate) in enumerate(read)]
    except ValueError as error:
        if len(read) == 1:
            skipped.append((read[0][0], str(error)))
            return []
    return [found for one in read for found in _fit_systems([one], task, skipped)]
