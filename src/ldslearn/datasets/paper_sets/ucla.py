"""UCLA dynamic textures: 50 textures, four sequences of each."""

import re
from collections import Counter
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.mat import read_mat
from ldslearn.datasets.items import (
    VIDEO_SUFFIXES,
    Item,
    list_files,
    list_subfolders,
    sort_paths,
)
from ldslearn.datasets.paper_sets.layouts import SETS, find_variable, format_label, read_patch
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.video import read_frames, read_video
from ldslearn.video.frame_options import FrameOptions
from ldslearn.video.reading import has_images

_PATCHES = "ucla_patches.mat"
_SOURCES = ("auto", "patches", "motion", "frames")
_CROP = (48, 48)  # Sec. 9.1


def load_ucla(
    folder: str | PathLike[str],
    *,
    source: str = "auto",
    size: tuple[int, int] | None = None,
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return the UCLA dynamic textures: 200 grey sequences of 75 frames, four per texture.

    Parameters
    ----------
    folder : str or path
        Where ucla_patches.mat is, or videos or folders of frames.
    source : {"auto", "patches", "motion", "frames"}, default="auto"
        The published patches of 48 x 48 pixels (ucla_patches.mat); the part of each clip whose
        pixels vary most over time (:func:`ldslearn.video.crop_to_motion`; in [2]_ clips are cropped
        to their motion); or whole frames. "auto" takes the patches if their file is there, else the
        motion.
    size : (height, width) or None, default=None
        With "motion" the size of the part, 48 x 48 when None. Whole frames are resized to it.
        Patches stay as they are stored.
    partial : bool, default=False
        Load what is there instead of failing when something is missing or cannot be read.
    n_jobs : int or None, default=None
        Threads that decode, as in joblib.

    Returns
    -------
    Collection
        `y` is the texture; `split` "1" to "4", the number of the sequence within its texture:
        the protocol tests on each in turn.

    References
    ----------
    .. [1] P. Saisan, G. Doretto, Y. N. Wu, S. Soatto, "Dynamic texture recognition", CVPR 2001.
    .. [2] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    A folder with two sequences of one texture:

    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import load_ucla, make_dynamic_textures
    >>> from ldslearn.video import write_video
    >>> videos, _ = make_dynamic_textures(["flame"], 2, size=60, n_frames=75, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number, video in enumerate(videos, start=1):
    ...         write_video(Path(folder) / f"candle_{number}.avi", 255 * video)
    ...     data = load_ucla(folder, partial=True)
    >>> data.y.tolist(), data.split.tolist(), data.frame_shape
    (['candle', 'candle'], ['1', '2'], (48, 48))
    """
    textures = SETS["ucla"]
    root = textures.find_root(folder)
    if source not in _SOURCES:
        raise _errors.unknown_name("source", source, _SOURCES)
    if source == "auto":
        source = "patches" if (root / _PATCHES).is_file() else "motion"
    if source == "patches":
        if not (root / _PATCHES).is_file():
            raise textures.missing(root, _PATCHES)
        if size is not None:
            raise _errors.invalid(
                "size",
                f"be None with {_PATCHES}",
                size,
                "Its clips are cropped already; source='motion' or 'frames' reads the others.",
            )
        items = _list_patches(root / _PATCHES)
    else:
        items = _list_clips(root)
    motion = source == "motion"
    options = FrameOptions(size or _CROP, crop="motion") if motion else FrameOptions(size)
    gaps = textures.list_gaps(Counter(item.label for item in items), textures.n_parts)
    items, settings = _number_sequences(items), ReadingSettings(options)
    return textures.read(
        root, items, gaps, lambda item: _read_clip(item, options), settings, partial, n_jobs
    )


def _list_patches(path: Path) -> list[Item]:
    """Clips of ucla_patches.mat, labelled by imagemaster if it is there, else four by four."""
    contents = read_mat(path)
    clips = list(find_variable(path, contents, "imgdb"))
    if "imagemaster" in contents:
        labels = [_find_label(path, entry) for entry in contents["imagemaster"]]
    else:
        labels = [f"{index // 4 + 1:02d}" for index in range(len(clips))]
    if len(labels) != len(clips):
        rule = "hold one entry of imagemaster for each clip of imgdb"
        raise _errors.bad_file(path, rule, f"{len(labels)} entries, {len(clips)} clips")
    return [Item(f"imgdb {i + 1}", clips[i], label) for i, label in enumerate(labels)]


def _find_label(path: Path, entry: Any) -> str:
    if not isinstance(entry, dict) or "class" not in entry:
        raise _errors.bad_file(path, "give class in every entry of imagemaster", "one without")
    return format_label(entry["class"])


def _list_clips(root: Path) -> list[Item]:
    """Videos or folders of frames: <texture>/<any name>, or <texture>_<1 to 4>."""
    items = []
    for path in sort_paths(root.iterdir()):
        label, number = _split_number(path)
        if _is_clip(path):
            if number:
                items.append(Item(path.name, path, label, number))
        elif path.is_dir():
            clips = [*list_files(path, VIDEO_SUFFIXES), *filter(_is_clip, list_subfolders(path))]
            items += [
                Item(f"{path.name}/{clip.name}", clip, path.name, _split_number(clip)[1])
                for clip in sort_paths(clips)
            ]
    return items


def _is_clip(path: Path) -> bool:
    return has_images(path) if path.is_dir() else path.suffix.lower() in VIDEO_SUFFIXES


def _split_number(path: Path) -> tuple[str, str]:
    """Split candle_3.avi into "candle" and "3"; the number is empty where there is none."""
    name = path.name if path.is_dir() else path.stem
    match = re.fullmatch(r"(?:(.*)[-_ .])?0*([1-4])", name)
    return (match[1] or "", match[2]) if match else (name, "")


def _number_sequences(items: list[Item]) -> list[Item]:
    """Number the sequences of each texture, in `split`, by their names or else in order."""
    textures: dict[str | None, list[Item]] = {}
    for item in items:
        textures.setdefault(item.label, []).append(item)
    numbered = []
    for clips in textures.values():
        numbers = {clip.split for clip in clips}
        if all(numbers) and len(numbers) == len(clips):
            numbered += clips
        else:
            numbered += [replace(clip, split=str(i)) for i, clip in enumerate(clips, start=1)]
    return numbered


def _read_clip(item: Item, options: FrameOptions) -> NDArray[Any]:
    if not isinstance(item.source, Path):
        return read_patch(item)
    read = read_frames if item.source.is_dir() else read_video
    return read(item.source, size=options.size, crop=options.crop)
