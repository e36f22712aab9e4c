"""Decode videos and folders of images frame by frame, each resized before the next is read."""

import re
import shlex
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import av
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import VARIABLE, least_limit, memory_limit, open_file
from ldslearn._kinds import recognize
from ldslearn._types import Pixels
from ldslearn.video.converting import SMALL_FRAME, FrameConverter
from ldslearn.video.frame_options import Crop, FrameOptions
from ldslearn.video.opening import DAMAGE_ERRORS, open_container

IMAGE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff"})
_LARGEST_FRAME = 4 * 10**7  # pixels, more than 8K video; a header that claims more is false
_WHOLE = 0.9  # of the frames in the header: complete files lack a few, not a tenth
_JPEG_START = b"\xff\xd8"
_JPEG_END = b"\xd9"
# What opens a segment or ends the image: not stuffing (00), restarts (D0 to D7) or padding (FF).
_JPEG_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])")


def read_video(
    path: str | PathLike[str],
    *,
    size: tuple[int, int] | None = None,
    colour: bool = False,
    crop: Crop = None,
    stride: int = 1,
    length: int | None = None,
) -> Pixels:
    """Return the frames of a video file of any format that ffmpeg reads.

    Parameters
    ----------
    path : str or path
    size : (height, width), optional
        Frames are resized to it, with antialiasing, as they are decoded. By default they keep
        theirs, but frames of more than 2**20 pixels, such as those of 1080p video, are scaled to at
        most 640 x 360 pixels, with a warning.
    colour : bool, default=False
        Red, green and blue instead of grey.
    crop : (top, left, height, width) or "motion", optional
        Part of each frame to keep, before resizing; "motion" keeps the part of `size` whose pixels
        vary most over time, and resizes nothing.
    stride : int, default=1
        Keep every `stride`-th frame.
    length : int, optional
        Stop after so many of the kept frames.

    Returns
    -------
    (n_frames, height, width[, 3]) array of float32
        Values from 0 to 255.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import make_dynamic_textures
    >>> from ldslearn.video import read_video, write_video
    >>> videos, _ = make_dynamic_textures(["waves"], 1, size=32, n_frames=20, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_video(Path(folder) / "waves.avi", 255 * videos[0])
    ...     read_video(Path(folder) / "waves.avi", size=(16, 16), stride=2).shape
    (10, 16, 16)
    """
    options = FrameOptions(size, colour, crop, stride, length)
    return next(read_clips(path, options, chunk=False))


def read_frames(
    folder: str | PathLike[str],
    *,
    size: tuple[int, int] | None = None,
    colour: bool = False,
    crop: Crop = None,
    stride: int = 1,
    length: int | None = None,
) -> Pixels:
    """Return the images of a folder as a video, in natural order of their names (2 before 10).

    Parameters
    ----------
    folder : str or path
        Folder of ``.bmp``, ``.jpg``, ``.pgm``, ``.png``, ``.ppm`` or ``.tif`` files.
    size : (height, width), optional
        Frames are resized to it, with antialiasing, as they are decoded. By default they keep
        theirs, but frames of more than 2**20 pixels, such as those of 1080p video, are scaled to at
        most 640 x 360 pixels, with a warning.
    colour : bool, default=False
        Red, green and blue instead of grey.
    crop : (top, left, height, width) or "motion", optional
        Part of each frame to keep, before resizing; "motion" keeps the part of `size` whose pixels
        vary most over time, and resizes nothing.
    stride : int, default=1
        Keep every `stride`-th frame.
    length : int, optional
        Stop after so many of the kept frames.

    Returns
    -------
    (n_frames, height, width[, 3]) array of float32
        Values from 0 to 255.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from matplotlib.image import imsave
    >>> from ldslearn.video import read_frames
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (2, 10, 1):
    ...         frame = np.full((8, 8), number)
    ...         imsave(Path(folder) / f"frame{number}.png", frame, cmap="gray", vmin=0, vmax=255)
    ...     video = read_frames(folder)
    >>> video[:, 0, 0].tolist()
    [1.0, 2.0, 10.0]
    """
    options = FrameOptions(size, colour, crop, stride, length)
    if not Path(folder).is_dir():
        raise _errors.bad_file(folder, "be a folder of images", "no folder")
    return next(read_clips(folder, options, chunk=False))


def read_clips(
    path: str | PathLike[str],
    options: FrameOptions,
    *,
    chunk: bool,
    pick: Callable[[Iterator[NDArray[Any]]], Iterator[NDArray[Any]]] | None = None,
) -> Iterator[Pixels]:
    """Yield the clips of a video file or folder of images, one in memory at a time.

    Without `chunk` that is one clip, of ``options.length`` frames at most. With it the video is cut
    into clips of that length; the rest is a clip, too, if it has half as many frames. All clips
    together must fit in memory. `pick` chooses frames as they are decoded.
    """
    source = Path(path)
    decoded = _decode_images(source, options) if source.is_dir() else _decode(source, options)
    decoded = pick(decoded) if pick else decoded
    frames = limit_memory(options.apply(decoded, source), source, chunk=chunk)
    yielded = 0
    while True:
        clip = list(islice(frames, options.length))
        if not clip:
            break
        if yielded and options.length and 2 * len(clip) < options.length:
            break
        yielded += 1
        yield options.finish(clip, source)
        if not chunk:
            return
    if not yielded:
        raise _errors.bad_file(source, "hold at least one frame", "none")


