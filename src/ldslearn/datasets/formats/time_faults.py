"""Faults of the times of a recording: they run backwards, repeat, leap, or are uneven."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ldslearn.datasets.formats.time_columns import Clock
from ldslearn.sequences.resampling import usual_step

_GAP = 3  # usual steps
_UNEVEN_GAP = 10  # the same where steps are uneven
_COARSE = 0.1  # of the steps stand still: the clock shows fewer digits than it needs
_UNEVEN = 0.1  # of the steps differ from the median by more than half of it


@dataclass(frozen=True)
class TimeFault:
    """One kind of fault in the times of a file: its first place, and how often it occurs."""

    kind: str  # "backwards", "repeats", "gap" or "uneven"
    text: str
    count: int


def sampling_rate(clock: Clock | None) -> float | None:
    """Return samples per second, gaps ignored; None where times or their unit are unknown."""
    if clock is None or clock.unit is None or len(clock.stamps.ticks) < 2:
        return None
    ticks = clock.stamps.ticks
    steps = np.diff(ticks)
    coarse = np.mean(steps == 0) > _COARSE
    step = float(steps.mean()) if coarse else usual_step(ticks)
    return float(1 / (step * clock.unit)) if step > 0 else None


def find_time_faults(clock: Clock, lines: Sequence[int]) -> tuple[TimeFault, ...]:
    """Return the faults of the times of a table, each kind once."""
    steps = np.diff(clock.stamps.ticks)
    forward = steps[steps > 0]
    if not len(forward):
        return ()
    usual = float(np.median(forward))
    backwards, repeats = np.flatnonzero(steps < 0), np.flatnonzero(steps == 0)
    even = forward[forward <= _GAP * usual]
    uneven = np.abs(even - usual) > usual / 2
    is_uneven = np.mean(uneven) > _UNEVEN
    leaps = steps > (_UNEVEN_GAP if is_uneven else _GAP) * usual
    leaps[1:] &= steps[:-1] >= 0  # the return from a step backwards is not a gap
    gaps = np.flatnonzero(leaps)
    found = []
    if len(backwards):
        text = f"runs backwards in line {lines[backwards[0] + 1]}"
        found.append(TimeFault("backwards", text, len(backwards)))
    if len(repeats):
        line = lines[repeats[0] + 1]
        text = f"is the same in line {line} as in the line before"
        found.append(TimeFault("repeats", text, len(repeats)))
    if len(gaps):
        first = gaps[0]
        leap, step = _format_step(steps[first], clock), _format_step(usual, clock)
        between = f"between lines {lines[first]} and {lines[first + 1]}"
        text = f"leaps by {leap} {between}, where the usual step is {step}"
        found.append(TimeFault("gap", text, len(gaps)))
    if is_uneven:
        least, most = (_format_step(step, clock) for step in (even.min(), even.max()))
        text = f"has steps from {least} to {most}"
        found.append(TimeFault("uneven", text, int(uneven.sum())))
    return tuple(found)


def _format_step(ticks: float, clock: Clock) -> str:
    return f"{ticks:.4g}" if clock.unit is None else f"{ticks * clock.unit:.4g} s"


_REMEDIES = {
    "backwards": "Rows are used in the order of the file: sort them if that is wrong.",
    "repeats": "Each row counts as one step.",
    "gap": "Rows are used as if none were missing.",
    "uneven": "Each row counts as one step.",
}


def describe_time_faults(
    faults: Mapping[str, Sequence[TimeFault]], rate: float | None, resampled: bool
) -> list[str]:
    """Return warnings about the times of files, one per kind of fault.

    Parameters
    ----------
    faults : dict of name to list of TimeFault
        By file.
    rate : float or None
        The usual rate, for a remedy.
    resampled : bool
        Whether sequences were resampled, which removes gaps and uneven times.
    """
    texts = []
    for kind, remedy in _REMEDIES.items():
        if resampled and kind == "uneven":
            continue
        of_kind = {name: one for name, found in faults.items() for one in found if one.kind == kind}
        if not of_kind:
            continue
        name, first = next(iter(of_kind.items()))
        places = f" ({first.count} places)" if first.count > 1 and kind != "uneven" else ""
        others = len(of_kind) - 1
        more = f", and {others} {'file' if others == 1 else 'files'} like it" if others else ""
        if resampled and kind == "gap":
            remedy = "Gaps are filled by linear interpolation."
        elif resampled and kind == "repeats":
            remedy = "The first row of each time is kept."
        elif kind == "gap" and rate is not None:
            remedy += (
                f" Cut the file there, or give rate={rate:.4g}, --rate {rate:.4g}, which fills the "
                "gap by linear interpolation."
            )
        elif kind == "uneven" and rate is not None:
            remedy += f" To make steps even give rate={rate:.4g}, --rate {rate:.4g}."
        texts.append(f"time of {name} {first.text}{places}{more}. {remedy}")
    return texts
