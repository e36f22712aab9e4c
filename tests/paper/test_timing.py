from itertools import count

import pytest

from ldslearn.paper import atoms_per_class, coding, stability, update_times
from ldslearn.paper.data_sets import Library
from ldslearn.paper.ledger import Run
from ldslearn.paper.registry import compute
from ldslearn.paper.timing import measure_in_turn
from ldslearn.paper.update_times import judge_updates, subtract_preparation

MOTIONS = Library(None).load("motions")
UPDATED = ("covlds-dl", "lds-dl", "glds-dl-2", "glds-dl-3")


class Work:
    """A clock, and work that lets it go on."""

    def __init__(self):
        self.now, self.calls = 0.0, []

    def clock(self):
        return self.now

    def take(self, name, seconds):
        def call():
            self.calls.append(name)
            self.now += seconds

        return call


def test_calls_are_measured_in_turn():
    work = Work()
    calls = {"a": work.take("a", 0.03), "b": work.take("b", 0.5)}
    seconds = measure_in_turn(calls, work.clock)
    assert seconds["a"] == pytest.approx([0.03] * 7)
    assert seconds["b"] == pytest.approx([0.5] * 7)
    assert "".join(work.calls) == "aabb" + 7 * "ab"  # each is loaded, then counted


def test_work_below_the_resolution_of_the_clock_is_repeated():
    work = Work()
    seconds = measure_in_turn({"short": work.take("short", 0.001)}, work.clock)
    assert seconds["short"] == pytest.approx([0.001] * 7)
    assert len(work.calls) == 1 + (1 + 2 + 4 + 8 + 16 + 32) + 7 * 32  # 32 ms at least 20 ms


def test_long_work_is_repeated_three_times():
    work = Work()
    seconds = measure_in_turn({"long": work.take("long", 20.0)}, work.clock)
    assert seconds["long"] == pytest.approx([20.0] * 3)
    assert len(work.calls) == 1 + 3


@pytest.mark.parametrize(
    ("kind", "parameters", "names"),
    [
        (
            "time-encoding",
            {"n_states": 5, "stabilizers": ["soft", "dwls"], "bound": 0.99},
            {"soft", "dwls"},
        ),
        ("time-coding", {"n_states": 5, "orders": [1, 4], "sparsity": 0.1}, {"1", "4", "infinite"}),
        (
            "time-updates",
            {"n_atoms": 3, "methods": ["covlds-dl", "glds-dl-2"], "sparsity": 0.1},
            {"covlds-dl", "glds-dl-2"},
        ),
        (
            "time-classes",
            {"n_atoms": 1, "method": "lds-dl", "sparsity": 0.1},
            {"per class", "together"},
        ),
    ],
)
def test_every_call_is_timed(kind, parameters, names, monkeypatch):
    def measure(calls):
        for call in calls.values():
            call()
        return {name: [1.0 if name.endswith("none") else 9.0] * 3 for name in calls}

    ticks = count(1)
    for module in (stability, coding, update_times, atoms_per_class):
        monkeypatch.setattr(module, "measure_in_turn", measure)
    monkeypatch.setattr(update_times, "time_calls", lambda call: (call(), next(ticks))[1])
    seconds = compute(Run(kind, MOTIONS, parameters))["seconds"]
    assert set(seconds) == names
    expected = (9.0 - 1.0) / 4 if kind == "time-updates" else 9.0  # two updates are too short
    assert seconds[min(names)] == [expected] * 3


def test_repeats_with_a_negative_difference_are_dropped():
    """Under load a fit may take less time than its preparation did."""
    seconds = {"a": [3.0, 1.0, 5.0], "a, none": [1.0, 2.0, 1.0]}
    seconds |= {"b": [2.0, 2.0, 2.0], "b, none": [1.0, 1.0, 1.0]}
    found = subtract_preparation(seconds, {"a": 2, "b": 1})
    assert found == {"a": [1.0, 2.0], "b": [1.0, 1.0]}
    assert judge_updates(MOTIONS, {4: {key: [0.5] for key in UPDATED}}) == []  # one repeat
    assert judge_updates(MOTIONS, {4: {key: [0.5, 0.6] for key in UPDATED}})
