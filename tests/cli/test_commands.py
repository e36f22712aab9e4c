import json
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from ldslearn import LDSEncoder, SparseCodingClassifier
from ldslearn.cli.evaluation_tables import tabulate_evaluation
from ldslearn.cli.running import run
from ldslearn.datasets import Collection, load_folder, load_npz, save_npz
from ldslearn.video import read_video, write_video

GRASS = ("--method", "lds-sc-grass")


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli") / "clips"
    assert run(["make-clips", str(folder), "--per-class", "3", "--size", "12"]) == 0
    return folder


@pytest.fixture(scope="module")
def model(clips):
    path = clips.parent / "model.lds"
    assert run(["train", str(clips), *GRASS, "-n", "5", "--sparsity", "0.1", "-o", str(path)]) == 0
    return path


def answer(capsys, *arguments):
    """What a command prints with --json."""
    capsys.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def failure(capsys, *arguments, code=1):
    capsys.readouterr()
    assert run([str(argument) for argument in arguments]) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return printed.err


def test_clips(clips):
    data = load_folder(clips)
    assert len(data) == 18
    assert data.classes == ["drifting", "flag", "flame", "foliage", "rotating", "waves"]
    assert data.frame_shape == (12, 12)


def test_evaluate(clips, capsys, tmp_path):
    arguments = ("evaluate", clips, *GRASS, "--states", 5, "--sparsity", 0.1, "--folds", 3)
    record = answer(capsys, *arguments, "-o", tmp_path / "record.json")
    assert json.loads((tmp_path / "record.json").read_text()) == record
    data = load_folder(clips)
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    systems = LDSEncoder(5).fit_transform(data.X)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(SparseCodingClassifier(), systems, data.y, cv=folds)
    assert [one["accuracy"] for one in record["rounds"]] == scores.tolist()
    assert run([*map(str, arguments)]) == 0
    shown = capsys.readouterr().out
    assert f"accuracy {100 * scores.mean():.1f} % (" in shown
    assert f"standard deviation over rounds {100 * scores.std():.1f} points" in shown
    low, high = record["interval"]
    assert f"95 % interval {100 * low:.1f} to {100 * high:.1f} %" in shown
    measures = (100 * record[name] for name in ("balanced_accuracy", "macro_f1"))
    assert "balanced accuracy {:.1f} %, macro F1 {:.1f} %".format(*measures) in shown
    assert f"{100 * record['rounds'][0]['accuracy']:.1f} % │" in shown
    assert "│ frame size " in shown
    confusion = shown.split("confusion matrix")[1].split("misclassified")[0]
    rows = [line.split("│")[1:-1] for line in confusion.splitlines() if "│" in line]
    for name, counts, row in zip(record["classes"], record["confusion"], rows, strict=True):
        assert [cell.strip() for cell in row] == [name, *(str(n) if n else "." for n in counts)]


