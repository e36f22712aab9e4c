"""Load a folder of labelled files, or the files that a manifest lists."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.items import Item, is_table
from ldslearn.datasets.labels_from_file import label_items
from ldslearn.datasets.labels_from_folders import list_folder
from ldslearn.datasets.parallel_reading import read_collection
from ldslearn.datasets.rates import has_mixed_rates
from ldslearn.datasets.reading_settings import ReadingSettings, read_array
from ldslearn.datasets.shared_columns import agree_on_columns
from ldslearn.sequences.orientation import describe_transposed, seem_transposed
from ldslearn.video.frame_options import Crop, FrameOptions

_SIDE = 48  # pixels, of the frames that size="auto" makes


def load_folder(
    path: str | PathLike[str],
    *,
    size: tuple[int, int] | Literal["auto"] | None = None,
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
    levels: str | None = None,
    labels: str | PathLike[str] | None = None,
    gaps: bool = False,
    on_error: Literal["raise", "skip"] = "raise",
    n_jobs: int | None = None,
) -> Collection:
    """Return the videos, image folders, tables and arrays of a folder as labelled sequences.

    Parameters
    ----------
    path : str or path
        A folder ``<class>/<item>``, a folder of items without labels, or a manifest.

        - An item is a video (by its suffix: .avi, .mp4, .mkv, .mov, .webm, .gif and some more), a
          folder of images, an ``.npy`` array of (n_channels, n_timepoints) or of frames, or a
          ``.csv`` or ``.tsv`` table with one row per time point; in a manifest also a ``.txt``
          table.
        - A manifest is a CSV file with a column ``path`` and optionally ``label``, ``split`` and
          ``group``. Paths are relative to its folder, lie within it, and occur once.
        - In a class folder, images beside videos or arrays are skipped. A sub-folder of a class
          that holds both raises. Tables beside class folders are skipped.
        - Folders without any item are skipped with a warning.
    size : (height, width), "auto" or None, default=None
        Frames are resized to it; "auto" is the size of the first item, shrunk to 48 pixels per side
        if it is larger.
    colour : bool, default=False
        Red, green and blue instead of grey.
    crop : (top, left, height, width), "motion" or None, default=None
        Part of each frame to keep, as in :func:`ldslearn.video.read_video`.
    stride : int, default=1
        Keep every `stride`-th frame or time point.
    length : int, optional
        Keep so many of them at most.
    chunk : bool, default=False
        Cut long items into sequences of `length` instead of keeping their beginning. Those of one
        item form a group, so that no split separates them.
    features : {"pixels", "lbp-top"}, default="pixels"
        Channels are pixels, or histograms of :func:`ldslearn.video.lbp_top`.
    time : str, optional
        Time column of tables, by its name or its number from 1 (two with a comma between for a
        date and a time of day), or "none" if all columns are channels. When not given, a column is
        time if its name says so (time, timestamp, date, index, ..., with or without a unit) and its
        values almost never decrease, or if it is the first and holds dates, seconds since 1970, or
        eight or more values that rise in even steps. Times give the rate, and are not a channel.
    columns : sequence of str, optional
        Columns of tables that are channels, by name or number from 1; all but those of time when
        not given. Files that name their columns in another order than the first are put in its
        order; files with other names are refused.
    rate : float, optional
        Sampling rate after resampling, in Hz. Tables are interpolated linearly, after a low-pass
        filter if the rate decreases; of videos the nearest frames in time are used. Files must
        state their times or frame rate.
    transpose : bool, default=False
        Rows of ``.npy`` arrays are time points, not channels; rows of tables are channels.
    levels : str, optional
        What the folders above an item mean, such as ``"group/class/item"``: each is "class",
        "group" (subject or object; folds keep groups whole), "split" ("train" or "test") or
        ``"*"`` (ignored).
    labels : str or path, optional
        A CSV file with the columns ``item`` and ``label``, and perhaps ``group`` and ``split``, in
        place of class folders. An item is named by its path in the folder or its file name, with
        or without the suffix.
    gaps : bool, default=False
        Accept missing values, as NaN: empty fields, NaN and NA in tables, NaN in arrays. Samples of
        tables with times are placed on one grid, whose steps are ``1 / rate``, or else those of the
        median rate of all files. What falls between is a gap; ``notes`` says how many time points
        are missing, and how many samples were merged.
    on_error : {"raise", "skip"}, default="raise"
        Whether an item that cannot be read raises or is skipped; ``skipped`` of the collection
        holds names and reasons.
    n_jobs : int or None, default=None
        Threads that decode.

    Returns
    -------
    Collection

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import load_folder, make_dynamic_textures
    >>> from ldslearn.video import write_video
    >>> videos, kinds = make_dynamic_textures(["flag", "waves"], 2, size=16, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number, (video, kind) in enumerate(zip(videos, kinds)):
    ...         path = Path(folder) / kind / f"{number}.avi"
    ...         path.parent.mkdir(exist_ok=True)
    ...         write_video(path, 255 * video)
    ...     data = load_folder(folder)
    >>> data.names, data.y.tolist()
    (('flag/0.avi', 'flag/1.avi', 'waves/2.avi', 'waves/3.avi'), ['flag', 'flag', 'waves', 'waves'])
    >>> data.frame_shape, data.X[0].shape
    ((16, 16), (256, 60))

    Tables with a time column:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label in ("rest", "walk"):
    ...         (Path(folder) / label).mkdir()
    ...         with (Path(folder) / label / "1.csv").open("w") as file:
    ...             print("time,ax,ay", file=file)
    ...             for k in range(100):
    ...                 print(k / 50, k % 7, k % 3, sep=",", file=file)
    ...     data = load_folder(folder)
    >>> data.channel_names, data.rates.tolist(), data.X[0].shape
    (('ax', 'ay'), [50.0, 50.0], (2, 100))
    """
    if on_error not in ("raise", "skip"):
        raise _errors.unknown_name("on_error", on_error, ("raise", "skip"))
    _refuse_stacked_array(Path(path))
    skip = on_error == "skip"
    items, unlabelled = list_items(path, levels, labels, skip=skip)
    if size == "auto":
        size = choose_frame_size(items, crop)
    elif size is None and features == "lbp-top":
        # LBP depends on the frame size, so all items need the same.
        size = read_frame_size(items, crop)
    for name, value in (("time", time), ("columns", columns)):
        if value is not None and not any(is_table(item.source) for item in items):
            raise _errors.invalid(
                name, "be given for tables, .csv, .tsv or .txt", f"none of them in {path}",
                "Leave it out.",
            )  # fmt: skip
    settings = ReadingSettings(
        FrameOptions(size, colour, crop, stride, length), chunk, features,
        time, None if columns is None else tuple(columns), rate, transpose, gaps=gaps,
    )  # fmt: skip
    data = read_items(items, settings, skip=skip, n_jobs=n_jobs)
    return replace(data, skipped=(*unlabelled, *data.skipped))


def list_items(
    path: str | PathLike[str],
    levels: str | None = None,
    labels: str | PathLike[str] | None = None,
    *,
    skip: bool = False,
) -> tuple[list[Item], list[tuple[str, str]]]:
    """Return the labelled items of a folder or manifest; see :func:`load_folder`.

    With `skip`, items without a label are omitted, and returned with the reason.
    """
    search_subfolders = labels is not None and levels is None
    items = list_folder(path, levels=levels, search_subfolders=search_subfolders)
    return (items, []) if labels is None else label_items(items, labels, skip=skip)


def read_items(
    items: Sequence[Item],
    settings: ReadingSettings,
    *,
    skip: bool = False,
    n_jobs: int | None = None,
    frame: tuple[int, ...] | None = None,
) -> Collection:
    """Return the collection of listed items; see :func:`load_folder`.

    `frame` is what :func:`~ldslearn.datasets.parallel_reading.frame_of` gives for every item, where
    it is known beforehand.
    """
    settings, reference_name = agree_on_columns(items, settings)

    def read(settings: ReadingSettings) -> Collection:
        return read_collection(
            items,
            lambda item: settings.read_recording(item.source, reference_name),
            description="reading files",
            settings=settings,
            skip=skip,
            n_jobs=n_jobs,
            frame=frame,
        )

    if settings.gaps and settings.rate is None:
        only_tables = all(is_table(item.source) for item in items)
        settings = _agree_on_rate(settings, read, only_tables)
    data = read(settings)
    may_be_transposed = data.frame_shape is None and settings.features == "pixels"
    may_be_transposed &= not settings.transpose and settings.frames.length is None
    if may_be_transposed and seem_transposed(data.X):
        text = describe_transposed(data.X, "give transpose=True, --transpose")
        warnings.warn(text, stacklevel=2)
    return data


def _agree_on_rate(
    settings: ReadingSettings, read: Callable[[ReadingSettings], Collection], only_tables: bool
) -> ReadingSettings:
    """Return settings with the middle of the rates, so that all files meet on one grid.

    A model keeps these settings, and places new files on the same grid. Files other than tables are
    resampled only where rates differ.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # given again when the files are read
        rates = read(settings).rates
    if rates is None or not (has_mixed_rates(rates) or (only_tables and np.isfinite(rates).all())):
        return settings
    known = np.sort(rates[np.isfinite(rates)])
    middle = float(known[(len(known) - 1) // 2])  # one that a file has
    return replace(settings, rate=middle * settings.frames.stride)


def choose_frame_size(items: Sequence[Item], crop: Crop = None) -> tuple[int, int] | None:
    """Return the size of the first item's frames, at most 48 pixels per side.

    None if no item has frames.
    """
    found = read_frame_size(items, crop)
    if found is None or max(found) <= _SIDE:
        return found
    height, width = (max(1, round(_SIDE * length / max(found))) for length in found)
    return height, width


def read_frame_size(items: Sequence[Item], crop: Crop = None) -> tuple[int, int] | None:
    """Return height and width of the frames of the first item that has some.

    None if no item has frames. Items that cannot be read are ignored.
    """
    settings = ReadingSettings(FrameOptions(crop=crop, length=1))
    for item in items:
        if is_table(item.source):
            continue
        try:
            frames = settings.read(item.source)[0]
        except (ValueError, OSError):
            continue  # reading it later raises
        if frames.ndim > 2:
            return frames.shape[1], frames.shape[2]
    return None


def _refuse_stacked_array(path: Path) -> None:
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
