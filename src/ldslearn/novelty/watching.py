"""Long recordings, scored window by window."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats, Indices
from ldslearn.sequences.named import NamedSequences, name_sequence


@dataclass(frozen=True)
class Watch:
    """The windows of one recording.

    Attributes
    ----------
    starts, stops : (n_windows,) arrays of int
        First time point of each window, and the one after its last.
    scores : (n_windows,) array
        Decision of the detector for each window; below 0 it is strange.
    """

    starts: Indices
    stops: Indices
    scores: Floats

    __repr__ = summarize_fields

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Time points of strange windows, those that overlap or touch joined: (start, stop)."""
        found: list[tuple[int, int]] = []
        strange = self.scores < 0
        for start, stop in zip(self.starts[strange].tolist(), self.stops[strange].tolist(),
                               strict=True):  # fmt: skip
            if found and start <= found[-1][1]:
                found[-1] = found[-1][0], stop
            else:
                found.append((start, stop))
        return found


def place_windows(n_timepoints: int, window: int, step: int) -> tuple[Indices, Indices]:
    """Return starts and stops of windows that cover a recording, both (n_windows,).

    The last window ends with the recording. A recording shorter than a window is one window.

    Parameters
    ----------
    n_timepoints, window, step : int
        At least 1; `step` at most `window`.
    """
    last = max(n_timepoints - window, 0)
    starts = np.arange(0, last + 1, step)
    if starts[-1] != last:
        starts = np.append(starts, last)
    return starts, np.minimum(starts + window, n_timepoints)


def watch_recordings(
    detector: Any,
    recordings: Sequence[NDArray[Any]],
    window: int,
    step: int | None = None,
) -> list[Watch]:
    """Return the scores of the windows of every recording.

    Parameters
    ----------
    detector : fitted estimator
        Of sequences, with ``decision_function``: a pipeline of an encoder and an
        :class:`~ldslearn.LDSNovelty`.
    recordings : sequence of (n_channels, n_timepoints) arrays
    window : int
        Time points per window.
    step : int, optional
        Time points from one window to the next; a quarter of a window when not given.
    """
    if window < 1:
        raise _errors.invalid_parameter("window", "be at least 1", window)
    step = max(1, window // 4) if step is None else step
    if not 1 <= step <= window:
        raise _errors.invalid_parameter("step", f"lie between 1 and the window, {window}", step)
    found = []
    for index, recording in enumerate(recordings):
        starts, stops = place_windows(recording.shape[1], window, step)
        ends = list(zip(starts.tolist(), stops.tolist(), strict=True))
        name = name_sequence(recordings, index)
        pieces = NamedSequences(
            [recording[:, a:b] for a, b in ends],
            [f"{name}, time points {a} to {b}," for a, b in ends],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
            scores = detector.decision_function(pieces)
        found.append(Watch(starts, stops, scores))
    return found
