"""UCSD highway traffic: light, medium or heavy, in four official trials."""

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn.datasets.collection import UNUSED, Collection
from ldslearn.datasets.formats.mat import read_mat
from ldslearn.datasets.gathering import (
    Item,
    check_complete,
    existing_folder,
    gather,
    missing_data,
    patch_of,
)
from ldslearn.datasets.items import Reading
from ldslearn.video import read_video
from ldslearn.video.options import FrameOptions

_WHAT = "the UCSD traffic database"
_N_CLIPS = 254
_N_TRIALS = 4
_LABELS = ("light", "medium", "heavy")
_PATCHES = {"patches": "traffic_patches.mat", "patches_reg": "traffic_patches_reg.mat"}
_SOURCE = (
    "Get trafficdb from the Statistical Visual Computing Lab of UC San Diego (Chan and "
    "Vasconcelos, 2005) and unpack it with ImageMaster, EvalSet_train, EvalSet_test, "
    "traffic_patches.mat and video/*.avi side by side."
)


def load_ucsd(
    folder: str | PathLike[str],
    *,
    trial: int = 1,
    source: str = "patches",
    size: tuple[int, int] | None = (48, 48),
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return UCSD traffic: 254 clips of a highway, grey, 42 to 52 frames (Sec. 9).

    Parameters
    ----------
    folder : path
        The unpacked trafficdb.
    trial : 1, 2, 3 or 4
        Which of the four published trials `split` holds; `trials` holds all of them.
    source : {"patches", "patches_reg", "video"}
        The 48 x 48 crops of the authors (traffic_patches.mat), their second file of crops
        (traffic_patches_reg.mat), or whole frames of video/*.avi.
    size : (height, width) or None
        Size of frames for source="video"; patches stay as they are stored.
    partial : bool
        Load what is there instead of failing when clips are missing or cannot be read.
    n_jobs : int, optional
        Threads that decode, as in joblib.

    Returns
    -------
    Collection
        `y` is "light", "medium" or "heavy"; `split` "train" or "test" ("unused" for a clip that
        the trial does not list); `trials` the same of all four, (254, 4); `names` the clips, in the
        order of ImageMaster.
    """
    if trial not in range(1, _N_TRIALS + 1):
        raise _errors.invalid_parameter("trial", "be 1, 2, 3 or 4", trial)
    if source not in (*_PATCHES, "video"):
        raise _errors.unknown_name("source", source, (*_PATCHES, "video"))
    root = existing_folder(_WHAT, folder, _SOURCE)
    clips = _read_master(root)
    indices = [index for index, _, _ in clips]
    trials = [_read_trial(root, one, indices) for one in range(1, _N_TRIALS + 1)]
    missing = [f"ImageMaster lists {len(clips)} of {_N_CLIPS} clips"]
    missing = missing if len(clips) < _N_CLIPS else []

    if source == "video":
        paths = [root / "video" / f"{name}.avi" for _, name, _ in clips]
        absent = [path.name for path in paths if not path.is_file()]
        if absent:
            missing.append(f"video has {len(clips) - len(absent)} of {len(clips)} clips")
            missing += [f"no video/{name}" for name in absent]
        sources: list[Any] = [path if path.is_file() else None for path in paths]
    else:
        sources = _read_patches(root / _PATCHES[source], len(clips))
    items = [
        Item(name, where, label, " ".join(parts))
        for (_, name, label), parts, where in zip(
            clips, zip(*trials, strict=True), sources, strict=True
        )
        if where is not None
    ]
    check_complete(_WHAT, root, items, missing, partial, _SOURCE)
    video = source == "video"
    data = gather(
        items,
        (lambda item: read_video(item.source, size=size)) if video else patch_of,
        description="reading traffic",
        reading=Reading(FrameOptions(size if video else None)),
        skip=partial,
        n_jobs=n_jobs,
    )
    assert data.split is not None  # every item has its parts
    found = np.array([parts.split() for parts in data.split])
    return replace(data, split=found[:, trial - 1], trials=found)


def _read_master(root: Path) -> list[tuple[int, str, str]]:
    """Return (index, name, label) of every clip, by index: ImageMaster, else ImageMaster.mat."""
    path = root / "ImageMaster"
    if path.is_file():
        clips = [_master_line(path, number, line) for number, line in _lines(path)]
    elif (path := root / "ImageMaster.mat").is_file():
        entries = _field(path, "imagemaster")
        if not all(
            isinstance(entry, dict) and {"root", "class"} <= set(entry) for entry in entries
        ):
            raise _errors.bad_file(path, "give root and class in imagemaster", "one without")
        clips = [
            (index, str(entry["root"]), str(entry["class"]))
            for index, entry in enumerate(entries, start=1)
        ]
    else:
        raise missing_data(_WHAT, root, "ImageMaster", _SOURCE)
    for index, _, label in clips:
        if label not in _LABELS:
            rule = f"give every clip a class of {', '.join(_LABELS)}"
            raise _errors.bad_file(path, rule, f"{label!r} for clip {index}")
    if len({index for index, _, _ in clips}) != len(clips):
        raise _errors.bad_file(path, "number every clip differently", "a number twice")
    return sorted(clips)


def _master_line(path: Path, number: int, line: str) -> tuple[int, str, str]:
    fields = line.split()
    if len(fields) < 3 or not fields[0].isdecimal():
        raise _errors.bad_file(
            path, "list index, clip and class in every line", f"{line!r} in line {number}"
        )
    return int(fields[0]), fields[1], fields[2].lower()


def _read_trial(root: Path, trial: int, indices: list[int]) -> list[str]:
    """Return "train", "test" or "unused" for every clip: EvalSet_train and _test, or .mat."""
    parts: dict[str, set[int]] = {}
    for part in ("train", "test"):
        path = root / f"EvalSet_{part}"
        if path.is_file():
            rows = [_trial_line(path, number, line) for number, line in _lines(path)]
        elif (path := root / "EvalSet.mat").is_file():
            rows = [np.ravel(row).astype(int).tolist() for row in _field(path, f"{part}ind")]
        else:
            raise missing_data(_WHAT, root, f"EvalSet_{part}", _SOURCE)
        if len(rows) != _N_TRIALS:
            raise _errors.bad_file(path, f"hold {_N_TRIALS} trials", f"{len(rows)} rows")
        parts[part] = set(rows[trial - 1])
        unknown = sorted(parts[part].difference(indices))
        if unknown:
            raise _errors.bad_file(
                path,
                "list clips of ImageMaster",
                f"{_errors.list_some(unknown)} in trial {trial}",
            )
    both = sorted(parts["train"] & parts["test"])
    if both:
        reason = f"clip {_errors.list_some(both)} in both in trial {trial}"
        raise _errors.bad_file(path, "list clips that are not in EvalSet_train", reason)
    return [
        "train" if index in parts["train"] else "test" if index in parts["test"] else UNUSED
        for index in indices
    ]


def _trial_line(path: Path, number: int, line: str) -> list[int]:
    fields = line.replace(",", " ").split()
    if not all(field.isdecimal() for field in fields):
        raise _errors.bad_file(path, "list numbers of clips", f"line {number} with other text")
    return [int(field) for field in fields]


def _lines(path: Path) -> list[tuple[int, str]]:
    """Return the numbered lines of a text file but for blank ones and # comments."""
    lines = path.read_text(encoding="latin-1").splitlines()
    stripped = [(number, line.strip()) for number, line in enumerate(lines, start=1)]
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def _field(path: Path, name: str) -> Any:
    contents = read_mat(path)
    if name not in contents:
        raise _errors.bad_file(path, f"hold {name}", ", ".join(sorted(contents)) or "nothing")
    return contents[name]


def _read_patches(path: Path, n_clips: int) -> list[Any]:
    if not path.is_file():
        raise missing_data(_WHAT, path.parent, path.name, _SOURCE)
    patches = list(_field(path, "imgdb"))
    if len(patches) != n_clips:
        rule = f"hold {n_clips} clips in imgdb, as ImageMaster lists"
        raise _errors.bad_file(path, rule, len(patches))
    return patches
