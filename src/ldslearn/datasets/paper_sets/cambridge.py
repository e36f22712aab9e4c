"""The Cambridge hand gestures."""

from os import PathLike

from ldslearn.datasets.collection import Collection
from ldslearn.datasets.gathering import Item, check_complete, existing_folder, gather, subfolders
from ldslearn.datasets.items import Reading
from ldslearn.video import read_frames
from ldslearn.video.options import FrameOptions
from ldslearn.video.reading import holds_images

_SETS = tuple(f"Set{number}" for number in range(1, 6))
_CLASSES = tuple(f"{number:04d}" for number in range(9))
_PER_SET = 20  # sequences of a class in a set: 2 subjects, 10 motions each
_SOURCE = (
    "Get the Cambridge Hand Gesture Data Set (Kim et al., CVPR 2007) from the Imperial Computer "
    "Vision and Learning Lab and unpack it as Set1/0000/0000/frame-0000.jpg, ...: five sets, nine "
    "classes 0000 to 0008 in each, 20 folders of frames in each class."
)


def load_cambridge(
    folder: str | PathLike[str],
    *,
    size: tuple[int, int] | None = (20, 20),
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return the Cambridge hand gestures: 3 hand shapes times 3 motions, grey (Sec. 9).

    900 sequences of 37 to 119 frames, class by class and set by set within a class.

    Parameters
    ----------
    folder : path
        Where Set1 to Set5 are: ``Set1/0000/0000/frame-0000.jpg``.
    size : (height, width) or None
        Frames are resized to this; None keeps 240 x 320.
    partial : bool
        Load what is there instead of failing when something is missing or cannot be read.
    n_jobs : int, optional
        Threads that decode, as in joblib.

    Returns
    -------
    Collection
        `y` is "0000" to "0008"; `groups` the set; `split` "test" for the first 80 of each class
        (Set1 to Set4) and "train" for the last 20 (Set5, plain illumination).
    """
    root = existing_folder("the Cambridge hand gestures", folder, _SOURCE)
    folders = {path.name.lower(): path for path in root.iterdir() if path.is_dir()}
    items, missing = [], []
    for label in _CLASSES:
        for part in _SETS:
            home = folders.get(part.lower(), root / part) / label
            found = [path for path in subfolders(home) if holds_images(path)]
            if len(found) != _PER_SET:
                missing.append(f"{part}/{label} has {len(found)} of {_PER_SET} sequences")
            split = "train" if part == "Set5" else "test"
            items += [
                Item(f"{part}/{label}/{path.name}", path, label, split, part) for path in found
            ]
    check_complete("the Cambridge hand gestures", root, items, missing, partial, _SOURCE)
    return gather(
        items,
        lambda item: read_frames(item.source, size=size),
        description="reading gestures",
        reading=Reading(FrameOptions(size)),
        skip=partial,
        n_jobs=n_jobs,
    )
