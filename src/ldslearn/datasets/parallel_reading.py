"""Read the items of a collection in parallel, and record why any of them is skipped."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._parallel import for_each_block
from ldslearn.datasets.channels import TRAINING
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.time_faults import describe_time_faults
from ldslearn.datasets.items import Item
from ldslearn.datasets.rates import as_rates, describe_time, warn_of_mixed_rates
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.datasets.recording import Recording
from ldslearn.sequences.grid import describe_grid
from ldslearn.video import to_sequence


def read_collection(
    items: Sequence[Item],
    read: Callable[[Item], Recording],
    *,
    description: str,
    settings: ReadingSettings,
    skip: bool,
    n_jobs: int | None,
    frame: tuple[int, ...] | None = None,
) -> Collection:
    """Read every item over threads and return the collection.

    Sequences of one item are a group of their own when no groups are known, so that no split
    separates them.

    Parameters
    ----------
    items : sequence of Item
    read : callable
        Returns the recording of an item.
    description : str
        Text of the progress bar.
    settings : ReadingSettings
        How files are read, for new ones.
    skip : bool
        Skip what cannot be read, list it in `skipped` and warn, instead of raising.
    n_jobs : int or None
    frame : tuple of int, optional
        What :func:`frame_of` gave for the training data, which items must have, too; channels
        alone where either has no frames.
    """
    found = [Recording([])] * len(items)
    reasons: dict[int, str] = {}

    def read_block(block: slice) -> None:
        for index in range(block.start, block.stop):
            try:
                recording = read(items[index])
                check_values(items[index], recording.parts, gaps=settings.gaps)
                found[index] = recording
            except (ValueError, OSError) as error:
                if not skip and isinstance(error, ValueError):
                    raise _errors.SequenceError(str(error), [index]) from error
                if not skip:
                    raise
                reasons[index] = str(error)

    for_each_block(read_block, len(items), n_jobs=n_jobs, description=description)

    def skip_unlike(
        index: int, reference_name: str, expected: tuple[int, ...], length: int | None = None
    ) -> None:
        got = frame_of(found[index].parts[0])
        error = unlike_first(items[index].name, got, reference_name, expected, index, length)
        if not skip:
            raise error
        reasons[index], found[index] = str(error), Recording([])

    for_model = frame is not None
    for index, recording in enumerate(found):
        if frame is not None and not all(_fits(part, frame) for part in recording.parts):
            skip_unlike(index, TRAINING, frame)
    first = next((index for index, recording in enumerate(found) if recording.parts), None)
    if first is None:
        raise _errors.none_usable(len(items), items[0].name, reasons[0])
    frame = frame_of(found[first].parts[0])
    arrays = [part for recording in found for part in recording.parts]
    lengths = {part.shape[-1] for part in arrays if part.ndim == 2}
    length = min(lengths) if len(lengths) == 1 and not settings.transpose else None
    for index, recording in enumerate(found):
        if any(frame_of(part) != frame for part in recording.parts):
            skip_unlike(index, items[first].name, frame, length)
    if reasons:
        texts = [reasons[index] for index in sorted(reasons)]
        warnings.warn(_errors.describe_skipped(texts), stacklevel=3)
    pairs = [(item, one) for item, one in zip(items, found, strict=True) if one.parts]
    for text in _describe_faults(pairs, settings, for_model):
        warnings.warn(text, stacklevel=3)
    skipped = tuple((items[index].name, reasons[index]) for index in sorted(reasons))
    data = _build_collection(pairs, settings, frame, skipped)
    if not for_model:  # new files are compared with the rate of the training data
        warn_of_mixed_rates(data.names, data.rates)
    return data


def _build_collection(
    pairs: Sequence[tuple[Item, Recording]],
    settings: ReadingSettings,
    frame: tuple[int, ...],
    skipped: tuple[tuple[str, str], ...],
) -> Collection:
    """Collection of all parts of the items that were read."""
    owners = [pair for pair in pairs for _ in pair[1].parts]
    groups: list[str | None] = [item.group for item, _ in owners]
    if None in groups and len(owners) > len(pairs):
        groups = [item.name for item, _ in owners]
    named = any(one.is_table and one.names is not None for _, one in pairs)
    channel_names = settings.channels if named else None
    rates = as_rates([one.rate for _, one in owners])
    timed = [one for _, one in pairs if one.time is not None]
    return Collection(
        X=[x if x.ndim == 2 else to_sequence(x) for _, one in pairs for x in one.parts],
        y=_as_texts([item.label for item, _ in owners]),
        split=_as_texts([item.split for item, _ in owners]),
        groups=_as_texts(groups),
        names=tuple(
            f"{item.name}#{part}" if len(one.parts) > 1 else item.name
            for item, one in pairs
            for part in range(len(one.parts))
        ),
        frame_shape=frame[1:] if len(frame) > 1 else None,
        preprocessing=settings.as_dict(),
        skipped=skipped,
        channel_names=channel_names,
        rates=rates,
        notes=tuple(
            describe_time(
                str(first.time), len(timed), rates, first.unused_times, channel_names, frame[0]
            )
            for first in timed[:1]
        )
        + tuple(_describe_grids([one for _, one in pairs])),
        gaps=settings.gaps,
    )


def _describe_grids(recordings: Sequence[Recording]) -> list[str]:
    """Return one line about the samples that were merged, and the gaps, on all grids."""
    placed = [one.grid for one in recordings if one.grid is not None]
    if not placed:
        return []
    step = float(np.median([grid.step for grid in placed]))
    merged, missing = (sum(getattr(g, k) for g in placed) for k in ("n_merged", "n_missing"))
    return [describe_grid(step, merged, missing, in_seconds=placed[0].in_seconds)]


def _describe_faults(
    pairs: Sequence[tuple[Item, Recording]], settings: ReadingSettings, for_model: bool
) -> list[str]:
    """Return warnings about the times of files.

    They suggest a rate to resample to, except for new files of a model: its own rate is used.
    """
    rates = [one.rate * settings.frames.stride for _, one in pairs if one.rate is not None]
    rate = float(np.median(rates)) if rates and not for_model else None
    faults = {item.name: one.time_faults for item, one in pairs}
    return describe_time_faults(faults, rate, resampled=settings.rate is not None)


def frame_of(value: NDArray[Any]) -> tuple[int, ...]:
    """Return (n_channels,) of a sequence, (number of pixels, *shape of a frame) of a video."""
    if value.ndim == 2:
        return (value.shape[0],)
    return (int(np.prod(value.shape[1:])), *value.shape[1:])


def _fits(value: NDArray[Any], frame: tuple[int, ...]) -> bool:
    """Whether an item has the channels and, where both have frames, the frames of another."""
    return all(got == wanted for got, wanted in zip(frame_of(value), frame, strict=False))


def check_values(item: Item, values: list[NDArray[Any]], *, gaps: bool = False) -> None:
    """Raise unless what was read of an item is finite numbers, or with `gaps` also NaN."""
    for value in values:
        if not value.size:
            raise _errors.bad_file(item.name, "hold numbers", f"shape {value.shape}")
        wrong = np.isinf(value) if gaps else ~np.isfinite(value)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            where = f"row {place[0]}, column {place[1]}" if value.ndim == 2 else f"entry {place}"
            infinite = bool(np.isinf(value[wrong]).any())
            raise _errors.bad_file(
                item.name,
                "hold finite numbers",
                f"{'NaN or infinity' if infinite else 'NaN'}, the first in {where}",
                "Correct them, or cut them out."
                if infinite
                else "To read NaN as gaps give gaps=True (Python), --missing smooth (command "
                "line); otherwise fill gaps, or cut them out.",
            )


def _as_texts(values: Sequence[str | None]) -> NDArray[np.str_] | None:
    return None if None in values else np.array(values, dtype=np.str_)


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