def list_images(folder: Path) -> list[Path]:
    """Return the images of a folder in natural order."""
    return sorted(filter(_is_image, folder.iterdir()), key=lambda path: natural_key(path.name))


def has_images(folder: Path) -> bool:
    """Whether a folder holds an image, by the names in it."""
    return any(map(_is_image, folder.iterdir()))


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Return a sort key by which frame2 comes before frame10, and numbers before letters."""
    return [
        (False, int(part), "") if part[0] in "0123456789" else (True, 0, part)
        for part in re.split(r"([0-9]{1,18})", name)
        if part
    ]


def limit_memory(
    frames: Iterable[NDArray[Any]], source: Path, *, chunk: bool
) -> Iterator[NDArray[Any]]:
    """Yield the frames of one file until they take too much memory as float32, then raise."""
    size, limit = 0, least_limit()
    for frame in frames:
        size += 4 * frame.size
        if size > limit:
            limit = memory_limit()
        if size > limit:
            remedy = (
                "Make frames smaller, such as --size 48x64 (size=(48, 64) in Python), or take "
                f"fewer of them (stride{'' if chunk else ' or length'}); {VARIABLE} allows more."
            )
            raise _errors.too_large(f"file {source}", size, limit, remedy)
        yield frame


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in IMAGE_SUFFIXES and not path.name.startswith(".")


def _decode_images(folder: Path, options: FrameOptions) -> Iterator[NDArray[Any]]:
    for path in list_images(folder):
        _check_jpeg(path)
        frame = next(_decode(path, options), None)
        if frame is None:
            raise _errors.bad_file(path, "be a whole image", "no picture in it")
        yield frame


def _check_jpeg(path: Path) -> None:
    """Raise unless a JPEG reaches its end: decoders fill what is missing without a warning."""
    with open_file(path) as file:
        if file.read(len(_JPEG_START)) != _JPEG_START:
            return
        data = file.read(4 * _LARGEST_FRAME)
    # Whole segments are skipped from marker to marker: a thumbnail in one has an end, too.
    position = 0
    while marker := _JPEG_MARKER.search(data, position):
        if marker[1] == _JPEG_END:
            return
        length = data[marker.end() : marker.end() + 2]
        position = marker.end() + int.from_bytes(length, "big")
    raise _errors.bad_file(path, "be a whole image", "a JPEG without its end")


def _decode(path: Path, options: FrameOptions) -> Iterator[NDArray[Any]]:
    """Yield frames as (height, width[, 3]) arrays of 0 to 255, rotated for display."""
    n_frames, promised = 0, 0
    seconds = lasts = 0.0
    converter = FrameConverter(options.colour, options.size is None and options.crop is None)
    with open_file(path) as file:
        try:
            with open_container(file) as container:
                stream = next(iter(container.streams.video), None)
                if stream is None or stream.codec_context is None:
                    raise EOFError("sound without pictures" if container.streams.audio else "")
                promised = stream.frames
                if not promised and container.duration and len(container.streams) == 1:
                    lasts = container.duration / av.time_base
                _check_frame(stream.codec_context)
                if stream.codec_context.width * stream.codec_context.height <= SMALL_FRAME:
                    stream.codec_context.thread_count = 1  # others take longer to start
                for frame in container.decode(stream):
                    _check_frame(frame)
                    n_frames += 1
                    seconds = frame.time or seconds
                    yield converter.convert(frame)
        except DAMAGE_ERRORS as error:
            own = isinstance(error, OverflowError) or type(error) is EOFError
            raise _undecodable_video(path, n_frames, str(error) if own else "") from error
    if n_frames < _WHOLE * promised:
        raise _errors.bad_file(
            path, "be a whole video", f"{n_frames} of the {promised} frames it promises"
        )
    if n_frames > 1 and seconds * n_frames / (n_frames - 1) < _WHOLE * lasts:
        warnings.warn(
            (
                f"the last frame of {path} is at {seconds:.2f} of the {lasts:.2f} seconds that it "
                "promises: it may have been cut short in a copy."
            ),
            stacklevel=2,
        )


def _check_frame(frame: Any) -> None:
    if frame.width * frame.height > _LARGEST_FRAME:
        raise OverflowError(f"frames of {frame.width} x {frame.height} pixels")


def _undecodable_video(path: Path, n_frames: int, reason: str) -> ValueError:
    """Return the error about a damaged video, or a file that is none by its first bytes.

    `reason` may be empty.
    """
    kind = recognize(path)
    if not reason and kind is not None and not n_frames and not kind.startswith("a video"):
        if kind.startswith("an empty"):
            return _errors.empty_file(path, "be a video or image")
        return _errors.bad_file(path, "be a video or image", kind, "Rename it, or leave it out.")
    if reason:
        return _errors.bad_file(path, "be a whole video or image", reason, "Leave it out.")
    return _errors.bad_file(
        path,
        "be a whole video or image",
        f"bytes that cannot be decoded after {n_frames} frames",
        "It may have been cut short in a copy: copy it again. Or convert it, for example by "
        f"`ffmpeg -i {shlex.quote(str(path))} converted.mp4`.",
    )
