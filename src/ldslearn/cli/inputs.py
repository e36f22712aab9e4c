"""Read what the command line names: collections, items, models, dictionaries."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ldslearn import _errors, datasets
from ldslearn._arrays import find_kind
from ldslearn._errors import suggest_name
from ldslearn._kinds import advise
from ldslearn.cli.parsing import parse_size
from ldslearn.cli.terminal import print_message
from ldslearn.datasets.channels_and_rate import choose_channels_and_rate, match_training_data
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.folder import choose_frame_size, list_items, read_items
from ldslearn.datasets.formats import COLLECTION_READERS
from ldslearn.datasets.items import Item, is_item
from ldslearn.datasets.labels_from_folders import list_folder, parse_levels
from ldslearn.datasets.labels_from_manifest import is_manifest
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.evaluate.methods import find_method
from ldslearn.models.unusable_sequences import drop_unfit
from ldslearn.persist.files import KIND, KINDS, load
from ldslearn.persist.model import Model
from ldslearn.scale.output_checks import is_store
from ldslearn.video.frame_options import FrameOptions

DEFAULTS = {
    "size": "auto", "colour": False, "crop": None, "stride": 1, "length": None, "chunk": False,
    "features": "pixels", "levels": None, "labels": None, "on_error": "raise", "time": None,
    "columns": None, "rate": None, "transpose": False, "gaps": False,
}  # fmt: skip
LAYOUTS: dict[str, Callable[..., Collection]] = {
    "cambridge": datasets.load_cambridge,
    "ucsd": datasets.load_ucsd,
    "ucla": datasets.load_ucla,
    "dyntexpp": datasets.load_dyntexpp,
    **{name: partial(datasets.load_tactile, name=name) for name in ("sd", "spr", "bdh")},
}


def load_data(path: Path, layout: str | None, n_jobs: int, **options: Any) -> Collection:
    """Return the collection of a folder, manifest or file."""
    if is_store(path):
        raise _errors.bad_file(
            path, "hold sequences", "a store of their systems",
            "Name the data it was encoded from, or use learn, code or predict.",
        )  # fmt: skip
    suffix = path.suffix.lower()
    one_file = path.is_file() and suffix in COLLECTION_READERS
    later = {
        name: options.pop(name) for name in ("columns", "rate") if one_file and name in options
    }
    gaps = options.pop("gaps", False) if one_file else False
    # on_error also applies to the use of items, whatever they were read from.
    unused = [n for n, value in options.items() if n != "on_error" and value != DEFAULTS.get(n)]
    if unused and (layout is not None or one_file):
        what = f"--set {layout}" if layout is not None else f"a collection in {suffix}"
        raise _errors.invalid(
            f"--{unused[0]}", "not be given", what,
            "Leave it out; the data set determines how it is read.",
        )  # fmt: skip
    if layout is not None:
        skip = options.get("on_error") == "skip"
        return LAYOUTS[layout](path, n_jobs=n_jobs, partial=skip)
    if not path.exists():
        raise _missing_path(path)
    if one_file:
        data = COLLECTION_READERS[suffix](path, gaps=gaps)
        return choose_channels_and_rate(print_notes(data), **later)
    if path.is_dir() or is_manifest(path) or is_item(path):
        return print_notes(datasets.load_folder(path, n_jobs=n_jobs, **options))
    suffixes = ", ".join(COLLECTION_READERS)
    raise _errors.bad_file(
        path,
        f"be a folder, a manifest.csv, a video, an array or a collection ({suffixes})",
        f"the suffix {suffix!r}" if suffix else "no suffix",
        advise(suffix),
    )


def print_notes(data: Collection) -> Collection:
    """Print the reader's decisions to stderr, and return the collection."""
    for note in data.notes:
        print_message(note)
    return data


def _missing_path(path: Path) -> FileNotFoundError:
    """The error for a path that does not exist, with the most similar name beside it."""
    parent = path.parent
    names = [one.name for one in parent.iterdir()] if parent.is_dir() else []
    return FileNotFoundError(
        f"{path} must exist; got nothing of that name.{suggest_name(path.name, names, 0.8)}"
    )


def load_model(path: Path) -> Model:
    """Return a model; raise with advice if the path cannot be one."""
    rule = "be a model written by `ldslearn train`"
    usage = "The model comes first: ldslearn predict MODEL DATA."
    if not path.exists():
        raise _missing_path(path)
    if path.is_dir():
        raise _errors.bad_file(
            path, rule, "a folder", f"Train one on it first: ldslearn train {path} -o model.lds"
        )
    kind = find_kind(path)
    if kind is not None and kind not in KINDS:
        raise _errors.bad_file(path, rule, f"a file of the kind {kind!r}", usage)
    if kind is None and (path.suffix.lower() in COLLECTION_READERS or is_item(path)):
        raise _errors.bad_file(path, rule, "data", usage)
    return Model.load(path)


def load_dictionary(path: str | Path) -> Any:
    """Return the dictionary in a file written by learn, or by ldslearn.save."""
    dictionary = load(path)
    if not isinstance(dictionary, SystemDictionary):
        got = type(dictionary).__name__
        raise _errors.bad_file(path, "hold a dictionary", got, "Make one with `ldslearn learn`.")
    return dictionary


def is_model(path: Path) -> bool:
    """Whether a path leads to a model; the suffix alone counts for a file that was cut short."""
    kind = find_kind(path)
    return kind == KIND or (kind is None and path.is_file() and path.suffix == ".lds")


def is_saved(path: Path) -> bool:
    """Whether a path leads to a file of :func:`ldslearn.save`, or of an older release."""
    return find_kind(path) in KINDS or is_model(path)


