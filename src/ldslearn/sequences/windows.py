"""Cut sequences into aligned windows."""

from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_whole


def window_levels(windows: int | Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of windows of a pyramid; one number is a pyramid of one level."""
    levels = (windows,) if isinstance(windows, Integral) else windows
    if not isinstance(levels, tuple | list) or not levels:
        raise _errors.invalid_parameter("windows", "be an integer or a tuple of them", windows)
    for level in levels:
        check_whole("windows", level)
    return tuple(int(level) for level in levels)


def aligned_windows(
    sequence: NDArray[Any], levels: Sequence[int], shortest: int = 1
) -> list[NDArray[Any]]:
    """Return the windows of a sequence, level by level, as views.

    The windows of a level are equally long and evenly spread, the first at the start and the last
    at the end. They touch. In a short sequence they overlap, so that each has `shortest` time
    points.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
    levels : sequence of int
        Number of windows of each level.
    shortest : int, default=1
        Smallest number of time points of a window, at most n_timepoints.

    Returns
    -------
    list of (n_channels, n_window) arrays
        As many as the sum of `levels`; n_window is the same within a level.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.sequences import aligned_windows
    >>> sequence = np.arange(6)[None]
    >>> [window[0].tolist() for window in aligned_windows(sequence, levels=[1, 3])]
    [[0, 1, 2, 3, 4, 5], [0, 1], [2, 3], [4, 5]]
    """
    places = place_windows(sequence.shape[1], tuple(levels), shortest)
    return [sequence[:, start:stop] for start, stop in places]


@lru_cache(4096)
def place_windows(
    n_timepoints: int, levels: tuple[int, ...], shortest: int = 1
) -> list[tuple[int, int]]:
    """Return the first time point, and the last plus one, of each of :func:`aligned_windows`."""
    found = []
    for level in levels:
        length = min(max(-(-n_timepoints // level), shortest), n_timepoints)
        starts = np.rint(np.linspace(0, n_timepoints - length, level)).astype(int).tolist()
        found += [(start, start + length) for start in starts]
    return found
