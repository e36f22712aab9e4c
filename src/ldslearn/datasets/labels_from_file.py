"""Label items by a CSV file of labels, with an item and a label per line."""

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePosixPath

from ldslearn import _errors
from ldslearn.datasets.items import Item
from ldslearn.datasets.labels_from_manifest import has_column, read_rows

_COLUMNS = ("item", "label", "split", "group")


def is_labels_file(path: Path) -> bool:
    """Whether a path is a ``.csv`` file with columns ``item`` and ``label``."""
    return has_column(path, "item") and has_column(path, "label")


def label_items(
    items: Sequence[Item], path: str | PathLike[str], *, skip: bool = False
) -> tuple[list[Item], list[tuple[str, str]]]:
    """Return items with the labels that a CSV file gives them, and skipped ones with reasons.

    Parameters
    ----------
    items : sequence of Item
    path : path-like
        A CSV file with the columns ``item`` and ``label``, and perhaps ``split`` and ``group``. An
        item is named by its path in the folder, its file name, or either without the suffix. Rows
        that name no item cause a warning.
    skip : bool
        Skip items that no row names, instead of raising.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"labels must be in a CSV file; got {file}, which is not a file.")
    rule = "be a CSV file of labels, with the columns 'item' and 'label' and perhaps split, group"
    rows = read_rows(file, _COLUMNS, ("item", "label"), rule)
    known = _index_names(items)
    lines: dict[int, int] = {}
    found: dict[int, dict[str, str]] = {}
    unknown: list[str] = []
    for line, row in rows:
        key = row["item"].replace("\\", "/").removeprefix("./")
        matches = known.get(key, [])
        if len(matches) > 1:
            names = _errors.list_some([items[i].name for i in matches], 3)
            raise _errors.bad_file(
                f"{file}, line {line}", "name one item", f"{row['item']!r:.80}, which are {names}",
                "Write its path in the folder.",
            )  # fmt: skip
        if not matches:
            unknown.append(row["item"])
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
        got = f"none for {len(missing)} of {len(items)} items: {_errors.list_some(missing, 3)}"
        other = (
            f" It names {_errors.list_some(unknown, 3)}, which are not there." if unknown else ""
        )
        raise _errors.bad_file(
            file, "give every item a label", got,
            f"Add a line for each, such as '{missing[0]},LABEL'.{other}",
        )  # fmt: skip
    if unknown:
        count = "1 row" if len(unknown) == 1 else f"{len(unknown)} rows"
        names = _errors.list_some(unknown, 3)
        warnings.warn(f"skipped {count} of {file} without a matching item: {names}", stacklevel=4)
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


def _index_names(items: Sequence[Item]) -> dict[str, list[int]]:
    """Indices of items by all of their names; a full path takes precedence over shorter names."""
    keys: dict[str, list[int]] = defaultdict(list)
    names: tuple[Callable[[PurePosixPath], str], ...] = (
        str,
        lambda path: str(path.with_suffix("")),
        lambda path: path.name,
        lambda path: path.stem,
    )
    for name in names:
        taken = set(keys)
        for index, item in enumerate(items):
            key = name(PurePosixPath(item.name))
            if key not in taken and index not in keys[key]:
                keys[key].append(index)
    return keys
