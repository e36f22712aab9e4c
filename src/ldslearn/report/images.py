"""Images inside a page: PNG files as data URIs, and animations of one wide image."""

import struct
import zlib
from base64 import b64encode
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Bytes

_KINDS = {2: 0, 3: 2}  # colour types of PNG: greyscale, RGB
_INDEXED = 3


def encode_png(pixels: NDArray[Any], palette: NDArray[Any] | None = None) -> bytes:
    """Return a PNG file.

    Parameters
    ----------
    pixels : (h, w) or (h, w, 3) array of uint8
        Grey, or red, green and blue.
    palette : (n, 3) array of uint8, optional
        Colours; the pixels are then indices of them.
    """
    pixels = np.asarray(pixels)
    well_formed = pixels.ndim == 2 or pixels.shape[2:] == (3,)
    if pixels.dtype != np.uint8 or pixels.size == 0 or not well_formed:
        raise _errors.invalid(
            "pixels", "be a (height, width) or (height, width, 3) array of uint8",
            f"{pixels.dtype} of shape {pixels.shape}", "",
        )  # fmt: skip
    height, width = pixels.shape[:2]
    kind = _KINDS[pixels.ndim] if palette is None else _INDEXED
    rows = pixels.reshape(height, -1)
    plain = b"\0" + b"\0".join(row.tobytes() for row in rows)
    best = zlib.compress(plain, 9)
    if palette is None:
        # Differences of neighbouring pixels (filter 1) are small where an image is smooth.
        step = rows.shape[1] // width
        before = np.pad(rows, ((0, 0), (step, 0)))[:, :-step]
        changes = b"\1" + b"\1".join(row.tobytes() for row in rows - before)
        best = min(best, zlib.compress(changes, 9), key=len)
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    colours = (
        b"" if palette is None else _pack_chunk(b"PLTE", np.asarray(palette, np.uint8).tobytes())
    )
    return (
        b"\x89PNG\r\n\x1a\n"
        + _pack_chunk(b"IHDR", header)
        + colours
        + _pack_chunk(b"IDAT", best)
        + _pack_chunk(b"IEND", b"")
    )


def encode_data_uri(pixels: NDArray[Any], palette: NDArray[Any] | None = None) -> str:
    """Return a PNG file as a data URI."""
    return "data:image/png;base64," + b64encode(encode_png(pixels, palette)).decode()


def format_image(pixels: NDArray[Any], alt: str, scale: float = 2.0) -> str:
    """Return an HTML image, enlarged by `scale`.

    Parameters
    ----------
    pixels : (h, w) or (h, w, 3) array of uint8
    alt : str
        For readers that cannot see it.
    scale : float
    """
    height, width = np.asarray(pixels).shape[:2]
    return (
        f'<img class="pixels" src="{encode_data_uri(pixels)}" alt="{escape(alt)}" '
        f'width="{round(width * scale)}" height="{round(height * scale)}">'
    )


def format_film(frames: NDArray[Any], alt: str, *, rate: float = 12, side: int = 112) -> str:
    """Return an HTML animation without a script: one wide image moves behind a window.

    It pauses while it is hovered or focused, and for readers that prefer reduced motion.

    Parameters
    ----------
    frames : (n, h, w) array of float
        Grey values, scaled so that the smallest is black and the largest white. uint8 values are
        not scaled.
    alt : str
        For readers that cannot see it.
    rate : float
        Frames per second.
    side : int
        Pixels of the longer side on the page.
    """
    frames = np.asarray(frames)
    if frames.ndim != 3 or frames.size == 0:
        raise _errors.invalid(
            "frames", "be a (n_frames, height, width) array", f"shape {frames.shape}", ""
        )
    n, height, width = frames.shape
    pixels = frames if frames.dtype == np.uint8 else scale_to_grey(frames)
    strip = pixels.swapaxes(0, 1).reshape(height, n * width)
    larger = side / max(height, width)
    wide, high = round(width * larger), round(height * larger)
    still = "" if n > 1 else ";animation:none"
    return (
        f'<span class="film" role="img" tabindex="0" aria-label="{escape(alt)}" '
        f'style="--wide:{wide}px;height:{high}px">'
        f'<img alt="" src="{encode_data_uri(strip)}" width="{n * wide}" height="{high}" '
        f'style="animation-duration:{n / rate:.3g}s;'
        f'animation-timing-function:steps({n},jump-none){still}"></span>'
    )


def scale_to_grey(values: NDArray[Any]) -> Bytes:
    """Return values as grey pixels, the smallest black and the largest white."""
    values = np.nan_to_num(np.asarray(values, dtype=np.float64))
    low, high = values.min(), values.max()
    fractions = (values - low) / (high - low) if high > low else np.full_like(values, 0.5)
    return np.rint(255 * fractions).astype(np.uint8)


def _pack_chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
