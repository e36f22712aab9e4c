"""List the items of a folder and label them by the names of the folders above them."""

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path, PurePosixPath

from ldslearn import _errors
from ldslearn._errors import suggest_name
from ldslearn._kinds import advise, is_system_file
from ldslearn.datasets.items import Item, is_item, sort_paths
from ldslearn.datasets.labels_from_file import is_labels_file
from ldslearn.datasets.labels_from_manifest import is_manifest, list_manifest, seems_manifest
from ldslearn.video.reading import has_images

_NOTES = frozenset({".csv", ".tsv", ".txt"})  # beside class folders: manifests, tables, a README
_FIELDS = {"class": "label", "group": "group", "split": "split"}  # of an item, by level
_IGNORED = "*"


def list_folder(
    path: str | PathLike[str], *, levels: str | None = None, search_subfolders: bool = False
) -> list[Item]:
    """Return the items of a folder, ``<class>/<item>`` or without classes, or of a manifest.

    A single item is a list of one.

    Parameters
    ----------
    path : path-like
    levels : str, optional
        What the folders above an item mean, such as ``group/class/item``.
    search_subfolders : bool
        List the items of all folders, however deep, without labels.
    """
    root = Path(path)
    if root.is_file():
        if levels is not None:
            raise _errors.invalid("levels", "be those of a folder", f"the file {root}", "")
        if is_manifest(root) or seems_manifest(root) or not is_item(root):
            return list_manifest(root)
        return [Item(root.name, root)]
    if not root.is_dir():
        raise FileNotFoundError(
            f"{root} must be a folder <class>/<item> or a manifest; got nothing."
        )
    if levels is not None or search_subfolders:
        found = list(_walk(root, root))
        if not found:
            raise _no_items(root)
        _check_names(root, (root / name for name, _ in found))
        if levels is None:
            return [Item(name, path) for name, path in found]
        return _label_by_levels(root, found, levels)
    entries = _list_entries(root)
    tables = {path for path in entries if is_labels_file(path) or is_manifest(path)}
    loose = [path for path in entries if is_item(path) and path not in tables]
    single = set(loose)
    folders = [path for path in entries if path.is_dir()]
    by_class = {path: _list_class(path) for path in folders if path not in single}
    without_items = [path for path, paths in by_class.items() if not paths and _has_files(path)]
    by_class = {folder: paths for folder, paths in by_class.items() if paths}
    items = [path for paths in by_class.values() for path in paths]
    _check_names(root, [*by_class, *loose, *items])
    _check_loose(root, loose, list(by_class))
    if by_class and without_items:
        names = _errors.list_some([folder.name for folder in without_items])
        warnings.warn(
            f"skipped folders without a video, folder of images or array: {names}. Rename or "
            "convert their files, or move them elsewhere.",
            stacklevel=3,
        )
    if by_class:
        return [
            Item(f"{folder.name}/{path.name}", path, folder.name)
            for folder, paths in by_class.items()
            for path in paths
        ]
    if not loose:
        raise _no_items(root)
    return [Item(path.name, path) for path in loose]


def parse_levels(text: str) -> list[str]:
    """Return the names of the folders above an item in a text such as ``group/class/item``."""
    *names, last = text.strip("/").split("/")
    known = (*_FIELDS, _IGNORED)
    wrong = next((name for name in names if name not in known), None)
    given = [name for name in names if name != _IGNORED]
    if last != "item" or wrong is not None or len(set(given)) < len(given):
        raise _errors.invalid(
            "levels", "name class, group, split or * once for each folder, and item at the end",
            repr(text),
            f"For example group/class/item.{suggest_name(wrong, known) if wrong else ''}",
        )  # fmt: skip
    return names


def _label_by_levels(root: Path, found: Sequence[tuple[str, Path]], levels: str) -> list[Item]:
    """Items labelled by the folders above them; `found` has their paths below `root`."""
    names = parse_levels(levels)
    items = []
    for name, path in found:
        *folders, _ = PurePosixPath(name).parts
        if not folders and names and path.suffix.lower() in _NOTES:
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


def _list_entries(folder: Path) -> list[Path]:
    """What is in a folder, in order, with a warning about broken links that may be classes."""
    paths = sort_paths(folder.iterdir())
    broken = [path for path in paths if not path.exists() and not is_item(path)]
    if broken:
        text = f"skipped broken links: {_errors.list_some(broken)}. Remove or repair them."
        warnings.warn(text, stacklevel=4)
    return paths


