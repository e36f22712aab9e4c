"""What a command writes goes to a new file, or replaces a regular one that may be replaced."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from ldslearn.cli.running import run

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


@pytest.fixture(params=WRITERS)
def writer(request, tmp_path):
    """A command that lacks the name of its output, and a name that it would take."""
    return WRITERS[request.param], tmp_path / f"target{SUFFIXES.get(request.param, '')}"


def test_pipes_are_not_replaced(writer, failure):
    command, target = writer
    os.mkfifo(target)
    assert "must be a new or a regular file; got a pipe." in failure(*command, target)
    link = target.with_name(f"link{target.suffix}")
    link.symlink_to(target)
    assert "must be a new or a regular file; got a pipe." in failure(*command, link)
    assert stat.S_ISFIFO(target.stat().st_mode)


def test_devices_are_not_replaced(writer, failure):
    command, target = writer
    try:
        os.mknod(target, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except (AttributeError, PermissionError):
        pytest.skip("devices cannot be made here")
    assert "must be a new or a regular file; got a device." in failure(*command, target)
    assert stat.S_ISCHR(target.stat().st_mode)


def test_read_only_files_are_not_replaced(writer, failure):
    command, target = writer
    target.write_text("kept")
    target.chmod(0o444)
    assert "must be writable to be replaced; got a read-only one" in failure(*command, target)
    assert target.read_text() == "kept"


def test_names_that_no_file_can_have_are_refused(writer, failure):
    command, target = writer
    name = target.with_name("n" * 250 + target.name)
    assert "must have at most 255 bytes; got" in failure(*command, name)


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
