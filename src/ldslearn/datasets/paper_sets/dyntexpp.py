"""DynTex++: 36 classes of dynamic textures, 100 small videos of each."""

from collections import Counter
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.mat import read_mat
from ldslearn.datasets.items import VIDEO_SUFFIXES, Item, list_files, list_subfolders
from ldslearn.datasets.paper_sets.layouts import (
    SETS,
    find_variable,
    format_label,
    list_class_folders,
)
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.video import lbp_top, read_video

_N_FIRST = 9  # the subset of Sec. 9.3
_INFO = "dyntex++_info.mat"
_CLIPS = VIDEO_SUFFIXES | {".mat"}


def load_dyntexpp(
    folder: str | PathLike[str],
    *,
    features: str = "lbp-top",
    classes: str | None = None,
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return DynTex++: 3600 grey videos of 50 x 50 pixels and 50 frames, 36 classes.

    Parameters
    ----------
    folder : str or path
        Where dyntex++_info.mat is, or 36 folders, or 3600 files.
    features : {"lbp-top", "pixels"}, default="lbp-top"
        LBP-TOP histograms of sub-videos of 8 frames that overlap by 6, 22 time points per video
        (as in [2]_); or the pixels.
    classes : None or "nine", default=None
        All classes, or the first nine (Sec. 9.3 of [2]_).
    partial : bool, default=False
        Load what is there instead of failing when something is missing or cannot be read.
    n_jobs : int or None, default=None
        Threads that read, as in joblib.

    Returns
    -------
    Collection
        `y` is the class. There is no official split: the protocol uses random halves.

    References
    ----------
    .. [1] B. Ghanem, N. Ahuja, "Maximum margin distance learning for dynamic texture recognition",
       ECCV 2010.
    .. [2] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    A folder with one video of two classes:

    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import load_dyntexpp, make_dynamic_textures
    >>> from ldslearn.video import write_video
    >>> videos, kinds = make_dynamic_textures(["flag", "waves"], 1, size=50, n_frames=50)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for video, kind in zip(videos, kinds):
    ...         (Path(folder) / kind).mkdir()
    ...         write_video(Path(folder) / kind / "1.avi", 255 * video)
    ...     data = load_dyntexpp(folder, partial=True)
    >>> data.names, data.X[0].shape
    (('flag/1.avi', 'waves/1.avi'), (177, 22))
    """
    if features not in ("lbp-top", "pixels"):
        raise _errors.unknown_name("features", features, ("lbp-top", "pixels"))
    if classes not in (None, "nine"):
        raise _errors.invalid_parameter("classes", "be None or 'nine'", classes)
    textures = SETS["dyntexpp"]
    root = textures.find_root(folder)
    if (root / _INFO).is_file():
        items = _list_info(root)
    elif list_subfolders(root):
        items = list_class_folders(root, _CLIPS)
    else:
        items = _list_one_folder(root)
    n_classes = textures.n_parts
    if classes == "nine":
        n_classes = _N_FIRST
        first = list(dict.fromkeys(item.label for item in items))[:_N_FIRST]
        items = [item for item in items if item.label in first]
    counts = Counter({item.label: 0 for item in items})
    items = [item for item in items if item.source.is_file()]
    counts.update(item.label for item in items)
    gaps = textures.list_gaps(counts, n_classes)
    read = _read_clip if features == "pixels" else _read_lbp_top
    settings = ReadingSettings(features=features)
    return textures.read(root, items, gaps, read, settings, partial, n_jobs)


def _list_info(root: Path) -> list[Item]:
    """Files that dyntex++_info.mat names, whether or not they exist."""
    path = root / _INFO
    entries = list(find_variable(path, read_mat(path), "imagemaster"))
    paths = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or "filepath" not in entry:
            rule = "give filepath in every entry of imagemaster"
            raise _errors.bad_file(path, rule, f"entry {number} without")
        relative = PurePosixPath(str(entry["filepath"]).replace("\\", "/").lstrip("/"))
        if ".." in relative.parts:
            raise _errors.bad_file(path, "name files within its folder", relative)
        paths.append(relative)
    labels = _find_labels(entries, paths)
    return [
        Item(str(relative), root / relative, label)
        for relative, label in zip(paths, labels, strict=True)
    ]


def _find_labels(entries: list[dict[str, Any]], paths: list[PurePosixPath]) -> list[str]:
    """The classes of entries; else the folders of their files; else a hundred per class."""
    for field in ("class", "label"):
        if all(field in entry for entry in entries):
            return [format_label(entry[field]) for entry in entries]
    if len({path.parent for path in paths}) > 1:
        return [path.parent.name for path in paths]
    return [_number_class(number) for number in range(1, len(paths) + 1)]


def _number_class(number: int) -> str:
    """The class of a file by its number from 1, where nothing else labels it."""
    return f"{(number - 1) // SETS['dyntexpp'].per_part + 1:02d}"


def _list_one_folder(root: Path) -> list[Item]:
    """Files of one folder, a hundred per class: by their numbers if all have one, else by order."""
    paths = list_files(root, _CLIPS)
    numbers = [int(path.stem) if path.stem.isdecimal() else 0 for path in paths]
    if min(numbers, default=0) < 1 or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(paths) + 1))
    return [
        Item(path.name, path, _number_class(number))
        for path, number in zip(paths, numbers, strict=True)
    ]


def _read_lbp_top(item: Item) -> NDArray[Any]:
    return lbp_top(_read_clip(item), window=8, step=2)  # Sec. 9.1: sub-videos that overlap by 6


def _read_clip(item: Item) -> NDArray[Any]:
    """Return a video file, or `subv` (or the only array) of a .mat file."""
    path = item.source
    if path.suffix.lower() != ".mat":
        return read_video(path)
    contents = read_mat(path)
    named = [contents["subv"]] if "subv" in contents else list(contents.values())
    arrays = [value for value in named if isinstance(value, np.ndarray) and value.ndim == 3]
    if len(arrays) != 1:
        rule = "hold subv, an array of shape (height, width, n_frames)"
        raise _errors.bad_file(path, rule, ", ".join(sorted(contents)) or "nothing")
    return np.moveaxis(arrays[0], 2, 0)
