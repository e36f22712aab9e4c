"""Grasps felt by robot hands: SD, SPr and BDH."""

from collections import Counter
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.mat import read_labels, read_mat
from ldslearn.datasets.items import Item, list_files
from ldslearn.datasets.paper_sets.layouts import SETS, list_class_folders
from ldslearn.datasets.reading_settings import ReadingSettings, read_array

_HANDS = ("sd", "spr", "bdh")
_SUFFIXES = frozenset({".csv", ".mat", ".npy", ".txt"})
_SEQUENCES = ("data", "X", "sequences", "samples")
_LABELS = ("labels", "label", "y", "classes")


def load_tactile(
    folder: str | PathLike[str],
    name: str,
    *,
    partial: bool = False,
    n_jobs: int | None = None,
) -> Collection:
    """Return grasps of a robot hand: which object, or whether a bottle is full.

    Parameters
    ----------
    folder : str or path
        Where `name`.mat is, with the sequences in a cell array ``data`` and ``labels`` beside it;
        or a folder for each class with a file (.mat, .npy, .csv, .txt) for each sequence.
    name : {"sd", "spr", "bdh"}
        The 3-finger Schunk Dextrous hand (100 grasps, 10 objects, 27 x 18 sensors) [1]_, the
        2-finger Schunk Parallel hand (97, 10, 8 x 16) or the BH8-280 hand (100, 2 fillings, 8 x 9)
        [2]_.
    partial : bool, default=False
        Load what is there instead of failing when something is missing or cannot be read.
    n_jobs : int or None, default=None
        Threads that read, as in joblib.

    Returns
    -------
    Collection
        `y` is the class. There is no official split: the protocol splits at random, 9:1, ten times.
        Frames have a shape only where files hold them as images; a matrix may have its sensors in
        any order.

    Notes
    -----
    A matrix is (n_sensors, n_timepoints) or its transpose, an image sequence (height, width,
    n_timepoints) or (n_timepoints, height, width): the number of sensors decides. Section 9.1 of
    [3]_ describes the sets.

    References
    ----------
    .. [1] J. Yang, H. Liu, F. Sun, M. Gao, "Tactile sequence classification using joint kernel
       sparse coding", IJCNN 2015.
    .. [2] M. Madry, L. Bo, D. Kragic, D. Fox, "ST-HMP: unsupervised spatio-temporal feature
       learning for tactile data", ICRA 2014.
    .. [3] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    A folder with one grasp of two classes:

    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from ldslearn.datasets import load_tactile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label in ("empty", "full"):
    ...         (Path(folder) / label).mkdir()
    ...         np.save(Path(folder) / label / "1.npy", np.zeros((72, 200)))
    ...     data = load_tactile(folder, "bdh", partial=True)
    >>> data.y.tolist(), data.X[0].shape
    (['empty', 'full'], (72, 200))
    """
    if name not in _HANDS:
        raise _errors.unknown_name("name", name, _HANDS)
    hand = SETS[name]
    root = hand.find_root(folder)
    whole = [path for path in list_files(root, {".mat"}) if path.stem.lower() == name]
    items = _list_one_file(whole[0]) if whole else list_class_folders(root, _SUFFIXES)
    counts = Counter(item.label for item in items)
    gaps = []
    if len(counts) != hand.n_parts:
        gaps.append(f"{len(counts)} of {hand.n_parts} classes found")
    if len(items) != hand.n_sequences:
        each = ", ".join(f"{count} in {label}" for label, count in counts.items())
        gaps.append(f"{len(items)} of {hand.n_sequences} sequences found: {each}")
    settings = ReadingSettings()
    return hand.read(
        root, items, gaps, lambda item: _read_grasp(item, hand.frame), settings, partial, n_jobs
    )


def _list_one_file(path: Path) -> list[Item]:
    contents = read_mat(path)
    sequences, labels = (
        next((contents[name] for name in names if name in contents), None)
        for names in (_SEQUENCES, _LABELS)
    )
    if sequences is None or labels is None:
        rule = f"hold {' or '.join(_SEQUENCES)}, and {' or '.join(_LABELS)}"
        raise _errors.bad_file(path, rule, ", ".join(sorted(contents)) or "nothing")
    texts = read_labels(labels)
    if len(texts) != len(sequences):
        reason = f"{len(texts)} labels for {len(sequences)} sequences"
        raise _errors.bad_file(path, "hold a label for every sequence", reason)
    return [
        Item(f"{path.name} {number}", sequence, label)
        for number, (sequence, label) in enumerate(zip(sequences, texts, strict=True), start=1)
    ]


def _read_grasp(item: Item, frame: tuple[int, int]) -> NDArray[Any]:
    """Return a sequence (n_sensors, n_timepoints) or images (n_timepoints, height, width)."""
    values = _read_file(item.source) if isinstance(item.source, Path) else np.asarray(item.source)
    n_sensors = frame[0] * frame[1]
    if values.ndim == 2 and n_sensors in values.shape:
        return values if values.shape[0] == n_sensors else values.T
    if values.ndim == 3 and values.shape[:2] == frame:
        return np.moveaxis(values, 2, 0)
    if values.ndim == 3 and values.shape[1:] == frame:
        return values
    rule = f"hold {n_sensors} sensors or {frame[0]} x {frame[1]} images over time"
    raise _errors.bad_file(item.name, rule, f"an array of shape {values.shape}")


def _read_file(path: Path) -> NDArray[Any]:
    if path.suffix.lower() == ".mat":
        values = read_mat(path).values()
        arrays = [v for v in values if isinstance(v, np.ndarray) and v.ndim > 1 and v.size > 1]
        if len(arrays) != 1:
            raise _errors.bad_file(path, "hold one matrix or array", f"{len(arrays)} of them")
        return arrays[0]
    return read_array(path)
