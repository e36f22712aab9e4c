"""What a command writes replaces no device, no read-only file and nothing that it reads."""

import os
import shutil
import stat
import subprocess
import sys

import numpy as np
import pytest

from ldslearn.cli.running import run
from ldslearn.cli.sharing import check_output

# Data that do not exist: the output is refused before any of it is looked for.
WRITERS = {
    "train": ["train", "none", "-o"],
    "record": ["evaluate", "none", "--output"],
    "report": ["evaluate", "none", "--report"],
    "synthesize": ["synthesize", "none", "-o"],
    "convert": ["convert", "none", "-o"],
    "learn": ["learn", "none", "-o"],
    "code": ["code", "none", "none", "-o"],
    "predict": ["predict", "none", "none", "--csv"],
}
SUFFIXES = {"synthesize": ".avi", "convert": ".npz", "code": ".npy"}


def failure(capsys, *arguments):
    capsys.readouterr()
    assert run([str(argument) for argument in arguments]) == 1
    return capsys.readouterr().err


@pytest.fixture(params=WRITERS)
def writer(request, tmp_path):
    """A command that lacks the name of its output, and a name that it would take."""
    return WRITERS[request.param], tmp_path / f"target{SUFFIXES.get(request.param, '')}"


def test_pipes_are_not_replaced(writer, capsys):
    command, target = writer
    os.mkfifo(target)
    assert "must be a new or a regular file; got a pipe." in failure(capsys, *command, target)
    link = target.with_name(f"link{target.suffix}")
    link.symlink_to(target)
    assert "must be a new or a regular file; got a pipe." in failure(capsys, *command, link)
    assert stat.S_ISFIFO(target.stat().st_mode)


def test_devices_are_not_replaced(writer, capsys):
    command, target = writer
    try:
        os.mknod(target, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except (AttributeError, PermissionError):
        pytest.skip("devices cannot be made here")
    assert "must be a new or a regular file; got a device." in failure(capsys, *command, target)
    assert stat.S_ISCHR(target.stat().st_mode)


def test_read_only_files_are_not_replaced(writer, capsys):
    command, target = writer
    target.write_text("kept")
    target.chmod(0o444)
    assert "must be writable to be replaced; got a read-only one" in failure(
        capsys, *command, target
    )
    assert target.read_text() == "kept"


def test_names_that_no_file_can_have_are_refused(writer, capsys):
    command, target = writer
    name = target.with_name("n" * 250 + target.name)
    assert "must have at most 255 bytes; got" in failure(capsys, *command, name)


def test_names_may_be_as_long_as_a_file_can_have(tmp_path, npz):
    target = tmp_path / ("n" * 251 + ".npz")
    assert run(["convert", str(npz), "-o", str(target)]) == 0
    assert target.is_file()


def test_what_a_command_prints_to_is_no_output(tmp_path):
    """As a process of its own: its standard output is a pipe."""
    command = [sys.executable, "-m", "ldslearn", "train", "none", "-o", "/dev/stdout"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.returncode == 1
    assert "/dev/stdout must be a new or a regular file; got a pipe." in ended.stderr


@pytest.fixture
def npz(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.random.default_rng(0).normal(size=(6, 2, 20)), y=np.arange(6) % 2)
    return path


@pytest.fixture
def clips(tmp_path):
    folder = tmp_path / "clips"
    assert run(["make-clips", str(folder), "--per-class", "1", "--size", "8", "--frames", "9"]) == 0
    lines = [f"clips/{path.relative_to(folder)},{path.parent.name}" for path in folder.rglob("*.*")]
    (tmp_path / "manifest.csv").write_text("\n".join(["path,label", *lines, ""]))
    return folder


@pytest.fixture
def store(clips, tmp_path):
    folder = tmp_path / "store"
    assert run(["encode", str(clips), "-o", str(folder), "-n", "3"]) == 0
    assert run(["learn", str(folder), "--atoms", "2", "-o", str(tmp_path / "atoms.npz")]) == 0
    return folder


def spellings(path, home):
    """Names of one file: another spelling, a symbolic link, a hard link."""
    soft, hard = home / f"soft{path.suffix}", home / f"hard{path.suffix}"
    soft.symlink_to(path)
    hard.hardlink_to(path)
    return [path, path.parent / ".." / path.parent.name / path.name, soft, hard]


def test_a_file_that_is_read_is_not_replaced(npz, clips, tmp_path, capsys):
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
            message = failure(capsys, *command, target)
            assert "must be another file than those that are read; got one of them" in message
            assert path.read_bytes() == before
        shutil.rmtree(home)


def test_results_beside_the_items_are_replaced(clips):
    for name in ("page.html", "record.json", "model.lds"):
        (clips / name).write_text("of an earlier run")
        assert check_output(clips / name, clips) == clips / name


def test_nothing_is_written_into_a_store(store, tmp_path, capsys):
    atoms = tmp_path / "atoms.npz"
    before = {path: path.read_bytes() for path in [*store.iterdir(), atoms]}
    (tmp_path / "link").symlink_to(store)
    for target in (store / "index.json", store / "new.npy", tmp_path / "link" / "new.npy"):
        if target.suffix == ".npy":
            message = failure(capsys, "code", atoms, store, "-o", target)
            assert "must be outside of" in message
        message = failure(capsys, "learn", store, "-o", target)
        assert "which is read; got a place in it. Name another." in message
    message = failure(capsys, "learn", store, "--init", atoms, "-o", atoms)
    assert "must be another file than those that are read" in message
    assert before == {path: path.read_bytes() for path in [*store.iterdir(), atoms]}


def test_a_store_is_not_made_among_its_items(clips, capsys):
    before = sorted(clips.rglob("*"))
    for target in (clips, clips / "store", clips / "flag" / "..", clips / "flag/x/y"):
        assert "must be outside of" in failure(capsys, "encode", clips, "-o", target)
    assert sorted(clips.rglob("*")) == before


def test_an_interrupt_leaves_a_finished_dictionary_as_it_was(store, tmp_path, capsys, monkeypatch):
    from ldslearn import LDSDictionary

    finished = (tmp_path / "atoms.npz").read_bytes()
    fit = LDSDictionary.fit

    def interrupted(self, *arguments):
        fit(self, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(LDSDictionary, "fit", interrupted)
    command = ["learn", str(store), "--atoms", "2", "--iterations", "1", "-o"]
    assert run([*command, str(tmp_path / "atoms.npz")]) == 130
    partial = tmp_path / "atoms.partial.npz"
    assert f"--init {partial} goes on." in capsys.readouterr().err
    assert (tmp_path / "atoms.npz").read_bytes() == finished
    monkeypatch.undo()
    again = [*command, str(tmp_path / "more.npz"), "--init", str(partial)]
    assert run(again) == 0


def test_names_of_files_do_not_command_the_terminal(clips, tmp_path, capsys):
    hostile = tmp_path / "\x1b[31mred\a.avi"
    shutil.copy(clips / "flag/0.avi", hostile)
    capsys.readouterr()
    assert run(["synthesize", str(hostile), "-o", str(tmp_path / "new.npy"), "--frames", "3"]) == 0
    printed = capsys.readouterr().out
    assert "red" in printed
    assert "\x1b" not in printed
    assert "\a" not in printed
