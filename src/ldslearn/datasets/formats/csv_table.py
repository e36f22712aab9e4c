"""Read one sequence from a table of text: .csv, .tsv and .txt of loggers and spreadsheets."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.datasets.channels import find_column
from ldslearn.datasets.formats.text_lines import (
    bad_line,
    choose_delimiter,
    is_missing,
    parse_number,
    parse_numbers,
    quote,
    read_lines,
)
from ldslearn.datasets.formats.time_columns import (
    NONE,
    CandidateColumns,
    Clock,
    TimeColumns,
    find_time,
    name_column,
)
from ldslearn.datasets.formats.timestamps import is_stamp
from ldslearn.sequences.time_recognition import is_time_name

Path = str | os.PathLike[str]

_RULE = "be a table of numbers"
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class CsvTable:
    """The sequence and the times in a table.

    Attributes
    ----------
    values : (n_channels, n_timepoints) array
    names : tuple of str or None
        Of the channels; None for a table without a line of names.
    clock : Clock or None
        Its times.
    lines : tuple of int
        The line of each time point, for messages.
    unused_times : tuple of str
        Names of further time columns, which are neither channels nor needed.
    doubt : str or None
        Why a column that may be time is a channel.
    """

    values: Floats
    names: tuple[str, ...] | None
    clock: Clock | None
    lines: tuple[int, ...]
    unused_times: tuple[str, ...] = ()
    doubt: str | None = None


def read_csv(path: Path, *, gaps: bool = False) -> Floats:
    """Return all columns of a table as channels, (n_channels, n_timepoints)."""
    return read_table(path, time=NONE, gaps=gaps).values


def read_table(
    path: Path,
    time: str | None = None,
    columns: Sequence[str] | None = None,
    *,
    gaps: bool = False,
) -> CsvTable:
    """Return the sequence in a table: rows are time points, columns are channels or times.

    The delimiter is the first of semicolon, tab and comma that the first line holds, else spaces.
    A first line of names names the columns. Empty lines and lines starting with ``#`` are skipped.

    Parameters
    ----------
    path : path-like
    time : str, optional
        Name or number (from 1) of the time column, two with a comma between for a date and a time
        of day, or "none". Recognised when not given: :func:`find_time`.
    columns : sequence of str, optional
        Names or numbers of the channels; other columns are ignored.
    gaps : bool, default=False
        Read empty fields, NaN and NA as NaN, instead of raising.
    """
    rows = _Rows(path, time, columns, gaps)
    for number, line in read_lines(path, comment="#"):
        rows.add(number, line)
    return rows.build_table()


class _Rows:
    """The rows of a table while it is read: numbers, and columns that may be times as texts."""

    def __init__(
        self, path: Path, time: str | None, columns: Sequence[str] | None, gaps: bool
    ) -> None:
        self.path, self.time, self.columns, self.gaps = path, time, columns, gaps
        self.delimiter: str | None = None
        self.names: list[str] | None = None
        self.n_columns = 0
        self.lines: list[int] = []
        self.values: list[Floats] = []

    def add(self, number: int, line: str) -> None:
        first = not self.n_columns
        if first:
            # The comma comes last: beside another delimiter it is the decimal comma.
            self.delimiter = choose_delimiter(line, ";\t,")
        fields = [field.strip().strip('"').strip() for field in line.split(self.delimiter)]
        if self.delimiter != ",":
            _refuse_decimal_comma(self.path, number, fields)
        if not first and len(fields) != self.n_columns:
            rule = f"have {self.n_columns} columns in every row"
            raise bad_line(self.path, number, rule, f"{len(fields)} columns")
        self.n_columns = len(fields)
        if first and _is_header(self.path, number, fields):
            self.names = fields
            return
        if not self.lines:
            self._choose_columns(fields)
        self.lines.append(number)
        for column, texts in self.texts.items():
            texts.append(fields[column])
        chosen = [fields[i] for i in self.numeric]
        self.values.append(parse_numbers(self.path, number, chosen, self.called, gaps=self.gaps))

    def _choose_columns(self, fields: list[str]) -> None:
        """Choose, by names and the first row, which columns may be times and which are numbers."""
        chosen = None if self.columns is None else [self._find(text) for text in self.columns]
        self.chosen = chosen
        self.given: list[int] = []
        if self.time is not None and self.time != NONE:
            whole = self.time in (self.names or ())  # a name may hold a comma
            parts = [self.time] if whole else [text.strip() for text in self.time.split(",")]
            self.given = [self._find(text) for text in parts]
            maybe = set(self.given)
        elif self.time == NONE:
            maybe = set()
        else:
            names = self.names or [NONE] * self.n_columns
            maybe = {0} | {i for i, name in enumerate(names) if is_time_name(name)}
            maybe |= {i for i, field in enumerate(fields) if is_stamp(field)}
            maybe -= set(chosen or ())
        if chosen is not None and not set(chosen).isdisjoint(self.given):
            raise _errors.invalid("columns", "be others than the time column", self.time, "")
        self.texts: dict[int, list[str]] = {i: [] for i in sorted(maybe)}
        wanted = range(self.n_columns) if chosen is None else chosen
        self.numeric = [i for i in wanted if i not in maybe]
        self.called = [name_column(self.names, i) for i in self.numeric]

    def _find(self, reference: str) -> int:
        return find_column(self.path, self.names, self.n_columns, reference)

    def build_table(self) -> CsvTable:
        if not self.lines:
            raise _errors.bad_file(self.path, _RULE, "no row of numbers")
        candidates = CandidateColumns(self.path, self.names, self.lines, self.texts)
        if self.given:
            found = TimeColumns(candidates.make_clock(*self.given), frozenset(self.given))
        elif self.texts:
            found = find_time(candidates, self.n_columns, strict=self.chosen is None)
        else:
            found = TimeColumns(None, frozenset())
        values = dict(zip(self.numeric, np.array(self.values).T, strict=True))
        channels = self.chosen
        if channels is None:
            channels = [i for i in range(self.n_columns) if i not in found.no_channels]
            for column in set(channels) - set(values):
                values[column] = self._parse_column(column)
        if not channels:
            raise _errors.bad_file(self.path, "have a channel beside its time", "no other column")
        used = found.clock.columns if found.clock else ()
        return CsvTable(
            np.ascontiguousarray([values[column] for column in channels]),
            None if self.names is None else tuple(self.names[column] for column in channels),
            found.clock,
            tuple(self.lines),
            tuple(candidates.name(i) for i in sorted(found.no_channels) if i not in used),
            found.doubt,
        )

    def _parse_column(self, column: int) -> Floats:
        called = [name_column(self.names, column)]
        pairs = zip(self.lines, self.texts[column], strict=True)
        return np.array(
            [
                parse_numbers(self.path, line, [field], called, gaps=self.gaps)[0]
                for line, field in pairs
            ]
        )


def _is_header(path: Path, number: int, fields: list[str]) -> bool:
    """Whether a first row names the columns: no field of it is a number or a date.

    The first may be empty: so data frames write their index. Data frames without names of columns
    write 0, 1, 2 and so on; 0, 1 alone could be a time point.
    """
    has_index = fields[0] == ""
    counted = fields[has_index:]
    if len(counted) > (0 if has_index else 2) and counted == [*map(str, range(len(counted)))]:
        return True
    values = [field for field in fields if parse_number(field) is not None or is_stamp(field)]
    names = [field for field in fields if field not in values and not is_missing(field)]
    unnamed_index = not values and has_index and len(names) == len(fields) - 1
    if names and len(names) < len(fields) and not unnamed_index:
        raise bad_line(
            path,
            number,
            _RULE,
            f"{quote(names[0])} among numbers or empty fields",
            "Give every column a name, or none.",
        )
    return bool(names)


def _refuse_decimal_comma(path: Path, number: int, fields: list[str]) -> None:
    for field in fields:
        if "," in field and _DECIMAL_COMMA.fullmatch(field):
            raise bad_line(
                path,
                number,
                "have decimal points",
                f"the decimal comma {quote(field)}",
                "Replace decimal commas by points.",
            )
