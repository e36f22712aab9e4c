"""Frames per second: read from a file, and changed by picking frames."""

import math
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import TypeVar

from ldslearn._files import open_file
from ldslearn.video.opening import DAMAGE_ERRORS, open_container

Frame = TypeVar("Frame")

_FASTEST = 100_000.0  # frames per second; some containers count ticks of their clock instead


def read_frame_rate(path: str | PathLike[str]) -> float | None:
    """Return the frames per second that a video file states; None if it states none."""
    with open_file(path) as file:
        try:
            with open_container(file) as container:
                stream = next(iter(container.streams.video), None)
                found = stream and (stream.average_rate or stream.guessed_rate)
                rate = float(found or 0)
        except DAMAGE_ERRORS:  # decoding the file raises, and says what is wrong
            return None
    return rate if 0 < rate <= _FASTEST else None


def pick_frames(frames: Iterable[Frame], own_rate: float, rate: float) -> Iterator[Frame]:
    """Yield, for every ``1 / rate`` seconds, the frame nearest in time: some twice, or some never.

    Frames are not interpolated, which would overlay two images.
    """
    wanted = 0
    for index, frame in enumerate(frames):
        while math.floor(wanted * own_rate / rate + 0.5) == index:
            yield frame
            wanted += 1
