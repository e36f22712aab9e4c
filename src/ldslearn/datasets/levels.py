"""Folders of several levels, whose names say class, group or split of what is below."""

from collections.abc import Container, Sequence
from pathlib import Path, PurePosixPath

from ldslearn import _errors
from ldslearn._kinds import nearest
from ldslearn.datasets.gathering import Item

_FIELDS = {"class": "label", "group": "group", "split": "split"}
_IGNORED = "*"


def parse_levels(text: str) -> list[str]:
    """Return the names of the folders above an item in a text such as ``group/class/item``."""
    *names, last = text.strip("/").split("/")
    known = (*_FIELDS, _IGNORED)
    wrong = next((name for name in names if name not in known), None)
    given = [name for name in names if name != _IGNORED]
    if last != "item" or wrong is not None or len(set(given)) < len(given):
        raise _errors.invalid(
            "levels", "name class, group, split or * once for each folder, and item at the end",
            repr(text), f"For example group/class/item.{nearest(wrong, known) if wrong else ''}",
        )  # fmt: skip
    return names


def levels_of(
    root: Path, found: Sequence[tuple[str, Path]], levels: str, notes: Container[str]
) -> list[Item]:
    """Return items labelled by the folders above them.

    Parameters
    ----------
    root : Path
    found : sequence of (str, Path)
        Path below `root`, and path, of every item.
    levels : str
        Such as ``group/class/item``; a folder called ``*`` says nothing.
    notes : container of str
        Suffixes of files that are passed over beside the uppermost folders.
    """
    names = parse_levels(levels)
    items = []
    for name, path in found:
        *folders, _ = PurePosixPath(name).parts
        if not folders and names and path.suffix.lower() in notes:
            continue
        if len(folders) != len(names):
            raise _errors.bad_file(
                root, f"hold every item as {levels}", name,
                "Move it, or list all items in a manifest.",
            )  # fmt: skip
        known = {
            _FIELDS[level]: folder
            for level, folder in zip(names, folders, strict=True)
            if level != _IGNORED
        }
        items.append(Item(name, path, **known))
    return items
