"""The Cambridge hand gestures: five sets of nine classes, as folders of frames."""

from os import PathLike

from ldslearn.datasets.collection import Collection
from ldslearn.datasets.items import Item, list_subfolders
from ldslearn.datasets.paper_sets.layouts import SETS
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.video import read_frames
from ldslearn.video.frame_options import FrameOptions
from ldslearn.video.reading import has_images


def load_cambridge(
    folder: str | PathLike[str],
    *,
    size: tuple[int, int] | None = (20, 20),
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return the Cambridge hand gestures: 3 hand shapes times 3 motions, grey.

    900 sequences of 37 to 119 frames, class by class and set by set within a class [1]_ [2]_.

    Parameters
    ----------
    folder : str or path
        Where Set1 to Set5 are: ``Set1/0000/0000/frame-0000.jpg``.
    size : (height, width) or None, default=(20, 20)
        Frames are resized to this; None keeps 240 x 320.
    partial : bool, default=False
        Load what is there instead of failing when something is missing or cannot be read.
    n_jobs : int or None, default=None
        Threads that decode, as in joblib.

    Returns
    -------
    Collection
        `y` is "0000" to "0008"; `groups` the set; `split` "test" for the first 80 of each class
        (Set1 to Set4) and "train" for the last 20 (Set5, plain illumination).

    References
    ----------
    .. [1] T.-K. Kim, K.-Y. K. Wong, R. Cipolla, "Tensor canonical correlation analysis for action
       classification", CVPR 2007.
    .. [2] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    A folder with one sequence of two classes:

    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from matplotlib.image import imsave
    >>> from ldslearn.datasets import load_cambridge
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label in ("0000", "0001"):
    ...         frames = Path(folder) / "Set5" / label / "0000"
    ...         frames.mkdir(parents=True)
    ...         for number in range(3):
    ...             imsave(frames / f"frame-{number:04d}.jpg", np.zeros((24, 32, 3)))
    ...     data = load_cambridge(folder, partial=True)
    >>> data.names, data.X[0].shape
    (('Set5/0000/0000', 'Set5/0001/0000'), (400, 3))
    """
    gestures = SETS["cambridge"]
    root = gestures.find_root(folder)
    folders = {path.name.lower(): path for path in list_subfolders(root)}
    items, counts = [], {}
    for label in (f"{number:04d}" for number in range(9)):
        for part in (f"Set{number}" for number in range(1, 6)):
            home = folders.get(part.lower(), root / part) / label
            found = [path for path in list_subfolders(home) if has_images(path)]
            counts[f"{part}/{label}"] = len(found)
            split = "train" if part == "Set5" else "test"
            items += [
                Item(f"{part}/{label}/{path.name}", path, label, split, part) for path in found
            ]
    gaps = gestures.list_gaps(counts, len(counts))
    settings = ReadingSettings(FrameOptions(size))
    return gestures.read(
        root, items, gaps, lambda item: read_frames(item.source, size=size), settings, partial,
        n_jobs,
    )  # fmt: skip
