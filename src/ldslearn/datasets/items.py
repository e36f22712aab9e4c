"""One item of a collection, a file or a folder of images, as sequences."""

import math
import os
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import read_npy
from ldslearn._kinds import advise, is_system_file, recognize
from ldslearn.datasets.channels import TRAINING
from ldslearn.datasets.formats.table import read_csv
from ldslearn.datasets.formats.timed_table import read_timed, unknown_rate
from ldslearn.datasets.recording import Recording
from ldslearn.video import lbp_top, to_sequence, to_video
from ldslearn.video.options import FrameOptions
from ldslearn.video.rates import pick_frames, read_frame_rate
from ldslearn.video.reading import IMAGE_SUFFIXES, bounded, holds_images, read_clips

VIDEO_SUFFIXES = frozenset({
    ".3gp", ".asf", ".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg",
    ".mpg", ".mts", ".ogv", ".webm", ".wmv",
})  # fmt: skip
ARRAY_SUFFIXES = frozenset({".csv", ".npy", ".tsv"})
# Tables in .txt files are read when they are named, and not looked for: most .txt files are notes.
READABLE_ARRAYS = ARRAY_SUFFIXES | {".txt"}
FEATURES = ("pixels", "lbp-top")
_LBP_STEP = 2  # frames from one histogram to the next
_GREY = np.array([0.299, 0.587, 0.114], dtype=np.float32)  # ITU-R 601, as in video files