def is_collection(path: Path) -> bool:
    """Whether a path that exists holds several sequences, be it one file or a folder of them."""
    if path.is_file():
        return path.suffix.lower() in COLLECTION_READERS or is_manifest(path)
    return not is_item(path)


def read_new(
    paths: list[Path],
    reading: ReadingSettings,
    skip: bool,
    n_jobs: int,
    *,
    levels: str | None = None,
    labels: Path | None = None,
    frame: tuple[int, ...] | None = None,
) -> Collection:
    """Return new items, folders of them or one collection, treated as `reading` says.

    `frame` is that of the training data, which every item must have.
    """
    items: list[Item] = []
    unlabelled: list[tuple[str, str]] = []
    for path in paths:
        if not path.exists():
            raise _missing_path(path)
        if path.is_file() and path.suffix.lower() in COLLECTION_READERS:
            if len(paths) > 1:
                raise _errors.bad_file(
                    path, "be given alone", f"{len(paths)} paths", "It is a collection by itself."
                )
            refuse_labels(levels, labels, f"a collection in {path.suffix}")
            return match_training_data(
                COLLECTION_READERS[path.suffix.lower()](path, gaps=reading.gaps), reading
            )
        if is_collection(path):
            found, left_out = list_items(path, levels, labels, skip=skip)
            several = len(paths) > 1  # whose names may be alike
            items += [replace(i, name=str(i.source)) for i in found] if several else found
            unlabelled += left_out
        else:
            refuse_labels(levels, labels, f"the item {path}")
            items.append(Item(str(path), path))
    data = print_notes(read_items(items, reading, skip=skip, n_jobs=n_jobs, frame=frame))
    return replace(data, skipped=(*unlabelled, *data.skipped))


def refuse_labels(levels: str | None, labels: Path | None, got: str) -> None:
    """Raise for options that say what the items of a folder are, where there is no folder."""
    for name, value in (("--levels", levels), ("--labels", labels)):
        if value is not None:
            raise _errors.invalid(name, "be given for a folder", got, "Leave it out.")


def read_one(path: Path, index: int, size: str, colour: bool, **table: Any) -> Collection:
    """Return an item, or one of a collection, as :func:`read_frames_of` does."""
    if not (path.exists() and is_collection(path)):
        return read_frames_of([path], size, colour, **table)
    whole = path.is_file() and path.suffix.lower() in COLLECTION_READERS
    asked = size != "keep" or colour or table.get("time") is not None or table.get("transpose")
    if whole and asked:
        raise _errors.invalid(
            "--size, --colour, --time and --transpose", "not be given",
            f"a collection in {path.suffix}",
            "Leave them out; the file determines how it is read.",
        )  # fmt: skip
    found: Any = COLLECTION_READERS[path.suffix.lower()](path) if whole else list_folder(path)
    if index >= len(found):
        raise _errors.invalid(
            "index", f"be less than the number of sequences, {len(found)}", index, ""
        )
    if whole:
        return choose_channels_and_rate(found[[index]], table.get("columns"), table.get("rate"))
    return read_frames_of([found[index].source], size, colour, **table)


def read_array_file(
    path: Path, *, size: Any, colour: bool, crop: Any, stride: int, length: int | None, chunk: bool,
    features: str, levels: str | None, labels: Path | None, **table: Any,
) -> Collection:  # fmt: skip
    """Return one ``.npy`` file, a sequence or frames, read as in a folder of such files."""
    if size == "auto":
        size = choose_frame_size([Item(path.name, path)], crop)
    frames = FrameOptions(size, colour, crop, stride, length)
    reading = ReadingSettings(frames, chunk, features, **table)
    return read_new([path], reading, False, 1, levels=levels, labels=labels)


def read_pair(first: Path, second: Path, size: str, **table: Any) -> Collection:
    """Return two items as :func:`read_frames_of` does."""
    for path in (first, second):
        if path.exists() and is_collection(path):
            raise _errors.bad_file(
                path, "be one sequence, a video, a folder of images or an array", "a collection",
                "Name an item of it.",
            )  # fmt: skip
    return read_frames_of([first, second], size, **table)


def read_frames_of(paths: list[Path], size: str, colour: bool = False, **table: Any) -> Collection:
    """Return new items, frames resized as ``--size`` says; "auto" looks at the first.

    `table` has options of tables: time, columns, rate, transpose.
    """
    pixels = parse_size(size)
    if pixels == "auto":
        pixels = choose_frame_size([Item(str(paths[0]), paths[0])]) if paths[0].exists() else None
    return read_new(paths, ReadingSettings(FrameOptions(pixels, colour), **table), False, 1)


def check_levels(levels: str | None) -> None:
    """Raise unless ``--levels`` can be understood."""
    if levels is not None:
        parse_levels(levels)


def check_is_listed(data: Path) -> None:
    """Raise unless data are a folder or a manifest, whose items are read one by one."""
    if data.suffix.lower() in COLLECTION_READERS and data.is_file():
        raise _errors.bad_file(
            data, "be a folder or a manifest.csv", f"a collection in {data.suffix}",
            "It fits in memory: use train, cluster or evaluate.",
        )  # fmt: skip


def drop_unusable_items(
    collection: Collection, n_states: int | None, delays: int | None, method: str | None = None
) -> Collection:
    """Return a collection without the items that cannot be used, by a method if one is named."""
    options = {}
    known = None if method is None else find_method(method, detectors=True)
    if known is not None and not known.encodes:
        return collection
    if known is not None:
        options["constant"] = "rest" if known.automatic else "raise"
    return drop_unfit(collection, n_states, delays, **options)
