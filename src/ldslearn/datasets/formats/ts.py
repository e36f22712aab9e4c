"""Read .ts files of sktime and aeon, the text format of the UEA and UCR archives."""

import os
import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import name_bad_file
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.text_lines import bad_line, parse_channels, quote, read_lines
from ldslearn.datasets.formats.time_columns import Clock, find_unit
from ldslearn.datasets.formats.time_faults import find_time_faults, sampling_rate
from ldslearn.datasets.formats.timestamps import parse_stamps
from ldslearn.datasets.rates import as_rates
from ldslearn.sequences.grid import describe_grid, place_on_grid

Path = str | os.PathLike[str]

_RULE = "be a .ts file"
_SEPARATOR = re.compile(r":(?![^()]*\))")  # not the colons of times of day
_PAIR = re.compile(r"\(\s*([^,()]+?)\s*,\s*([^,()]*?)\s*\)")


def load_ts(path: Path, *, gaps: bool = False) -> Collection:
    r"""Return the collection in a .ts file, one sequence per line.

    Channels are separated by ``:`` and values by ``,``; the last field is the label when the file
    says ``@classLabel true`` or ``@targetLabel true``. Lengths may differ from line to line.
    With ``@timestamps true`` values are pairs ``(time,value)``: numbers or ISO dates, the same for
    all channels of a sequence, which give its rate.

    Parameters
    ----------
    path : str or path
    gaps : bool, default=False
        Read ``?`` and ``NaN`` as missing samples, NaN, instead of raising; and place sequences with
        time stamps on one grid (:func:`ldslearn.sequences.place_on_grid`).

    Returns
    -------
    Collection
        Labels and targets are texts.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import load_ts
    >>> lines = ["@classLabel true up down", "@data", "1,2,3:4,5,6:up", "3,1:6,5:down"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "two.ts"
    ...     _ = path.write_text("\n".join(lines))
    ...     data = load_ts(path)
    >>> data.X[1].tolist(), data.y.tolist()
    ([[3.0, 1.0], [6.0, 5.0]], ['up', 'down'])
    """
    settings: dict[str, list[str]] = {}
    sequences: list[NDArray[Any]] = []
    labels: list[str] = []
    rates: list[float | None] = []
    uneven: list[int] = []
    clocks: list[Clock | None] = []
    in_data = False
    for number, line in read_lines(path, comment="#"):
        if in_data:
            sequence, label, clock, even = _read_row(path, number, line, settings, gaps)
            clocks.append(clock)
            rates.append(sampling_rate(clock))
            uneven += [] if even else [number]
            if sequences and len(sequence) != len(sequences[0]):
                rule = f"have {len(sequences[0])} channels, as in its first row"
                raise bad_line(path, number, rule, f"{len(sequence)} channels")
            sequences.append(sequence)
            labels.append(label)
        elif not line.startswith("@"):
            raise bad_line(path, number, _RULE, f"{quote(line)} before @data")
        else:
            key, *words = line[1:].split()[:100_000] or [""]
            in_data = key.lower() == "data"
            settings[key.lower()] = words
    if not sequences:
        raise _errors.bad_file(path, _RULE, "no row of values")
    if uneven and not gaps:
        warnings.warn(
            f"time stamps of {len(uneven)} sequences of {path} are uneven, the first in line "
            f"{uneven[0]}. Each value counts as one step.",
            stacklevel=2,
        )
    with name_bad_file(path, _RULE):
        y = np.array(labels) if _has_labels(settings) else None
        known = [clock for clock in clocks if clock is not None]
        if not gaps or len(known) < len(clocks):
            return Collection(sequences, y=y, rates=as_rates(rates), gaps=gaps)
        times = [clock.stamps.ticks * (clock.unit or 1.0) for clock in known]
        placed, step, merged, missing = place_on_grid(sequences, times)
        units = {clock.unit is None for clock in known}
        rates = [None if True in units else 1 / step] * len(placed)
        note = describe_grid(step, int(merged.sum()), int(missing.sum()), in_seconds=False in units)
        return Collection(placed, y=y, rates=as_rates(rates), gaps=True, notes=(note,))


def _is_true(words: list[str]) -> bool:
    return [word.lower() for word in words[:1]] == ["true"]


def _has_labels(settings: dict[str, list[str]]) -> bool:
    return any(_is_true(settings.get(name, [])) for name in ("classlabel", "targetlabel"))


def _read_row(
    path: Path, number: int, line: str, settings: dict[str, list[str]], gaps: bool
) -> tuple[NDArray[Any], str, Clock | None, bool]:
    """Sequence, label, times and whether the times are even, of a line that obeys the header."""
    timed = _is_true(settings.get("timestamps", []))
    parts = _SEPARATOR.split(line) if timed else line.split(":")
    *channels, label = parts if _has_labels(settings) else [*parts, ""]
    if not channels:
        raise bad_line(path, number, "end every row in a label", "no ':' before one")
    label = label.strip()
    classes = settings.get("classlabel", [])[1:]
    if classes and label not in classes:
        raise bad_line(path, number, "use the labels of @classLabel", quote(label))
    clock, even = None, True
    if timed:
        fields, clock, even = _read_pairs(path, number, channels)
    else:
        fields = [channel.split(",") for channel in channels]
    sequence = parse_channels(path, number, fields, gaps=gaps)
    for name, got in (("dimensions", len(sequence)), ("serieslength", sequence.shape[1])):
        expected = settings.get(name, [])[:1]
        fixed = name == "dimensions" or _is_true(settings.get("equallength", []))
        if fixed and expected and expected != [str(got)]:
            what = "channels" if name == "dimensions" else "time points"
            rule = f"have {quote(expected[0])} {what}, as its header says"
            raise bad_line(path, number, rule, str(got))
    if _is_true(settings.get("univariate", [])) and len(sequence) != 1:
        raise bad_line(path, number, "have 1 channel, as @univariate says", str(len(sequence)))
    return sequence, label, clock, even


def _read_pairs(
    path: Path, number: int, channels: list[str]
) -> tuple[list[list[str]], Clock, bool]:
    """Fields of each channel, the times, and whether steps are even, of ``(time,value),...:...``.

    All channels must have the same rising times.
    """
    stamps: list[str] | None = None
    values = []
    for channel in channels:
        pairs = _PAIR.findall(channel)
        if _PAIR.sub("", channel).strip(", ") or not pairs:
            raise bad_line(path, number, "hold pairs (time,value)", quote(channel))
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
    even = not find_time_faults(clock, [number] * len(stamps))
    return values, clock, even
