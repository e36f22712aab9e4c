"""Outputs of commands, which must not replace or extend what is read."""

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from ldslearn._writing import check_outside, check_target, check_target_folder
from ldslearn.datasets.folder import list_items
from ldslearn.datasets.items import Item, is_item, is_item_name, list_subfolders
from ldslearn.scale.shards import INDEX, KIND, SHARD_NAME
from ldslearn.video.reading import list_images

_HEAD = 256  # bytes of an index that say whose it is


@dataclass(frozen=True)
class Input:
    """A path that is read, with the options that decide which items are read.

    Parameters
    ----------
    path : Path
        A file, a store, a folder of items, a folder of images or a manifest.
    levels, labels : optional
        As in :func:`ldslearn.datasets.load_folder`.
    is_set : bool
        Whether the path is the folder of a published set, which is read as a whole.
    items : sequence of Item, optional
        The items, if they are listed already.
    """

    path: Path
    levels: str | None = None
    labels: Path | None = None
    is_set: bool = False
    items: Sequence[Item] | None = None

    def list_files(self) -> Iterator[Path]:
        """Yield every file that is read."""
        yield self.path
        if self.labels is not None:
            yield self.labels
        if self.is_set:
            yield from (file for folder in self.list_folders() for file in folder.iterdir())
        for path in self._list_item_paths():
            yield from list_images(path) if path.is_dir() else [path]

    def list_folders(self) -> list[Path]:
        """Return the folders that are read; a new file in one would be read the next time."""
        root, paths = self.path, self._list_item_paths()
        if not root.is_dir():
            return [path for path in paths if path.is_dir()]
        inner = list_subfolders(root)
        if self.is_set:  # such as Set1/0000
            return [root, *inner, *(path for one in inner for path in list_subfolders(one))]
        return [root, *inner, *dict.fromkeys(p if p.is_dir() else p.parent for p in paths)]

    def _list_item_paths(self) -> list[Path]:
        """Return the files, and folders of images, that are items."""
        items = self.items
        if items is None and not self.is_set:
            if self.path.is_dir() and is_item(self.path):
                return [self.path]
            # The reader raises and warns later.
            with suppress(ValueError, OSError), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                items, _ = list_items(self.path, self.levels, self.labels, skip=True)
        return [Path(item.source) for item in items or ()]


def check_output(path: str | PathLike[str], *inputs: Input) -> Path:
    """Return the target of a new file; raise if it is read, becomes an item, or is in a store.

    Links are followed. Call it before long work.
    """
    target = check_target(path)
    _check_stores(path, target.parent)
    for source in inputs:
        for file in source.list_files() if target.exists() else ():
            with suppress(OSError):
                if file.samefile(target):
                    raise _output_is_input(path, file)
        if source.is_set or is_item_name(target):
            check_outside(path, source.list_folders())
    return target


def check_output_folder(path: str | PathLike[str], *inputs: Input) -> Path:
    """Return the folder to write; raise if it is inside a folder that is read, or in a store.

    The folder may be a store itself.
    """
    target = check_target_folder(path)
    _check_stores(path, target.parent)
    for source in inputs:
        check_outside(path, source.list_folders())
    return target


def is_store(path: Path) -> bool:
    """Whether a path is a folder of systems that ``encode`` wrote or began to write."""
    with suppress(OSError):
        if any(SHARD_NAME.fullmatch(name) for name in os.listdir(path)):
            return True
        if (path / INDEX).is_file():
            with (path / INDEX).open("rb") as file:
                return KIND.encode() in file.read(_HEAD)
    return False


def _check_stores(path: str | PathLike[str], folder: Path) -> None:
    """Raise if an output would be inside a store."""
    for place in (folder, *folder.parents):
        if is_store(place):
            raise ValueError(
                f"output {path} must be outside of {place}, which is a store; got a place in "
                "it. Name another."
            )


def _output_is_input(target: str | PathLike[str], source: str | PathLike[str]) -> ValueError:
    """An output that would replace something that is read."""
    same = "" if Path(target) == Path(source) else f" ({source})"
    return ValueError(
        f"output {target} must be another file than those that are read; got one of them{same}. "
        "Name another file."
    )
