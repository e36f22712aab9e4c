"""One item of a collection, a file or a folder of images, as sequences."""

from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import read_npy
from ldslearn._kinds import advise, is_system_file, recognize
from ldslearn.datasets.table import read_csv
from ldslearn.video import lbp_top, to_sequence, to_video
from ldslearn.video.reading import FrameOptions, bounded, holds_images, read_clips

VIDEO_SUFFIXES = frozenset({
    ".3gp", ".asf", ".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg",
    ".mpg", ".mts", ".ogv", ".webm", ".wmv",
})  # fmt: skip
ARRAY_SUFFIXES = frozenset({".csv", ".npy", ".tsv"})
# Tables in .txt files are read when they are named, and not looked for: most .txt files are notes.
READABLE_ARRAYS = ARRAY_SUFFIXES | {".txt"}
FEATURES = ("pixels", "lbp-top")
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
    """

    frames: FrameOptions = field(default_factory=FrameOptions)
    chunk: bool = False
    features: str = "pixels"

    def __post_init__(self) -> None:
        if self.features not in FEATURES:
            raise _errors.unknown_name("features", self.features, FEATURES)
        if self.features == "lbp-top" and self.frames.colour:
            raise _errors.invalid_parameter("colour", "be False with features='lbp-top'", True)
        if self.chunk and self.frames.length is None:
            raise _errors.invalid_parameter("length", "be given with chunk=True", None)

    def as_dict(self) -> dict[str, Any]:
        """Arguments of :meth:`from_dict`, fit for JSON."""
        return {**asdict(self.frames), "chunk": self.chunk, "features": self.features}

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
        suffix = path.suffix.lower()
        if path.is_dir() or suffix in VIDEO_SUFFIXES:
            _check_no_image(path)
            clips = list(read_clips(path, self.frames, chunk=self.chunk))
        elif suffix in READABLE_ARRAYS:
            array = read_array(path)
            if array.ndim == 2:
                if self.features == "lbp-top":
                    raise _errors.bad_file(
                        path, "hold frames for features='lbp-top'", f"shape {array.shape}"
                    )
                return self._cut(array)
            if array.ndim not in (3, 4) or not array.size:
                raise _errors.bad_file(
                    path,
                    "hold a (n_channels, n_timepoints) sequence or (n_frames, height, width[, 3]) "
                    "frames",
                    f"shape {array.shape}",
                )
            clips = self._cut_frames(array, path)
        else:
            remedy = advise(suffix) or (
                f"Known are {', '.join(sorted(VIDEO_SUFFIXES | READABLE_ARRAYS))}."
            )
            rule = "be a video, a folder of images, a table or an array"
            raise _errors.bad_file(path, rule, f"the suffix {suffix!r}", remedy)
        return [lbp_top(clip) for clip in clips] if self.features == "lbp-top" else clips

    def _cut(self, sequence: NDArray[Any]) -> list[NDArray[Any]]:
        """Stride and length for a sequence that is not made of frames."""
        kept = sequence[:, :: self.frames.stride]
        length = self.frames.length
        if length is None:
            return [kept]
        if not self.chunk:
            return [kept[:, :length]]
        parts = [kept[:, start : start + length] for start in range(0, kept.shape[1], length)]
        return [part for part in parts if 2 * part.shape[1] >= length] or parts[:1]

    def _cut_frames(self, array: NDArray[Any], path: Path) -> list[NDArray[Any]]:
        if array.ndim == 4 and array.shape[3] not in (1, 3, 4):
            rule = "hold frames of 1, 3 or 4 colours in the last axis"
            raise _errors.bad_file(path, rule, f"shape {array.shape}")
        as_asked = _in_colour if self.frames.colour else _in_grey
        frames = bounded(self.frames.apply(map(as_asked, array), path), path, chunk=self.chunk)
        kept = np.stack(list(islice(frames, None if self.chunk else self.frames.length)))
        once = Reading(FrameOptions(length=self.frames.length), self.chunk)
        return [to_video(part, kept.shape[1:]) for part in once._cut(to_sequence(kept))]


def read_array(path: Path) -> NDArray[Any]:
    """Return the numbers of an ``.npy`` file, or of a table as (n_channels, n_timepoints)."""
    _check_kind(path)
    if path.suffix.lower() != ".npy":
        return read_csv(path)
    array = read_npy(path)
    if array.dtype.kind not in "fiub":
        raise _errors.bad_file(path, "hold numbers", f"dtype {array.dtype}")
    return array


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


def _is_sequence_file(path: Path) -> bool:
    known = path.suffix.lower() in VIDEO_SUFFIXES | ARRAY_SUFFIXES
    return known and not path.name.startswith(".") and path.is_file()


def _in_grey(frame: NDArray[Any]) -> NDArray[Any]:
    """(height, width) of a frame with any of 0, 1, 3 or 4 colours."""
    if frame.ndim == 2:
        return frame
    return frame[..., 0] if frame.shape[2] == 1 else np.asarray(frame[..., :3] @ _GREY)


def _in_colour(frame: NDArray[Any]) -> NDArray[Any]:
    """(height, width, 3) of the same; a fourth colour is how opaque a pixel is, and is dropped."""
    colours = frame[..., None] if frame.ndim == 2 else frame[..., :3]
    return np.broadcast_to(colours, (*frame.shape[:2], 3))
