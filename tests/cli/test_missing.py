"""Recordings with gaps on the command line, from files to labels."""

import json

import numpy as np
import pytest

from ldslearn import load
from ldslearn.cli.running import run
from ldslearn.datasets import Collection, save_npz
from ldslearn.persist import Model
from ldslearn.scale import LDSStore


def make_sequence(random, frequency):
    time = np.arange(50)
    phases = random.uniform(0, 6, 3)[:, None]
    x = np.sin(frequency * time * np.array([[1.0], [1.5], [2.0]]) + phases)
    x += 0.05 * random.standard_normal(x.shape)
    return np.where(random.random(x.shape) < 0.2, np.nan, x)


@pytest.fixture
def folder(tmp_path):
    """Tables of two classes with empty cells and rows that lack."""
    random = np.random.default_rng(0)
    for frequency, label in ((0.3, "walk"), (0.7, "run")):
        for number in range(6):
            x = make_sequence(random, frequency)
            path = tmp_path / "data" / label / f"{number}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [
                ",".join([f"{k / 25:.2f}", *("" if np.isnan(v) else f"{v:.4f}" for v in column)])
                for k, column in enumerate(x.T)
                if random.random() > 0.05 or k in (0, 49)
            ]
            path.write_text("\n".join(["time [s],ax,ay,az", *rows]))
    return tmp_path / "data"


SMOOTH = ["--missing", "smooth", "--folds", "2", "--json"]
QUICK = ["--method", "lds-sc-grass", "--states", "3", "--sparsity", "0.1"]


def test_the_default_says_what_to_do(folder, failure):
    message = failure("evaluate", folder, *QUICK)
    assert "must have no missing or infinite values; got an empty field in line" in message
    assert "--missing smooth" in message


def test_the_help_says_what_each_choice_does(capsys):
    assert run(["evaluate", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for words in ("missing values: empty", "'raise': stop with an error", "'smooth': accept them"):
        assert words in shown


def test_evaluate(folder, capsys):
    assert run(["evaluate", str(folder), *QUICK, *SMOOTH]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["accuracy"] >= 0.9
    assert "grid: steps of 0.04 s; 0 samples merged" in printed.err


def test_inspect_says_how_much_is_missing(folder, capsys):
    assert run(["inspect", str(folder), "--missing", "smooth", "--json"]) == 0
    assert 0.2 < json.loads(capsys.readouterr().out)["missing"] < 0.3
    assert run(["inspect", str(folder), "--missing", "smooth"]) == 0
    assert "missing samples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("n_missing", "text"), [(0, None), (1, "less than 0.1 %"), (5, "0.1 %"), (1234, "12.3 %")]
)
def test_few_missing_samples_are_not_zero_per_cent(n_missing, text, capsys, tmp_path):
    x = np.random.default_rng(0).standard_normal((2, 5000))
    x.flat[:n_missing] = np.nan
    save_npz(tmp_path / "one.npz", Collection([x], gaps=True))
    assert run(["inspect", str(tmp_path / "one.npz"), "--missing", "smooth"]) == 0
    rows = [line.split("│") for line in capsys.readouterr().out.splitlines()]
    values = [row[2].strip() for row in rows if len(row) > 2 and "missing samples" in row[1]]
    assert values == ([] if text is None else [text])


def test_train_and_predict(folder, tmp_path, capsys):
    model = tmp_path / "model.lds"
    assert run(["train", str(folder), *QUICK, "--missing", "smooth", "-o", str(model)]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(folder / "walk" / "0.csv"), "--json"]) == 0
    assert "walk" in capsys.readouterr().out


def test_new_files_are_placed_on_the_grid_of_training(folder, tmp_path, capsys):
    model, slow = tmp_path / "model.lds", tmp_path / "slow.csv"
    assert run(["train", str(folder), *QUICK, "--missing", "smooth", "-o", str(model)]) == 0
    assert Model.load(model).reading.rate == pytest.approx(25)
    header, *rows = (folder / "walk" / "0.csv").read_text().splitlines()
    slow.write_text("\n".join([header, *rows[::2]]))  # half of the rate, which is a warning else
    capsys.readouterr()
    paths = str(folder / "run" / "1.csv"), str(slow)
    assert run(["predict", str(model), *paths, "--json"]) == 0
    printed = capsys.readouterr()
    assert [one["label"] for one in json.loads(printed.out)["predictions"]] == ["run", "walk"]
    assert "warning" not in printed.err


def test_the_automatic_method(folder, tmp_path, capsys):
    """It fills gaps; how good the labels are depends on the time that it has."""
    model = tmp_path / "model.lds"
    options = ["--budget", "1", "--missing", "smooth"]
    assert run(["train", str(folder), *options, "-o", str(model)]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(folder / "run"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["label"] for one in found["predictions"]} <= {"run", "walk"}
    assert load(model).imputer_ is not None
    assert run(["evaluate", str(folder), *options, "--folds", "2", "--json"]) == 0
    assert 0 <= json.loads(capsys.readouterr().out)["accuracy"] <= 1


def test_stores(folder, tmp_path, capsys):
    store, model = tmp_path / "store", tmp_path / "model.lds"
    options = ["-n", "3", "--missing", "smooth"]
    assert run(["encode", str(folder), "-o", str(store), *options]) == 0
    assert len(LDSStore.open(store)) == 12
    assert run(["encode", str(folder), "-o", str(store), *options]) == 0  # keeps the shards
    assert run(["train", str(folder), *QUICK, "--missing", "smooth", "-o", str(model)]) == 0
    other = tmp_path / "other"
    assert run(["encode", str(folder), "-o", str(other), "--like", str(model)]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(other), "--json"]) == 0
    assert "walk" in capsys.readouterr().out


def test_collections_in_one_file(tmp_path, capsys, failure):
    random = np.random.default_rng(0)
    X = [make_sequence(random, f) for f in (0.3, 0.7) for _ in range(6)]
    path = tmp_path / "all.npz"
    save_npz(path, Collection(X, np.repeat(["walk", "run"], 6), gaps=True))
    assert "must be finite" in failure("evaluate", path, *QUICK)
    assert run(["evaluate", str(path), *QUICK, *SMOOTH]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] >= 0.9
    assert run(["cluster", str(path), "--missing", "smooth", "--json"]) == 0


def test_wrong_values(folder, capsys):
    assert run(["evaluate", str(folder), "--missing", "smoth"]) == 2
    assert "must be one of 'raise', 'smooth'" in capsys.readouterr().err.replace("\n", " ")
