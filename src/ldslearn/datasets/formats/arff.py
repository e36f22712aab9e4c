"""Read .arff files of Weka, as the UEA and UCR archives have them."""

import os
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._files import name_bad_file
from ldslearn._types import Floats
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.text_lines import bad_line, parse_channels, quote, read_lines

Path = str | os.PathLike[str]

_RULE = "be an .arff file of sequences"
_NUMERIC = ("numeric", "real", "integer")
_ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+)\s+(.*)""", re.IGNORECASE)


def load_arff(path: Path, *, gaps: bool = False) -> Collection:
    r"""Return the collection in an .arff file of the UEA or UCR archive.

    Multivariate: one relational attribute, whose rows ``'1,2,3\n4,5,6',label`` hold a channel
    between two ``\n``, and time points that are ``?`` in all channels at the end pad the sequence.
    Univariate: numeric attributes, one per time point, and the label last.

    Parameters
    ----------
    path : str or path
    gaps : bool, default=False
        Read ``?`` as a missing sample, NaN, instead of raising.

    Returns
    -------
    Collection
        Unlabelled when the last attribute is not nominal.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import load_arff
    >>> lines = ["@relation two", "@attribute t0 numeric", "@attribute t1 numeric"]
    >>> lines += ["@attribute target {up,down}", "@data", "1,2,up", "5,3,down"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "two.arff"
    ...     _ = path.write_text("\n".join(lines))
    ...     data = load_arff(path)
    >>> data.X[1].tolist(), data.y.tolist()
    ([[5.0, 3.0]], ['up', 'down'])
    """
    inner: int | None = None  # time points within the relational attribute
    outer: list[str] = []
    sequences: list[NDArray[Any]] = []
    labels: list[str] = []
    nested = in_data = False
    for number, line in read_lines(path, comment="%"):
        word = line.split(maxsplit=1)[0].lower()
        if in_data:
            fields, label = _split_row(path, number, line, inner is not None, outer)
            sequences.append(_read_values(path, number, fields, inner, outer, gaps))
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
            raise bad_line(path, number, _RULE, f"{quote(line)} in its header")
    if not sequences:
        raise _errors.bad_file(path, _RULE, "no row of values")
    with name_bad_file(path, _RULE):
        y = np.array(labels) if outer[-1:] == ["nominal"] else None
        return Collection(sequences, y=y, gaps=gaps)


def _split_row(
    path: Path, number: int, line: str, relational: bool, outer: list[str]
) -> tuple[str, str]:
    """The text of the values, and the label."""
    nominal = outer[-1:] == ["nominal"]
    if len(outer) > 1 and relational:
        raise bad_line(path, number, _RULE, f"{len(outer)} attributes beside the sequences")
    if relational:
        end = line.find(line[0], 1)
        if line[0] not in "'\"" or end < 0:
            raise bad_line(path, number, _RULE, f"{quote(line)}, not in quotes")
        values, rest = line[1:end], line[end + 1 :].strip()
        if nominal != rest.startswith(","):
            raise bad_line(path, number, _RULE, f"{quote(rest)} for a label")
        label = rest[1:]
    elif nominal:
        values, _, label = line.rpartition(",")
    else:
        values, label = line, ""
    label = label.strip().strip("'\"")
    if nominal and label in ("", "?"):
        raise bad_line(path, number, "label every row", "a row without")
    return values, label


def _read_values(
    path: Path, number: int, text: str, inner: int | None, outer: list[str], gaps: bool
) -> Floats:
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
    return parse_channels(path, number, [channel[:n_timepoints] for channel in channels], gaps=gaps)
