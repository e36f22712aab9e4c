"""Features of the files of a folder, written to one file block by block."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._files import DAMAGE
from ldslearn._parallel import current_engine
from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats
from ldslearn._writing import atomic_write
from ldslearn.datasets.folder import list_items
from ldslearn.datasets.items import Item
from ldslearn.datasets.parallel_reading import check_values
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.random_systems import RandomSystems
from ldslearn.scale.output_checks import Input, check_output
from ldslearn.sequences.named import NamedSequences
from ldslearn.video import to_sequence

# Names, labels and features of the sequences of a block, and items that are skipped, with reasons.
_Block = tuple[list[str], list[str | None], Floats, list[tuple[str, str]]]


@dataclass(frozen=True)
class FolderFeatures:
    """Features of the files of a folder.

    Attributes
    ----------
    features : (N, n_features) array
        Read-only, in a file.
    names : tuple of str
        One per row.
    labels : (N,) array of str or None
        None unless all files have a label.
    skipped : tuple of (str, str)
        Items that could not be read, and why.

    See Also
    --------
    ldslearn.scale.write_features : Makes them.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.scale import FolderFeatures
    >>> FolderFeatures(  # doctest: +ELLIPSIS
    ...     np.zeros((2, 8)), ("a/0.npy", "b/0.npy"), np.array(["a", "b"]), ()
    ... )
    FolderFeatures(features=(2, 8) array, names=('a/0.npy', 'b/0.npy'), labels=(2,) array, ...)
    """

    features: Floats
    names: tuple[str, ...]
    labels: NDArray[Any] | None
    skipped: tuple[tuple[str, str], ...]

    __repr__ = summarize_fields


def write_features(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    model: RandomSystems,
    *,
    reading: Mapping[str, Any] | None = None,
    levels: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    block_size: int = 16,
) -> FolderFeatures:
    """Write the features of all items of a folder or manifest to an ``.npy`` file.

    Sequences of one block are in memory at a time. Files are read and features are computed in
    this process or, inside :func:`ldslearn.scale.use_cluster`, on workers, which must see the
    files under the same paths. An item that cannot be read is skipped, with a warning.

    Parameters
    ----------
    path : str or path
        A folder or manifest, as in :func:`ldslearn.datasets.load_folder`.
    output : str or path
        File to write, ``8 * N * n_features`` bytes.
    model : RandomSystems
        Fitted.
    reading : mapping, optional
        How files are read: ``collection.preprocessing`` of the training data. By default as
        :func:`ldslearn.datasets.load_folder` reads arrays and tables.
    levels, labels : optional
        As in :func:`ldslearn.datasets.load_folder`.
    block_size : int, default=16
        Items per block; features do not depend on it.

    Returns
    -------
    FolderFeatures

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from ldslearn import RandomSystems
    >>> from ldslearn.datasets import make_lds_sequences
    >>> from ldslearn.scale import write_features
    >>> X, y = make_lds_sequences(2, 3, random_state=0)
    >>> model = RandomSystems(20, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number, (sequence, label) in enumerate(zip(X, y)):
    ...         path = Path(folder) / "data" / f"class{label}" / f"{number}.npy"
    ...         path.parent.mkdir(parents=True, exist_ok=True)
    ...         np.save(path, sequence)
    ...     found = write_features(Path(folder) / "data", Path(folder) / "features.npy", model)
    ...     print(found.labels[:3], np.array_equal(found.features, model.transform(X)))
    ...     del found  # closes the file
    ['class0' 'class0' 'class0'] True
    """
    if not isinstance(model, RandomSystems):
        raise _errors.InputTypeError(
            f"model must be RandomSystems; got {type(model).__name__}. Of a "
            "RandomSystemsClassifier, pass its transformer_."
        )
    check_is_fitted(model)
    check_whole("block_size", block_size)
    listed, _ = list_items(path, levels, labels)
    target = check_output(output, Input(Path(path), items=listed))
    items = [replace(item, source=Path(item.source).absolute()) for item in listed]
    settings = ReadingSettings.from_dict(dict(reading or {}))
    blocks = [(items[start : start + block_size],) for start in range(0, len(items), block_size)]
    names: list[str] = []
    known: list[str | None] = []
    skipped: list[tuple[str, str]] = []
    n_features = model.bank_.thresholds.size
    engine = current_engine()

    def isolate(block: list[Item]) -> _Block:
        """Compute the features of items one by one; those that end a worker are skipped."""
        alone = [([item],) for item in block]
        parts = engine.map(compute_block, alone, settings, model, fallback=blame)
        several = list(zip(*parts, strict=True))
        some_names, some_labels, features, lost = several
        return (
            [name for one in some_names for name in one],
            [label for one in some_labels for label in one],
            np.concatenate(features),
            [pair for one in lost for pair in one],
        )

    def blame(block: list[Item]) -> _Block:
        reason = "must be readable; it ended every process that read it. Leave it out."
        lost = [(item.name, f"{item.name} {reason}") for item in block]
        return [], [], np.empty((0, n_features)), lost

    with atomic_write(target) as file:
        _write_header(file, 0, n_features)
        found = engine.map(
            compute_block, blocks, settings, model,
            description="computing features", fallback=isolate,
        )  # fmt: skip
        for some_names, some_labels, features, lost in found:
            file.write(features.tobytes())
            names += some_names
            known += some_labels
            skipped += lost
        if not names:
            raise _errors.none_usable(len(items), *skipped[0])
        file.seek(0)
        _write_header(file, len(names), n_features)
    if skipped:
        warnings.warn(_errors.describe_skipped([reason for _, reason in skipped]), stacklevel=2)
    return FolderFeatures(
        np.load(target, mmap_mode="r", allow_pickle=False),
        tuple(names),
        None if None in known else np.array(known, dtype=np.str_),
        tuple(skipped),
    )


def compute_block(items: Sequence[Item], reading: ReadingSettings, model: RandomSystems) -> _Block:
    """Read items one after the other, and return the features of their sequences."""
    names: list[str] = []
    labels: list[str | None] = []
    rows = [np.empty((0, model.bank_.thresholds.size))]
    skipped: list[tuple[str, str]] = []
    for item in items:
        try:
            parts = reading.read_recording(item.source).parts
            check_values(item, parts)
            own = [f"{item.name}#{k}" if len(parts) > 1 else item.name for k in range(len(parts))]
            sequences = [part if part.ndim == 2 else to_sequence(part) for part in parts]
            rows.append(model.transform(NamedSequences(sequences, own)))
            names += own
            labels += [item.label] * len(own)
        except DAMAGE as error:
            skipped.append((item.name, str(error) or type(error).__name__))
    return names, labels, np.concatenate(rows), skipped


def _write_header(file: BinaryIO, n_rows: int, n_features: int) -> None:
    """Write an npy header; NumPy leaves room in it for any number of rows."""
    header = {
        "descr": np.lib.format.dtype_to_descr(np.dtype(np.float64)),
        "fortran_order": False,
        "shape": (n_rows, n_features),
    }
    np.lib.format.write_array_header_1_0(file, header)
