"""Times of several computations, measured in turn so that load on the machine affects all alike."""

import time
from collections.abc import Callable, Mapping
from typing import Any

Clock = Callable[[], float]
"""Returns seconds since some moment."""

_LEAST_SECONDS = 0.02  # per measurement; shorter work is repeated
_LONG_ENOUGH = 1.0  # seconds, in which loading does not count
_REPEATS = 7
_FEWEST_REPEATS = 3
_MOST_SECONDS = 40.0  # of all measurements, after the fewest repeats


def measure_in_turn(
    calls: Mapping[str, Callable[[], Any]], clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    """Return the seconds of one call of each, several times: A, B, A, B, and so on.

    Each is called once before, which loads compiled code, and as often per measurement as the clock
    needs. Long measurements are repeated three times, others seven times.
    """
    numbers = {name: _count_calls(call, clock) for name, call in calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    started = clock()
    for repeat in range(_REPEATS):
        if repeat >= _FEWEST_REPEATS and clock() - started > _MOST_SECONDS:
            break
        for name, call in calls.items():
            seconds[name].append(time_calls(call, numbers[name], clock))
    return seconds


def _count_calls(call: Callable[[], Any], clock: Clock) -> int:
    """How many calls a measurement needs to be longer than the clock's resolution."""
    number = 1
    if time_calls(call, clock=clock) >= _LONG_ENOUGH:
        return number
    while number * time_calls(call, number, clock) < _LEAST_SECONDS:
        number *= 2
    return number


def time_calls(call: Callable[[], Any], number: int = 1, clock: Clock = time.perf_counter) -> float:
    """Return the seconds of one of several calls."""
    start = clock()
    for _ in range(number):
        call()
    return (clock() - start) / number
