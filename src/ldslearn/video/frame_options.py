"""Settings of frames: which are kept, and how they are cropped and resized."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._types import Pixels
from ldslearn.video.motion import crop_to_motion
from ldslearn.video.resizing import resize

Crop = tuple[int, int, int, int] | Literal["motion"] | None

_ENLARGED = 16  # how many times its pixels a frame may be resized to
_ALWAYS = 2**18  # pixels that any frame may be resized to
_LONGEST_SIDE = 10_000  # pixels of `size` and `crop`


@dataclass(frozen=True)
class FrameOptions:
    """Which frames are kept, cropped and resized; see :func:`ldslearn.video.read_video`."""

    size: tuple[int, int] | None = None
    colour: bool = False
    crop: Crop = None
    stride: int = 1
    length: int | None = None

    def __post_init__(self) -> None:
        _check_lengths("size", self.size, "(height, width)", (1, 1))
        if self.crop != "motion":
            meaning = "(top, left, height, width) or 'motion'"
            _check_lengths("crop", self.crop, meaning, (0, 0, 1, 1))
        elif self.size is None:
            raise _errors.invalid(
                "size", "be given with crop='motion'", None,
                "Give the size of the part to keep: (48, 48), --size 48x48.",
            )  # fmt: skip
        check_whole("stride", self.stride)
        if self.length is not None:
            check_whole("length", self.length)

    def apply(self, frames: Iterable[NDArray[Any]], source: Path) -> Iterator[NDArray[Any]]:
        """Yield every `stride`-th frame, cropped and resized; :meth:`finish` makes a clip of them.

        Frames that are not resized keep their type: bytes take a quarter of the memory.
        """
        shape: tuple[int, ...] | None = None
        for frame in islice(frames, 0, None, self.stride):
            cropped = frame
            if self.crop is not None and self.crop != "motion":
                top, left, height, width = self.crop
                cropped = frame[top : top + height, left : left + width]
                if cropped.shape[:2] != (height, width):
                    raise _errors.bad_file(
                        source,
                        f"have frames that hold crop={self.crop}",
                        f"frames of {frame.shape[0]} x {frame.shape[1]} pixels",
                    )
            if self.size is not None and self.crop != "motion":
                self._check_enlarging(cropped, source)
                cropped = resize(cropped, self.size)
            elif cropped is not frame:
                cropped = cropped.copy()  # a view would keep the whole frame in memory
            if shape is not None and cropped.shape != shape:
                raise _errors.bad_file(
                    source,
                    "have frames of one size",
                    f"{shape[:2]} and {cropped.shape[:2]}",
                    "Give one size: --size HEIGHTxWIDTH, or size=(height, width) in Python.",
                )
            shape = cropped.shape
            yield cropped

    def finish(self, frames: Sequence[NDArray[Any]], source: Path) -> Pixels:
        """Return a whole clip of frames, cropped to its motion if `crop` is "motion"."""
        clip = np.stack(frames, dtype=np.float32, casting="unsafe")
        if self.crop != "motion":
            return clip
        assert self.size is not None
        if clip.shape[1] < self.size[0] or clip.shape[2] < self.size[1]:
            raise _errors.bad_file(
                source,
                f"have frames of at least {self.size[0]} x {self.size[1]} pixels to crop",
                f"frames of {clip.shape[1]} x {clip.shape[2]} pixels",
                "Keep a smaller part, or whole frames.",
            )
        return crop_to_motion(clip, self.size)

    def _check_enlarging(self, frame: NDArray[Any], source: Path) -> None:
        """Raise if frames would be far larger than those of the file, as in forged models."""
        assert self.size is not None
        largest = max(_ALWAYS, _ENLARGED * frame.shape[0] * frame.shape[1])
        if self.size[0] * self.size[1] > largest:
            raise _errors.bad_file(
                source,
                f"have frames of at least {1 / _ENLARGED:.2%} of the pixels of size={self.size}",
                f"frames of {frame.shape[0]} x {frame.shape[1]} pixels",
                "Give a smaller size.",
            )


def _check_lengths(
    name: str, value: tuple[int, ...] | None, meaning: str, least: tuple[int, ...]
) -> None:
    if value is None:
        return
    if not isinstance(value, tuple | list) or len(value) != len(least):
        raise _errors.invalid_parameter(name, f"be {meaning}", value)
    for length, smallest in zip(value, least, strict=True):
        check_whole(f"each number of {name}", length, smallest)
        if length > _LONGEST_SIDE:
            raise _errors.invalid_parameter(
                f"each number of {name}", f"be at most {_LONGEST_SIDE}", length
            )
