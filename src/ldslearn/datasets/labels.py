"""Labels in a CSV file of their own, for items that no class folders sort."""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePosixPath

from ldslearn import _errors
from ldslearn.datasets.gathering import Item
from ldslearn.datasets.manifest import has_column, read_rows

_COLUMNS = ("item", "label", "split", "group")
_SHOWN = 3  # names in a message


def is_labels_file(path: Path) -> bool:
    """Whether a path is a ``.csv`` file with columns ``item`` and ``label``."""
    return has_column(path, "item") and has_column(path, "label")


def label_items(
    items: Sequence[Item], path: str | PathLike[str], *, skip: bool = False
) -> tuple[list[Item], list[tuple[str, str]]]:
    """Return items with the labels that a CSV file gives them, and those left out with reasons.

    Parameters
    ----------
    items : sequence of Item
    path : path-like
        A CSV file with the columns ``item`` and ``label``, and perhaps ``split`` and ``group``. An
        item is named by its path in the folder, its file name, or either without the suffix. Rows
        that name no item are told of in a warning.
    skip : bool
        Leave out items that no row names, instead of raising.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"labels must be in a CSV file; {file} is none.")
    rule = "be a CSV file of labels, with the columns 'item' and 'label' and perhaps split, group"
    rows = read_rows(file, _COLUMNS, ("item", "label"), rule)
    known = _keys(items)
    lines: dict[int, int] = {}
    found: dict[int, dict[str, str]] = {}
    strangers: list[str] = []
    for line, row in rows:
        key = row["item"].replace("\\", "/").removeprefix("./")
        matches = known.get(key, [])
        if len(matches) > 1:
            raise _errors.bad_file(
                f"{file}, line {line}", "name one item",
                f"{row['item']!r:.80}, which are {_some([items[i].name for i in matches])}",
                "Write its path in the folder.",
            )  # fmt: skip
        if not matches:
            strangers.append(row["item"])
            continue
        index = matches[0]
        if lines.setdefault(index, line) != line:
            raise _errors.bad_file(
                file, "list each item once",
                f"{items[index].name} in lines {lines[index]} and {line}",
                "Remove all but one of them.",
            )  # fmt: skip
        found[index] = row
    missing = [item.name for index, item in enumerate(items) if index not in found]
    if missing and (not skip or not found):
        got = f"none for {len(missing)} of {len(items)} items: {_some(missing)}"
        other = f" It names {_some(strangers)}, which are not there." if strangers else ""
        raise _errors.bad_file(
            file, "give every item a label", got,
            f"Add a line for each, such as '{missing[0]},LABEL'.{other}",
        )  # fmt: skip
    if strangers:
        warnings.warn(_no_such_items(file, len(strangers), _some(strangers)), stacklevel=4)
    labelled = [
        replace(
            items[index],
            label=row["label"],
            split=row.get("split") or items[index].split,
            group=row.get("group") or items[index].group,
        )
        for index, row in sorted(found.items())
    ]
    return labelled, [(name, f"{name} has no label in {file}") for name in missing]


def _keys(items: Sequence[Item]) -> dict[str, list[int]]:
    """Items by all that they may be called; what is the path of one is no other's name."""
    keys: dict[str, list[int]] = defaultdict(list)
    for make in (str, _without_suffix, _file_name, _stem):
        taken = set(keys)
        for index, item in enumerate(items):
            key = make(PurePosixPath(item.name))
            if key not in taken and index not in keys[key]:
                keys[key].append(index)
    return keys


def _without_suffix(path: PurePosixPath) -> str:
    return str(path.with_suffix(""))


def _file_name(path: PurePosixPath) -> str:
    return path.name


def _stem(path: PurePosixPath) -> str:
    return path.stem


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _no_such_items(path: Path, count: int, names: str) -> str:
    """Warning about labels of items that are not there."""
    rows = "1 row" if count == 1 else f"{count} rows"
    return f"{rows} of {path} name no item, and were passed over: {names}"
