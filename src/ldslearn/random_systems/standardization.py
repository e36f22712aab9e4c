"""Channels that random systems read: standardised, after a projection where there are many."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._parallel import cut_by_bytes, limit_blas_threads
from ldslearn._types import Floats
from ldslearn.sequences.moments import pooled_moments

_MANY = 30  # channels, above which "auto" projects them
_ENOUGH = 20  # directions that "auto" keeps
_LARGEST = 3000  # side of the largest matrix that is decomposed
_ROUNDING = 1e-7  # of the largest deviation; the eigenvectors of a scatter have no more digits


@dataclass(frozen=True)
class Standardization:
    """What systems read: standardised channels, or standardised principal directions of them.

    Attributes
    ----------
    mean, scale : (n_channels,) arrays
        Mean and deviation of the training channels; 1 where the deviation is 0.
    components : (n_components, n_channels) array or None
        Principal directions of the standardised channels, divided by the deviations along them.
    """

    mean: Floats
    scale: Floats
    components: Floats | None

    @property
    def n_outputs(self) -> int:
        """Number of channels that systems read."""
        return len(self.mean if self.components is None else self.components)

    def apply(self, sequence: NDArray[Any]) -> Floats:
        """Return what systems read, (n_outputs, n_timepoints)."""
        standard = (sequence - self.mean[:, None]) / self.scale[:, None]
        if self.components is not None:
            standard = self.components @ standard
        return np.ascontiguousarray(standard)


def count_components(n_components: Any, n_channels: int) -> int | None:
    """Return the number of principal directions to keep; None to keep the channels."""
    if n_components is None:
        return None
    if isinstance(n_components, str):
        if n_components != "auto":
            rule = 'be an integer of at least 1, "auto" or None'
            raise _errors.invalid_parameter("n_components", rule, n_components)
        return _ENOUGH if n_channels > _MANY else None
    check_whole("n_components", n_components)
    if n_components > n_channels:
        rule = f"be at most the number of channels, {n_channels}"
        raise _errors.invalid_parameter("n_components", rule, n_components)
    return int(n_components)


_Shared = dict[tuple[int | None, ...], tuple[Standardization, Sequence[NDArray[Any]]]]
_shared: ContextVar[_Shared | None] = ContextVar("shared_standardizations", default=None)


def fit_standardization(
    sequences: Sequence[NDArray[Any]], n_components: int | None
) -> Standardization:
    """Return means and deviations of the channels, and `n_components` directions unless None.

    Inside :func:`share_standardizations`, those of the same arrays are computed once.
    """
    found = _shared.get()
    if found is None:
        return _fit_standardization(sequences, n_components)
    arrays = tuple(sequences)  # kept, so that no other array can have the same id
    key = (n_components, *map(id, arrays))
    if key not in found:
        found[key] = _fit_standardization(arrays, n_components), arrays
    return found[key][0]


@contextmanager
def share_standardizations() -> Iterator[None]:
    """Compute the standardization of the same sequences once inside the block."""
    token = _shared.set({})
    try:
        yield
    finally:
        _shared.reset(token)


def _fit_standardization(
    sequences: Sequence[NDArray[Any]], n_components: int | None
) -> Standardization:
    mean, deviations = pooled_moments(sequences)
    channels = Standardization(mean, np.where(deviations > 0, deviations, 1.0), None)
    if n_components is None:
        return channels
    with limit_blas_threads():
        return replace(channels, components=_find_components(sequences, channels, n_components))


def _find_components(
    sequences: Sequence[NDArray[Any]], channels: Standardization, n_components: int
) -> Floats:
    """Return principal directions of all time points, in rows, divided by their deviations.

    Directions without variance are left out, unless there is no other.
    """
    n_channels, total = len(channels.mean), sum(x.shape[1] for x in sequences)
    if n_channels <= _LARGEST:
        scatter = np.zeros((n_channels, n_channels))
        for part in cut_by_bytes([8 * x.size for x in sequences]):  # few, long products
            standard = np.concatenate([channels.apply(x) for x in sequences[part]], axis=1)
            scatter += standard @ standard.T
        directions = _find_largest(scatter, n_components)
    else:  # from some of the time points
        chosen = _choose_points(sequences, -(-total // _LARGEST))
        some = np.concatenate([channels.apply(points) for points in chosen], axis=1)
        directions = _find_largest(some.T @ some, n_components) @ some.T
        norms = linalg.norm(directions, axis=1, keepdims=True)
        directions /= np.where(norms > 0, norms, 1.0)
    largest = np.abs(directions).argmax(axis=1)[:, None]
    directions = directions * np.sign(np.take_along_axis(directions, largest, axis=1))
    squares = sum(np.square(directions @ channels.apply(x)).sum(axis=1) for x in sequences)
    deviations = np.sqrt(squares / total)
    kept = deviations > _ROUNDING * deviations.max()
    if not kept.any():
        return directions[:1]
    return np.ascontiguousarray(directions[kept] / deviations[kept, None])


def _find_largest(matrix: Floats, count: int) -> Floats:
    """Return the eigenvectors of the largest eigenvalues, in rows."""
    n = len(matrix)
    vectors = linalg.eigh(matrix, subset_by_index=[max(n - count, 0), n - 1])[1]
    return vectors.T[::-1]


def _choose_points(sequences: Sequence[NDArray[Any]], stride: int) -> Iterator[NDArray[Any]]:
    """Yield every `stride`-th time point of all sequences in a row."""
    before = 0
    for sequence in sequences:
        yield sequence[:, -before % stride :: stride]
        before += sequence.shape[1]
