import os
import warnings
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from ldslearn._parallel import Engine, use_engine
from ldslearn.datasets import Collection, make_lds_sequences
from ldslearn.evaluate import METHODS, Settings, evaluate, parse_protocol
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


def act_elsewhere(method, act):
    """Return the method with an action in other processes than this."""
    here, build = os.getpid(), method.build

    def act_and_build(settings):
        if os.getpid() != here:
            act()
        return build(settings)

    return replace(method, build=act_and_build)


def test_rounds_in_processes_are_those_of_one_process_in_the_same_order(data, in_processes):
    method = act_elsewhere(CODING, lambda: warnings.warn("another process", stacklevel=1))
    with pytest.warns(UserWarning, match="another process") as caught:
        found = list_rounds(data, method, Settings(), GIVEN)
    assert len(caught) == 1  # of three rounds, the second runs in another process
    arguments = (CODING, FOLDS, Settings(), GIVEN)
    expected = [module.run_round(data, *split, *arguments) for split in FOLDS.splits(data, 0)]
    assert len(found) == len(expected) == 3
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.predicted, other.predicted)
        assert one.misclassified == other.misclassified
        for name in ("accuracy", "n_train", "n_test", "n_states"):
            assert one.record[name] == other.record[name]


def test_a_process_that_is_ended_gets_a_message_with_a_remedy(data, in_processes):
    method = act_elsewhere(CODING, lambda: os._exit(9))
    with pytest.raises(MemoryError, match=r"one was ended from outside.*--jobs 1"):
        list_rounds(data, method, Settings(), GIVEN)


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

    def keep(data, train, test, method, protocol, settings, given):
        seen.append((train, settings))

    @contextmanager
    def run_elsewhere(rounds, n_processes):
        seen.append(n_processes)
        yield iter([keep(*one) for one in rounds])

    monkeypatch.setattr(module, "run_round", keep)
    monkeypatch.setattr(module, "_run_elsewhere", run_elsewhere)
    list_rounds(data, AUTO, Settings(n_jobs=2, time_budget=7.0), {})
    (first, _), (second, _), (third, _) = FOLDS.splits(data, 0)
    expected = Settings(n_jobs=1, time_budget=7.0 * 3 / 2)
    assert seen[0] == 1
    for (train, settings), own in zip(seen[1:], (second, first, third), strict=True):
        np.testing.assert_array_equal(train, own)
        assert settings == expected


def test_wrong_arguments_are_named(data):
    with pytest.raises(ValueError, match=r"data must be a Collection; got tuple\. Pass Collection"):
        evaluate((data.X, data.y))
    with pytest.raises(ValueError, match="n_jobs must be"):
        evaluate(data, "auto", settings=Settings(n_jobs=0))
    assert evaluate(data, "lds-sc-grass", "folds:2", **GIVEN)["protocol"] == "folds:2"
