"""Delay embedding: lagged copies stacked as further channels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def lagged_copies(sequence: NDArray[Any], delays: int) -> NDArray[Any]:
    """Return the lagged copies of a sequence as a view, nothing copied.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
    delays : int
        Number of stacked samples, 1 <= delays <= n_timepoints.

    Returns
    -------
    (delays, n_channels, n_timepoints - delays + 1) array
        Lag k starts at sample k.
    """
    if delays == 1:
        return sequence[None]
    n_columns = sequence.shape[1] - delays + 1
    windows = np.lib.stride_tricks.sliding_window_view(sequence, n_columns, axis=1)
    return windows.transpose(1, 0, 2)


def hankel(sequence: NDArray[Any], delays: int) -> NDArray[Any]:
    r"""Return the block-Hankel matrix of a sequence, `delays` consecutive samples per column.

    A sensor with few channels can so carry more states than channels.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
    delays : int
        Number of stacked samples, 1 <= delays <= n_timepoints.

    Returns
    -------
    (n_channels * delays, n_timepoints - delays + 1) array
        The sequence itself, not a copy, when ``delays=1``.

    Notes
    -----
    With samples :math:`y(0), \dots, y(\tau - 1)` and :math:`d` delays, column :math:`t` is

    .. math:: \begin{bmatrix} y(t) \\ y(t + 1) \\ \vdots \\ y(t + d - 1) \end{bmatrix}.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.sequences import hankel
    >>> hankel(np.arange(5)[None], delays=3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    if delays == 1:
        return sequence
    return lagged_copies(sequence, delays).reshape(sequence.shape[0] * delays, -1)