def _walk(root: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Path below `root` and path of every item, but no manifest or file of labels."""
    for path in _list_entries(folder):
        if is_item(path):
            if not is_manifest(path) and not is_labels_file(path):
                yield path.relative_to(root).as_posix(), path
        elif path.is_dir() and not path.is_symlink():
            yield from _walk(root, path)


def _no_items(root: Path) -> ValueError:
    """Return the error about a folder without items at the expected depth."""
    deeper = next((name for name, _ in _walk(root, root) if name.count("/") > 1), None)
    rule = "hold videos, folders of images or tables, as <class>/<item>"
    if deeper is not None:
        folders = deeper.split("/")[:-1]
        rest = "/*" * (len(folders) - 2) + "/item"
        return _errors.bad_file(
            root,
            rule,
            f"items further down, such as {deeper}",
            f"Say what the folders mean: --levels group/class{rest} if the first is who was "
            f"recorded, --levels class/group{rest} if it is the class (levels='...' in Python). Or "
            f"list all in {root.name}/manifest.csv, with the line 'path,label,group' and lines "
            f"such as '{deeper},{folders[1]},{folders[0]}', and name that file in place of the "
            "folder.",
        )
    with_suffix = Counter(
        path.suffix.lower()
        for folder, _, names in os.walk(root)
        for path in map(Path(folder).joinpath, names)
        if not is_system_file(path)
    )
    if not with_suffix:
        return _errors.bad_file(root, rule, "no files", "Is it the right folder?")
    suffix, count = with_suffix.most_common(1)[0]
    files = "1 file" if count == 1 else f"{count} files"
    got = f"{files} of the suffix {suffix!r}" if suffix else f"{files} without a suffix"
    remedy = advise(suffix) or (
        "Known are videos (.avi, .mp4, .mkv, ...), folders of images, tables (.csv, .tsv) and "
        "arrays (.npy)."
    )
    return _errors.bad_file(root, rule, got, remedy)


def _has_files(folder: Path) -> bool:
    """Whether a folder holds anything that is not hidden."""
    return not is_system_file(folder) and not all(map(is_system_file, folder.iterdir()))


def _list_class(folder: Path) -> list[Path]:
    """The items of a class; images beside videos or arrays raise, so that none is lost."""
    paths = _list_entries(folder)
    found = [path for path in paths if is_item(path)]
    single = set(found)
    for path in paths:
        if path not in single and path.is_dir() and has_images(path):
            raise _errors.bad_file(
                path,
                "hold either the images of one item or other items",
                "images beside videos or arrays",
                "Move one of the two elsewhere.",
            )
    return found


def _check_names(root: Path, paths: Iterable[Path]) -> None:
    """Raise for a name that no text file could hold, before it becomes a label."""
    for path in paths:
        try:
            path.name.encode()
        except UnicodeEncodeError:
            raise _errors.bad_file(
                root, "hold names in UTF-8", repr(path.name), "Rename it."
            ) from None


def _check_loose(root: Path, loose: Sequence[Path], classes: Sequence[Path]) -> None:
    """Raise if items have no class while others have one, or might be classes themselves."""
    remedy = "Move the {} into a folder of their class, or list all in a manifest."
    files = [path for path in loose if not path.is_dir() and path.suffix.lower() not in _NOTES]
    images = [path for path in loose if path.is_dir()]
    if classes and files:
        raise _errors.bad_file(
            root,
            "hold either class folders or files without a class",
            f"{len(classes)} folders and {len(files)} files such as {files[0].name}",
            remedy.format("files"),
        )
    if classes and images:
        labels, names = (
            _errors.list_some([path.name for path in paths], 3) for paths in (classes, images)
        )
        raise _errors.bad_file(
            root,
            "hold either class folders or folders of images without a class",
            f"the classes {labels} and the images in {names}",
            remedy.format("folders of images"),
        )
    for folder in images:
        with os.scandir(folder) as entries:
            inner = [Path(entry) for entry in entries if entry.is_dir()]
        if any(map(is_item, inner)):
            raise _errors.bad_file(
                folder,
                "hold either the images of one item or the items of a class",
                "images beside folders of images",
                "Move one of the two elsewhere, or list all in a manifest.",
            )
