"""Skip sequences that cannot be encoded (too short, constant or extreme), with the reason."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.models.defaults import make_default_encoder
from ldslearn.sequences.named import name_sequence, select


def drop_unusable(data: Collection, check: Callable[[list[NDArray[Any]]], object]) -> Collection:
    """Return a collection without the sequences for which `check` raises a SequenceError.

    They are listed in ``skipped``, with a warning. Raises ValueError if none is left.
    """
    found: list[tuple[str, str]] = []
    kept = np.arange(len(data))
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(select(data.X, kept))
            break
        except _errors.SequenceError as error:
            wrong = kept[list(error.indices)]
            if not len(wrong):
                raise
            for index in wrong:
                found.append(
                    (data.names[index], _find_reason(select(data.X, [index]), check, error))
                )
            kept = np.setdiff1d(kept, wrong)
            if not len(kept):
                raise _errors.none_usable(len(data), *found[0]) from None
    if not found:
        return data
    warnings.warn(_errors.describe_skipped([reason for _, reason in found]), stacklevel=2)
    return replace(data[kept], skipped=(*data.skipped, *found))


def drop_unfit(
    data: Collection, n_states: int | None = None, delays: int | None = None, **options: Any
) -> Collection:
    """Return a collection without the sequences that `n_states` and `delays` do not suit.

    These are too short, constant or extreme. Parameters that are not given are those of
    :func:`make_default_encoder`.
    """

    def check(X: list[NDArray[Any]]) -> None:
        names = tuple(name_sequence(X, index) for index in range(len(X)))
        part = Collection(X, names=names, gaps=data.gaps)
        make_default_encoder(part, n_states, delays, **options).fit_transform(part.X)

    return drop_unusable(data, check)


def _find_reason(
    one: list[NDArray[Any]],
    check: Callable[[list[NDArray[Any]]], object],
    error: _errors.SequenceError,
) -> str:
    """Return what is wrong with one of the sequences that an error is about."""
    if len(error.indices) == 1:
        return str(error)
    try:
        check(one)
    except _errors.SequenceError as own:
        return str(own)
    return str(error)  # it is wrong only next to others
