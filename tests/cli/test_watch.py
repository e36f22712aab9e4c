"""`ldslearn train --method novelty` and `ldslearn watch`, on files without labels."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import LDSEncoder, LDSNovelty
from ldslearn.cli.running import run


def make_signal(n_timepoints, seed, angle=0.4):
    random, t = np.random.default_rng(seed), np.arange(n_timepoints)
    phase = random.uniform(0, 6)
    turning = np.stack([np.cos(angle * t + phase), np.sin(angle * t + phase), np.cos(angle * t)])
    return turning + 0.1 * random.normal(size=(3, n_timepoints))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Normal clips, a detector of them, and a recording that is strange in its middle."""
    folder = tmp_path_factory.mktemp("watch")
    (folder / "normal").mkdir()
    for i in range(20):
        np.save(folder / "normal" / f"{i}.npy", make_signal(50, i))
    recording = make_signal(400, 99)
    recording[:, 200:280] = make_signal(80, 5, angle=1.3)
    np.savetxt(folder / "long.csv", recording.T, delimiter=",")
    np.save(folder / "long.npy", recording)
    arguments = ["--method", "novelty", "-n", "4", "--contamination", "0.02"]
    made = ["train", str(folder / "normal"), *arguments, "-o", str(folder / "model.lds")]
    assert run(made) == 0
    return folder


def test_strange_parts_of_a_recording_are_found(home, capsys):
    capsys.readouterr()
    assert run(["watch", str(home / "model.lds"), str(home / "long.npy"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["window"] == 50
    (one,) = record["recordings"]
    assert [w["start"] for w in one["windows"]][:3] == [0, 12, 24]
    assert one["windows"][-1]["stop"] == one["n_timepoints"] == 400
    assert all(w["strange"] == (w["score"] < 0) for w in one["windows"])
    worst = min(one["windows"], key=lambda w: w["score"])
    assert 180 <= worst["start"] <= 260
    assert any(start <= 200 < 280 <= stop + 20 for start, stop in one["spans"])
    clean = [w for w in one["windows"] if w["stop"] <= 200 or w["start"] >= 280]
    assert np.mean([w["strange"] for w in clean]) < 0.3


def test_tables_and_page(home, capsys, tmp_path):
    capsys.readouterr()
    page = tmp_path / "page.html"
    options = ["--window", "40", "--step", "20", "--report", str(page)]
    assert run(["watch", str(home / "model.lds"), str(home / "long.npy"), *options]) == 0
    text = capsys.readouterr().out
    assert "strange" in text
    assert "40 time points per window" in text
    assert "wrote" in text
    html = page.read_text()
    assert "long.npy" in html
    assert "<svg" in html
    assert "ldslearn" in html


def test_rates_give_seconds(home, capsys, tmp_path):
    (tmp_path / "normal").mkdir()
    header = "time,x,y,z"
    for i in range(6):
        rows = np.vstack([np.arange(50) / 10, make_signal(50, i)]).T
        path = tmp_path / "normal" / f"{i}.csv"
        np.savetxt(path, rows, delimiter=",", header=header, comments="")
    model = tmp_path / "m.lds"
    made = ["train", str(tmp_path / "normal"), "-m", "novelty", "-n", "3", "-o", str(model)]
    assert run(made) == 0
    rows = np.vstack([np.arange(100) / 10, make_signal(100, 7)]).T
    np.savetxt(tmp_path / "long.csv", rows, delimiter=",", header=header, comments="")
    capsys.readouterr()
    assert run(["watch", str(model), str(tmp_path / "long.csv"), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["recordings"]
    assert one["rate"] == pytest.approx(10.0)
    assert run(["watch", str(model), str(tmp_path / "long.csv")]) == 0
    assert "0.00 to 5.00" in capsys.readouterr().out


def test_windows_at_rest_are_scored(home, capsys, tmp_path):
    recording = make_signal(200, 3)
    recording[:, 100:180] = recording[:, [100]]
    np.save(tmp_path / "rest.npy", recording)
    capsys.readouterr()
    assert run(["watch", str(home / "model.lds"), str(tmp_path / "rest.npy"), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["recordings"]
    still = [w for w in one["windows"] if w["start"] >= 100 and w["stop"] <= 180]
    assert len(still) >= 2
    assert all(w["strange"] for w in still)


def test_inspect_shows_a_detector(home, capsys):
    capsys.readouterr()
    assert run(["inspect", str(home / "model.lds")]) == 0
    text = capsys.readouterr().out
    assert "novelty" in text
    assert "LDSNovelty" in text


def test_mistakes(home, failure, tmp_path):
    model = home / "model.lds"
    message = failure("predict", model, home / "long.npy")
    assert "the model must be a classifier to predict labels; got LDSNovelty" in message
    assert "ldslearn watch" in message
    message = failure("evaluate", home / "normal", "-m", "novelty")
    assert "method must be a classifier; got 'novelty', which has no classes" in message
    np.save(tmp_path / "other.npy", np.zeros((5, 100)))
    message = failure("watch", model, tmp_path / "other.npy")
    assert "must have 3 channels" in message
    np.save(tmp_path / "short.npy", make_signal(5, 0))
    message = failure("watch", model, tmp_path / "short.npy")
    assert "short.npy, time points 0 to 5, must have at least" in message
    message = failure("watch", model, home / "long.npy", "--window", 20, "--step", 30)
    assert "step must lie between 1 and the window, 20; got 30" in message
    plain = ldslearn.evaluate.train(
        ldslearn.datasets.Collection([make_signal(30, i) for i in range(6)], list("aabbab")),
        "lds-martin", n_states=2,
    )  # fmt: skip
    plain.save(tmp_path / "plain.lds")
    message = failure("watch", tmp_path / "plain.lds", home / "long.npy")
    assert "must hold a detector of novelty; got NearestLDSClassifier. Make one" in message


def test_a_saved_pipeline_needs_a_window(home, failure, tmp_path, capsys):
    X = [make_signal(50, i) for i in range(8)]
    ldslearn.save(make_pipeline(LDSEncoder(3), LDSNovelty()).fit(X), tmp_path / "m.lds")
    message = failure("watch", tmp_path / "m.lds", home / "long.npy")
    assert "--window must be given for a model that `ldslearn train` did not write" in message
    assert run(["watch", str(tmp_path / "m.lds"), str(home / "long.npy"), "--window", "50"]) == 0


def test_one_normal_item_is_too_few(failure, tmp_path):
    (tmp_path / "one").mkdir()
    np.save(tmp_path / "one" / "0.npy", make_signal(50, 0))
    message = failure("train", tmp_path / "one", "-m", "novelty", "-o", tmp_path / "m.lds")
    assert "the collection must hold at least two normal items; got 1" in message