@dataclass(frozen=True)
class Reading:
    """How files become sequences: kept with a model, so that new files are treated alike.

    Parameters
    ----------
    frames : FrameOptions
        What to do with the frames of videos, folders of images and ``.npy`` files of frames.
    chunk : bool
        Cut what is longer than ``frames.length`` into several sequences, instead of dropping it.
    features : "pixels" or "lbp-top"
        Channels are pixels, or histograms of local binary patterns over 8 frames, 6 overlapping.
    time : str, optional
        Column of time of tables, by name or number, or "none"; recognised when not given.
    columns : tuple of str, optional
        Columns of tables that are channels, by name or number; all others when not given.
    rate : float, optional
        Time points per second that sequences are resampled to.
    transpose : bool
        Rows of ``.npy`` arrays are time points, and rows of tables are channels.
    channels : tuple of str, optional
        Names that the channels of tables must have, to be put in this order.
    """

    frames: FrameOptions = field(default_factory=FrameOptions)
    chunk: bool = False
    features: str = "pixels"
    time: str | None = None
    columns: tuple[str, ...] | None = None
    rate: float | None = None
    transpose: bool = False
    channels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("columns", "channels"):
            texts = getattr(self, name)
            if texts is not None:
                texts = (texts,) if isinstance(texts, str) else tuple(map(str, texts))
                object.__setattr__(self, name, texts)
                if not texts or (name == "columns" and len(set(texts)) < len(texts)):
                    raise _errors.invalid_parameter(name, "name each channel once", texts)
        if self.time is not None:
            object.__setattr__(self, "time", str(self.time))
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise _errors.invalid_parameter(
                "rate", "be positive, in time points per second", self.rate
            )
        if self.features not in FEATURES:
            raise _errors.unknown_name("features", self.features, FEATURES)
        if self.features == "lbp-top" and self.frames.colour:
            raise _errors.invalid_parameter("colour", "be False with features='lbp-top'", True)
        if self.chunk and self.frames.length is None:
            raise _errors.invalid_parameter("length", "be given with chunk=True", None)

    def as_dict(self) -> dict[str, Any]:
        """Arguments of :meth:`from_dict`, fit for JSON."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "frames"}
        lists = {name: list(own[name]) for name in ("columns", "channels") if own[name]}
        return {**asdict(self.frames), **own, **lists}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Reading":
        """Inverse of :meth:`as_dict`."""
        known = {f.name for f in fields(FrameOptions)}
        options: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
            if name in known
        }
        rest = {name: value for name, value in values.items() if name not in known}
        return cls(FrameOptions(**options), **rest)

    def read(self, path: Path) -> list[NDArray[Any]]:
        """Return what one item holds: (n_channels, n_timepoints) sequences, or videos as frames.

        One, or with `chunk` perhaps several.
        """
        return self.read_recording(path).parts

    def read_recording(self, path: Path, like: str = TRAINING) -> Recording:
        """Return the same with the names of its channels and its rate.

        `like` says in messages whose channels it must have.
        """
        suffix = path.suffix.lower()
        if is_table(path):
            return self._read_table(path, like)
        rate = (
            None if path.is_dir() else read_frame_rate(path) if suffix in VIDEO_SUFFIXES else None
        )
        if self.rate is not None and rate is None and (path.is_dir() or suffix in READABLE_ARRAYS):
            raise unknown_rate(path, self.rate)
        clips = self._read_clips(path, suffix, rate)
        rate = self._rate_after(rate)
        if self.features == "lbp-top":
            clips = [lbp_top(clip) for clip in clips]
            rate = None if rate is None else rate / _LBP_STEP
        return Recording(clips, rate=rate)

    def _read_table(self, path: Path, like: str) -> Recording:
        _check_kind(path)
        if self.features == "lbp-top":
            raise _errors.bad_file(path, "hold frames for features='lbp-top'", "a table")
        if self.transpose:
            if self.rate is not None:
                raise unknown_rate(path, self.rate)
            return Recording(self._cut(read_csv(path).T))
        found = read_timed(path, self.time, self.columns, self.rate, self.channels, like)
        if self.channels is not None:
            found = found.order_channels(path, self.channels, like)
        parts = [part for whole in found.parts for part in self._cut(whole)]
        return replace(found, parts=parts, rate=self._rate_after(found.rate))

    def _rate_after(self, rate: float | None) -> float | None:
        """The rate of what is kept of a file."""
        kept = rate if self.rate is None else self.rate
        return None if kept is None else float(kept / self.frames.stride)

    def _read_clips(self, path: Path, suffix: str, rate: float | None) -> list[NDArray[Any]]:
        """Videos, or sequences of an array."""
        if path.is_dir() or suffix in VIDEO_SUFFIXES:
            _check_no_image(path)
            wanted = self.rate
            if wanted is None or rate is None:
                return list(read_clips(path, self.frames, chunk=self.chunk))
            pick = partial(pick_frames, own_rate=rate, rate=wanted)
            return list(read_clips(path, self.frames, chunk=self.chunk, pick=pick))
        if suffix in READABLE_ARRAYS:
            array = read_array(path)
            if array.ndim == 2:
                if self.features == "lbp-top":
                    raise _errors.bad_file(
                        path, "hold frames for features='lbp-top'", f"shape {array.shape}"
                    )
                return self._cut(array.T if self.transpose else array)
            if array.ndim not in (3, 4) or not array.size:
                raise _errors.bad_file(
                    path,
                    "hold a (n_channels, n_timepoints) sequence or (n_frames, height, width[, 3]) "
                    "frames",
                    f"shape {array.shape}",
                )
            return self._cut_frames(array, path)
        remedy = advise(suffix) or (
            f"Known are {', '.join(sorted(VIDEO_SUFFIXES | READABLE_ARRAYS))}."
        )
        rule = "be a video, a folder of images, a table or an array"
        raise _errors.bad_file(path, rule, f"the suffix {suffix!r}", remedy)

    def _cut(self, sequence: NDArray[Any]) -> list[NDArray[Any]]:
        """Stride and length for a sequence that is not made of frames."""
        kept = sequence[:, :: self.frames.stride]
        length = self.frames.length
        if length is None:
            return [kept]
        if not self.chunk:
            return [kept[:, :length]]
        parts = [kept[:, start : start + length] for start in range(0, kept.shape[1], length)]
        return [part for part in parts if 2 * part.shape[1] >= length] or [kept[:, :length]]

    def _cut_frames(self, array: NDArray[Any], path: Path) -> list[NDArray[Any]]:
        if array.ndim == 4 and array.shape[3] not in (1, 3, 4):
            rule = "hold frames of 1, 3 or 4 colours in the last axis"
            raise _errors.bad_file(path, rule, f"shape {array.shape}")
        as_asked = _in_colour if self.frames.colour else _in_grey
        frames = bounded(self.frames.apply(map(as_asked, array), path), path, chunk=self.chunk)
        kept = np.stack(list(islice(frames, None if self.chunk else self.frames.length)))
        once = Reading(FrameOptions(length=self.frames.length), self.chunk)
        parts = [to_video(part, kept.shape[1:]) for part in once._cut(to_sequence(kept))]
        return [self.frames.finish(part, path) for part in parts]


def read_array(path: Path) -> NDArray[Any]:
    """Return the numbers of an ``.npy`` file, or of a table as (n_channels, n_timepoints)."""
    _check_kind(path)
    if path.suffix.lower() != ".npy":
        return read_csv(path)
    array = read_npy(path)
    if array.dtype.kind not in "fiub":
        raise _errors.bad_file(path, "hold numbers", f"dtype {array.dtype}")
    return array


def is_table(path: Any) -> bool:
    """Whether a path is a file that is read as a table of text."""
    suffix = path.suffix.lower() if isinstance(path, Path) else ""
    return suffix in READABLE_ARRAYS and suffix != ".npy" and not path.is_dir()


def _check_no_image(path: Path) -> None:
    """Raise if a file with the suffix of a video is one image: decoders would not mind."""
    kind = recognize(path) or ""
    if kind.endswith(" image"):
        remedy = "Rename it; the images of one sequence belong in a folder of their own."
        raise _errors.bad_file(path, "be a video", kind, remedy)


def _check_kind(path: Path) -> None:
    """Raise if the first bytes of a table or array say that it is something else."""
    kind = recognize(path)
    table = path.suffix.lower() != ".npy"
    if kind not in (None, "a text" if table else "an array (.npy)"):
        rule = "hold numbers" if table else "be an .npy array"
        if kind.startswith("an empty"):
            raise _errors.empty_file(path, rule)
        raise _errors.bad_file(path, rule, kind, "Rename it, or leave it out.")


def is_item(path: Path) -> bool:
    """Whether a path looks like one sequence: a file by its suffix, or a folder of images.

    A folder that holds videos or arrays beside images is none: it holds several sequences, and
    pictures that belong to none.
    """
    if is_system_file(path):
        return False
    if path.is_dir():
        return holds_images(path) and not any(map(_is_sequence_file, path.iterdir()))
    return _is_sequence_file(path)


def is_item_name(path: Path) -> bool:
    """Whether a file of that name would be read as an item of its folder, or as an image of one."""
    known = VIDEO_SUFFIXES | ARRAY_SUFFIXES | IMAGE_SUFFIXES
    return path.suffix.lower() in known and not is_system_file(path)


def _is_sequence_file(path: Path) -> bool:
    """By its name: what is a pipe, or a link that leads nowhere, fails when it is read."""
    known = path.suffix.lower() in VIDEO_SUFFIXES | ARRAY_SUFFIXES
    return known and not path.name.startswith(".") and os.path.lexists(path) and not path.is_dir()


def _in_grey(frame: NDArray[Any]) -> NDArray[Any]:
    """(height, width) of a frame with any of 0, 1, 3 or 4 colours."""
    if frame.ndim == 2:
        return frame
    return frame[..., 0] if frame.shape[2] == 1 else np.asarray(frame[..., :3] @ _GREY)


def _in_colour(frame: NDArray[Any]) -> NDArray[Any]:
    """(height, width, 3) of the same; a fourth colour is how opaque a pixel is, and is dropped."""
    colours = frame[..., None] if frame.ndim == 2 else frame[..., :3]
    return np.broadcast_to(colours, (*frame.shape[:2], 3))
