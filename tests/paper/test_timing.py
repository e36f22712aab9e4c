import time

import pytest

from ldslearn.paper.computing import compute
from ldslearn.paper.dictionary_evidence import judge_updates
from ldslearn.paper.ledger import Run
from ldslearn.paper.sources import Library
from ldslearn.paper.timing import measure_in_turn
from ldslearn.paper.timing_runs import subtract_preparation

MOTIONS = Library(None).source("motions")
UPDATED = ("covlds-dl", "lds-dl", "glds-dl-2", "glds-dl-3")


def test_calls_are_measured_in_turn():
    calls = []

    def record(name):
        return lambda: (calls.append(name), time.sleep(0.03))

    seconds = measure_in_turn({"a": record("a"), "b": record("b")})
    assert len(seconds["a"]) == len(seconds["b"]) >= 3
    assert "".join(calls).endswith("abab")
    assert min(seconds["a"]) >= 0.03


def test_work_below_the_resolution_of_the_clock_is_repeated():
    counts = {"n": 0}

    def count():
        counts["n"] += 1

    seconds = measure_in_turn({"nothing": count})["nothing"]
    assert counts["n"] > 1000
    assert all(0 < one < 1e-4 for one in seconds)


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
def test_times_are_positive_and_as_many_of_each(kind, parameters, names):
    seconds = compute(Run(kind, MOTIONS, parameters))["seconds"]
    assert set(seconds) == names
    assert all(one > 0 for own in seconds.values() for one in own)
    assert len({len(own) for own in seconds.values()}) == 1
    assert len(next(iter(seconds.values()))) >= 3


def test_repeats_with_a_negative_difference_are_dropped():
    """Under load a fit may take less time than its preparation did."""
    seconds = {"a": [3.0, 1.0, 5.0], "a, none": [1.0, 2.0, 1.0]}
    seconds |= {"b": [2.0, 2.0, 2.0], "b, none": [1.0, 1.0, 1.0]}
    found = subtract_preparation(seconds, {"a": 2, "b": 1})
    assert found == {"a": [1.0, 2.0], "b": [1.0, 1.0]}
    assert judge_updates(MOTIONS, {4: {key: [0.5] for key in UPDATED}}) == []  # one repeat
    assert judge_updates(MOTIONS, {4: {key: [0.5, 0.6] for key in UPDATED}})
