"""Convert decoded frames to pixels: by one context per file, or by a table if they are small."""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from av import VideoFrame
from av.video.format import VideoFormat
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

LARGE_FRAME = 2**20  # pixels: 720p video has fewer, 1080p video more
DEFAULT_FRAME = 640 * 360  # pixels of a large frame for which no size is asked
SMALL_FRAME = 2**16  # pixels: a table takes less time than a conversion by ffmpeg up to here
_FORMATS = {  # of red, green and blue, and of more than 8 bits
    (False, False): "gray",
    (False, True): "gray16le",
    (True, False): "rgb24",
    (True, True): "rgb48le",
}
_LUMA_FIRST = frozenset(  # pixel formats whose first plane is luma of 8 bits
    ["gray", "nv12", "nv21", "yuv420p", "yuv422p", "yuv444p", "yuvj420p", "yuvj422p", "yuvj444p"]
)
_IDENTITY = bytes(range(256))
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
        n_pixels, name = frame.width * frame.height, frame.format.name
        table = None
        if n_pixels <= SMALL_FRAME and not self.colour:
            table = tabulate_grey(name, frame.color_range, frame.colorspace)
        # Some decoders give rows from the bottom up, by negative steps, which ffmpeg knows to read.
        if table is not None and (luma := frame.planes[0]).line_size > 0:
            values: NDArray[Any] = translate_luma(luma, table)
        else:
            scale: dict[str, Any] = {}
            if self.may_shrink and n_pixels > LARGE_FRAME:
                height, width = shrink_shape(frame.height, frame.width)
                scale = {"width": width, "height": height, "interpolation": "AREA"}
                self._warn_once((frame.height, frame.width), (height, width), turns)
            deep = _is_deep(name)
            target = _FORMATS[self.colour, deep]
            converted = self._context.reformat(frame, format=target, **scale, **_ONE_THREAD)
            values = converted.to_ndarray()
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


@lru_cache(64)
def tabulate_grey(name: str, color_range: int, colorspace: int) -> bytes | None:
    """Return the grey value of every luma, as ffmpeg converts it.

    None for other pixel formats, and for colours in which grey depends on chroma, too.
    """
    if name not in _LUMA_FIRST:
        return None
    found = set()
    for chroma in (0, 255):
        frame = VideoFrame(16, 16, name)
        frame.color_range, frame.colorspace = color_range, colorspace
        for number, plane in enumerate(frame.planes):
            values = np.full((plane.height, plane.line_size), chroma, dtype=np.uint8)
            if number == 0:
                values[:, :16] = np.arange(256).reshape(16, 16)
            plane.update(values.tobytes())
        grey = VideoReformatter().reformat(frame, format="gray", **_ONE_THREAD)
        found.add(grey.to_ndarray().tobytes())
    return found.pop() if len(found) == 1 else None


def translate_luma(plane: Any, table: bytes) -> NDArray[np.uint8]:
    """Return (height, width) values of a plane of bytes by a table."""
    luma = bytes(plane)
    grey = luma if table == _IDENTITY else luma.translate(table)
    values = np.frombuffer(grey, dtype=np.uint8).reshape(plane.height, plane.line_size)
    return values[:, : plane.width]


def shrink_shape(height: int, width: int) -> tuple[int, int]:
    """Return the shape of a frame of `DEFAULT_FRAME` pixels at most, with the same proportions."""
    factor = (DEFAULT_FRAME / (height * width)) ** 0.5
    short = max(1, int(min(height, width) * factor + 1e-9))
    long = max(1, min(DEFAULT_FRAME // short, round(max(height, width) * factor)))
    return (short, long) if height <= width else (long, short)
