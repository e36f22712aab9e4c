"""Rows of .ts files with time stamps: ``(time,value),(time,value):...``."""

import os
import re

import numpy as np

from ldslearn.datasets.formats.text_lines import bad_line, shown
from ldslearn.datasets.formats.time_checks import find_troubles, rate_of
from ldslearn.datasets.formats.time_columns import Clock, find_unit
from ldslearn.datasets.formats.timestamps import parse_stamps

Path = str | os.PathLike[str]

_BETWEEN = re.compile(r":(?![^()]*\))")  # not those of times of day
_PAIR = re.compile(r"\(\s*([^,()]+?)\s*,\s*([^,()]*?)\s*\)")


def split_parts(line: str) -> list[str]:
    """The channels of a row, and its label if it has one."""
    return _BETWEEN.split(line)


def read_pairs(
    path: Path, number: int, channels: list[str]
) -> tuple[list[list[str]], float | None, bool]:
    """Fields of each channel without their times, the rate, and whether the steps are even.

    All channels must have the same times, which must rise.
    """
    stamps: list[str] | None = None
    values = []
    for channel in channels:
        pairs = _PAIR.findall(channel)
        if _PAIR.sub("", channel).strip(", ") or not pairs:
            raise bad_line(path, number, "hold pairs (time,value)", shown(channel))
        times = [time for time, _ in pairs]
        if stamps is not None and times != stamps:
            raise bad_line(
                path, number, "have the same times in all channels of a sequence", "others",
                "Resample the channels to the same times.",
            )  # fmt: skip
        stamps = times
        values.append([value for _, value in pairs])
    assert stamps is not None
    found = parse_stamps(path, [number] * len(stamps), stamps, "its time stamps")
    if not (np.diff(found.ticks) > 0).all():
        raise bad_line(path, number, "have time stamps that rise", "one that does not")
    clock = Clock((0,), "", found, find_unit("time", found))
    even = not find_troubles(clock, [number] * len(stamps))
    return values, rate_of(clock), even
