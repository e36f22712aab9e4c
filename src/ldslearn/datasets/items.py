"""Items, each one file or folder of images: which paths are items, and in which order."""

import os
from collections.abc import Iterable, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldslearn._kinds import is_system_file
from ldslearn.video.reading import IMAGE_SUFFIXES, has_images, natural_key

VIDEO_SUFFIXES = frozenset({
    ".3gp", ".asf", ".avi", ".flv", ".gif", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg",
    ".mpg", ".mts", ".ogv", ".webm", ".wmv",
})  # fmt: skip
ARRAY_SUFFIXES = frozenset({".csv", ".npy", ".tsv"})
# Tables in .txt files are read only when they are named: most .txt files are notes.
READABLE_ARRAYS = ARRAY_SUFFIXES | {".txt"}


@dataclass(frozen=True)
class Item:
    """One sequence before it is read: its name, its source, and what is known about it."""

    name: str
    source: Any
    label: str | None = None
    split: str | None = None
    group: str | None = None


def is_item(path: Path) -> bool:
    """Whether a path looks like one sequence: a file by its suffix, or a folder of images.

    A folder that holds videos or arrays beside images is not an item: it holds several sequences,
    and images that belong to none.
    """
    if is_system_file(path):
        return False
    if path.is_dir():
        return has_images(path) and not any(map(_is_sequence_file, path.iterdir()))
    return _is_sequence_file(path)


def is_item_name(path: Path) -> bool:
    """Whether a file of that name would be read as an item of its folder, or as an image of one."""
    known = VIDEO_SUFFIXES | ARRAY_SUFFIXES | IMAGE_SUFFIXES
    return path.suffix.lower() in known and not is_system_file(path)


def is_table(path: Any) -> bool:
    """Whether a path is a file that is read as a table of text."""
    suffix = path.suffix.lower() if isinstance(path, Path) else ""
    return suffix in READABLE_ARRAYS and suffix != ".npy" and not path.is_dir()


def _is_sequence_file(path: Path) -> bool:
    """By its name alone: a pipe or a broken link fails when it is read."""
    known = path.suffix.lower() in VIDEO_SUFFIXES | ARRAY_SUFFIXES
    return known and not path.name.startswith(".") and os.path.lexists(path) and not path.is_dir()


def sort_paths(paths: Iterable[Path]) -> list[Path]:
    """Return paths by name, clip2 before clip10, without hidden and system files."""
    visible = (path for path in paths if not is_system_file(path))
    return sorted(visible, key=lambda path: natural_key(path.name))


def list_subfolders(folder: Path) -> list[Path]:
    """Return the folders in `folder` in natural order; none where it does not exist."""
    if not folder.is_dir():
        return []
    return sort_paths(path for path in folder.iterdir() if path.is_dir())


def list_files(folder: Path, suffixes: Set[str]) -> list[Path]:
    """Return the files in `folder` with one of these suffixes, in natural order."""
    return sort_paths(path for path in folder.iterdir() if path.suffix.lower() in suffixes)
