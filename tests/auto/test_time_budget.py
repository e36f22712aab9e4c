"""The time budget of a search, by a clock that stands still or ticks as tests want it."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.utils.validation import check_is_fitted

from ldslearn.auto import candidates
from ldslearn.auto.pipeline_search import search_pipeline
from ldslearn.datasets import make_lds_sequences

BY_BUDGET, IN_FULL = "stopped by the time budget", "nothing better was left to try"


class Clock:
    """A clock that advances by `tick` seconds whenever it is read."""

    def __init__(self, tick):
        self.tick, self.now, self.readings = tick, 1000.0, []

    def __call__(self):
        self.now += self.tick
        self.readings.append(self.now)
        return self.now


def search(clock, budget, n_per_class=3):
    X, y = make_lds_sequences(2, n_per_class, n_channels=4, n_timepoints=12, random_state=0)[:2]
    classes, labels = np.unique(y, return_inverse=True)
    return search_pipeline(
        list(X),
        classes,
        labels,
        None,
        time_budget=budget,
        random=np.random.RandomState(0),
        n_jobs=None,
        clock=clock,
    )


@pytest.fixture
def few_candidates(monkeypatch):
    """A search that ends soon."""
    monkeypatch.setattr(candidates, "WINDOWS", ((1,),))
    monkeypatch.setattr(candidates, "DELAYS", (1,))
    monkeypatch.setattr("ldslearn.auto.search.ALL_RULES", candidates.USUAL_RULES[:3])
    monkeypatch.setattr("ldslearn.auto.search.USUAL_RULES", candidates.USUAL_RULES[:3])


@pytest.mark.usefixtures("few_candidates")
def test_a_clock_that_stands_still_stops_nothing():
    report = search(Clock(0.0), budget=1).report
    assert report.stopped == IN_FULL
    assert report.seconds == 0.0


@pytest.mark.parametrize("budget", [0.01, 20, 60, 200])
def test_the_search_ends_within_its_part_of_the_budget(budget):
    clock = Clock(1.0)
    found = search(clock, budget)
    assert found.report.stopped == BY_BUDGET
    assert len(found.report.tried) >= 1
    # After the deadline of the search: the reading that notices it, and three for the final fit.
    deadline = clock.readings[0] + 0.75 * budget
    late = [reading for reading in clock.readings if reading > deadline]
    first_trials = 10  # of the one encoding and the one rule that every search tries
    assert len(late) <= (4 if budget >= 20 else first_trials)
    assert found.report.seconds == clock.readings[-1] - clock.readings[0]
    check_is_fitted(found.pipeline)


def test_more_time_tries_more():
    reports = [search(Clock(1.0), budget).report for budget in (20, 60, 200)]
    for less, more in pairwise(reports):
        assert more.n_descriptions >= less.n_descriptions
        assert len(more.tried) >= len(less.tried)
    assert len(reports[-1].tried) > len(reports[0].tried)


@pytest.mark.usefixtures("few_candidates")
def test_a_slow_final_fit_is_trained_on_fewer_sequences(monkeypatch):
    monkeypatch.setattr("ldslearn.auto.pipeline_search._MOST_SEARCHED", 8)
    assert search(Clock(0.0), 1, n_per_class=20).report.n_trained == 40
    assert search(Clock(1.0), 40, n_per_class=20).report.n_trained < 40
