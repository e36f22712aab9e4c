"""What a command writes replaces nothing that it reads, adds no item, and is in no store."""

import os
import shutil

import pytest

from ldslearn.cli.running import run
from ldslearn.scale.output_checks import Input, check_output

READ = "must be another file than those that are read; got one of them"
INSIDE = "must be outside of"


def spellings(path, home):
    """Names of one file: another spelling, a symbolic link, a hard link."""
    soft, hard = home / f"soft{path.suffix}", home / f"hard{path.suffix}"
    soft.symlink_to(path)
    hard.hardlink_to(path)
    return [path, path.parent / ".." / path.parent.name / path.name, soft, hard]


def test_a_file_that_is_read_is_not_replaced(npz, clips, tmp_path, failure):
    clip, manifest = clips / "flag/0.avi", tmp_path / "manifest.csv"
    cases = [
        (npz, ["train", npz, "-o"]),
        (npz, ["evaluate", npz, "--output"]),
        (npz, ["evaluate", npz, "--report"]),
        (npz, ["convert", npz, "-o"]),
        (clip, ["synthesize", clip, "-o"]),
        (clip, ["synthesize", clips, "-o"]),
        (clip, ["train", clips, "-o"]),
        (clip, ["train", manifest, "-o"]),
        (manifest, ["evaluate", manifest, "--output"]),
        (manifest, ["train", clips, "--labels", manifest, "-o"]),
        (manifest, ["evaluate", clips, "--labels", manifest, "--report"]),
    ]
    for number, (path, command) in enumerate(cases):
        home = tmp_path / str(number)
        home.mkdir()
        before = path.read_bytes()
        for target in spellings(path, home):
            message = failure(*command, target)
            assert "must be another file than those that are read; got one of them" in message
            assert path.read_bytes() == before
        shutil.rmtree(home)


def test_results_beside_the_items_are_replaced(clips):
    for name in ("page.html", "record.json", "model.lds"):
        (clips / name).write_text("of an earlier run")
        assert check_output(clips / name, Input(clips)) == clips / name


def test_nothing_is_written_into_a_store(store, tmp_path, failure):
    atoms = tmp_path / "atoms.npz"
    before = {path: path.read_bytes() for path in [*store.iterdir(), atoms]}
    (tmp_path / "link").symlink_to(store)
    for target in (store / "index.json", store / "new.npy", tmp_path / "link" / "new.npy"):
        if target.suffix == ".npy":
            message = failure("code", atoms, store, "-o", target)
            assert "must be outside of" in message
        message = failure("learn", store, "-o", target)
        assert "which is a store; got a place in it. Name another." in message
    message = failure("learn", store, "--init", atoms, "-o", atoms)
    assert "must be another file than those that are read" in message
    assert before == {path: path.read_bytes() for path in [*store.iterdir(), atoms]}


def test_a_store_is_not_made_among_its_items(clips, failure):
    before = sorted(clips.rglob("*"))
    for target in (clips, clips / "store", clips / "flag" / "..", clips / "flag/x/y"):
        assert "must be outside of" in failure("encode", clips, "-o", target)
    assert sorted(clips.rglob("*")) == before


@pytest.fixture
def linked(clips, tmp_path):
    """A folder whose classes are links to folders elsewhere."""
    folder = tmp_path / "linked"
    folder.mkdir()
    for path in clips.iterdir():
        (folder / path.name).symlink_to(os.path.join("..", "clips", path.name))
    return folder


def save_model(clips, path):
    arguments = ["--method", "lds-martin", "--states", "3", "-o", str(path)]
    assert run(["train", str(clips), *arguments]) == 0
    return path


def test_items_behind_linked_folders_are_kept(linked, clips, tmp_path, failure):
    model = save_model(clips, tmp_path / "model.lds")
    before = {path: path.read_bytes() for path in clips.rglob("*.avi")}
    clip = clips / "flag/0.avi"
    for command in (
        ["train", linked, "-o"],
        ["evaluate", linked, "--output"],
        ["evaluate", linked, "--report"],
        ["synthesize", linked, "-o"],
        ["predict", model, linked, "--csv"],
    ):
        assert READ in failure(*command, clip)
        assert READ in failure(*command, linked / "flag" / ".." / "flag" / "0.avi")
    for target in (clips / "flag/store", clips / "flag", linked / "flag" / "store"):
        assert INSIDE in failure("encode", linked, "-o", target, "-n", "3")
    assert before == {path: path.read_bytes() for path in clips.rglob("*.*")}


