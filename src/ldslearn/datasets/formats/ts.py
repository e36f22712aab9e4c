"""The text formats of the UEA and UCR archives: .ts of sktime and aeon, .arff of Weka."""

import os
import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import explained
from ldslearn._types import Floats
from ldslearn.datasets.collection import Collection, as_rates
from ldslearn.datasets.formats.text_lines import bad_line, numbers, read_lines, shown
from ldslearn.datasets.formats.ts_times import read_pairs, split_parts

Path = str | os.PathLike[str]

_RULE = "be a .ts file"
_ARFF = "be an .arff file of sequences"
_NUMERIC = ("numeric", "real", "integer")
_ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+)\s+(.*)""", re.IGNORECASE)


def load_ts(path: Path) -> Collection:
    r"""Return the collection in a .ts file, one sequence per line.

    Channels are separated by ``:`` and values by ``,``; the last field is the label when the file
    says ``@classLabel true`` or ``@targetLabel true``. Lengths may differ from line to line.
    With ``@timestamps true`` values are pairs ``(time,value)``: numbers or ISO dates, the same for
    all channels of a sequence, which give its rate. Missing values are refused.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Collection
        Labels and targets are texts.
    """
    settings: dict[str, list[str]] = {}
    sequences: list[NDArray[Any]] = []
    labels: list[str] = []
    rates: list[float | None] = []
    uneven: list[int] = []
    in_data = False
    for number, line in read_lines(path, comment="#"):
        if in_data:
            sequence, label, rate, even = _ts_row(path, number, line, settings)
            rates.append(rate)
            uneven += [] if even else [number]
            if sequences and len(sequence) != len(sequences[0]):
                rule = f"have {len(sequences[0])} channels, as in its first row"
                raise bad_line(path, number, rule, f"{len(sequence)} channels")
            sequences.append(sequence)
            labels.append(label)
        elif not line.startswith("@"):
            raise bad_line(path, number, _RULE, f"{shown(line)} before @data")
        else:
            key, *words = line[1:].split()[:100_000] or [""]
            in_data = key.lower() == "data"
            settings[key.lower()] = words
    if not sequences:
        raise _errors.bad_file(path, _RULE, "no row of values")
    if uneven:
        warnings.warn(
            f"time stamps of {len(uneven)} sequences of {path} are uneven, the first in line "
            f"{uneven[0]}. Each value counts as one step.",
            stacklevel=2,
        )
    with explained(path, _RULE):
        y = np.array(labels) if _labelled(settings) else None
        return Collection(sequences, y=y, rates=as_rates(rates))


def load_arff(path: Path) -> Collection:
    r"""Return the collection in an .arff file of the UEA or UCR archive.

    Multivariate: one relational attribute, whose rows ``'1,2,3\n4,5,6',label`` hold a channel
    between two ``\n``, and time points that are ``?`` in all channels at the end pad the sequence.
    Univariate: numeric attributes, one per time point, and the label last.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Collection
        Unlabelled when the last attribute is not nominal.
    """
    inner: int | None = None  # time points within the relational attribute
    outer: list[str] = []
    sequences: list[NDArray[Any]] = []
    labels: list[str] = []
    nested = in_data = False
    for number, line in read_lines(path, comment="%"):
        word = line.split(maxsplit=1)[0].lower()
        if in_data:
            fields, label = _arff_row(path, number, line, inner is not None, outer)
            sequences.append(_arff_values(path, number, fields, inner, outer))
            labels.append(label)
        elif word == "@attribute" and (match := _ATTRIBUTE.match(line)):
            kind = "nominal" if match[2].startswith("{") else match[2].lower()
            if nested:
                inner = (inner or 0) + 1
            elif kind == "relational":
                nested, inner = True, 0
            else:
                outer.append(kind)
        elif word == "@end":
            nested = False
        elif word == "@data" and not nested:
            if any(kind not in _NUMERIC for kind in outer[:-1]):
                raise bad_line(
                    path, number, "have numbers in all attributes but the last, the label",
                    f"{', '.join(outer)}"[:80], "Move the label to the end.",
                )  # fmt: skip
            in_data = True
        elif word != "@relation":
            raise bad_line(path, number, _ARFF, f"{shown(line)} in its header")
    if not sequences:
        raise _errors.bad_file(path, _ARFF, "no row of values")
    with explained(path, _ARFF):
        return Collection(sequences, y=np.array(labels) if outer[-1:] == ["nominal"] else None)


def _is_true(words: list[str]) -> bool:
    return [word.lower() for word in words[:1]] == ["true"]


def _labelled(settings: dict[str, list[str]]) -> bool:
    return any(_is_true(settings.get(name, [])) for name in ("classlabel", "targetlabel"))


def _ts_row(
    path: Path, number: int, line: str, settings: dict[str, list[str]]
) -> tuple[NDArray[Any], str, float | None, bool]:
    """Sequence, label, rate and whether its times are even, of a line as the header says."""
    timed = _is_true(settings.get("timestamps", []))
    parts = split_parts(line) if timed else line.split(":")
    *channels, label = parts if _labelled(settings) else [*parts, ""]
    if not channels:
        raise bad_line(path, number, "end every row in a label", "no ':' before one")
    label = label.strip()
    classes = settings.get("classlabel", [])[1:]
    if classes and label not in classes:
        raise bad_line(path, number, "use the labels of @classLabel", shown(label))
    rate, even = None, True
    if timed:
        fields, rate, even = read_pairs(path, number, channels)
    else:
        fields = [channel.split(",") for channel in channels]
    sequence = _stacked(path, number, fields)
    for name, got in (("dimensions", len(sequence)), ("serieslength", sequence.shape[1])):
        expected = settings.get(name, [])[:1]
        fixed = name == "dimensions" or _is_true(settings.get("equallength", []))
        if fixed and expected and expected != [str(got)]:
            what = "channels" if name == "dimensions" else "time points"
            rule = f"have {shown(expected[0])} {what}, as its header says"
            raise bad_line(path, number, rule, str(got))
    if _is_true(settings.get("univariate", [])) and len(sequence) != 1:
        raise bad_line(path, number, "have 1 channel, as @univariate says", str(len(sequence)))
    return sequence, label, rate, even


def _stacked(path: Path, number: int, channels: list[list[str]]) -> Floats:
    if len({len(channel) for channel in channels}) != 1:
        rule = "give all channels of a sequence one length"
        got = f"{min(map(len, channels))} to {max(map(len, channels))}"
        raise bad_line(path, number, rule, got)
    return np.stack([numbers(path, number, channel) for channel in channels])


def _arff_row(
    path: Path, number: int, line: str, relational: bool, outer: list[str]
) -> tuple[str, str]:
    """The text of the values, and the label."""
    nominal = outer[-1:] == ["nominal"]
    if len(outer) > 1 and relational:
        raise bad_line(path, number, _ARFF, f"{len(outer)} attributes beside the sequences")
    if relational:
        end = line.find(line[0], 1)
        if line[0] not in "'\"" or end < 0:
            raise bad_line(path, number, _ARFF, f"{shown(line)}, not in quotes")
        values, rest = line[1:end], line[end + 1 :].strip()
        if nominal != rest.startswith(","):
            raise bad_line(path, number, _ARFF, f"{shown(rest)} for a label")
        label = rest[1:]
    elif nominal:
        values, _, label = line.rpartition(",")
    else:
        values, label = line, ""
    label = label.strip().strip("'\"")
    if nominal and label in ("", "?"):
        raise bad_line(path, number, "label every row", "a row without")
    return values, label


def _arff_values(path: Path, number: int, text: str, inner: int | None, outer: list[str]) -> Floats:
    channels = [channel.split(",") for channel in text.split("\\n")]
    n_timepoints = len(outer) - (outer[-1:] == ["nominal"]) if inner is None else inner
    for channel in channels:
        if len(channel) != n_timepoints:
            rule = f"have {n_timepoints} values in a row, as its header says"
            raise bad_line(path, number, rule, f"{len(channel)}")
    # Weka has no sequences of several lengths: the archive pads the short ones.
    while n_timepoints > 1 and all(
        channel[n_timepoints - 1].strip() == "?" for channel in channels
    ):
        n_timepoints -= 1
    return _stacked(path, number, [channel[:n_timepoints] for channel in channels])
