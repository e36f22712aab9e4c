"""Read and write collections in npz files: sequences side by side in one array, and lengths."""

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._arrays import read_npz
from ldslearn._files import name_bad_file
from ldslearn._types import Floats
from ldslearn._writing import atomic_write
from ldslearn.datasets.collection import Collection

_RULE = "hold a collection"
_REMEDY = "It needs values (n_channels, sum of lengths) and lengths, or X (N, n_channels, time)."


def load_npz(path: str | os.PathLike[str], *, gaps: bool = False) -> Collection:
    """Return the collection in an npz file.

    The file holds ``values`` (n_channels, sum of lengths) and ``lengths`` (N,), or one 3-D array
    ``X`` (N, n_channels, n_timepoints). It may hold ``labels`` or ``y`` (N,), which index
    ``classes`` when those are given; ``groups``, ``split`` and ``names`` (N,); ``trials``
    (N, n_trials), "train", "test" or "unused" in every published trial; ``spatial`` or
    ``frame_shape``, the shape of one frame; ``channel_names`` (n_channels,); ``rates``, time
    points per second, one for each sequence or one for all; ``preprocessing``, a JSON text.
    Nothing in it is executed.

    Parameters
    ----------
    path : str or path
    gaps : bool, default=False
        Accept NaN as missing samples, instead of raising.

    Returns
    -------
    Collection
        Numbers keep their dtype.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from ldslearn.datasets import load_npz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "two.npz", X=np.zeros((2, 3, 40)), y=["up", "down"])
    ...     data = load_npz(Path(folder) / "two.npz")
    >>> len(data), data.X[0].shape, data.y.tolist()
    (2, (3, 40), ['up', 'down'])
    """
    arrays = read_npz(path)
    with name_bad_file(path, _RULE, _REMEDY):
        return Collection(
            _split_sequences(arrays),
            y=_decode_labels(arrays),
            split=_as_texts(arrays.get("split")),
            groups=_as_texts(arrays.get("groups")),
            names=tuple(map(str, _check_vector(arrays["names"]))) if "names" in arrays else (),
            frame_shape=_read_frame_shape(arrays),
            preprocessing=_parse_preprocessing(arrays),
            channel_names=(
                tuple(map(str, _check_vector(arrays["channel_names"])))
                if "channel_names" in arrays
                else None
            ),
            rates=_read_rates(arrays),
            trials=arrays.get("trials"),
            gaps=gaps,
        )


def save_npz(path: str | os.PathLike[str], collection: Collection) -> None:
    """Write a collection for :func:`~ldslearn.datasets.load_npz`; the file is replaced in one step.

    What was skipped when the collection was read is not kept.

    Parameters
    ----------
    path : str or path
    collection : Collection

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldslearn.datasets import Collection, load_npz, make_lds_sequences, save_npz
    >>> X, y = make_lds_sequences(2, 3, n_timepoints=(40, 60), random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_npz(Path(folder) / "six.npz", Collection(X, y))
    ...     data = load_npz(Path(folder) / "six.npz")
    >>> all((one == other).all() for one, other in zip(data.X, X))
    True
    """
    arrays: dict[str, NDArray[Any]] = {
        "values": np.concatenate(collection.X, axis=1),
        "lengths": np.array([sequence.shape[1] for sequence in collection.X]),
        "names": np.array(collection.names),
    }
    if collection.y is not None:
        arrays["classes"], arrays["labels"] = np.unique(collection.y, return_inverse=True)
    for name in ("split", "groups", "trials"):
        values = getattr(collection, name)
        if values is not None:
            arrays[name] = values
    if collection.channel_names is not None:
        arrays["channel_names"] = np.array(collection.channel_names)
    if collection.rates is not None:
        arrays["rates"] = collection.rates
    if collection.frame_shape is not None:
        arrays["spatial"] = np.array(collection.frame_shape)
    if collection.preprocessing:
        try:
            arrays["preprocessing"] = np.array(json.dumps(collection.preprocessing))
        except (TypeError, ValueError) as error:
            raise _errors.invalid(
                "preprocessing", "hold plain values that JSON can hold", error, ""
            ) from error
    with atomic_write(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def _split_sequences(arrays: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
    if "X" in arrays and "values" not in arrays:
        stack = arrays["X"]
        if stack.ndim != 3 or not stack.size:
            raise ValueError(f"X of shape {stack.shape}")
        return list(stack)
    if "values" not in arrays or "lengths" not in arrays:
        raise ValueError(f"the arrays {', '.join(sorted(arrays)) or 'none'}")
    values = arrays["values"]
    lengths = _as_integers("lengths", arrays["lengths"])
    if values.ndim != 2:
        raise ValueError(f"values of shape {values.shape}")
    if min(lengths, default=0) < 1 or sum(lengths) != values.shape[1]:
        raise ValueError(f"lengths that do not add up to {values.shape[1]}, or are not positive")
    return np.split(values, np.cumsum(lengths)[:-1], axis=1)


def _decode_labels(arrays: dict[str, NDArray[Any]]) -> NDArray[np.str_] | None:
    labels = arrays.get("labels", arrays.get("y"))
    classes = arrays.get("classes")
    if labels is None or classes is None or labels.dtype.kind == "U":
        return _as_texts(labels)
    indices = _as_integers("labels", labels)
    names = _check_vector(classes).astype(np.str_)
    if indices and not 0 <= min(indices) <= max(indices) < len(names):
        raise ValueError(f"labels that do not index its {len(names)} classes")
    return names[indices]


def _read_frame_shape(arrays: dict[str, NDArray[Any]]) -> tuple[int, ...] | None:
    shape = arrays.get("spatial", arrays.get("frame_shape"))
    if shape is None:
        return None
    lengths = _as_integers("spatial", shape)
    # One number counts channels that are not pixels.
    return tuple(lengths) if len(lengths) > 1 else None


def _read_rates(arrays: dict[str, NDArray[Any]]) -> Floats | None:
    rates = arrays.get("rates")
    if rates is None:
        return None
    if rates.dtype.kind not in "fiu":
        raise ValueError(f"rates of dtype {rates.dtype}")
    n_sequences = len(arrays["lengths"]) if "values" in arrays else len(arrays["X"])
    return np.full(n_sequences, rates) if rates.ndim == 0 else rates


def _parse_preprocessing(arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    if "preprocessing" not in arrays:
        return {}
    settings = json.loads(str(arrays["preprocessing"]))
    if not isinstance(settings, dict):
        raise ValueError(f"{type(settings).__name__} for preprocessing")
    return settings


def _as_texts(values: NDArray[Any] | None) -> NDArray[np.str_] | None:
    return None if values is None else _check_vector(values).astype(np.str_)


def _as_integers(name: str, values: NDArray[Any]) -> list[int]:
    if values.dtype.kind not in "iu":
        raise ValueError(f"{name} of dtype {values.dtype}")
    return [int(value) for value in _check_vector(values)]


def _check_vector(values: NDArray[Any]) -> NDArray[Any]:
    if values.ndim != 1:
        raise ValueError(f"shape {values.shape} where one value per sequence is needed")
    return values