def test_images_behind_linked_folders_are_kept(tmp_path, failure):
    from PIL import Image

    (tmp_path / "frames").mkdir()
    for number in range(5):
        Image.new("L", (8, 8), 40 * number).save(tmp_path / f"frames/{number}.png")
    (tmp_path / "data/flag").mkdir(parents=True)
    (tmp_path / "data/flag/clip").symlink_to(tmp_path / "frames")
    before = (tmp_path / "frames/0.png").read_bytes()
    for path in (tmp_path / "data", tmp_path / "frames"):
        assert READ in failure("train", path, "-o", tmp_path / "frames/0.png")
        assert INSIDE in failure("synthesize", path, "-o", tmp_path / "frames/new.npy")
    assert INSIDE in failure("encode", tmp_path / "data", "-o", tmp_path / "frames/store")
    assert (tmp_path / "frames/0.png").read_bytes() == before


def test_labels_are_not_replaced_by_predictions(clips, tmp_path, failure):
    model = save_model(clips, tmp_path / "model.lds")
    loose, labels = tmp_path / "loose", tmp_path / "labels.csv"
    loose.mkdir()
    for path in clips.rglob("*.avi"):
        shutil.copy(path, loose / f"{path.parent.name}.avi")
    labels.write_text("\n".join(["item,label", *(f"{p.name},x" for p in loose.iterdir()), ""]))
    before = labels.read_text()
    command = ["predict", model, loose, "--labels", labels, "--csv"]
    assert READ in failure(*command, labels)
    assert READ in failure(*command, loose / "flag.avi")
    assert labels.read_text() == before
    assert run([*map(str, command), str(tmp_path / "new.csv")]) == 0


def test_stores_that_are_not_read_are_kept_as_well(store, npz, clips, tmp_path, failure):
    before = {path: path.read_bytes() for path in store.iterdir()}
    deeper = tmp_path / "link"
    deeper.symlink_to(store)
    for command in (
        ["train", npz, "-o"],
        ["evaluate", npz, "--output"],
        ["evaluate", npz, "--report"],
        ["synthesize", npz, "-o"],
        ["convert", npz, "-o"],
        ["predict", npz, npz, "--csv"],
    ):
        name = {"synthesize": "x.avi", "convert": "x.npz"}.get(command[0], "index.json")
        for folder in (store, deeper):
            assert "which is a store; got a place in it." in failure(*command, folder / name)
    for command in (["encode", clips, "-o"], ["make-clips"], ["demo"], ["reproduce", "fig2", "-o"]):
        assert "which is a store; got a place in it." in failure(*command, store / "new")
    for command in (["demo"], ["reproduce", "fig2", "-o"]):
        assert "which is a store; got a place in it." in failure(*command, store)
    assert before == {path: path.read_bytes() for path in store.iterdir()}


def test_a_file_called_index_makes_no_store(npz, tmp_path):
    for _ in range(2):
        index = tmp_path / "index.json"
        assert run(["evaluate", str(npz), "--method", "lds-martin", "--states", "2",
                    "--protocol", "folds:2", "--output", str(index)]) == 0  # fmt: skip


def test_no_output_becomes_an_item(clips, linked, tmp_path, failure):
    model = save_model(clips, tmp_path / "model.lds")
    before = sorted(clips.rglob("*"))
    for data in (clips, linked):
        for command in (["synthesize", data, "-o"], ["predict", model, data, "--csv"]):
            for name in ("flag/9.avi", "flag/x.npy", "flag/deeper/9.avi", "9.GIF"):
                (clips / name).parent.mkdir(exist_ok=True)
                if command[0] == "predict":
                    name = f"{name}.csv"
                assert INSIDE in failure(*command, data / name)
        (clips / "flag/deeper").rmdir()
    assert sorted(clips.rglob("*")) == before
    one = clips / "flag/0.avi"  # its neighbours are not read
    assert run(["synthesize", str(one), "-o", str(clips / "flag/new.avi"), "--frames", "3"]) == 0


def test_nothing_is_written_into_a_published_set(tmp_path, failure):
    (tmp_path / "elsewhere/0000").mkdir(parents=True)
    (tmp_path / "set").mkdir()
    (tmp_path / "set/Set1").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "clip.mat").write_bytes(b"kept")
    (tmp_path / "set/1.mat").symlink_to(tmp_path / "clip.mat")
    for name in ("set/new.lds", "set/Set1/new.lds", "elsewhere/0000/new.lds"):
        command = ["train", tmp_path / "set", "--set", "cambridge", "-o", tmp_path / name]
        assert INSIDE in failure(*command)
    command = ["train", tmp_path / "set", "--set", "cambridge", "-o", tmp_path / "clip.mat"]
    assert READ in failure(*command)
