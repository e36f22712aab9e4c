import errno
import json
import os
from dataclasses import replace

import numpy as np
import pytest

from ldslearn.datasets import Collection
from ldslearn.paper import ledger as module
from ldslearn.paper.ledger import Ledger, Run
from ldslearn.paper.sources import Source

X = [np.arange(12.0).reshape(2, 6) + i for i in range(4)]
SOURCE = Source(
    "toy", "Toy", "embedded", Collection(X, ["a", "a", "b", "b"]), {"protocol": "folds:2"}
)
RUN = Run("classify", SOURCE, {"n_states": 2, "method": "lds-sc-grass"})


def test_the_key_is_that_of_all_that_decides_the_numbers():
    assert Run("classify", SOURCE, {"method": "lds-sc-grass", "n_states": 2}).key == RUN.key
    other_data = replace(SOURCE, data=Collection([x + 1e-9 for x in X], SOURCE.data.y))
    other_labels = replace(SOURCE, data=Collection(X, ["a", "b", "a", "b"]))
    other_protocol = replace(SOURCE, settings={"protocol": "shuffle:1:0.5"})
    other_scale = replace(SOURCE, settings={"protocol": "folds:2", "scale": 4.0})
    other_frames = replace(SOURCE, data=replace(SOURCE.data, frame_shape=(2, 1)))
    others = [
        Run("stabilize", SOURCE, RUN.parameters),
        Run("classify", SOURCE, {**RUN.parameters, "n_states": 3}),
        Run("classify", other_data, RUN.parameters),
        Run("classify", other_labels, RUN.parameters),
        Run("classify", other_protocol, RUN.parameters),
        Run("classify", other_scale, RUN.parameters),
        Run("classify", other_frames, RUN.parameters),
    ]
    assert len({RUN.key, *(run.key for run in others)}) == 8
    more_states = replace(SOURCE, settings={"protocol": "folds:2", "states": [2, 3]})
    assert Run("classify", more_states, RUN.parameters).key == RUN.key


def test_other_training_and_test_parts_are_other_runs():
    def source(split, trials=None):
        data = Collection(X, SOURCE.data.y, split=split, trials=trials)
        protocol = "split" if trials is None else "trials"
        return replace(SOURCE, data=data, settings={"protocol": protocol})

    one, other = ["train", "test", "train", "test"], ["test", "train", "test", "train"]
    trials = np.array([one, other]).T
    sources = [source(one), source(other), source(one, trials), source(one, trials[:, ::-1])]
    assert len({Run("classify", each, {}).key for each in sources}) == 4


def test_a_run_is_done_once(tmp_path):
    calls = []

    def compute(run):
        calls.append(run)
        return {"accuracy": [0.1 + 0.2, 1 / 3]}

    first = Ledger(tmp_path / "a" / "b").do(RUN, compute)
    again = Ledger(tmp_path / "a" / "b").do(RUN, compute)
    assert calls == [RUN]
    assert first == again == {"accuracy": [0.1 + 0.2, 1 / 3]}
    record = json.loads(Ledger(tmp_path / "a" / "b").path(RUN).read_text())
    assert record["configuration"]["fingerprint"] == SOURCE.fingerprint
    assert set(record) >= {"numbers", "seconds", "versions", "machine"}


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"numbers": {}}', '{"configuration": 1, "numbers": {"x": 1}}']
)
def test_a_damaged_record_is_done_again(tmp_path, damage):
    ledger = Ledger(tmp_path)
    ledger.do(RUN, lambda run: {"x": 1})
    ledger.path(RUN).write_text(damage)
    assert ledger.find(RUN) is None
    assert ledger.do(RUN, lambda run: {"x": 2}) == {"x": 2}
    assert ledger.find(RUN) == {"x": 2}


@pytest.mark.parametrize(
    ("old", "new"), [("0.25", "0.75"), ('"numbers"', '"Numbers"'), ("256", "255")]
)
def test_a_record_that_was_changed_is_done_again(tmp_path, old, new):
    ledger = Ledger(tmp_path)
    ledger.do(RUN, lambda run: {"x": 0.25})
    text = ledger.path(RUN).read_text()
    assert old in text
    ledger.path(RUN).write_text(text.replace(old, new))
    assert ledger.find(RUN) is None
    assert ledger.do(RUN, lambda run: {"x": 2}) == {"x": 2}


def test_records_without_a_checksum_are_read(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.do(RUN, lambda run: {"x": 0.25})
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
        ledger.do(RUN, pytest.fail)


def test_an_interrupted_run_leaves_no_record(tmp_path):
    def interrupted(run):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Ledger(tmp_path).do(RUN, interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_and_leaves_other_records_whole(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path)
    done = Run("classify", SOURCE, {"n_states": 1})
    ledger.do(done, lambda run: {"x": 1})

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        OSError, match=r"records must be written to .*; No space left.*run the command again"
    ):
        ledger.do(RUN, lambda run: {"x": 2})
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == [ledger.path(done).name]
    assert ledger.find(done) == {"x": 1}


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"records must be written to .*file"):
        Ledger(tmp_path / "file" / "records")


def test_numbers_must_be_finite(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        Ledger(tmp_path).do(RUN, lambda run: {"x": float("nan")})


def test_the_machine_has_no_name():
    assert set(module.machine()) == {"system", "processor", "cores"}
