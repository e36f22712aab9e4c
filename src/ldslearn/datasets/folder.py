"""Folders of labelled files, and manifests that list them."""

import os
import warnings
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.gathering import Item, gather, in_order
from ldslearn.datasets.items import Reading, is_item, is_table, read_array
from ldslearn.datasets.manifest import is_manifest, list_manifest
from ldslearn.datasets.settling import settle_reading
from ldslearn.video.reading import FrameOptions, holds_images

__all__ = ["automatic_size", "is_manifest", "list_folder", "load_folder", "read_items"]

_NOTES = frozenset({".csv", ".tsv", ".txt"})  # beside class folders: manifests, tables, a README
_SHOWN = 3  # names in a message
_SIDE = 48  # pixels, of the frames that size="auto" makes


def list_folder(path: str | PathLike[str]) -> list[Item]:
    """Return the items of a folder, ``<class>/<item>`` or without classes, or of a manifest.

    A single item is a list of one.
    """
    root = Path(path)
    if root.is_file():
        if root.suffix.lower() == ".csv" or not is_item(root):
            return list_manifest(root)
        return [Item(root.name, root)]
    if not root.is_dir():
        raise FileNotFoundError(
            f"{root} must be a folder <class>/<item> or a manifest; got nothing."
        )
    entries = in_order(root.iterdir())
    loose = [path for path in entries if is_item(path)]
    single = set(loose)
    folders = [path for path in entries if path.is_dir()]
    by_class = {path: _items(path) for path in folders if path not in single}
    barren = [path for path, paths in by_class.items() if not paths and _holds_files(path)]
    by_class = {folder: paths for folder, paths in by_class.items() if paths}
    items = [path for paths in by_class.values() for path in paths]
    _check_names(root, [*by_class, *loose, *items])
    _check_loose(root, loose, list(by_class))
    if by_class and barren:
        warnings.warn(_errors.nothing_to_read(barren), stacklevel=3)
    if by_class:
        return [
            Item(f"{folder.name}/{path.name}", path, folder.name)
            for folder, paths in by_class.items()
            for path in paths
        ]
    if not loose:
        raise _errors.bad_file(
            root,
            "hold videos, folders of images or arrays, as <class>/<item>",
            f"none among {sum(1 for _ in root.iterdir())} entries",
            "Tables in .txt files count only when a manifest lists them.",
        )
    return [Item(path.name, path) for path in loose]


def load_folder(
    path: str | PathLike[str],
    *,
    size: tuple[int, int] | Literal["auto"] | None = None,
    colour: bool = False,
    crop: tuple[int, int, int, int] | None = None,
    stride: int = 1,
    length: int | None = None,
    chunk: bool = False,
    features: Literal["pixels", "lbp-top"] = "pixels",
    time: str | None = None,
    columns: Sequence[str] | None = None,
    rate: float | None = None,
    transpose: bool = False,
    on_error: Literal["raise", "skip"] = "raise",
    n_jobs: int | None = None,
) -> Collection:
    """Return the videos, image folders or arrays of a folder as labelled sequences.

    Parameters
    ----------
    path : str or path
        A folder ``<class>/<item>``, a folder of items without labels, or a manifest: a CSV file
        with a column ``path`` and perhaps ``label``, ``split`` and ``group``, paths relative to
        its folder and within it, each once. An item is a video (by its suffix: .avi, .mp4, .mkv,
        .mov, .webm, .gif and some more), a folder of images, an ``.npy`` array of (n_channels,
        n_timepoints) or of frames, or a ``.csv`` or ``.tsv`` table with a row for each time point;
        in a manifest also a ``.txt`` table. Images beside videos or arrays are no items, nor are
        tables beside class folders: they are passed over, and folders without any item with a
        warning.
    size : (height, width), "auto" or None
        Frames are resized to it; "auto" is the size of the first item, shrunk to 48 pixels a side
        if it is larger.
    colour, crop, stride, length :
        As in :func:`ldslearn.video.read_video`.
    chunk : bool
        Cut long items into sequences of `length` instead of keeping their beginning; those of one
        item form a group, so that a split does not part them.
    features : "pixels" or "lbp-top"
        Channels are pixels, or histograms of :func:`ldslearn.video.lbp_top`.
    time : str, optional
        Column of time of tables, by its name or its number from 1 (two with a comma between for a
        date and a time of day), or "none" if all columns are channels. When not given, a column is
        time if its name says so (time, timestamp, date, index, ..., with or without a unit) and its
        values hardly ever fall, or if it is the first and holds dates, seconds since 1970, or eight
        or more values that rise in even steps. Times give the rate, and are no channel.
    columns : sequence of str, optional
        Columns of tables that are channels, by name or number from 1; all but those of time when
        not given. Files that name their columns in another order than the first are put in its
        order; files with other names are refused.
    rate : float, optional
        Resample to so many time points per second: tables by straight lines between samples, after
        a low-pass filter where samples are left out; videos by the nearest frame in time. Files
        must tell their times.
    transpose : bool
        Rows of ``.npy`` arrays are time points, not channels; rows of tables are channels.
    on_error : "raise" or "skip"
        What to do about an item that cannot be read; what was skipped, and why, is in ``skipped``.
    n_jobs : int or None
        Threads that decode.

    Returns
    -------
    Collection
    """
    if on_error not in ("raise", "skip"):
        raise _errors.unknown_name("on_error", on_error, ("raise", "skip"))
    _refuse_stack(Path(path))
    items = list_folder(path)
    if size == "auto":
        size = automatic_size(items, crop)
    elif size is None and features == "lbp-top":
        size = frame_size(items, crop)  # patterns of larger frames would be others
    reading = Reading(
        FrameOptions(size, colour, crop, stride, length), chunk, features,
        time, None if columns is None else tuple(columns), rate, transpose,
    )  # fmt: skip
    return read_items(items, reading, skip=on_error == "skip", n_jobs=n_jobs)


