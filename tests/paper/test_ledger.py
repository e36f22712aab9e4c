import errno
import json
import os
from dataclasses import replace

import numpy as np
import pytest

from ldslearn.datasets import Collection
from ldslearn.paper import ledger as module
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.ledger import Ledger, Run

X = [np.arange(12.0).reshape(2, 6) + i for i in range(4)]
DATA_SET = DataSet(
    "toy", "Toy", "embedded", Collection(X, ["a", "a", "b", "b"]), {"protocol": "folds:2"}
)
RUN = Run("classify", DATA_SET, {"n_states": 2, "method": "lds-sc-grass"})


def test_the_key_is_that_of_all_that_decides_the_numbers():
    assert Run("classify", DATA_SET, {"method": "lds-sc-grass", "n_states": 2}).key == RUN.key
    other_data = replace(DATA_SET, data=Collection([x + 1e-9 for x in X], DATA_SET.data.y))
    other_labels = replace(DATA_SET, data=Collection(X, ["a", "b", "a", "b"]))
    other_protocol = replace(DATA_SET, settings={"protocol": "shuffle:1:0.5"})
    other_scale = replace(DATA_SET, settings={"protocol": "folds:2", "scale": 4.0})
    other_frames = replace(DATA_SET, data=replace(DATA_SET.data, frame_shape=(2, 1)))
    others = [
        Run("stabilize", DATA_SET, RUN.parameters),
        Run("classify", DATA_SET, {**RUN.parameters, "n_states": 3}),
        Run("classify", other_data, RUN.parameters),
        Run("classify", other_labels, RUN.parameters),
        Run("classify", other_protocol, RUN.parameters),
        Run("classify", other_scale, RUN.parameters),
        Run("classify", other_frames, RUN.parameters),
    ]
    assert len({RUN.key, *(run.key for run in others)}) == 8
    more_states = replace(DATA_SET, settings={"protocol": "folds:2", "states": [2, 3]})
    assert Run("classify", more_states, RUN.parameters).key == RUN.key


def test_other_training_and_test_parts_are_other_runs():
    def data_set(split, trials=None):
        data = Collection(X, DATA_SET.data.y, split=split, trials=trials)
        protocol = "split" if trials is None else "trials"
        return replace(DATA_SET, data=data, settings={"protocol": protocol})

    one, other = ["train", "test", "train", "test"], ["test", "train", "test", "train"]
    trials = np.array([one, other]).T
    data_sets = [
        data_set(one),
        data_set(other),
        data_set(one, trials),
        data_set(one, trials[:, ::-1]),
    ]
    assert len({Run("classify", each, {}).key for each in data_sets}) == 4


def test_a_run_is_done_once(tmp_path):
    calls = []

    def compute(run):
        calls.append(run)
        return {"accuracy": [0.1 + 0.2, 1 / 3]}

    first = Ledger(tmp_path / "a" / "b").find_or_compute(RUN, compute)
    again = Ledger(tmp_path / "a" / "b").find_or_compute(RUN, compute)
    assert calls == [RUN]
    assert first == again == {"accuracy": [0.1 + 0.2, 1 / 3]}
    record = json.loads(Ledger(tmp_path / "a" / "b").path(RUN).read_text())
    assert record["configuration"]["fingerprint"] == DATA_SET.fingerprint
    assert set(record) >= {"numbers", "seconds", "versions", "machine"}


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"numbers": {}}', '{"configuration": 1, "numbers": {"x": 1}}']
)
def test_a_damaged_record_is_done_again(tmp_path, damage):
    ledger = Ledger(tmp_path)
    ledger.find_or_compute(RUN, lambda run: {"x": 1})
    ledger.path(RUN).write_text(damage)
    assert ledger.find(RUN) is None
    assert ledger.find_or_compute(RUN, lambda run: {"x": 2}) == {"x": 2}
    assert ledger.find(RUN) == {"x": 2}


@pytest.mark.parametrize(
    ("old", "new"), [("0.25", "0.75"), ('"numbers"', '"Numbers"'), ("256", "255")]
)
def test_a_record_that_was_changed_is_done_again(tmp_path, old, new):
    ledger = Ledger(tmp_path)
    ledger.find_or_compute(RUN, lambda run: {"x": 0.25})
    text = ledger.path(RUN).read_text()
    assert old in text
    ledger.path(RUN).write_text(text.replace(old, new))
    assert ledger.find(RUN) is None
    assert ledger.find_or_compute(RUN, lambda run: {"x": 2}) == {"x": 2}


def test_records_without_a_checksum_are_read(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.find_or_compute(RUN, lambda run: {"x": 0.25})
    record = json.loads(ledger.path(RUN).read_text())
    del record["sha256"]
    ledger.path(RUN).write_text(json.dumps(record))
    assert ledger.find(RUN) == {"x": 0.25}


def test_deep_and_endless_records_are_none(tmp_path):
    ledger = Ledger(tmp_path)
    path = ledger.path(RUN)
    path.write_bytes(b"[" * 10**6)
    assert ledger.find(RUN) is None
    path.unlink()
    os.mkfifo(path)
    assert ledger.find(RUN) is None
    with pytest.raises(ValueError, match="must be a new or a regular file; got a pipe"):
        ledger.find_or_compute(RUN, pytest.fail)


def test_an_interrupted_run_leaves_no_record(tmp_path):
    def interrupted(run):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Ledger(tmp_path).find_or_compute(RUN, interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_and_leaves_other_records_whole(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path)
    done = Run("classify", DATA_SET, {"n_states": 1})
    ledger.find_or_compute(done, lambda run: {"x": 1})

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        OSError, match=r"records must be written to .*; No space left.*run the command again"
    ):
        ledger.find_or_compute(RUN, lambda run: {"x": 2})
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == [ledger.path(done).name]
    assert ledger.find(done) == {"x": 1}


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"records must be written to .*file"):
        Ledger(tmp_path / "file" / "records")


def test_numbers_must_be_finite(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        Ledger(tmp_path).find_or_compute(RUN, lambda run: {"x": float("nan")})


def test_the_machine_has_no_name():
    assert set(module.describe_machine()) == {"system", "processor", "cores"}
