"""Convert decoded frames to pixels: one conversion context per file, and smaller large frames."""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from av.video.format import VideoFormat
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

LARGE_FRAME = 2**20  # pixels: 720p video has fewer, 1080p video more
DEFAULT_FRAME = 640 * 360  # pixels of a large frame for which no size is asked
_FORMATS = {  # of red, green and blue, and of more than 8 bits
    (False, False): "gray",
    (False, True): "gray16le",
    (True, False): "rgb24",
    (True, True): "rgb48le",
}
# Threads take longer to start than small frames to convert; versions before them have no such name.
_ONE_THREAD = {"threads": 1} if "threads" in str(VideoReformatter.reformat.__doc__) else {}


class FrameConverter:
    """Pixels of the frames of one file.

    Parameters
    ----------
    colour : bool
        Red, green and blue instead of grey.
    may_shrink : bool
        Frames of more than `LARGE_FRAME` pixels are scaled to `DEFAULT_FRAME` pixels at most, with
        a warning.
    """

    def __init__(self, colour: bool, may_shrink: bool) -> None:
        self.colour = colour
        self.may_shrink = may_shrink
        self._has_warned = False
        self._context = VideoReformatter()  # as costly as the conversion of a small frame

    def convert(self, frame: Any) -> NDArray[Any]:
        """Return (height, width[, 3]) values of 0 to 255, of a frame of 8 or 16 bits.

        It is rotated as its metadata says.
        """
        turns = round(getattr(frame, "rotation", 0) / 90)  # counterclockwise
        scale: dict[str, Any] = {}
        if self.may_shrink and frame.width * frame.height > LARGE_FRAME:
            height, width = shrink_shape(frame.height, frame.width)
            scale = {"width": width, "height": height, "interpolation": "AREA"}
            self._warn_once((frame.height, frame.width), (height, width), turns)
        deep = _is_deep(frame.format.name)
        name = _FORMATS[self.colour, deep]
        values: NDArray[Any] = self._context.reformat(
            frame, format=name, **scale, **_ONE_THREAD
        ).to_ndarray()
        if deep:
            values = values / np.float32(257)
        return np.rot90(values, turns) if turns else values

    def _warn_once(self, shape: tuple[int, int], smaller: tuple[int, int], turns: int) -> None:
        """Warn that frames are scaled, by their shapes after the rotation."""
        if self._has_warned:
            return
        self._has_warned = True
        (height, width), (low, narrow) = (
            one[::-1] if turns % 2 else one for one in (shape, smaller)
        )
        warnings.warn(
            f"frames of {height} x {width} pixels are scaled to {low} x {narrow}, as no size was "
            "asked for. Choose one: --size HEIGHTxWIDTH, or size=(height, width) in Python; "
            f"size=({height}, {width}) keeps all pixels.",
            stacklevel=3,
        )


@lru_cache(64)
def _is_deep(name: str) -> bool:
    """Whether a pixel format has more than 8 bits per value."""
    return max((part.bits for part in VideoFormat(name).components), default=8) > 8


def shrink_shape(height: int, width: int) -> tuple[int, int]:
    """Return the shape of a frame of `DEFAULT_FRAME` pixels at most, with the same proportions."""
    factor = (DEFAULT_FRAME / (height * width)) ** 0.5
    short = max(1, int(min(height, width) * factor + 1e-9))
    long = max(1, min(DEFAULT_FRAME // short, round(max(height, width) * factor)))
    return (short, long) if height <= width else (long, short)
