"""From items, named and labelled but not read, to a collection: in parallel, with what failed."""

import warnings
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._kinds import is_system_file
from ldslearn._parallel import for_each_block
from ldslearn._types import Floats
from ldslearn.datasets.collection import Collection, as_rates
from ldslearn.datasets.formats.time_checks import describe_troubles
from ldslearn.datasets.items import Reading
from ldslearn.datasets.rates import describe_time, warn_of_mixed_rates
from ldslearn.datasets.recording import Recording
from ldslearn.sequences.orientation import describe_transposed, seem_transposed
from ldslearn.video import to_sequence
from ldslearn.video.reading import natural_order


@dataclass(frozen=True)
class Item:
    """One sequence before it is read: its name, where it is, and what is known about it."""

    name: str
    source: Any
    label: str | None = None
    split: str | None = None
    group: str | None = None


def existing_folder(what: str, folder: str | PathLike[str], source: str) -> Path:
    """Return `folder` as a path, or say that it is missing."""
    root = Path(folder)
    if not root.is_dir():
        raise missing_data(what, root, "that folder", source)
    return root


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Return paths by name, clip2 before clip10, without hidden and system files."""
    shown = (path for path in paths if not is_system_file(path))
    return sorted(shown, key=lambda path: natural_order(path.name))


def subfolders(folder: Path) -> list[Path]:
    """Return the folders in `folder` in natural order; none where it does not exist."""
    return in_order(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def files_in(folder: Path, suffixes: Set[str]) -> list[Path]:
    """Return the files in `folder` with one of these suffixes, in natural order."""
    return in_order(path for path in folder.iterdir() if path.suffix.lower() in suffixes)


def check_complete(
    what: str, root: Path, items: Sequence[Item], missing: Sequence[str], partial: bool, source: str
) -> None:
    """Raise when nothing was found, or when something is missing and `partial` is False."""
    if not items:
        raise missing_data(what, root, "all of it", source)
    if missing and not partial:
        shown = "; ".join(missing[:5])
        more = f"; and {len(missing) - 5} more" if len(missing) > 5 else ""
        source = (
            f"{source} To load what is there, use partial=True in Python, or --skip-errors of "
            "evaluate, train, cluster and convert."
        )
        raise missing_data(what, root, f"part of it ({shown}{more})", source)


def gather(
    items: Sequence[Item],
    read: Callable[[Item], NDArray[Any] | list[NDArray[Any]] | Recording],
    *,
    description: str,
    reading: Reading,
    skip: bool,
    n_jobs: int | None,
    frame: tuple[int, ...] | None = None,
) -> Collection:
    """Read every item over threads and return the collection.

    Parameters
    ----------
    items : sequence of Item
    read : callable
        Turns an item into a video (n_frames, height, width[, n_colours]) or a sequence
        (n_channels, n_timepoints), a list of them, or a recording. Those of one item are a group
        of their own when no groups are known, so that no split separates them.
    description : str
        What the progress bar says.
    reading : Reading
        How files were read, for new ones.
    skip : bool
        Leave out what cannot be read, list it in `skipped` and warn, instead of raising.
    n_jobs : int or None
    frame : tuple of int, optional
        What :func:`frame_of` gave for the training data, which items must have, too; channels
        alone where either has no frames.
    """
    for_model = frame is not None
    found: list[list[NDArray[Any]]] = [[] for _ in items]
    recordings: list[Recording] = [Recording([])] * len(items)
    reasons: dict[int, str] = {}

    def work(block: slice) -> None:
        for index in range(block.start, block.stop):
            try:
                values = read(items[index])
                if isinstance(values, Recording):
                    recordings[index], values = values, values.parts
                values = values if isinstance(values, list) else [values]
                check_values(items[index], values)
                found[index] = values
            except (ValueError, OSError) as error:
                if not skip and isinstance(error, ValueError):
                    raise _errors.SequenceError(str(error), [index]) from error
                if not skip:
                    raise
                reasons[index] = str(error)

    for_each_block(work, len(items), n_jobs=n_jobs, description=description)

    def leave_out(
        index: int, like: str, expected: tuple[int, ...], length: int | None = None
    ) -> None:
        got = frame_of(found[index][0])
        error = unlike_first(items[index].name, got, like, expected, index, length)
        if not skip:
            raise error
        reasons[index], found[index] = str(error), []

    for index, values in enumerate(found):
        if frame is not None and any(not _fits(value, frame) for value in values):
            leave_out(index, "the training data", frame)
    first = next((index for index, values in enumerate(found) if values), None)
    if first is None:
        raise _errors.none_usable(len(items), items[0].name, reasons[0])
    frame = frame_of(found[first][0])
    lengths = {value.shape[-1] for values in found for value in values if value.ndim == 2}
    length = min(lengths) if len(lengths) == 1 and not reading.transpose else None
    for index, values in enumerate(found):
        if any(frame_of(value) != frame for value in values):
            leave_out(index, items[first].name, frame, length)
    if reasons:
        texts = [reasons[index] for index in sorted(reasons)]
        warnings.warn(_errors.describe_skipped(texts), stacklevel=3)
    owners = [index for index, values in enumerate(found) for _ in values]
    chosen = [items[index] for index in owners]
    several = any(len(values) > 1 for values in found)
    groups: list[str | None] = [item.group for item in chosen]
    if several and None in groups:
        groups = [item.name for item in chosen]
    names = tuple(
        f"{items[index].name}#{part}" if len(values) > 1 else items[index].name
        for index, values in enumerate(found)
        for part in range(len(values))
    )
    read_well = [recordings[index] for index, values in enumerate(found) if values]
    rates = as_rates([recordings[index].rate for index in owners])
    for text in _doubts(items, found, recordings, reading, for_model):
        warnings.warn(text, stacklevel=3)
    if not for_model:  # whose rate new files are compared with
        warn_of_mixed_rates(names, rates)
    if recordings[first].parts and len(frame) == 1 and reading.features == "pixels":
        _warn_if_transposed([value for values in found for value in values], reading)
    named = any(one.is_table and one.names is not None for one in read_well)
    channel_names = reading.channels if named else None
    return Collection(
        X=[
            value if value.ndim == 2 else to_sequence(value) for values in found for value in values
        ],
        y=_texts([item.label for item in chosen]),
        split=_texts([item.split for item in chosen]),
        groups=_texts(groups),
        names=names,
        frame_shape=frame[1:] if len(frame) > 1 else None,
        preprocessing=reading.as_dict(),
        skipped=tuple((items[index].name, reasons[index]) for index in sorted(reasons)),
        channel_names=channel_names,
        rates=rates,
        notes=_note_of_time(read_well, rates, channel_names, frame[0]),
    )


def _warn_if_transposed(sequences: Sequence[NDArray[Any]], reading: Reading) -> None:
    if not reading.transpose and reading.frames.length is None and seem_transposed(sequences):
        text = describe_transposed(sequences, "give transpose=True, --transpose")
        warnings.warn(text, stacklevel=4)


def _doubts(
    items: Sequence[Item],
    found: Sequence[list[NDArray[Any]]],
    recordings: Sequence[Recording],
    reading: Reading,
    for_model: bool,
) -> list[str]:
    """What is wrong with the times of files; new files of a model are resampled by it alone."""
    pairs = [(i.name, r) for i, f, r in zip(items, found, recordings, strict=True) if f]
    rates = [one.rate * reading.frames.stride for _, one in pairs if one.rate is not None]
    rate = float(np.median(rates)) if rates and not for_model else None
    troubles = {name: one.troubles for name, one in pairs}
    return describe_troubles(troubles, rate, resampled=reading.rate is not None)


def _note_of_time(
    recordings: Sequence[Recording],
    rates: Floats | None,
    channels: Sequence[str] | None,
    n_channels: int,
) -> tuple[str, ...]:
    timed = [one for one in recordings if one.time is not None]
    if not timed:
        return ()
    column, left_out = str(timed[0].time), timed[0].left_out
    return (describe_time(column, len(timed), rates, left_out, channels, n_channels),)


def frame_of(value: NDArray[Any]) -> tuple[int, ...]:
    """Return (n_channels,) of a sequence, (number of pixels, *shape of a frame) of a video."""
    if value.ndim == 2:
        return (value.shape[0],)
    return (int(np.prod(value.shape[1:])), *value.shape[1:])


def _fits(value: NDArray[Any], frame: tuple[int, ...]) -> bool:
    """Whether an item has the channels and, where both have frames, the frames of another."""
    return all(got == wanted for got, wanted in zip(frame_of(value), frame, strict=False))


def check_values(item: Item, values: list[NDArray[Any]]) -> None:
    """Raise unless what was read of an item is numbers."""
    for value in values:
        if not value.size:
            raise _errors.bad_file(item.name, "hold numbers", f"shape {value.shape}")
        if not np.isfinite(value).all():
            raise _errors.bad_file(
                item.name,
                "hold finite numbers",
                "NaN or infinity",
                "Fill gaps, or cut them out.",
            )


def _texts(values: Sequence[str | None]) -> NDArray[np.str_] | None:
    return None if None in values else np.array(values, dtype=np.str_)


def patch_of(item: Item) -> NDArray[Any]:
    """Return a clip of imgdb, (height, width, n_frames) in MATLAB, as (n_frames, height, width)."""
    frames = np.asarray(item.source)
    if frames.ndim != 3:
        raise _errors.invalid(
            item.name, "have shape (height, width, n_frames) in imgdb", f"shape {frames.shape}", ""
        )
    return np.moveaxis(frames, 2, 0)


def missing_data(
    what: str, path: str | PathLike[str], missing: str, source: str
) -> FileNotFoundError:
    """Return the error about a data set that is not in its folder."""
    return FileNotFoundError(f"{what} must be in {path}; {missing} is missing. {source}")


def unlike_first(
    name: str,
    got: tuple[int, ...],
    first: str,
    expected: tuple[int, ...],
    index: int = 0,
    n_timepoints: int | None = None,
) -> _errors.SequenceError:
    """Return the error about an item whose channels or frames are not those of the first one.

    `n_timepoints` is that of all items, if they share one.
    """

    def describe_frame(shape: tuple[int, ...]) -> str:
        return f"{shape[0]} channels" if len(shape) == 1 else f"frames of shape {shape[1:]}"

    remedy = "Leave it out."
    if len(got) > 1 and len(expected) > 1:
        remedy = "Give one size for all: --size HEIGHTxWIDTH, or size=(height, width) in Python."
    elif len(got) == 1 and n_timepoints is not None:
        remedy = (
            f"All have {n_timepoints} time points: if rows of arrays are time points, as they seem "
            "to be, give transpose=True, --transpose; else leave it out."
        )
    rule = f"have {describe_frame(expected)} like {first}"
    error = _errors.invalid(name, rule, describe_frame(got), remedy)
    return _errors.SequenceError(str(error), [index])
