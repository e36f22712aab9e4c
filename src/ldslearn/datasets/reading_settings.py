"""How files become sequences: the settings of reading, and how they read one item."""

import math
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._arrays import read_npy
from ldslearn._kinds import advise, recognize
from ldslearn.datasets.channels import TRAINING
from ldslearn.datasets.formats.csv_table import read_csv
from ldslearn.datasets.items import READABLE_ARRAYS, VIDEO_SUFFIXES, is_table
from ldslearn.datasets.recording import Recording, read_timed_table, unknown_rate
from ldslearn.video import lbp_top
from ldslearn.video.frame_options import FrameOptions
from ldslearn.video.frame_rate import pick_frames, read_frame_rate
from ldslearn.video.reading import limit_memory, read_clips

FEATURES = ("pixels", "lbp-top")
_LBP_STEP = 2  # frames from one histogram to the next
_GREY = np.array([0.299, 0.587, 0.114], dtype=np.float32)  # ITU-R 601, as in video files


@dataclass(frozen=True)
class ReadingSettings:
    """How files become sequences; kept with a model, so that new files are read the same way.

    Parameters
    ----------
    frames : FrameOptions
        What to do with the frames of videos, folders of images and ``.npy`` files of frames.
    chunk : bool
        Cut what is longer than ``frames.length`` into several sequences, instead of dropping the
        rest.
    features : "pixels" or "lbp-top"
        Channels are pixels, or histograms of local binary patterns over 8 frames, 6 overlapping.
    time : str, optional
        Time column of tables, by name or number, or "none"; recognised when not given.
    columns : tuple of str, optional
        Columns of tables that are channels, by name or number; all others when not given.
    rate : float, optional
        Time points per second that sequences are resampled to.
    transpose : bool
        Rows of ``.npy`` arrays are time points, and rows of tables are channels.
    channels : tuple of str, optional
        Names that the channels of tables must have, to be put in this order.
    gaps : bool
        Missing values are NaN, and times place the samples of tables on a grid.
    """

    frames: FrameOptions = field(default_factory=FrameOptions)
    chunk: bool = False
    features: str = "pixels"
    time: str | None = None
    columns: tuple[str, ...] | None = None
    rate: float | None = None
    transpose: bool = False
    channels: tuple[str, ...] | None = None
    gaps: bool = False

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
        """Return the settings as plain values that JSON can hold."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "frames"}
        if not self.gaps:  # as in files of releases that did not know it
            del own["gaps"]
        lists = {name: list(own[name]) for name in ("columns", "channels") if own[name]}
        return {**asdict(self.frames), **own, **lists}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "ReadingSettings":
        """Return the settings that :meth:`as_dict` gave."""
        known = {f.name for f in fields(FrameOptions)}
        options: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
            if name in known
        }
        rest = {name: value for name, value in values.items() if name not in known}
        return cls(FrameOptions(**options), **rest)

    def read(self, path: Path) -> list[NDArray[Any]]:
        """Return the (n_channels, n_timepoints) sequences of one item, or its videos as frames.

        One, or with `chunk` perhaps several.
        """
        return self.read_recording(path).parts

    def read_recording(self, path: Path, reference_name: str = TRAINING) -> Recording:
        """Return one item with the names of its channels and its rate.

        `reference_name` names, in messages, the data whose channels it must have.
        """
        suffix = path.suffix.lower()
        if is_table(path):
            return self._read_table(path, reference_name)
        is_video = not path.is_dir() and suffix in VIDEO_SUFFIXES
        rate = read_frame_rate(path) if is_video else None
        if self.rate is not None and (path.is_dir() or suffix in READABLE_ARRAYS):
            raise unknown_rate(path, self.rate)
        if path.is_dir() or is_video:
            clips = self._read_video(path, rate)
            if self.rate is not None and rate is None:  # after reading, which refuses damaged files
                raise _errors.bad_file(
                    path, f"state its frame rate for rate={self.rate:g}", "none",
                    "Leave out rate (--rate), or convert it to a format that states one.",
                )  # fmt: skip
        elif suffix in READABLE_ARRAYS:
            clips = self._read_array(path)
        else:
            rule = "be a video, a folder of images, a table or an array"
            known = f"Known are {', '.join(sorted(VIDEO_SUFFIXES | READABLE_ARRAYS))}."
            raise _errors.bad_file(path, rule, f"the suffix {suffix!r}", advise(suffix) or known)
        rate = self._final_rate(rate)
        if self.features == "lbp-top":
            clips = [lbp_top(clip) for clip in clips]
            rate = None if rate is None else rate / _LBP_STEP
        return Recording(clips, rate=rate)

    def _read_table(self, path: Path, reference_name: str) -> Recording:
        _check_kind(path)
        if self.features == "lbp-top":
            raise _errors.bad_file(path, "hold frames for features='lbp-top'", "a table")
        if self.transpose:
            if self.rate is not None:
                raise unknown_rate(path, self.rate)
            return Recording(self._cut_sequence(read_csv(path, gaps=self.gaps).T))
        found = read_timed_table(
            path, self.time, self.columns, self.rate, self.channels, reference_name,
            gaps=self.gaps,
        )  # fmt: skip
        parts = [part for whole in found.parts for part in self._cut_sequence(whole)]
        return replace(found, parts=parts, rate=self._final_rate(found.rate))

    def _read_video(self, path: Path, rate: float | None) -> list[NDArray[Any]]:
        kind = recognize(path) or ""
        if kind.endswith(" image"):  # decoders would read it as a video of one frame
            remedy = "Rename it; the images of one sequence belong in a folder of their own."
            raise _errors.bad_file(path, "be a video", kind, remedy)
        pick = None
        if self.rate is not None and rate is not None:
            pick = partial(pick_frames, own_rate=rate, rate=self.rate)
        return list(read_clips(path, self.frames, chunk=self.chunk, pick=pick))

    def _read_array(self, path: Path) -> list[NDArray[Any]]:
        array = read_array(path)
        if array.ndim == 2:
            if self.features == "lbp-top":
                raise _errors.bad_file(
                    path, "hold frames for features='lbp-top'", f"shape {array.shape}"
                )
            return self._cut_sequence(array.T if self.transpose else array)
        if array.ndim not in (3, 4) or not array.size:
            raise _errors.bad_file(
                path,
                "hold a (n_channels, n_timepoints) sequence or (n_frames, height, width[, 3]) "
                "frames",
                f"shape {array.shape}",
            )
        if array.ndim == 4 and array.shape[3] not in (1, 3, 4):
            rule = "hold frames of 1, 3 or 4 colours in the last axis"
            raise _errors.bad_file(path, rule, f"shape {array.shape}")
        frames = self.frames.apply(map(_to_colour if self.frames.colour else _to_grey, array), path)
        frames = limit_memory(frames, path, chunk=self.chunk)
        kept = list(islice(frames, None if self.chunk else self.frames.length))
        return [self.frames.finish(kept[span], path) for span in self._find_spans(len(kept))]

    def _final_rate(self, rate: float | None) -> float | None:
        """The rate after resampling and `stride`."""
        kept = rate if self.rate is None else self.rate
        return None if kept is None else float(kept / self.frames.stride)

    def _cut_sequence(self, sequence: NDArray[Any]) -> list[NDArray[Any]]:
        """Apply stride and length to a sequence that is not made of frames."""
        kept = sequence[:, :: self.frames.stride]
        return [kept[:, span] for span in self._find_spans(kept.shape[1])]

    def _find_spans(self, n_timepoints: int) -> list[slice]:
        """The time points of each part: with `chunk` all parts but a last one below half length."""
        length = self.frames.length
        if length is None:
            return [slice(None)]
        starts = range(0, n_timepoints, length) if self.chunk else ()
        spans = [slice(s, s + length) for s in starts if 2 * (n_timepoints - s) >= length]
        return spans or [slice(0, length)]


def read_array(path: Path) -> NDArray[Any]:
    """Return the numbers of an ``.npy`` file, or of a table as (n_channels, n_timepoints)."""
    _check_kind(path)
    if path.suffix.lower() != ".npy":
        return read_csv(path)
    array = read_npy(path)
    if array.dtype.kind not in "fiub":
        raise _errors.bad_file(path, "hold numbers", f"dtype {array.dtype}")
    return array


def _check_kind(path: Path) -> None:
    """Raise if the first bytes of a table or array show that it is something else."""
    kind = recognize(path)
    table = path.suffix.lower() != ".npy"
    if kind not in (None, "a text" if table else "an array (.npy)"):
        rule = "hold numbers" if table else "be an .npy array"
        if kind.startswith("an empty"):
            raise _errors.empty_file(path, rule)
        raise _errors.bad_file(path, rule, kind, "Rename it, or leave it out.")


def _to_grey(frame: NDArray[Any]) -> NDArray[Any]:
    """(height, width) of a frame with any of 0, 1, 3 or 4 colours."""
    if frame.ndim == 2:
        return frame
    return frame[..., 0] if frame.shape[2] == 1 else np.asarray(frame[..., :3] @ _GREY)


def _to_colour(frame: NDArray[Any]) -> NDArray[Any]:
    """(height, width, 3) of the same; the fourth colour, opacity, is dropped."""
    colours = frame[..., None] if frame.ndim == 2 else frame[..., :3]
    return np.broadcast_to(colours, (*frame.shape[:2], 3))