def read_items(
    items: Sequence[Item], reading: Reading, *, skip: bool = False, n_jobs: int | None = None
) -> Collection:
    """Read listed items; see :func:`load_folder`."""
    reading, like = settle_reading(items, reading)
    return gather(
        items,
        lambda item: reading.read_recording(item.source, like),
        description="reading files",
        reading=reading,
        skip=skip,
        n_jobs=n_jobs,
    )


def automatic_size(
    items: Sequence[Item], crop: tuple[int, int, int, int] | None = None
) -> tuple[int, int] | None:
    """Size of the first item's frames, shrunk to 48 pixels a side; None without frames."""
    found = frame_size(items, crop)
    if found is None or max(found) <= _SIDE:
        return found
    height, width = (max(1, round(_SIDE * length / max(found))) for length in found)
    return height, width


def frame_size(
    items: Sequence[Item], crop: tuple[int, int, int, int] | None = None
) -> tuple[int, int] | None:
    """Height and width of the frames of the first item that has frames and can be read."""
    reading = Reading(FrameOptions(crop=crop, length=1))
    for item in items:
        if is_table(item.source):
            continue
        try:
            frames = reading.read(item.source)[0]
        except (ValueError, OSError):
            continue  # whoever reads it will say what is wrong
        if frames.ndim > 2:
            return frames.shape[1], frames.shape[2]
    return None


def _refuse_stack(path: Path) -> None:
    """Raise for an ``.npy`` file in place of a folder that may hold many sequences in one array."""
    if path.suffix.lower() != ".npy" or not path.is_file():
        return
    shape = read_array(path).shape
    if len(shape) == 3:
        raise _errors.bad_file(
            path,
            "be a folder <class>/<item>, a manifest or a collection in one file",
            f"one array of shape {shape}",
            "If it is (N, n_channels, n_timepoints), save it with its labels, "
            f"numpy.savez({path.stem + '.npz'!r}, X=numpy.load({path.name!r}), y=labels), "
            "and name that file. A video (n_frames, height, width) belongs in a folder.",
        )


def _holds_files(folder: Path) -> bool:
    """Whether anything is in a folder that is not hidden."""
    return not folder.name.startswith(".") and any(
        not path.name.startswith(".") for path in folder.iterdir()
    )


def _items(folder: Path) -> list[Path]:
    """The items of a class, none passed over for what lies beside its images."""
    paths = in_order(folder.iterdir())
    found = [path for path in paths if is_item(path)]
    single = set(found)
    for path in paths:
        if path not in single and path.is_dir() and holds_images(path):
            raise _errors.bad_file(
                path,
                "hold either the images of one item or other items",
                "images beside videos or arrays",
                "Move one of the two elsewhere.",
            )
    return found


def _check_names(root: Path, paths: Iterable[Path]) -> None:
    """Raise for a name that no text file could hold, before it becomes a label."""
    for path in paths:
        try:
            path.name.encode()
        except UnicodeEncodeError:
            raise _errors.bad_file(
                root, "hold names in UTF-8", repr(path.name), "Rename it."
            ) from None


def _check_loose(root: Path, loose: Sequence[Path], classes: Sequence[Path]) -> None:
    """Raise if items have no class while others have one, or might be classes themselves."""
    remedy = "Move the {} into a folder of their class, or list all in a manifest."
    files = [path for path in loose if path.is_file() and path.suffix.lower() not in _NOTES]
    images = [path for path in loose if path.is_dir()]
    if classes and files:
        raise _errors.bad_file(
            root,
            "hold either class folders or files without a class",
            f"{len(classes)} folders and {len(files)} files such as {files[0].name}",
            remedy.format("files"),
        )
    if classes and images:
        raise _errors.bad_file(
            root,
            "hold either class folders or folders of images without a class",
            f"the classes {_shown(classes)} and the images in {_shown(images)}",
            remedy.format("folders of images"),
        )
    for folder in images:
        with os.scandir(folder) as entries:
            inner = [Path(entry) for entry in entries if entry.is_dir()]
        if any(map(is_item, inner)):
            raise _errors.bad_file(
                folder,
                "hold either the images of one item or the items of a class",
                "images beside folders of images",
                "Move one of the two elsewhere, or list all in a manifest.",
            )


def _shown(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(path.name for path in paths[:_SHOWN]) + more
