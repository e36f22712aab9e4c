"""The time budget of a search, by a clock that stands still or ticks as tests want it."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.utils.validation import check_is_fitted

from ldslearn import AutoLDSClassifier, AutoLDSRegressor
from ldslearn.auto import candidates
from ldslearn.auto.ensemble_search import search_ensemble
from ldslearn.datasets import make_lds_sequences

from support.clocks import Clock

BY_BUDGET, IN_FULL = "stopped by the time budget", "nothing better was left to try"


def search(clock, budget, n_per_class=3, change=lambda X: X):
    X, y = make_lds_sequences(2, n_per_class, n_channels=4, n_timepoints=12, random_state=0)[:2]
    order = np.random.default_rng(0).permutation(len(X))  # not sorted by class
    X, y = [X[i] for i in order], y[order]
    classes, labels = np.unique(y, return_inverse=True)
    return search_ensemble(
        change(X),
        classes,
        labels,
        None,
        time_budget=budget,
        max_members=20,
        random=np.random.RandomState(0),
        n_jobs=None,
        clock=clock,
    )


@pytest.fixture
def few_candidates(monkeypatch):
    """A search that ends soon."""
    monkeypatch.setattr(candidates, "WINDOWS", ((1,),))
    monkeypatch.setattr(candidates, "DELAYS", (1,))
    monkeypatch.setattr("ldslearn.auto.search.RIDGE_RULES", candidates.RIDGE_RULES[:3])


@pytest.mark.usefixtures("few_candidates")
def test_a_clock_that_stands_still_stops_nothing():
    _, report = search(Clock(0.0), budget=1)
    assert report.stopped == IN_FULL
    assert report.seconds == 0.0


@pytest.mark.parametrize("budget", [0.01, 20, 60, 200])
def test_the_search_ends_within_its_part_of_the_budget(budget):
    clock = Clock(1.0)
    members, report = search(clock, budget)
    assert report.stopped.startswith(BY_BUDGET)
    assert len(report.tried) >= 2  # fitted systems, and random ones
    # After the deadline of the search: the reading that notices it, and two for the final fit.
    # Warming up takes one second of this clock, which the budget does not count.
    deadline = clock.readings[0] + 0.85 * budget + 1
    late = [reading for reading in clock.readings if reading > deadline]
    first_trials = 13  # of the one bank, the one encoding and the one rule that are always tried
    assert len(late) <= (4 if budget >= 20 else first_trials)
    assert report.seconds == clock.readings[-1] - clock.readings[0]
    assert len(members.pipelines) >= 1
    for pipeline in members.pipelines:
        check_is_fitted(pipeline[-1])


def test_the_bar_names_the_compilation_of_functions(monkeypatch):
    texts = []
    monkeypatch.setattr("ldslearn._progress._describe_nested", texts.append)
    search(Clock(1.0), 0.01)
    assert texts[0] == "loading functions, which the first run compiles"


@pytest.mark.parametrize("estimator", [AutoLDSClassifier, AutoLDSRegressor])
def test_the_bar_shows_the_budget(estimator, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, for rich
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("ldslearn._progress._SECONDS_BEFORE_PROGRESS", -1.0)
    X, y = make_lds_sequences(2, 3, n_channels=4, n_timepoints=12, random_state=0)
    model = estimator(time_budget=83, max_members=2, random_state=0)
    model._clock = Clock(20.0)
    model.fit(X, np.arange(len(y)) if estimator is AutoLDSRegressor else y)
    assert "so far, budget 1:23" in capsys.readouterr().err


def test_the_report_says_what_was_left_out():
    _, report = search(Clock(1.0), 20)
    assert report.stopped == (
        "stopped by the time budget, without further encodings and kernel weights"
    )
    _, report = search(Clock(1.0), 2)
    assert "without further banks of random systems, encodings" in report.stopped


def test_more_time_tries_more():
    reports = [search(Clock(1.0), budget)[1] for budget in (20, 60, 200)]
    for less, more in pairwise(reports):
        assert more.n_descriptions >= less.n_descriptions
        assert len(more.tried) >= len(less.tried)
    assert len(reports[-1].tried) > len(reports[0].tried)


@pytest.mark.usefixtures("few_candidates")
def test_a_slow_final_fit_is_trained_on_fewer_sequences(monkeypatch):
    monkeypatch.setattr("ldslearn.auto.ensemble_search._MOST_SEARCHED", 8)
    assert search(Clock(0.0), 1, n_per_class=20)[1].n_trained == 40
    assert search(Clock(1.0), 40, n_per_class=20)[1].n_trained < 40


def test_a_final_fit_on_the_searched_sequences_keeps_their_labels(monkeypatch):
    monkeypatch.setattr("ldslearn.auto.ensemble_search._MOST_SEARCHED", 12)
    members, report = search(Clock(1.0), 5, n_per_class=20)
    assert report.n_trained == 12
    committee = members.pipelines[0][-1]
    assert len(committee.systems_) == 12
    own = committee.predict(committee.systems_)
    assert (own == committee.classes_[committee.labels_]).mean() > 0.9


def test_all_sequences_are_trained_on_if_the_search_used_a_part(monkeypatch):
    monkeypatch.setattr("ldslearn.auto.ensemble_search._MOST_SEARCHED", 12)
    members, report = search(Clock(0.0), 1, n_per_class=15)
    assert report.n_trained == len(members.pipelines[0][-1].systems_) == 30


def test_a_short_sequence_that_is_not_searched_limits_the_states(monkeypatch):
    monkeypatch.setattr("ldslearn.auto.ensemble_search._MOST_SEARCHED", 8)

    def shorten(X):
        """Shorten every sequence but a few, so that one of them is not searched."""
        return [x[:, :4] if i % 3 else x for i, x in enumerate(X)]

    members, report = search(Clock(0.0), 1, n_per_class=20, change=shorten)
    assert report.n_trained == 40
    assert max(p[-2].n_states_ + p[-2].delays for p in members.pipelines) <= 4
