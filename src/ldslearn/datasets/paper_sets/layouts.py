"""The published layout of each of the paper's sets, and the one reader of them all."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.items import Item, list_files, list_subfolders
from ldslearn.datasets.parallel_reading import read_collection
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.datasets.recording import Recording


@dataclass(frozen=True)
class SetLayout:
    """What is published about a set, and the words of messages about it."""

    title: str
    short_title: str  # of the progress bar
    n_sequences: int
    n_parts: int  # classes; of Cambridge, classes of each of five sets
    source: str  # where to get it, and how to unpack it
    frame: tuple[int, int] = (0, 0)  # sensors of a robot hand
    part: str = ""  # what precedes the name of a part
    parts: str = "classes"
    sequences: str = "sequences"

    @property
    def per_part(self) -> int:
        """Sequences of each part."""
        return self.n_sequences // self.n_parts

    def find_root(self, folder: str | PathLike[str]) -> Path:
        """Return the folder of the set, or raise if it is missing."""
        root = Path(folder)
        if not root.is_dir():
            raise self.missing(root, "that folder")
        return root

    def missing(self, root: Path, what: str, remedy: str = "") -> FileNotFoundError:
        """Return the error about what is missing."""
        text = f"{self.title} must be in {root}; {what} is missing. {self.source} {remedy}"
        return FileNotFoundError(text.rstrip())

    def list_gaps(self, counts: Mapping[Any, int], n_parts: int) -> list[str]:
        """Return a text per part without its number of sequences, and one for missing parts."""
        found = f"{len(counts)} of {n_parts} {self.parts} found"
        return [found] * (len(counts) != n_parts) + [
            f"{self.part}{part} has {count} of {self.per_part} {self.sequences}"
            for part, count in counts.items()
            if count != self.per_part
        ]

    def read(
        self,
        root: Path,
        items: list[Item],
        gaps: list[str],
        read: Callable[[Item], NDArray[Any]],
        settings: ReadingSettings,
        partial: bool,
        n_jobs: int | None,
    ) -> Collection:
        """Return the collection of some items; raise if there are gaps, unless `partial`."""
        if not items:
            raise self.missing(root, "all of it")
        if gaps and not partial:
            more = f"; and {len(gaps) - 5} more" if len(gaps) > 5 else ""
            raise self.missing(
                root,
                f"part of it ({'; '.join(gaps[:5])}{more})",
                "To load what is there, use partial=True in Python, or --skip-errors of evaluate, "
                "train, cluster and convert.",
            )
        return read_collection(
            items,
            lambda item: Recording([read(item)]),
            description=f"reading {self.short_title}",
            settings=settings,
            skip=partial,
            n_jobs=n_jobs,
        )


def _tactile_set(
    title: str, n_sequences: int, n_classes: int, frame: tuple[int, int], reference: str
) -> SetLayout:
    source = (
        f"Ask the authors for {title} ({reference}) and keep it as {title.lower()}.mat with a cell "
        "array data and labels, or as a folder for each class with a file for each sequence."
    )
    return SetLayout(title, title, n_sequences, n_classes, source, frame)


SETS = {  # sizes as in Table 3
    "cambridge": SetLayout(
        "the Cambridge hand gestures", "gestures", 900, 5 * 9,
        "Get the Cambridge Hand Gesture Data Set (Kim et al., CVPR 2007) from the Imperial "
        "Computer Vision and Learning Lab and unpack it as Set1/0000/0000/frame-0000.jpg, ...: "
        "five sets, nine classes 0000 to 0008 in each, 20 folders of frames in each class.",
    ),
    "ucsd": SetLayout(
        "the UCSD traffic database", "traffic", 254, 3,
        "Get trafficdb from the Statistical Visual Computing Lab of UC San Diego (Chan and "
        "Vasconcelos, 2005) and unpack it with ImageMaster, EvalSet_train, EvalSet_test, "
        "traffic_patches.mat and video/*.avi side by side.",
    ),
    "ucla": SetLayout(
        "the UCLA dynamic textures", "textures", 200, 50,
        "Get the UCLA dynamic texture database (Saisan et al., CVPR 2001) from its authors, as "
        "ucla_patches.mat with 200 clips in imgdb; or as a folder for each of 50 textures with "
        "four videos or folders of frames; or as 200 of these named <texture>_1 to <texture>_4.",
        parts="textures",
    ),
    "dyntexpp": SetLayout(
        "DynTex++", "DynTex++", 3600, 36,
        "Get the DynTex++ dataset from the page of Bernard Ghanem (Ghanem and Ahuja, ECCV 2010) "
        "and unpack it with dyntex++_info.mat beside the 3600 files it names, each with a "
        "50 x 50 x 50 array subv; or as 36 folders, one per class, of 100 such files or videos; "
        "or as 3600 such files in order of their classes.",
        part="class ", sequences="videos",
    ),
    "sd": _tactile_set("SD", 100, 10, (27, 18), "Yang et al., IJCNN 2015"),
    "spr": _tactile_set("SPr", 97, 10, (8, 16), "Madry et al., ICRA 2014"),
    "bdh": _tactile_set("BDH", 100, 2, (8, 9), "Madry et al., ICRA 2014"),
}  # fmt: skip


def list_class_folders(root: Path, suffixes: Set[str]) -> list[Item]:
    """Return the files with some suffixes as ``<class>/<file>``, labelled by their folders."""
    return [
        Item(f"{folder.name}/{path.name}", path, folder.name)
        for folder in list_subfolders(root)
        for path in list_files(folder, suffixes)
    ]


def find_variable(path: Path, contents: Mapping[str, Any], name: str) -> Any:
    """Return a variable of the contents of a MATLAB file, or raise if it is missing."""
    if name not in contents:
        raise _errors.bad_file(path, f"hold {name}", ", ".join(sorted(contents)) or "nothing")
    return contents[name]


def format_label(value: Any) -> str:
    """Return a label of a MATLAB file, a text or a number, as text."""
    return value if isinstance(value, str) else f"{float(np.squeeze(value)):g}"


def read_patch(item: Item) -> NDArray[Any]:
    """Return a clip of imgdb, (height, width, n_frames) in MATLAB, as (n_frames, height, width)."""
    frames = np.asarray(item.source)
    if frames.ndim != 3:
        raise _errors.invalid(
            item.name, "have shape (height, width, n_frames) in imgdb", f"shape {frames.shape}", ""
        )
    return np.moveaxis(frames, 2, 0)
