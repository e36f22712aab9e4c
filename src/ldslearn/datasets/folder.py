"""Folders of labelled files, and manifests that list them."""

import csv
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.gathering import Item, gather, in_order
from ldslearn.datasets.items import ARRAY_SUFFIXES, Reading, is_item
from ldslearn.video.reading import FrameOptions, read_clips

_LARGEST_MANIFEST = 2**28  # bytes
_COLUMNS = ("path", "label", "split", "group")
_SIDE = 48  # pixels, of the frames that size="auto" makes


def list_folder(path: str | PathLike[str]) -> list[Item]:
    """Return the items below a folder, ``<class>/<item>`` or all of one kind, or of a manifest."""
    root = Path(path)
    if root.is_file():
        return _list_manifest(root)
    if not root.is_dir():
        raise FileNotFoundError(
            f"{root} must be a folder <class>/<item> or a manifest; got nothing."
        )
    loose = _items(root)
    folders = in_order(folder for folder in root.iterdir() if folder.is_dir())
    by_class = {f.name: _items(f) for f in folders if f not in loose}
    by_class = {label: items for label, items in by_class.items() if items}
    files = [item for item in loose if item.is_file()]
    if by_class and files:
        raise _errors.bad_file(
            root,
            "hold either class folders or files without a class",
            f"{len(by_class)} folders and {len(files)} files such as {files[0].name}",
            "Move the files into a folder of their class, or list all in a manifest.",
        )
    if not by_class and not loose:
        raise _errors.bad_file(
            root,
            "hold videos, folders of images or arrays, as <class>/<item>",
            f"none among {sum(1 for _ in root.iterdir())} entries",
        )
    if not by_class:
        return [Item(path.name, path) for path in loose]
    return [
        Item(f"{label}/{path.name}", path, label)
        for label, paths in by_class.items()
        for path in paths
    ]


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
    on_error: Literal["raise", "skip"] = "raise",
    n_jobs: int | None = None,
) -> Collection:
    """Return the videos, image folders or arrays of a folder as labelled sequences.

    Parameters
    ----------
    path : str or path
        A folder ``<class>/<item>``, a folder of items without labels, or a manifest: a CSV file
        with a column ``path`` and perhaps ``label``, ``split`` and ``group``, paths relative to
        its folder and within it. An item is a video of any format that ffmpeg reads, a folder of
        images, an ``.npy`` array of (n_channels, n_timepoints) or of frames, or a ``.csv`` table
        with a row for each time point.
    size : (height, width), "auto" or None
        Frames are resized to it; "auto" shrinks frames of more than 48 pixels a side to 48,
        keeping the proportions of the first item, and all others to the same size.
    colour, crop, stride, length :
        As in :func:`ldslearn.video.read_video`.
    chunk : bool
        Cut long items into sequences of `length` instead of keeping their beginning; those of one
        item form a group, so that a split does not part them.
    features : "pixels" or "lbp-top"
        Channels are pixels, or histograms of :func:`ldslearn.video.lbp_top`.
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
    items = list_folder(path)
    frame_size = automatic_size(items, crop) if size == "auto" else size
    reading = Reading(FrameOptions(frame_size, colour, crop, stride, length), chunk, features)
    return read_items(items, reading, skip=on_error == "skip", n_jobs=n_jobs)


def read_items(
    items: Sequence[Item], reading: Reading, *, skip: bool = False, n_jobs: int | None = None
) -> Collection:
    """Read listed items; see :func:`load_folder`."""
    return gather(
        items,
        lambda item: reading.read(item.source),
        description="reading files",
        reading=reading,
        skip=skip,
        n_jobs=n_jobs,
    )


def automatic_size(
    items: Sequence[Item], crop: tuple[int, int, int, int] | None = None
) -> tuple[int, int] | None:
    """Size that shrinks frames to 48 pixels a side, like the first video; None if they fit."""
    options = FrameOptions(crop=crop, length=1)
    for item in items:
        if item.source.is_file() and item.source.suffix.lower() in ARRAY_SUFFIXES:
            continue
        try:
            height, width = next(read_clips(item.source, options, chunk=False)).shape[1:3]
        except (ValueError, OSError):
            continue  # whoever reads it will say what is wrong
        largest = max(height, width)
        if largest <= _SIDE:
            return None
        return max(1, round(_SIDE * height / largest)), max(1, round(_SIDE * width / largest))
    return None


def _items(folder: Path) -> list[Path]:
    return in_order(path for path in folder.iterdir() if is_item(path))


def _list_manifest(path: Path) -> list[Item]:
    """Items of a CSV file with columns path, label, split, group."""
    if path.stat().st_size > _LARGEST_MANIFEST:
        raise _errors.too_large(f"file {path}", path.stat().st_size, _LARGEST_MANIFEST, "")
    rule = f"be a manifest, CSV with a column 'path' and perhaps {', '.join(_COLUMNS[1:])}"
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, strict=True)
            columns = reader.fieldnames or []
            if "path" not in columns:
                raise _errors.bad_file(path, rule, f"columns {list(columns)[:8]}")
            rows = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise _errors.bad_file(path, rule, error) from error
    if not rows:
        raise _errors.bad_file(path, "list at least one item", "none")
    root = path.parent.resolve()
    for column in _COLUMNS[1:]:
        empty = [line for line, row in rows if not row.get(column)]
        if empty and len(empty) < len(rows):
            raise _errors.bad_file(
                path, f"give a {column} in every line, or in none", f"line {empty[0]} without one"
            )
    return [
        Item(
            str(row["path"]),
            _within(root, row["path"], path, line),
            *(row.get(column) or None for column in _COLUMNS[1:]),
        )
        for line, row in rows
    ]


def _within(root: Path, text: str | None, manifest: Path, line: int) -> Path:
    """The path of one line, refused unless it exists below the manifest's folder."""
    where = f"{manifest}, line {line}"
    if not text or "\0" in text:
        raise _errors.bad_file(where, "give a path", f"{text!r:.80}")
    try:
        item = (root / text).resolve()
        exists = item.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise _errors.bad_file(where, "give a path", f"{text!r:.80}") from error
    if not item.is_relative_to(root) or item == root:
        raise _errors.bad_file(
            where,
            "name items below the manifest's folder",
            f"{text!r:.80}",
            "Move the manifest above its items, and write paths relative to it.",
        )
    if not exists:
        raise _errors.bad_file(where, "name an item that exists", f"{text!r:.80}")
    return item
