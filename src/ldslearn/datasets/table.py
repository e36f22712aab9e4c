"""One sequence in a table of text, as loggers and spreadsheets write it."""

import os
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.lines import as_number, bad_line, is_missing, numbers, read_lines, shown

_RULE = "be a table of numbers"
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")


def read_csv(path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """Return the sequence in a table: rows are time points, columns are channels.

    The delimiter (semicolon, tab, comma or spaces) is that of the first line; a first line of
    names is passed over, as are empty lines and lines that start with ``#``.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    (n_channels, n_timepoints) array
        The table transposed.
    """
    delimiter: str | None = None
    rows: list[NDArray[Any]] = []
    n_columns = 0
    for number, line in read_lines(path, comment="#"):
        if not n_columns:
            delimiter = next((mark for mark in ";\t," if mark in line), None)
        fields = [field.strip().strip('"') for field in line.split(delimiter)]
        if delimiter in (";", "\t") or delimiter is None:
            _refuse_decimal_comma(path, number, fields)
        if n_columns and len(fields) != n_columns:
            raise bad_line(
                path, number, f"have {n_columns} columns in every row", f"{len(fields)} columns"
            )
        if not n_columns and _are_names(path, number, fields):
            n_columns = len(fields)
            continue
        n_columns = len(fields)
        rows.append(numbers(path, number, fields))
    if not rows:
        raise _errors.bad_file(path, _RULE, "no row of numbers")
    return np.ascontiguousarray(np.array(rows).T)


def _are_names(path: str | os.PathLike[str], number: int, fields: list[str]) -> bool:
    """Whether a first row names the columns: no field of it is a number."""
    names = [field for field in fields if as_number(field) is None and not is_missing(field)]
    if names and len(names) < len(fields):
        raise bad_line(
            path,
            number,
            _RULE,
            f"{shown(names[0])} among numbers or empty fields",
            "Give every column a name, or none.",
        )
    return bool(names)


def _refuse_decimal_comma(path: str | os.PathLike[str], number: int, fields: list[str]) -> None:
    for field in fields:
        if "," in field and _DECIMAL_COMMA.fullmatch(field):
            raise bad_line(
                path,
                number,
                "have decimal points",
                f"the decimal comma {shown(field)}",
                "Replace decimal commas by points.",
            )
