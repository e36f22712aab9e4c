"""Samples at uneven times placed on a grid of even steps; what falls between is a gap."""

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_positive
from ldslearn._types import Floats, Indices
from ldslearn.sequences.named import keep_names, name_sequence
from ldslearn.sequences.resampling import select_usual
from ldslearn.sequences.time_recognition import find_epoch_unit
from ldslearn.sequences.validation import as_collection

_MOST_EMPTY = 100  # grid points per sample: a grid of more is a mistake, and fills the memory
_LARGEST_RATIO = 100.0  # of the median steps of two sequences in one unit
_DAY = 86400.0
_NEAR = 0.25  # of a step: times so far from a whole number of steps do not tell how many
_MOSTLY = 0.75  # of the steps are near to whole numbers of them on an even grid
_ALIKE = 0.02  # relative difference of the steps of one rate
_HALF = 0.501  # of a step, beyond which a sample goes to the next grid point; times are rounded


def place_on_grid(
    sequences: Any, times: Sequence[Any], step: float | None = None
) -> tuple[list[NDArray[Any]], float, Indices, Indices]:
    r"""Return sequences on one grid of even steps, NaN where no sample is near.

    A sample goes to the nearest grid point. Samples of one grid point are averaged, and grid points
    without any are gaps, for ``LDSEncoder(missing="smooth")``. Sequences of different rates so meet
    on one grid.

    Parameters
    ----------
    sequences : collection of N sequences
        NaN are missing samples.
    times : sequence of N (n_timepoints,) arrays
        When the samples were taken: numbers in one unit, or ``datetime64``. Ascending.
    step : float, optional
        Step of the grid, in the unit of `times`, or in seconds for ``datetime64``. By default the
        usual step of all sequences, in which gaps do not count.

    Returns
    -------
    placed : list of (n_channels, n_grid) arrays
    step : float
        Of the grid.
    n_merged : (N,) array of int
        Samples of each sequence that share their grid point with an earlier one.
    n_missing : (N,) array of int
        Grid points of each sequence without a sample.

    Notes
    -----
    Sample :math:`t_k` goes to grid point :math:`\lfloor (t_k - t_0) / s + 1/2 \rfloor`, where
    :math:`t_0` is the first time of the sequence and :math:`s` the step.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.sequences import place_on_grid
    >>> sequence = np.array([[1.0, 2.0, 3.0, 5.0, 7.0]])
    >>> placed, step, merged, missing = place_on_grid([sequence], [[0.0, 0.1, 0.2, 0.4, 0.44]])
    >>> placed[0].round(1), round(step, 3), merged.tolist(), missing.tolist()
    (array([[ 1.,  2.,  3., nan,  6.]]), 0.1, [1], [1])
    """
    checked = as_collection(sequences, "sequences", allow_gaps=True)
    if not isinstance(times, list | tuple | np.ndarray):
        raise _errors.InputTypeError(
            f"times must be a list of arrays, one per sequence; got {type(times).__name__}."
        )
    if len(times) != len(checked):
        raise _errors.invalid(
            "times", f"be one array for each of {len(checked)} sequences", len(times), ""
        )
    clocks = [
        _check_times(times[index], sequence.shape[1], name_sequence(checked, index))
        for index, sequence in enumerate(checked)
    ]
    timed = [index for index, clock in enumerate(clocks) if len(clock) > 1]
    medians = [float(np.median(np.diff(clocks[index]))) for index in timed]
    if step is None:
        _check_units(checked, timed, medians)
        step = estimate_step(clocks) if medians else 1.0
    check_positive("step", step)
    _check_step(checked, timed, medians, step)
    placed, merged, missing = [], [], []
    for index, (sequence, clock) in enumerate(zip(checked, clocks, strict=True)):
        n_grid = count_grid_points(clock, step, f"times of {name_sequence(checked, index)}")
        values, n_merged = merge_on_grid(sequence, clock / step, n_grid)
        placed.append(values)
        merged.append(n_merged)
        missing.append(n_grid - len(clock) + n_merged)
    return keep_names(placed, sequences), step, np.array(merged), np.array(missing)


def estimate_step(clocks: Sequence[Floats]) -> float:
    """Return the step of the even grid that ascending times follow, but for gaps and unevenness.

    Of sequences with different rates, it is that of the middle one, by the number of samples.
    """
    clocks = [clock for clock in clocks if len(clock) > 1]
    own = np.array([_fit_step([clock]) for clock in clocks])
    order = np.argsort(own, kind="stable")
    total = np.cumsum([len(clocks[i]) for i in order])
    middle = own[order[np.searchsorted(total, total[-1] / 2)]]
    alike = np.abs(own - middle) <= _ALIKE * middle
    return _fit_step([clock for clock, is_alike in zip(clocks, alike, strict=True) if is_alike])


def _fit_step(clocks: Sequence[Floats]) -> float:
    """Return the step of times of one rate, or their median step if they follow no even grid."""
    step = _improve_step(clocks)
    steps = np.concatenate([np.diff(clock) for clock in clocks])
    steps = steps[steps > 0]
    off = np.abs(steps / step - np.round(steps / step))
    if np.mean(off < _NEAR) >= _MOSTLY:
        return step
    return float(np.quantile(steps, 0.5, method="lower"))


def _improve_step(clocks: Sequence[Floats]) -> float:
    """Return the mean of the steps near their median, improved by longer spans.

    Times that are 2, 4, 8, ... samples apart tell it better: the longer the span, the less its ends
    matter. A grid by the median alone would drift away from times that are rounded or uneven.
    """
    steps = np.concatenate([np.diff(clock) for clock in clocks])
    step = float(select_usual(steps[steps > 0]).mean())
    lag, longest = 2, max(map(len, clocks))
    while lag < longest:
        spans = np.concatenate([clock[lag:] - clock[:-lag] for clock in clocks])
        counts = np.round(spans / step)
        near = (np.abs(spans / step - counts) < _NEAR) & (counts > 0)
        if near.any():
            step = float(spans[near].sum() / counts[near].sum())
        lag *= 2
    return step


