"""UCLA dynamic textures: 50 textures, four sequences of each."""

import re
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

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
    in_order,
    missing_data,
    patch_of,
    subfolders,
)
from ldslearn.datasets.items import VIDEO_SUFFIXES, Reading
from ldslearn.video import read_frames, read_video
from ldslearn.video.options import FrameOptions
from ldslearn.video.reading import holds_images

_WHAT = "the UCLA dynamic textures"
_N_TEXTURES = 50
_PER_TEXTURE = 4
_PATCHES = "ucla_patches.mat"
_SOURCES = ("auto", "patches", "motion", "frames")
_CROP = (48, 48)  # Sec. 9.1
_SOURCE = (
    "Get the UCLA dynamic texture database (Saisan et al., CVPR 2001) from its authors, as "
    "ucla_patches.mat with 200 clips in imgdb; or as a folder for each of 50 textures with four "
    "videos or folders of frames; or as 200 of these named <texture>_1 to <texture>_4."
)


class _Found(NamedTuple):
    label: str
    name: str
    source: Any
    number: str = ""  # of the sequence within its texture, where the name tells


def load_ucla(
    folder: str | PathLike[str],
    *,
    source: str = "auto",
    size: tuple[int, int] | None = None,
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return the UCLA dynamic textures: 200 grey sequences of 75 frames (Sec. 9).

    Parameters
    ----------
    folder : path
        Where ucla_patches.mat is, or videos or folders of frames.
    source : {"auto", "patches", "motion", "frames"}
        The published patches of 48 x 48 pixels (ucla_patches.mat); the part of each clip whose
        pixels vary most over time, as the paper has it (:func:`ldslearn.video.crop_to_motion`); or
        whole frames. "auto" takes the patches if their file is there, else the motion.
    size : (height, width) or None
        With "motion" the size of the part, 48 x 48 when None. Whole frames are resized to it.
        Patches stay as they are stored.
    partial : bool
        Load what is there instead of failing when something is missing or cannot be read.
    n_jobs : int, optional
        Threads that decode, as in joblib.

    Returns
    -------
    Collection
        `y` is the texture; `split` "1" to "4", the number of the sequence within its texture:
        the protocol tests on each in turn.
    """
    root = existing_folder(_WHAT, folder, _SOURCE)
    if source not in _SOURCES:
        raise _errors.unknown_name("source", source, _SOURCES)
    if source == "auto":
        source = "patches" if (root / _PATCHES).is_file() else "motion"
    if source == "patches":
        if not (root / _PATCHES).is_file():
            raise missing_data(_WHAT, root, _PATCHES, _SOURCE)
        if size is not None:
            raise _errors.invalid(
                "size",
                f"be None with {_PATCHES}",
                size,
                "Its clips are cropped already; source='motion' or 'frames' reads the others.",
            )
        items = _patches(root / _PATCHES)
    else:
        items = _clips(root)
    motion = source == "motion"
    options = FrameOptions(size or _CROP, crop="motion") if motion else FrameOptions(size)
    counts = Counter(item.label for item in items)
    missing = [
        f"{label} has {count} of {_PER_TEXTURE} sequences"
        for label, count in counts.items()
        if count != _PER_TEXTURE
    ]
    if len(counts) != _N_TEXTURES:
        missing.insert(0, f"{len(counts)} of {_N_TEXTURES} textures found")
    check_complete(_WHAT, root, items, missing, partial, _SOURCE)
    return gather(
        items,
        lambda item: _read(item, options),
        description="reading textures",
        reading=Reading(options),
        skip=partial,
        n_jobs=n_jobs,
    )


def _patches(path: Path) -> list[Item]:
    """Clips of ucla_patches.mat, labelled by imagemaster if it is there, else four by four."""
    contents = read_mat(path)
    if "imgdb" not in contents:
        raise _errors.bad_file(path, "hold imgdb", ", ".join(sorted(contents)) or "nothing")
    clips = list(contents["imgdb"])
    if "imagemaster" in contents:
        labels = [_label(path, entry) for entry in contents["imagemaster"]]
    else:
        labels = [f"{index // _PER_TEXTURE + 1:02d}" for index in range(len(clips))]
    if len(labels) != len(clips):
        rule = "hold one entry of imagemaster for each clip of imgdb"
        raise _errors.bad_file(path, rule, f"{len(labels)} entries, {len(clips)} clips")
    found = [_Found(label, f"imgdb {i + 1}", clips[i]) for i, label in enumerate(labels)]
    return _numbered(found)


def _label(path: Path, entry: Any) -> str:
    if not isinstance(entry, dict) or "class" not in entry:
        raise _errors.bad_file(path, "give class in every entry of imagemaster", "one without")
    value = entry["class"]
    return str(value) if isinstance(value, str) else f"{float(np.squeeze(value)):g}"


def _clips(root: Path) -> list[Item]:
    """Videos or folders of frames: <texture>/<any name>, or <texture>_<1 to 4>."""
    found = []
    for path in in_order(root.iterdir()):
        label, number = _ending(path)
        if _is_clip(path):
            if number:
                found.append(_Found(label, path.name, path, number))
        elif path.is_dir():
            inner = in_order([*files_in(path, VIDEO_SUFFIXES), *filter(_is_clip, subfolders(path))])
            found += [
                _Found(path.name, f"{path.name}/{clip.name}", clip, _ending(clip)[1])
                for clip in inner
            ]
    return _numbered(found)


def _is_clip(path: Path) -> bool:
    return holds_images(path) if path.is_dir() else path.suffix.lower() in VIDEO_SUFFIXES


def _ending(path: Path) -> tuple[str, str]:
    """Split candle_3.avi into "candle" and "3"; the number is empty where there is none."""
    name = path.name if path.is_dir() else path.stem
    match = re.fullmatch(r"(?:(.*)[-_ .])?0*([1-4])", name)
    return (match[1] or "", match[2]) if match else (name, "")


def _numbered(found: Sequence[_Found]) -> list[Item]:
    """Number the sequences of each texture by their names where these do, else in order."""
    textures: dict[str, list[_Found]] = {}
    for clip in found:
        textures.setdefault(clip.label, []).append(clip)
    items = []
    for clips in textures.values():
        numbers = [clip.number for clip in clips]
        if not all(numbers) or len(set(numbers)) < len(numbers):
            numbers = [str(number) for number in range(1, len(clips) + 1)]
        items += [
            Item(clip.name, clip.source, clip.label, number)
            for clip, number in zip(clips, numbers, strict=True)
        ]
    return items


def _read(item: Item, options: FrameOptions) -> NDArray[Any]:
    if not isinstance(item.source, Path):
        return patch_of(item)
    read = read_frames if item.source.is_dir() else read_video
    return read(item.source, size=options.size, crop=options.crop)
