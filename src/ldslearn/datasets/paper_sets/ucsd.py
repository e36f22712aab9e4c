"""UCSD highway traffic: light, medium or heavy, in four official trials."""

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn.datasets.collection import UNUSED, Collection
from ldslearn.datasets.formats.mat import read_mat
from ldslearn.datasets.items import Item
from ldslearn.datasets.paper_sets.layouts import SETS, find_variable, read_patch
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.video import read_video
from ldslearn.video.frame_options import FrameOptions

_N_TRIALS = 4
_LABELS = ("light", "medium", "heavy")
_PATCHES = {"patches": "traffic_patches.mat", "patches_reg": "traffic_patches_reg.mat"}


def load_ucsd(
    folder: str | PathLike[str],
    *,
    trial: int = 1,
    source: str = "patches",
    size: tuple[int, int] | None = (48, 48),
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    r"""Return UCSD traffic: 254 clips of a highway, grey, 42 to 52 frames.

    Parameters
    ----------
    folder : str or path
        The unpacked trafficdb.
    trial : {1, 2, 3, 4}, default=1
        Which of the four published trials `split` holds; `trials` holds all of them.
    source : {"patches", "patches_reg", "video"}, default="patches"
        The 48 x 48 crops of the authors (traffic_patches.mat), their second file of crops
        (traffic_patches_reg.mat), or whole frames of ``video/*.avi``.
    size : (height, width) or None, default=(48, 48)
        Size of frames for source="video"; patches stay as they are stored.
    partial : bool, default=False
        Load what is there instead of failing when clips are missing or cannot be read.
    n_jobs : int or None, default=None
        Threads that decode, as in joblib.

    Returns
    -------
    Collection
        `y` is "light", "medium" or "heavy"; `split` "train" or "test" ("unused" for a clip that
        the trial does not list); `trials` the same of all four, (254, 4); `names` the clips, in the
        order of ImageMaster.

    References
    ----------
    .. [1] A. B. Chan, N. Vasconcelos, "Probabilistic kernels for the classification of
       auto-regressive visual processes", CVPR 2005.
    .. [2] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    A folder with two clips, one to train on and one to test in each trial:

    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import load_ucsd, make_dynamic_textures
    >>> from ldslearn.video import write_video
    >>> videos, _ = make_dynamic_textures(["drifting"], 2, size=48, n_frames=42, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     root = Path(folder)
    ...     _ = (root / "ImageMaster").write_text("1 first light\n2 second heavy\n")
    ...     _ = (root / "EvalSet_train").write_text("1\n1\n2\n2\n")
    ...     _ = (root / "EvalSet_test").write_text("2\n2\n1\n1\n")
    ...     (root / "video").mkdir()
    ...     for name, video in zip(["first", "second"], videos):
    ...         write_video(root / "video" / f"{name}.avi", 255 * video)
    ...     data = load_ucsd(root, trial=3, source="video", partial=True)
    >>> data.names, data.y.tolist(), data.split.tolist()
    (('first', 'second'), ['light', 'heavy'], ['test', 'train'])
    """
    if trial not in range(1, _N_TRIALS + 1):
        raise _errors.invalid_parameter("trial", "be 1, 2, 3 or 4", trial)
    if source not in (*_PATCHES, "video"):
        raise _errors.unknown_name("source", source, (*_PATCHES, "video"))
    traffic = SETS["ucsd"]
    root = traffic.find_root(folder)
    clips = _read_master(root)
    indices = [index for index, _, _ in clips]
    trials = [_read_trial(root, one, indices) for one in range(1, _N_TRIALS + 1)]
    gaps = []
    if len(clips) < traffic.n_sequences:
        gaps.append(f"ImageMaster lists {len(clips)} of {traffic.n_sequences} clips")
    video = source == "video"
    if video:
        paths = [root / "video" / f"{name}.avi" for _, name, _ in clips]
        absent = [path.name for path in paths if not path.is_file()]
        if absent:
            gaps.append(f"video has {len(clips) - len(absent)} of {len(clips)} clips")
            gaps += [f"no video/{name}" for name in absent]
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
    read = (lambda item: read_video(item.source, size=size)) if video else read_patch
    settings = ReadingSettings(FrameOptions(size if video else None))
    data = traffic.read(root, items, gaps, read, settings, partial, n_jobs)
    assert data.split is not None  # every item has its parts
    found = np.array([parts.split() for parts in data.split])
    return replace(data, split=found[:, trial - 1], trials=found)


def _read_master(root: Path) -> list[tuple[int, str, str]]:
    """Return (index, name, label) of every clip, by index: ImageMaster, else ImageMaster.mat."""
    path = root / "ImageMaster"
    if path.is_file():
        clips = [_parse_clip(path, number, line) for number, line in _read_lines(path)]
    elif (path := root / "ImageMaster.mat").is_file():
        entries = find_variable(path, read_mat(path), "imagemaster")
        if not all(
            isinstance(entry, dict) and {"root", "class"} <= set(entry) for entry in entries
        ):
            raise _errors.bad_file(path, "give root and class in imagemaster", "one without")
        clips = [
            (index, str(entry["root"]), str(entry["class"]))
            for index, entry in enumerate(entries, start=1)
        ]
    else:
        raise SETS["ucsd"].missing(root, "ImageMaster")
    for index, _, label in clips:
        if label not in _LABELS:
            rule = f"give every clip a class of {', '.join(_LABELS)}"
            raise _errors.bad_file(path, rule, f"{label!r} for clip {index}")
    if len({index for index, _, _ in clips}) != len(clips):
        raise _errors.bad_file(path, "number every clip differently", "a number twice")
    return sorted(clips)


def _parse_clip(path: Path, number: int, line: str) -> tuple[int, str, str]:
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
            rows = [_parse_trial(path, number, line) for number, line in _read_lines(path)]
        elif (path := root / "EvalSet.mat").is_file():
            found = find_variable(path, read_mat(path), f"{part}ind")
            rows = [np.ravel(row).astype(int).tolist() for row in found]
        else:
            raise SETS["ucsd"].missing(root, f"EvalSet_{part}")
        if len(rows) != _N_TRIALS:
            raise _errors.bad_file(path, f"hold {_N_TRIALS} trials", f"{len(rows)} rows")
        parts[part] = set(rows[trial - 1])
        unknown = sorted(parts[part].difference(indices))
        if unknown:
            raise _errors.bad_file(
                path, "list clips of ImageMaster", f"{_errors.list_some(unknown)} in trial {trial}"
            )
    both = sorted(parts["train"] & parts["test"])
    if both:
        reason = f"clip {_errors.list_some(both)} in both in trial {trial}"
        raise _errors.bad_file(path, "list clips that are not in EvalSet_train", reason)
    return [
        "train" if index in parts["train"] else "test" if index in parts["test"] else UNUSED
        for index in indices
    ]


def _parse_trial(path: Path, number: int, line: str) -> list[int]:
    fields = line.replace(",", " ").split()
    if not all(field.isdecimal() for field in fields):
        raise _errors.bad_file(path, "list numbers of clips", f"line {number} with other text")
    return [int(field) for field in fields]


def _read_lines(path: Path) -> list[tuple[int, str]]:
    """Return the numbered lines of a text file but for blank ones and # comments."""
    lines = path.read_text(encoding="latin-1").splitlines()
    stripped = [(number, line.strip()) for number, line in enumerate(lines, start=1)]
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def _read_patches(path: Path, n_clips: int) -> list[Any]:
    if not path.is_file():
        raise SETS["ucsd"].missing(path.parent, path.name)
    patches = list(find_variable(path, read_mat(path), "imgdb"))
    if len(patches) != n_clips:
        rule = f"hold {n_clips} clips in imgdb, as ImageMaster lists"
        raise _errors.bad_file(path, rule, len(patches))
    return patches
