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
from ldslearn.datasets.gathering import (
    Item,
    check_complete,
    existing_folder,
    files_in,
    gather,
    subfolders,
)
from ldslearn.datasets.items import VIDEO_SUFFIXES, Reading
from ldslearn.video import lbp_top, read_video

_WHAT = "DynTex++"
_N_CLASSES = 36
_PER_CLASS = 100
_N_FIRST = 9  # the subset of Sec. 9.3
_INFO = "dyntex++_info.mat"
_WINDOW, _STEP = 8, 2  # Sec. 9.1: sub-videos of 8 frames that overlap by 6
_CLIPS = VIDEO_SUFFIXES | {".mat"}
_SOURCE = (
    "Get the DynTex++ dataset from the page of Bernard Ghanem (Ghanem and Ahuja, ECCV 2010) and "
    "unpack it with dyntex++_info.mat beside the 3600 files it names, each with a 50 x 50 x 50 "
    "array subv; or as 36 folders, one per class, of 100 such files or videos; or as 3600 such "
    "files in order of their classes."
)


def load_dyntexpp(
    folder: str | PathLike[str],
    *,
    features: str = "lbp-top",
    classes: str | None = None,
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return DynTex++: 3600 grey videos of 50 x 50 pixels and 50 frames (Sec. 9).

    Parameters
    ----------
    folder : path
        Where dyntex++_info.mat is, or 36 folders, or 3600 files.
    features : {"lbp-top", "pixels"}
        LBP-TOP histograms of sub-videos of 8 frames that overlap by 6, 22 timepoints a video (the
        paper); or the pixels.
    classes : None or "nine"
        All classes, or the first nine (Sec. 9.3).
    partial : bool
        Load what is there instead of failing when something is missing or cannot be read.
    n_jobs : int, optional
        Threads that read, as in joblib.

    Returns
    -------
    Collection
        `y` is the class. There is no official split: the protocol takes random halves.
    """
    if features not in ("lbp-top", "pixels"):
        raise _errors.unknown_name("features", features, ("lbp-top", "pixels"))
    if classes not in (None, "nine"):
        raise _errors.invalid_parameter("classes", "be None or 'nine'", classes)
    root = existing_folder(_WHAT, folder, _SOURCE)
    if (root / _INFO).is_file():
        listed = _listed(root)
    elif subfolders(root):
        listed = _in_folders(root)
    else:
        listed = _in_one_folder(root)
    n_classes = _N_CLASSES
    if classes == "nine":
        n_classes = _N_FIRST
        first = list(dict.fromkeys(item.label for item in listed))[:_N_FIRST]
        listed = [item for item in listed if item.label in first]
    items = [item for item in listed if item.source.is_file()]
    missing = _missing(listed, items, n_classes)
    check_complete(_WHAT, root, items, missing, partial, _SOURCE)
    lbp = features == "lbp-top"
    return gather(
        items,
        (lambda item: lbp_top(_read(item), window=_WINDOW, step=_STEP)) if lbp else _read,
        description="reading DynTex++",
        reading=Reading(features=features),
        skip=partial,
        n_jobs=n_jobs,
    )


def _listed(root: Path) -> list[Item]:
    """Files that dyntex++_info.mat names, there or not."""
    path = root / _INFO
    contents = read_mat(path)
    if "imagemaster" not in contents:
        reason = ", ".join(sorted(contents)) or "nothing"
        raise _errors.bad_file(path, "hold imagemaster", reason)
    entries = list(contents["imagemaster"])
    paths = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or "filepath" not in entry:
            rule = "give filepath in every entry of imagemaster"
            raise _errors.bad_file(path, rule, f"entry {number} without")
        relative = PurePosixPath(str(entry["filepath"]).replace("\\", "/").lstrip("/"))
        if ".." in relative.parts:
            raise _errors.bad_file(path, "name files within its folder", relative)
        paths.append(relative)
    labels = _labels(entries, paths)
    return [
        Item(str(relative), root / relative, label)
        for relative, label in zip(paths, labels, strict=True)
    ]


def _labels(entries: list[dict[str, Any]], paths: list[PurePosixPath]) -> list[str]:
    """The classes of entries; else the folders of their files; else one class a hundred."""
    for field in ("class", "label"):
        if all(field in entry for entry in entries):
            values = [entry[field] for entry in entries]
            return [v if isinstance(v, str) else f"{float(np.squeeze(v)):g}" for v in values]
    if len({path.parent for path in paths}) > 1:
        return [path.parent.name for path in paths]
    return [_numbered(number) for number in range(1, len(paths) + 1)]


def _numbered(number: int) -> str:
    return f"{(number - 1) // _PER_CLASS + 1:02d}"


def _in_folders(root: Path) -> list[Item]:
    return [
        Item(f"{folder.name}/{path.name}", path, folder.name)
        for folder in subfolders(root)
        for path in files_in(folder, _CLIPS)
    ]


def _in_one_folder(root: Path) -> list[Item]:
    """Files of one folder, a hundred per class: by their numbers where they have one, else all."""
    paths = files_in(root, _CLIPS)
    numbers = [int(path.stem) if path.stem.isdecimal() else 0 for path in paths]
    if min(numbers, default=0) < 1 or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(paths) + 1))
    return [
        Item(path.name, path, _numbered(number))
        for path, number in zip(paths, numbers, strict=True)
    ]


def _missing(listed: list[Item], items: list[Item], n_classes: int) -> list[str]:
    there = Counter(item.label for item in items)
    labels = list(dict.fromkeys(item.label for item in listed))
    missing = [
        f"class {label} has {there[label]} of {_PER_CLASS} videos"
        for label in labels
        if there[label] != _PER_CLASS
    ]
    if len(labels) != n_classes:
        missing.insert(0, f"{len(labels)} of {n_classes} classes found")
    return missing


def _read(item: Item) -> NDArray[Any]:
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
