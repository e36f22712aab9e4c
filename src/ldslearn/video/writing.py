"""Write frames as a video file or an animated picture."""

import warnings
from fractions import Fraction
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import ArrayLike

from ldslearn import _errors
from ldslearn._checks import check_positive
from ldslearn._writing import atomic_write, check_target

# Container, codec and pixel formats (grey, colour) by suffix. Odd sizes need full chroma (444).
FORMATS = {
    ".avi": ("avi", "mjpeg", "yuvj444p", "yuvj444p"),
    ".gif": ("gif", "gif", "gray", "rgb8"),
    ".mkv": ("matroska", "ffv1", "gray", "bgr0"),
    ".mp4": ("mp4", "libx264", "yuv444p", "yuv444p"),
}


def write_video(path: str | PathLike[str], video: ArrayLike, *, frame_rate: float = 25.0) -> None:
    """Write an array of frames as a video file or an animated picture.

    The suffix is the format: ``.avi`` and ``.mp4`` play everywhere, ``.mkv`` is lossless, ``.gif``
    is for web pages. The file appears when it is complete.

    Parameters
    ----------
    path : str or path
    video : (n_frames, height, width) or (n_frames, height, width, 3) array
        Values from 0 to 255; others are clipped. A warning says if all are from 0 to 1.
    frame_rate : float, default=25.0
        Frames per second.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import make_dynamic_textures
    >>> from ldslearn.video import read_video, write_video
    >>> videos, _ = make_dynamic_textures(["flag"], 1, size=16, n_frames=20, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_video(Path(folder) / "flag.mkv", 255 * videos[0])
    ...     frames = read_video(Path(folder) / "flag.mkv")
    >>> frames.shape, bool(abs(frames - 255 * videos[0]).max() <= 0.5)
    ((20, 16, 16), True)
    """
    check_positive("frame_rate", frame_rate)
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise _errors.unknown_name("the suffix of a video", target.suffix, FORMATS)
    frames = np.asarray(video)
    if frames.ndim not in (3, 4) or (frames.ndim == 4 and frames.shape[3] != 3) or not frames.size:
        raise _errors.invalid(
            "video", "have shape (n_frames, height, width[, 3])", f"shape {frames.shape}", ""
        )
    if frames.dtype.kind == "f" and not np.isfinite(frames).all():
        raise _errors.invalid(
            "video", "have finite values from 0 to 255", "NaN or infinity", "Fill them first."
        )
    if frames.dtype.kind in "fb" and frames.min() >= 0 and 0 < frames.max() <= 1:
        warnings.warn(
            f"{target.name} is almost black: its values are from 0 to {float(frames.max()):g} of "
            "255. Multiply them by 255.",
            stacklevel=2,
        )
    colour = frames.ndim == 4
    container, codec, grey_pixels, colour_pixels = FORMATS[target.suffix.lower()]
    check_target(target)
    encoded = BytesIO()  # the encoder would hide errors of the disk
    with av.open(encoded, "w", format=container) as output:
        stream: Any = output.add_stream(codec, rate=Fraction(frame_rate).limit_denominator(1000))
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = colour_pixels if colour else grey_pixels
        if codec == "mjpeg":
            stream.codec_context.qmin = stream.codec_context.qmax = 2
        for values in frames:
            pixels = np.clip(np.rint(values), 0, 255).astype(np.uint8)
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24" if colour else "gray")
            output.mux(stream.encode(frame))
        output.mux(stream.encode())
    with atomic_write(target) as file:
        file.write(encoded.getbuffer())
