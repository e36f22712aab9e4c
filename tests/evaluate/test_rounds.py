import os
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from ldslearn._parallel import Engine, use_engine
from ldslearn.datasets import Collection, make_lds_sequences
from ldslearn.evaluate import METHODS, Settings, parse_protocol
from ldslearn.evaluate import rounds as module
from ldslearn.evaluate.rounds import run_rounds

FOLDS = parse_protocol("folds:3")
CODING, AUTO = METHODS["lds-sc-grass"], METHODS["auto"]
GIVEN = {"n_states": 2, "sparsity": 0.01}


@pytest.fixture(scope="module")
def data():
    return Collection(*make_lds_sequences(2, 6, random_state=0))


def list_rounds(data, method, settings, given):
    return list(run_rounds(data, method, FOLDS, FOLDS.splits(data, 0), settings, given))


@pytest.fixture
def in_processes(monkeypatch):
    monkeypatch.setattr(module, "_count_processes", lambda *_: 2)


def test_rounds_in_processes_are_those_of_one_process_in_the_same_order(data, in_processes):
    found = list_rounds(data, CODING, Settings(), GIVEN)
    arguments = (CODING, FOLDS, Settings(), GIVEN)
    expected = [module.run_round(data, *split, *arguments) for split in FOLDS.splits(data, 0)]
    assert len(found) == len(expected) == 3
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.predicted, other.predicted)
        assert one.mislabelled == other.mislabelled
        for name in ("accuracy", "n_train", "n_test", "n_states"):
            assert one.record[name] == other.record[name]


def make_method(fit):
    """Return a method that accepts sequences and calls `fit` in place of fitting."""

    class Stub(DummyClassifier):  # local, so that it is sent to processes as it is
        missing = "raise"

        def set_params(self, **_):
            return self

        def fit(self, X, y):
            fit()
            return super().fit(np.zeros((len(y), 1)), y)

        def predict(self, X):
            return super().predict(np.zeros((len(X), 1)))

    return replace(CODING, build=lambda settings: Stub(), encodes=False)


def test_warnings_of_processes_are_given_here(data, in_processes):
    method = make_method(lambda: warnings.warn("from a round", stacklevel=1))
    with pytest.warns(UserWarning, match="from a round") as caught:
        list_rounds(data, method, Settings(), {})
    assert len(caught) == 3


def test_errors_of_processes_are_raised_here(data, in_processes):
    def fail():
        raise ValueError("sequence 3 must be finite")

    with pytest.raises(ValueError, match="sequence 3 must be finite"):
        list_rounds(data, make_method(fail), Settings(), {})


def test_a_process_that_is_ended_gets_a_message_with_a_remedy(data, in_processes):
    with pytest.raises(MemoryError, match=r"one was ended from outside.*--jobs 1"):
        list_rounds(data, make_method(lambda: os._exit(9)), Settings(), {})


def test_only_rounds_of_searches_run_at_once(data, monkeypatch):
    def count(method=AUTO, n_jobs=2, n_rounds=3):
        return module._count_processes(data, method, Settings(n_jobs=n_jobs), n_rounds)

    assert count() == 2
    assert count(n_jobs=8) == 3
    assert count(n_jobs=None) == count(n_rounds=1) == count(CODING) == 1
    cluster = Engine()
    cluster.n_workers = 4
    with use_engine(cluster):
        assert count() == 1
    monkeypatch.setattr(module, "_LARGEST_COPY", 1000)
    assert count() == 1


def test_a_search_in_a_process_has_the_processor_time_that_threads_would_have(data, monkeypatch):
    seen = []

    def keep(n_processes, data, splits, method, protocol, settings, given):
        seen.append((n_processes, settings))
        return iter(splits)

    monkeypatch.setattr(module, "_run_in_processes", keep)
    list_rounds(data, AUTO, Settings(n_jobs=2, budget=7.0), {})
    assert seen == [(2, Settings(n_jobs=1, budget=14.0))]