def test_a_confusion_too_wide_for_the_terminal_is_told_in_words(clips, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    arguments = ("evaluate", clips, *GRASS, "--states", 1, "--sparsity", 0.01, "--folds", 3)
    assert run([*map(str, arguments)]) == 0
    shown = capsys.readouterr().out
    assert "Confusion" not in shown
    record = answer(capsys, *arguments)
    worst = max(
        (n, i, j) for i, row in enumerate(record["confusion"]) for j, n in enumerate(row) if i != j
    )[0]
    first = shown.split("most confused: ")[1].split(";")[0].strip()
    true, given = first.split(" (")[0].split(" as ")
    place = record["classes"].index(true), record["classes"].index(given)
    assert record["confusion"][place[0]][place[1]] == worst == int(first.split("(")[1].strip(")"))


def test_misclassified_items_are_listed(clips, tmp_path):
    def evaluated(*options):
        command = [
            sys.executable, "-m", "ldslearn", "evaluate", clips, *GRASS, "--states", "1",
            "--sparsity", "0.01", "--protocol", "shuffle:4:0.5", *options,
        ]  # fmt: skip
        environment = {**os.environ, "COLUMNS": "80"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        return done.stdout

    record = json.loads(evaluated("--json"))
    wrong = record["misclassified"]
    n_tested = sum(map(sum, record["confusion"]))
    n_right = sum(row[k] for k, row in enumerate(record["confusion"]))
    assert len(wrong) == n_tested - n_right > 10
    for one in wrong:
        assert one["name"].split("/")[0] == one["label"] != one["predicted"]
        assert 1 / 6 <= one["share"] <= 1
    shown = evaluated("--report", str(tmp_path / "page.html"))
    listed = shown.split("misclassified")[1]
    rows = [line.split("│")[1:-1] for line in listed.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row] for row in rows] == [
        [one["name"], one["label"], one["predicted"], f"{one['share']:.2f}"] for one in wrong[:10]
    ]
    assert f"... and {len(wrong) - 10} more; --json prints all" in listed
    page = (tmp_path / "page.html").read_text()
    for one in wrong:
        assert f"<td>{one['name']}</td><td>{one['label']}</td><td>{one['predicted']}</td>" in page
    header = next(line for line in shown.splitlines() if "round" in line)
    assert "balanced ┃ macro F1" in header
    assert "sparsity" in header  # nothing is cut at 80 columns


def test_the_result_is_told_though_the_page_fails(clips, capsys, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr("ldslearn.cli.reporting.write_text", full)
    arguments = ["evaluate", clips, *GRASS, "-n", 5, "--sparsity", 0.1, "--folds", 3]
    assert run([*map(str, arguments), "--report", str(tmp_path / "page.html")]) == 1
    said = capsys.readouterr()
    assert "accuracy" in said.out
    assert "no space left" in said.err


def test_markup_in_names_is_text(clips, capsys):
    lines = ["path,label,split"]
    for kind in ("flag", "waves"):
        lines += [f"{kind}/{i}.avi,{kind},{'[/old]' if i else '[new]'}" for i in range(3)]
    (clips / "parts.csv").write_text("\n".join(lines))
    arguments = [clips / "parts.csv", *GRASS, "-n", 5, "--sparsity", 0.1, "-p", "split:[/old]"]
    assert run(["evaluate", *map(str, arguments)]) == 0
    (clips / "parts.csv").unlink()
    assert "lds-sc-grass, split:[/old]" in capsys.readouterr().out


def test_report(clips, capsys, tmp_path):
    page = tmp_path / "page.html"
    arguments = ["evaluate", str(clips), *GRASS, "-n", "4", "--sparsity", "0.1", "--folds", "2"]
    assert run([*arguments, "--report", str(page)]) == 0
    text = page.read_text()
    assert "<!doctype html>" in text
    assert "lds-sc-grass on clips" in text
    assert "no/such" in failure(capsys, *arguments, "--report", tmp_path / "no/such/page.html")


def test_it_says_what_it_chose(clips, capsys, tmp_path):
    about = answer(capsys, "train", clips, *GRASS, "-o", tmp_path / "m.lds", "--sparsity", 0.1)
    assert len(about["tried"]) == 6
    assert about["n_states"] in {one["n_states"] for one in about["tried"]}


@pytest.mark.filterwarnings("ignore:the code of system")
def test_auto_is_the_default(clips, capsys, tmp_path):
    path = tmp_path / "m.lds"
    about = answer(capsys, "train", clips, "-o", path, "--budget", 3)
    assert about["method"] == "auto"
    assert about["report"]["chosen"]["n_states"] == about["n_states"]
    found = answer(capsys, "predict", path, clips)
    assert found["accuracy"] > 0.9
    assert "auto" in json.dumps(answer(capsys, "inspect", path))
    record = answer(capsys, "evaluate", clips, "--folds", 3, "--budget", 2)
    assert record["accuracy"] > 0.6
    assert run(["evaluate", str(clips), "--folds", "3", "--budget", "1"]) == 0
    assert "auto, folds:3" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:the code of system")
def test_a_search_that_the_time_budget_cut_short_is_named_with_the_remedy(clips, capsys, tmp_path):
    remedy = "; --budget SECONDS gives more time."
    arguments = ["evaluate", clips, "--folds", 3, "--budget", 0.5, "--jobs", 1]
    record = answer(capsys, *arguments)
    last = tabulate_evaluation("clips", record)[-1]
    assert last == f"The time budget ended the search early in 3 of 3 rounds{remedy}"
    record["rounds"][0]["report"]["stopped"] = "nothing better was left to try"
    assert "in 2 of 3 rounds" in tabulate_evaluation("clips", record)[-1]
    for one in record["rounds"]:
        one["report"]["stopped"] = "nothing better was left to try"
    assert not [one for one in tabulate_evaluation("clips", record) if remedy in str(one)]
    path = tmp_path / "m.lds"
    assert run(["train", str(clips), "-o", str(path), "--budget", "0.5", "--jobs", "1"]) == 0
    assert f"The time budget ended the search early{remedy}" in capsys.readouterr().out


def test_predict(clips, model, capsys):
    found = answer(capsys, "predict", model, clips)
    assert found["accuracy"] == 1.0
    assert len(found["predictions"]) == 18
    assert run(["predict", str(model), str(clips)]) == 0
    assert "These are the training data" in capsys.readouterr().out
    one = answer(capsys, "predict", model, clips / "flag/0.avi", clips / "waves/1.avi")
    assert [p["label"] for p in one["predictions"]] == ["flag", "waves"]
    assert "accuracy" not in one


def test_accuracy_of_mislabelled_files(clips, model, capsys, tmp_path):
    for wrong, right in (("waves", "flag"), ("flag", "flag")):
        shutil.copytree(clips / right, tmp_path / wrong)
    found = answer(capsys, "predict", model, tmp_path)
    assert found["accuracy"] == 0.5
    assert [p["true"] for p in found["predictions"]] == ["flag"] * 3 + ["waves"] * 3


def test_predict_takes_folders_manifests_and_files_together(clips, model, capsys, tmp_path):
    lines = "path,label\nflag/0.avi,flag\nwaves/1.avi,waves\n"
    (clips / "some.csv").write_text(lines)
    assert answer(capsys, "predict", model, clips / "some.csv")["accuracy"] == 1.0
    both = answer(capsys, "predict", model, clips / "flag", clips / "waves/0.avi")
    assert [p["label"] for p in both["predictions"]] == ["flag"] * 3 + ["waves"]
    expected = [*(clips / f"flag/{i}.avi" for i in range(3)), clips / "waves/0.avi"]
    assert [p["name"] for p in both["predictions"]] == [*map(str, expected)]
    both = answer(capsys, "predict", model, clips / "some.csv", clips / "flag/2.avi")
    expected = [clips / name for name in ("flag/0.avi", "waves/1.avi", "flag/2.avi")]
    assert [p["name"] for p in both["predictions"]] == [*map(str, expected)]
    (clips / "some.csv").unlink()
    (tmp_path / "log.csv").write_text("1,2\n3,4\n5,6\n7,8\n")
    message = failure(capsys, "predict", model, tmp_path / "log.csv")
    assert "log.csv must have frames of shape (12, 12) like the training data; got 2" in message


def test_clips_of_two_sizes(clips, capsys, tmp_path):
    shutil.copytree(clips / "flag", tmp_path / "flag")
    large = read_video(clips / "waves/0.avi").repeat(2, axis=1).repeat(2, axis=2)
    (tmp_path / "waves").mkdir()
    write_video(tmp_path / "waves/0.avi", large)
    assert answer(capsys, "inspect", tmp_path)["frame_shape"] == [12, 12]


def test_one_long_video(clips, capsys, tmp_path):
    out = tmp_path / "parts.npz"
    parts = answer(capsys, "convert", clips / "flag/0.avi", "--chunk", "--length", 20, "-o", out)
    assert parts["n_sequences"] == 3
    assert answer(capsys, "inspect", clips / "flag/0.avi")["n_sequences"] == 1


def test_names_are_shown_as_they_are(clips, capsys, tmp_path):
    shutil.copytree(clips / "flag", tmp_path / "[bold]flag")
    shutil.copytree(clips / "waves", tmp_path / "[a]")
    assert run(["inspect", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "[a] (3)" in shown
    assert "[bold]flag (3)" in shown


def test_a_model_treats_new_files_as_it_did_the_old(clips, model, capsys, tmp_path):
    large = read_video(clips / "flag/0.avi").repeat(4, axis=1).repeat(4, axis=2)
    write_video(tmp_path / "large.mp4", np.stack([large] * 3, axis=-1))
    (one,) = answer(capsys, "predict", model, tmp_path / "large.mp4")["predictions"]
    assert one["label"] == "flag"


def test_predict_skips_what_it_cannot_read(clips, model, capsys, tmp_path):
    (tmp_path / "bad.avi").write_bytes(b"no video")
    good = clips / "flag/0.avi"
    assert "bad.avi must be a video or image; got a text" in failure(
        capsys, "predict", model, tmp_path / "bad.avi", good
    )
    capsys.readouterr()
    with pytest.warns(UserWarning, match="1 item was skipped"):
        code = run(["predict", str(model), str(tmp_path / "bad.avi"), str(good), "--skip-errors"])
    assert code == 0
    assert "flag" in capsys.readouterr().out


def test_cluster(clips, capsys):
    record = answer(capsys, "cluster", clips, "-k", 3, "-n", 4)
    assert sum(record["sizes"]) == 18
    assert len(record["sizes"]) == 3
    assert record["nmi"] > 0
    assert record["silhouettes"] is None


def test_cluster_chooses_the_number(clips, capsys):
    found = answer(capsys, "cluster", clips, "-k", "auto", "-n", 4, "--method", "spectral")
    curve = found["silhouettes"]
    assert list(curve) == [str(number) for number in range(2, 11)]
    assert str(found["n_clusters"]) == max(curve, key=curve.get)
    assert run(["cluster", str(clips), "-k", "auto", "-n", "4", "--method", "spectral"]) == 0
    text = capsys.readouterr().out
    assert "spectral clustering" in text
    assert "(silhouette 0." in text


def test_compare(clips, capsys):
    near = answer(capsys, "compare", clips / "flag/0.avi", clips / "flag/1.avi")
    far = answer(capsys, "compare", clips / "flag/0.avi", clips / "waves/1.avi")
    assert near["martin_distance"] < far["martin_distance"]
    assert len(near["angles"]) == near["n_states"] == 10


def test_synthesize(clips, model, capsys, tmp_path):
    assert run(["synthesize", str(clips / "flag/0.avi"), "-o", str(tmp_path / "a.gif")]) == 0
    assert read_video(tmp_path / "a.gif").shape == (100, 12, 12)
    new = str(tmp_path / "b.avi")
    assert run(["synthesize", str(model), "-o", new, "--index", "4", "--enlarge", "3"]) == 0
    assert read_video(new).shape == (100, 36, 36)
    array = str(tmp_path / "c.npy")
    assert run(["synthesize", str(clips / "flag/0.avi"), "-o", array, "--frames", "7"]) == 0
    assert np.load(array).shape == (144, 7)
    collection = str(tmp_path / "all.npz")
    assert run(["convert", str(clips), "-o", collection]) == 0
    capsys.readouterr()
    assert run(["synthesize", collection, "-o", str(tmp_path / "e.npy"), "--index", "17"]) == 0
    assert "100 frames like waves/2.avi to" in capsys.readouterr().out
    last = str(clips / "waves/2.avi")
    assert run(["synthesize", last, "-o", str(tmp_path / "f.npy")]) == 0
    np.testing.assert_allclose(np.load(tmp_path / "e.npy"), np.load(tmp_path / "f.npy"))
    folder = ["synthesize", str(clips), "--index", "17", "--size", "6x8"]
    assert run([*folder, "-o", str(tmp_path / "g.npy")]) == 0
    assert np.load(tmp_path / "g.npy").shape == (48, 100)
    assert "index must be less" in failure(
        capsys, "synthesize", model, "-o", tmp_path / "d.gif", "--index", 18
    )


def test_convert(clips, capsys, tmp_path):
    about = answer(capsys, "convert", clips, "-o", tmp_path / "clips.npz", "--size", "6x8")
    assert about["frame_shape"] == [6, 8]
    data = load_npz(tmp_path / "clips.npz")
    assert data.frame_shape == (6, 8)
    assert data.names == load_folder(clips).names
    assert answer(capsys, "inspect", tmp_path / "clips.npz")["fingerprint"] == about["fingerprint"]
    record = answer(
        capsys, "evaluate", tmp_path / "clips.npz", *GRASS, "-n", 4, "--sparsity", 0.1, "--folds", 2
    )
    folder = answer(
        capsys, "evaluate", clips, *GRASS, "-n", 4, "--sparsity", 0.1, "--folds", 2, "--size", "6x8"
    )
    assert record["confusion"] == folder["confusion"]


def test_predict_refuses_a_collection_that_was_read_otherwise(clips, model, capsys, tmp_path):
    npz = tmp_path / "clips.npz"
    answer(capsys, "convert", clips, "-o", npz)
    assert answer(capsys, "predict", model, npz)["accuracy"] == 1.0
    answer(capsys, "convert", clips, "-o", npz, "--stride", 2)
    message = failure(capsys, "predict", model, npz)
    assert "stride of the collection must be 1, as the model was trained with; got 2" in message
    answer(capsys, "convert", clips, "-o", npz, "--size", "6x24")
    message = failure(capsys, "predict", model, npz)
    assert "frame_shape of the collection must be [12, 12]" in message


def test_predict_with_a_model_that_was_not_told_of_frames(clips, capsys, tmp_path):
    data = load_folder(clips)
    save_npz(tmp_path / "bare.npz", Collection(data.X, data.y, names=data.names))
    trained = tmp_path / "bare.lds"
    assert run(["train", str(tmp_path / "bare.npz"), *GRASS, "-n", "5", "-o", str(trained)]) == 0
    capsys.readouterr()
    assert answer(capsys, "predict", trained, tmp_path / "bare.npz")["accuracy"] == 1.0
    assert answer(capsys, "predict", trained, clips)["accuracy"] == 1.0


def test_a_folder_may_be_named_like_a_model(clips, capsys, tmp_path):
    shutil.copytree(clips / "flag", tmp_path / "flags.lds")
    assert answer(capsys, "inspect", tmp_path / "flags.lds")["n_sequences"] == 3


def test_inspect(clips, model, capsys):
    assert answer(capsys, "inspect", clips)["n_sequences"] == 18
    about = answer(capsys, "inspect", model)
    assert about["method"] == "lds-sc-grass"
    assert about["data"]["fingerprint"] == answer(capsys, "inspect", clips)["fingerprint"]
    assert run(["inspect", str(model)]) == 0
    assert "lds-sc-grass" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["evaluate", "nothing"], 1, "nothing must exist"),
        (["evaluate"], 2, "Missing argument"),
        (["nonsense"], 2, "No such command"),
        (["evaluate", "CLIPS", "-m", "best"], 2, "method must be one of"),
        (["evaluate", "CLIPS", "--set", "imagenet"], 2, "--set must be one of 'cambridge'"),
        (["evaluate", "CLIPS", "--set", "ucla"], 1, "UCLA"),
        (["evaluate", "CLIPS", "-p", "folds:x"], 2, "protocol must be one of"),
        (["evaluate", "CLIPS", "-p", "split"], 1, "have a train/test split; got none"),
        (["evaluate", "CLIPS", "-p", "split", "--folds", "3"], 2, "--folds must not be given"),
        (["evaluate", "CLIPS", "--size", "big"], 2, "--size must be HEIGHTxWIDTH"),
        (["evaluate", "CLIPS", "--crop", "1,2"], 2, "--crop must be TOP,LEFT"),
        (
            ["evaluate", "CLIPS", *GRASS, "-n", "500"],
            1,
            "0.avi must have at least 504 time points",
        ),
        (["evaluate", "CLIPS", "-n", "5"], 2, "--states must not be given to the method auto"),
        (["evaluate", "CLIPS", "--states", "0"], 2, "states"),
        (["train", "CLIPS", "-o", "no/such/folder.lds"], 1, "must exist to write"),
        (["predict", "CLIPS/flag/0.avi", "CLIPS"], 1, "0.avi"),
        (["synthesize", "nothing", "-o", "x.txt"], 2, "the suffix must be one of"),
        (["make-clips", "CLIPS"], 1, "must be new or empty"),
        (["evaluate", "CLIPS", "-m", "kmeans"], 2, "ldslearn cluster"),
        (["evaluate", "CLIPS", "--chunk"], 2, "--chunk requires --length"),
        (["evaluate", "CLIPS", "--stabilizer", "x"], 2, "--stabilizer must be one of"),
        (["evaluate", "CLIPS", "--jobs", "0"], 2, "--jobs must be a number"),
        (["evaluate", "CLIPS", "--sparsity", "-1"], 2, "sparsity"),
        (["evaluate", "NPZ", "--stride", "2"], 1, "--stride must not be given; got a collection"),
        (["convert", "nothing", "-o", "x.txt"], 2, "have the suffix .npz"),
        (["cluster", "CLIPS", "--jobs", "0"], 2, "--jobs must be a number"),
        (["compare", "CLIPS", "CLIPS", "--stabilizer", "x"], 2, "--stabilizer must be one of"),
        (["evaluate", "CLIPS", "--features", "x"], 2, "--features must be one of"),
        (["compare", "CLIPS/flag", "CLIPS/waves"], 1, "flag must be one sequence"),
        (["compare", "NPZ", "CLIPS/flag/0.avi"], 1, "clips.npz must be one sequence"),
        (["synthesize", "NPZ", "-o", "x.npy", "--index", "99"], 1, "number of sequences, 18; got"),
        (["encode", "NPZ", "-o", "x"], 1, "be a folder or a manifest.csv; got a collection in"),
        (["make-clips", "CLIPS/flag/0.avi"], 1, "must be a folder; got a regular file"),
        (["evaluate", "nothing", "-o", "x", "--report", "x"], 2, "be another file than --output"),
        (["inspect", "CUT"], 1, "must be a complete ldslearn model file"),
        (["synthesize", "CUT", "-o", "x.gif"], 1, "must be a complete ldslearn model file"),
        (["inspect", "nothing.lds"], 1, "nothing.lds must exist"),
        (["synthesize", "NPZ", "-o", "x.gif", "--size", "6x6"], 1, "a collection in .npz"),
    ],
)
def test_mistakes(clips, model, arguments, code, message, capsys):
    npz = clips.parent / "clips.npz"
    if not npz.exists():
        assert run(["convert", str(clips), "-o", str(npz)]) == 0
    cut = clips.parent / "cut.lds"
    cut.write_bytes(model.read_bytes()[:-500])
    places = {"CLIPS": clips, "NPZ": npz, "CUT": cut}
    for name, place in places.items():
        arguments = [argument.replace(name, str(place)) for argument in arguments]
    shown = " ".join(failure(capsys, *arguments, code=code).replace("│", " ").split())
    assert message in shown


def test_help_teaches(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in ("demo", "inspect", "evaluate", "train", "predict", "cluster", "compare"):
        assert command in shown
        assert run([command, "--help"]) == 0
    assert run(["--version"]) == 0
    assert "0.1.0" in capsys.readouterr().out


def test_help_shows_flags_without_a_type(capsys):
    for arguments in ([], ["evaluate"], ["reproduce"]):
        assert run([*arguments, "--help"]) == 0
        shown = capsys.readouterr().out
        assert "--help" in shown
        assert "bool" not in shown.lower()
    assert run(["evaluate", "--json=1"]) == 2
    assert "--json" in capsys.readouterr().err


def test_help_speaks_of_other_commands_only_where_it_applies(capsys):
    for name, is_applied in (("cluster", False), ("convert", False), ("evaluate", True)):
        assert run([name, "--help"]) == 0
        shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
        assert ("With --set the paper's protocol and parameters are used" in shown) == is_applied
        assert "evaluate and train then use" not in shown
    assert run(["make-clips", "--help"]) == 0
    assert "Model" not in capsys.readouterr().out


def command(*arguments, **options):
    code = "from ldslearn.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from ldslearn.cli.running import run; run(['evaluate', '--help']);"
        "sys.exit(bool({'numpy', 'scipy', 'sklearn', 'numba', 'av', 'matplotlib'} "
        "& set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_a_kill_while_writing_leaves_the_old_model(clips, model, tmp_path):
    target = tmp_path / "model.lds"
    target.write_bytes(model.read_bytes())
    code = (
        "import os, signal, numpy as np, sys\n"
        "from ldslearn.persist.model import Model\n"
        "model = Model.load(sys.argv[1])\n"
        "save = np.savez\n"
        "def half(file, **arrays):\n"
        "    file.write(b'half of a model'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
        "np.savez = half\n"
        "model.save(sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, target], capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert target.read_bytes() == model.read_bytes()


def test_control_c(clips, tmp_path):
    code = (
        "import signal, time, ldslearn.evaluate.fitting as fitting\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's '&' ignores it\n"
        "def long(*_, **__):\n"
        "    print('working', flush=True)\n"
        "    time.sleep(60)\n"
        "fitting.choose_parameters = long\n"
        "from ldslearn.cli import main\n"
        "main()\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", code, "train", clips, *GRASS, "-o", tmp_path / "m.lds"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout.readline() == "working\n"
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert err == "interrupted; no file was left half written.\n"
    assert not list(tmp_path.iterdir())


def test_warnings_are_one_line(clips, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "bad.avi").write_bytes(b"x")
    for kind in ("flag", "waves"):
        os.symlink(clips / kind, tmp_path / kind)
    done = command("inspect", tmp_path)
    out, err = done.communicate()
    assert done.returncode == 0
    assert err.startswith("warning: 1 item was skipped")
    assert err.count("\n") == 1
    assert "\x1b" not in out  # no colours without a terminal


def test_reproduce_writes_records_a_page_and_the_claims(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("LDSLEARN_DATA", raising=False)
    folder = tmp_path / "made"
    code = run(["reproduce", "covariance", "--quick", "-o", str(folder)])
    shown = capsys.readouterr()
    assert code == 0
    assert "runs: 8, on record: 0 (quick" in shown.err
    assert "Claims of the paper" in shown.out
    assert "BasicMotions" in shown.out
    assert len(list((folder / "records").glob("classify-*.json"))) == 8
    assert f"wrote {folder}/covariance-quick.html, " in shown.out.replace("\n", "")
    assert (folder / "covariance-quick.html").read_text().startswith("<!doctype html>")
    record = json.loads((folder / "covariance-quick.json").read_text())
    assert record["figures"][0]["name"] == "covariance"
    claims = json.loads((folder / "covariance-quick-claims.json").read_text())
    assert claims["claims"] == record["claims"]
    assert claims["collections"] == ["BasicMotions", "JapaneseVowels"]
    page = (folder / "covariance-quick.html").read_text()
    assert run(["reproduce", "fig2", "--quick", "-o", str(folder)]) == 0
    assert (folder / "fig2-quick.html").exists()
    assert (folder / "covariance-quick.html").read_text() == page


def test_reproduce_looks_where_the_environment_says(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LDSLEARN_DATA", str(tmp_path / "none"))
    assert run(["reproduce", "fig2", "--quick", "-o", str(tmp_path / "o")]) == 1
    assert "none is no folder" in capsys.readouterr().err


def test_reproduce_answers_bad_input(tmp_path, capsys):
    assert run(["reproduce", "fig3"]) == 2
    assert "fig2" in capsys.readouterr().err
    missing = str(tmp_path / "none")
    assert run(["reproduce", "fig2", "--data-dir", missing, "-o", str(tmp_path / "o")]) == 1
    assert "is no folder" in capsys.readouterr().err
    assert run(["reproduce", "fig2", "--data-dir", str(tmp_path), "-o", str(tmp_path / "o")]) == 1
    told = capsys.readouterr().err
    assert "docs/datasets.md" in told
    assert "dyntexpp (DynTex++)" in told


def test_a_mistake_of_ours_is_told_as_one(clips):
    program = (
        "import sys, ldslearn.video.converting as converting\n"
        "converting.FrameConverter.convert = lambda self, frame: frame + self.colour\n"
        "from ldslearn.cli import main\n"
        f"sys.argv = ['ldslearn', 'evaluate', {str(clips)!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 3
    assert "error: TypeError: unsupported operand" in done.stderr
    assert "This is an internal error of ldslearn" in done.stderr
