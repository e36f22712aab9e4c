"""List and label items by a manifest: a CSV file with a path and perhaps a label per line."""

import csv
import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from ldslearn import _errors
from ldslearn._kinds import recognize
from ldslearn.datasets.formats.text_lines import choose_delimiter
from ldslearn.datasets.items import Item

_LARGEST_MANIFEST = 2**28  # bytes
_LONGEST_HEADER = 2**16  # bytes
_COLUMNS = ("path", "label", "split", "group")


def is_manifest(path: str | PathLike[str]) -> bool:
    """Whether a path is a ``.csv`` file with a column ``path``, perhaps misspelt as ``Path``.

    Only the first line is read; a file that cannot be read is not a manifest.
    """
    return has_column(path, "path")


def has_column(path: str | PathLike[str], column: str) -> bool:
    """Whether a path is a ``.csv`` file with a column of that name."""
    file = Path(path)
    if file.suffix.lower() != ".csv" or not file.is_file():
        return False
    try:
        with file.open("rb") as opened:
            line = opened.readline(_LONGEST_HEADER)
        text = line.decode("utf-8-sig")
        names = next(csv.reader([text], delimiter=_choose_delimiter(text), strict=True), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return False
    return column in map(_normalize, names)


def seems_manifest(path: Path) -> bool:
    """Whether a table may be a manifest with a misspelt column: it has labels, but no paths."""
    return not is_manifest(path) and has_column(path, "label") and not has_column(path, "item")


def list_manifest(path: Path) -> list[Item]:
    """Return the items of a CSV file with columns path, label, split, group."""
    rule = f"be a manifest, CSV with a column 'path' and perhaps {', '.join(_COLUMNS[1:])}"
    rows = read_rows(path, _COLUMNS, ("path",), rule)
    root = os.path.realpath(path.parent)
    parents: dict[str, str] = {}
    lines: dict[str, int] = {}
    items = []
    for line, row in rows:
        text = row["path"]
        source = _resolve_below(root, text, parents, f"{path}, line {line}")
        if lines.setdefault(source, line) != line:
            raise _errors.bad_file(
                path,
                "list each item once",
                f"{text!r:.80} in lines {lines[source]} and {line}",
                "Remove all but one of them.",
            )
        items.append(
            Item(text, path.parent / text, *(row.get(column) or None for column in _COLUMNS[1:]))
        )
    return items


def read_rows(
    path: Path, known: Sequence[str], needed: Sequence[str], rule: str
) -> list[tuple[int, dict[str, str]]]:
    """Return number and fields by column of every line of a CSV file that is not empty.

    Fields are stripped of spaces. Their delimiter is a comma; a semicolon or tab where the first
    line has no comma.

    Parameters
    ----------
    path : Path
    known, needed : sequence of str
        Columns with a meaning, the first of which identifies the item; and those that must be
        there.
    rule : str
        What the file must be, for messages.
    """
    if path.stat().st_size > _LARGEST_MANIFEST:
        raise _errors.too_large(f"file {path}", path.stat().st_size, _LARGEST_MANIFEST, "")
    rows = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            delimiter = _choose_delimiter(file.readline(_LONGEST_HEADER))
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            columns = [name.strip() for name in next(reader, [])]
            _check_columns(path, columns, known, needed, rule)
            for fields in filter(None, reader):
                row = dict(zip(columns, map(str.strip, fields), strict=False))
                where = f"{path}, line {reader.line_num}"
                if not row.get(known[0]):
                    raise _errors.bad_file(where, f"give a {known[0]}", f"{row.get(known[0])!r}")
                if len(fields) > len(columns):
                    raise _errors.bad_file(
                        where,
                        f"have {len(columns)} fields, one per column",
                        len(fields),
                        "Put fields with commas in quotes.",
                    )
                rows.append((reader.line_num, row))
    except (UnicodeDecodeError, csv.Error) as error:
        raise _errors.bad_file(path, rule, recognize(path) or error) from error
    if not rows:
        raise _errors.bad_file(path, "list at least one item", "none")
    for column in known[1:]:
        empty = [line for line, row in rows if not row.get(column)]
        if empty and (column in needed or len(empty) < len(rows)):
            every = "every line" if column in needed else "every line, or in none"
            raise _errors.bad_file(
                path, f"give a {column} in {every}", f"line {empty[0]} without one"
            )
    return rows


def _choose_delimiter(header: str) -> str:
    # The comma comes first: a header has names and no decimal commas, unlike a table of numbers.
    return choose_delimiter(header, ",;\t") or ","


def _check_columns(
    path: Path, columns: Sequence[str], known: Sequence[str], needed: Sequence[str], rule: str
) -> None:
    for name in columns:
        if _normalize(name) in known and name not in known:
            raise _errors.invalid(
                f"{path}: column", f"be {_normalize(name)!r}", f"{name!r:.80}", "Rename it."
            )
    if not columns:
        raise _errors.bad_file(path, rule, recognize(path) or "no line")
    for name in needed:
        if name not in columns:
            got = ", ".join(f"{column!r:.80}" for column in columns[:8])
            first = f"Name the columns in the first line: {','.join(known)}."
            raise _errors.bad_file(path, rule, f"the columns {got}", first)
    for name in known:
        if columns.count(name) > 1:
            count = columns.count(name)
            raise _errors.bad_file(path, f"have one column {name!r}", f"{count} of them")


def _normalize(name: str) -> str:
    """The name of a column in lower case and without spaces."""
    return "".join(name.split()).lower()


def _resolve_below(root: str, text: str, parents: dict[str, str], where: str) -> str:
    """The path of one line, refused unless it exists below the manifest's folder.

    Links are followed. Each folder above items is resolved once, and kept in `parents`.
    """
    path = os.path.join(root, text)
    try:
        item = _resolve(path, parents)
    except (OSError, ValueError) as error:
        raise _errors.bad_file(where, "give a path", f"{text!r:.80}") from error
    if not item.startswith(os.path.join(root, "")) or item == root:
        raise _errors.bad_file(
            where,
            "name items below the manifest's folder",
            f"{text!r:.80}",
            "Move the manifest above its items, and write paths relative to it.",
        )
    if not os.path.exists(path):
        raise _errors.bad_file(where, "name an item that exists", f"{text!r:.80}")
    return item


def _resolve(path: str, parents: dict[str, str]) -> str:
    parent, name = os.path.split(path)
    if name in ("", os.curdir, os.pardir) or os.path.islink(path):
        return os.path.realpath(path)
    if parent not in parents:
        parents[parent] = os.path.realpath(parent)
    return os.path.join(parents[parent], name)