def count_grid_points(clock: Floats, step: float, what: str) -> int:
    """Return the number of steps that times from 0 on take; raise if hardly any has a sample."""
    n_steps = float(clock[-1]) / step + _HALF
    n_grid = math.floor(min(n_steps, 2.0**62)) + 1
    if n_grid > _MOST_EMPTY * len(clock):
        raise _errors.invalid(
            what,
            f"have at most {_MOST_EMPTY} steps of {step:.4g} per sample",
            f"{n_grid} for {len(clock)} samples",
            "Cut the sequence where time leaps, or use a larger step.",
        )
    return n_grid


def describe_grid(step: float, n_merged: int, n_missing: int, *, in_seconds: bool) -> str:
    """Return one line about samples that were placed on a grid of even steps."""
    unit = " s" if in_seconds else ""
    return (
        f"grid: steps of {step:.4g}{unit}; {n_merged:,} samples merged, {n_missing:,} time points "
        "missing"
    )


def is_in_future(first: float, last: float) -> bool:
    """Whether seconds since 1970, if numbers of their size are that, lie ahead of today."""
    return find_epoch_unit(first, last) == 1.0 and last > time.time() + _DAY


def merge_on_grid(sequence: NDArray[Any], steps: Floats, n_grid: int) -> tuple[Floats, int]:
    """Return means of the samples at each grid point, and how many samples were merged.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
    steps : (n_timepoints,) array
        Times in steps of the grid, from 0.
    n_grid : int
    """
    points = np.floor(steps + _HALF).astype(np.intp)
    observed = ~np.isnan(sequence)
    sums, counts = np.zeros((2, n_grid, len(sequence)))
    np.add.at(sums, points, np.where(observed, sequence, 0.0).T)
    np.add.at(counts, points, observed.T)
    with np.errstate(invalid="ignore"):
        values = np.ascontiguousarray((sums / counts).T)
    return values, len(points) - len(np.unique(points))


def _check_times(times: Any, n_timepoints: int, who: str) -> Floats:
    """Return times from 0 on, as numbers."""
    given = np.asarray(times)
    is_date = given.dtype.kind == "M"
    first = 0.0
    if is_date:
        if np.isnat(given).any():
            where = int(np.flatnonzero(np.isnat(given))[0])
            raise _errors.invalid(
                f"times of {who}", "be known", f"NaT at sample {where}", "Drop the sample."
            )
        stamps = given.astype("datetime64[ns]").astype(np.int64).reshape(-1)
        first = float(stamps[0]) * 1e-9 if len(stamps) else 0.0
        given = ((stamps - stamps[:1]) * 1e-9).reshape(given.shape)  # keeps nanoseconds
    if given.dtype.kind not in "fiu":
        raise _errors.InputTypeError(
            f"times of {who} must be numbers or datetime64; got dtype {given.dtype}."
        )
    clock = given.astype(np.float64)
    if clock.shape != (n_timepoints,):
        raise _errors.invalid(
            f"times of {who}", f"have shape ({n_timepoints},), one per sample",
            f"shape {clock.shape}", "",
        )  # fmt: skip
    if not np.isfinite(clock).all():
        where = int(np.flatnonzero(~np.isfinite(clock))[0])
        raise _errors.invalid(
            f"times of {who}", "be finite", f"{clock[where]} at sample {where}", "Drop the sample."
        )
    falls = np.flatnonzero(np.diff(clock) <= 0)
    if len(falls):
        k = int(falls[0])
        twice = clock[k + 1] == clock[k]
        got = f"{clock[k]:.10g} twice" if twice else f"{clock[k + 1]:.10g} after {clock[k]:.10g}"
        remedy = "Average or drop samples of one time." if twice else "Sort the samples."
        raise _errors.invalid(
            f"times of {who}", "increase", f"{got}, at samples {k} and {k + 1}", remedy
        )
    unit = 1.0 if is_date else (find_epoch_unit(clock[0], clock[-1]) or 0.0)
    if is_in_future(first + clock[0] * unit, first + clock[-1] * unit):
        last = np.datetime64(round(first + clock[-1] * unit), "s")
        raise _errors.invalid(
            f"times of {who}", "not lie in the future", str(last),
            "Correct the clock of the recorder.",
        )  # fmt: skip
    return clock - clock[0]


def _check_step(
    checked: list[NDArray[Any]], owners: list[int], medians: list[float], step: float
) -> None:
    """Raise if the grid has so much larger steps than a sequence that their units differ."""
    for owner, median in zip(owners, medians, strict=True):
        if step >= _LARGEST_RATIO * median:
            raise _errors.invalid(
                f"times of {name_sequence(checked, owner)}",
                f"be in the unit of the step of the grid, {step:.4g}",
                f"a median step of {median:.4g}",
                "Convert them.",
            )


def _check_units(checked: list[NDArray[Any]], owners: list[int], medians: list[float]) -> None:
    """Raise if the steps of two sequences differ so much that their units do."""
    if not medians:
        return
    low, high = int(np.argmin(medians)), int(np.argmax(medians))
    if medians[high] >= _LARGEST_RATIO * medians[low]:
        few, many = name_sequence(checked, owners[low]), name_sequence(checked, owners[high])
        raise _errors.invalid(
            "times",
            "be of one unit in all sequences",
            f"median steps of {medians[low]:.4g} in {few} and {medians[high]:.4g} in {many}",
            "Convert them all to seconds.",
        )
