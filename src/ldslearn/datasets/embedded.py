"""Two small collections of the UEA archive that are part of the package (data/README.md)."""

from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats

_PER_UNIT = 1e6  # published with six decimals: integers divided by 1e6 are exactly those doubles


def load_basic_motions() -> tuple[Floats, NDArray[np.str_], Floats, NDArray[np.str_]]:
    """Return BasicMotions: wrist accelerometer and gyroscope of four activities.

    40 training and 40 test sequences of 6 channels and 100 timepoints (10 Hz); classes Badminton,
    Running, Standing, Walking. The official split of the UEA archive [1]_. The data are part of the
    package.

    Returns
    -------
    X_train : (40, 6, 100) array
    y_train : (40,) array of str
    X_test : (40, 6, 100) array
    y_test : (40,) array of str

    References
    ----------
    .. [1] A. Bagnall et al., "The UEA multivariate time series classification archive, 2018",
       arXiv:1811.00075.

    Examples
    --------
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> X_train.shape, sorted(set(y_train.tolist()))
    ((40, 6, 100), ['Badminton', 'Running', 'Standing', 'Walking'])
    """
    (X_train, y_train), (X_test, y_test) = _read_parts("basic_motions.npz")
    return np.stack(X_train), y_train, np.stack(X_test), y_test


def load_japanese_vowels() -> tuple[list[Floats], NDArray[np.str_], list[Floats], NDArray[np.str_]]:
    """Return JapaneseVowels: which of nine speakers says two vowels.

    270 training and 370 test sequences of 12 channels (linear-prediction cepstra) and 7 to 29
    timepoints; classes "1" to "9" [2]_. The official split of the UEA archive [1]_. The data are
    part of the package.

    Returns
    -------
    X_train : list of 270 (12, n_timepoints) arrays
    y_train : (270,) array of str
    X_test : list of 370 (12, n_timepoints) arrays
    y_test : (370,) array of str

    References
    ----------
    .. [1] A. Bagnall et al., "The UEA multivariate time series classification archive, 2018",
       arXiv:1811.00075.
    .. [2] M. Kudo, J. Toyama, M. Shimbo, "Multidimensional curve classification using
       passing-through regions", Pattern Recognition Letters 20, 1999.

    Examples
    --------
    >>> from ldslearn.datasets import load_japanese_vowels
    >>> X_train, y_train, X_test, y_test = load_japanese_vowels()
    >>> len(X_train), len(X_test), X_train[0].shape[0]
    (270, 370, 12)
    >>> lengths = [sequence.shape[1] for sequence in X_train + X_test]
    >>> min(lengths), max(lengths)
    (7, 29)
    """
    (X_train, y_train), (X_test, y_test) = _read_parts("japanese_vowels.npz")
    return X_train, y_train, X_test, y_test


def _read_parts(name: str) -> list[tuple[list[Floats], NDArray[np.str_]]]:
    """Train and test part of an embedded file, each (sequences, labels)."""
    with (
        files("ldslearn.datasets").joinpath("data", name).open("rb") as file,
        np.load(file, allow_pickle=False) as stored,
    ):
        arrays: dict[str, NDArray[Any]] = dict(stored)
    sequences = np.split(arrays["values"] / _PER_UNIT, np.cumsum(arrays["lengths"])[:-1], axis=1)
    labels = arrays["classes"][arrays["labels"]]
    return [
        (
            [sequences[i].copy() for i in np.flatnonzero(arrays["split"] == part)],
            labels[arrays["split"] == part],
        )
        for part in (0, 1)
    ]
