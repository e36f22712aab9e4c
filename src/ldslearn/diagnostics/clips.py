"""Frames of sequences, of their simulations, and of atoms."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ldslearn._reprs import summarize_fields
from ldslearn._types import Bytes
from ldslearn.datasets.collection import Collection
from ldslearn.diagnostics.atom_use import measure_atom_use
from ldslearn.models.synthesis import sample_sequence, synthesize_from_sequence

_MOST = 12  # classes, and atoms
N_FRAMES = 16
_PIXELS = 1_500_000  # of all frames on a page
_LEVELS = 24  # of grey: with fewer levels, noise compresses better
_COLUMNS = 4


@dataclass(frozen=True)
class Clip:
    """A sequence and a simulation by its system, both (n_frames, height, width) in grey."""

    name: str
    label: str
    frames: Bytes
    simulated: Bytes

    __repr__ = summarize_fields


@dataclass(frozen=True)
class AtomClip:
    """A learned atom.

    Attributes
    ----------
    number : int
        From 1, as in the codes.
    used_by : str
        Class that uses it most; see `AtomUse`.
    share : float
        Fraction of this class in its use.
    columns : (k, height, width) array of uint8
        The first columns of its measurement matrix.
    simulated : (n_frames, height, width) array of uint8
        A simulated sequence.
    """

    number: int
    used_by: str
    share: float
    columns: Bytes
    simulated: Bytes

    __repr__ = summarize_fields


def make_class_clips(data: Collection, seed: int, n_more: int = 0) -> tuple[Clip, ...]:
    """Return the first sequence of each of at most twelve classes; none without frames.

    The frames shrink so that all clips, and `n_more` others, fit a page.
    """
    if data.frame_shape is None or data.y is None:
        return ()
    factor = _find_shrink_factor(data, n_more)
    clips = []
    for label in data.classes[:_MOST]:
        index = int(np.flatnonzero(data.y == label)[0])
        one = data[[index]]
        made, _ = synthesize_from_sequence(one, None, N_FRAMES, seed)
        both = [
            _grey_frames(sequence, data.frame_shape, factor)
            for sequence in (one.X[0][:, :N_FRAMES], made)
        ]
        low, high = np.percentile(both[0], [0.5, 99.5])
        recorded, simulated = (_quantize(frames, low, high) for frames in both)
        clips.append(Clip(data.names[index], label, recorded, simulated))
    return tuple(clips)


def extract_film(data: Collection, index: int, n_more: int) -> Bytes:
    """Return the first frames of one sequence, shrunk as in `make_class_clips`."""
    assert data.frame_shape is not None
    return make_film(data.X[index], data.frame_shape, _count_films(data, n_more))


def make_film(sequence: NDArray[Any], frame_shape: tuple[int, ...], n_films: int) -> Bytes:
    """Return the first frames of a sequence, shrunk so that `n_films` of them fit a page."""
    factor = _shrink_to_page(frame_shape, n_films)
    frames = _grey_frames(sequence[:, :N_FRAMES], frame_shape, factor)
    return _quantize(frames, *np.percentile(frames, [0.5, 99.5]))


def make_atom_clips(
    pipeline: Pipeline, known: Collection, seed: int, n_more: int = 0
) -> tuple[AtomClip, ...]:
    """Return the atoms that each class uses most; none without frames, or for subspaces."""
    dictionary = getattr(pipeline[-1], "dictionary_", None)
    if known.frame_shape is None or dictionary is None or dictionary.atoms_.subspaces is not None:
        return ()
    atoms = dictionary.atoms_.systems()
    use = measure_atom_use(pipeline, known)
    columns_of_codes = np.arange(len(atoms)) % len(use.users)  # parts may share codes
    ranked: list[tuple[int, int]] = []  # the first of every class, the second of every class, ...
    seen: Counter[str] = Counter()
    for index in np.argsort(-use.sizes[columns_of_codes], kind="stable").tolist():
        user = use.users[columns_of_codes[index]]
        ranked.append((seen[user], index))
        seen[user] += 1
    chosen = [index for _, index in sorted(ranked, key=lambda pair: pair[0])[:_MOST]]
    factor, n_pixels = _find_shrink_factor(known, n_more), int(np.prod(known.frame_shape))
    found = []
    for index in sorted(chosen):
        columns = _grey_frames(atoms.C[index][:n_pixels, :_COLUMNS], known.frame_shape, factor)
        reach = np.abs(columns).max(axis=(1, 2), keepdims=True)
        columns = columns / np.where(reach > 0, reach, 1.0)
        made = _grey_frames(
            sample_sequence(atoms[index], N_FRAMES, seed), known.frame_shape, factor
        )
        column = columns_of_codes[index]
        found.append(
            AtomClip(
                index + 1,
                use.users[column],
                float(use.shares[column]),
                _quantize(columns, -1.0, 1.0),
                _quantize(made, *np.percentile(made, [0.5, 99.5])),
            )
        )
    return tuple(found)


def _find_shrink_factor(data: Collection, n_more: int) -> int:
    """Return the factor by which frames shrink, so that all clips fit a page."""
    assert data.frame_shape is not None
    return _shrink_to_page(data.frame_shape, _count_films(data, n_more))


def _count_films(data: Collection, n_more: int) -> int:
    return 2 * min(len(data.classes), _MOST) + _MOST + n_more


def _shrink_to_page(frame_shape: tuple[int, ...], n_films: int) -> int:
    height, width = frame_shape[:2]
    return int(np.ceil(np.sqrt(height * width * N_FRAMES * n_films / _PIXELS)))


def _grey_frames(sequence: NDArray[Any], shape: tuple[int, ...], factor: int) -> NDArray[Any]:
    """Return the columns of a sequence as grey frames (n, h, w), averaged over square blocks."""
    frames = sequence.T.reshape(sequence.shape[1], *shape)
    if frames.ndim == 2:
        frames = frames[:, None]
    while frames.ndim > 3:
        frames = frames.mean(axis=-1)
    n, height, width = frames.shape
    rows, columns = max(1, height // factor), max(1, width // factor)
    down, across = min(factor, height), min(factor, width)
    blocks = frames[:, : rows * down, : columns * across].reshape(n, rows, down, columns, across)
    return blocks.mean(axis=(2, 4))


def _quantize(frames: NDArray[Any], low: float, high: float) -> Bytes:
    fractions = np.clip((frames - low) / ((high - low) or 1.0), 0.0, 1.0)
    return np.rint(np.rint(fractions * (_LEVELS - 1)) * (255 / (_LEVELS - 1))).astype(np.uint8)
