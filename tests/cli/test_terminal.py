"""What is printed cannot command the terminal, is short, and ends orderly on Ctrl-C."""

import os
import shutil
import subprocess
import sys

import pytest

from ldslearn.cli.running import run

HOSTILE = "\x1b]0;title\a\x1b[31mred"


def test_names_of_files_do_not_command_the_terminal(clips, tmp_path, capsys):
    hostile = tmp_path / "\x1b[31mred\a.avi"
    shutil.copy(clips / "flag/0.avi", hostile)
    capsys.readouterr()
    assert run(["synthesize", str(hostile), "-o", str(tmp_path / "new.npy"), "--frames", "3"]) == 0
    printed = capsys.readouterr().out
    assert "red" in printed
    assert "\x1b" not in printed
    assert "\a" not in printed


def assert_harmless(printed, name="red"):
    assert name in printed
    assert not set(printed) & {"\x1b", "\a", "\r", "\x9b"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["convert", "none", "-o", f"{HOSTILE}.txt"], 2),
        (["evaluate", "none", "--output", HOSTILE, "--report", HOSTILE], 2),
        (["train", "none", "-o", "x", "--size", HOSTILE], 2),
        (["train", "none", "-o", "x", "--levels", HOSTILE], 2),
        (["train", "none", "-o", "x", f"--{HOSTILE}"], 2),
        ([HOSTILE], 2),
        (["inspect", HOSTILE], 1),
        (["predict", HOSTILE, HOSTILE], 1),
        (["encode", HOSTILE, "-o", "x"], 1),
        (["learn", HOSTILE, "-o", f"{HOSTILE}.npz"], 1),
        (["make-clips", f"file/{HOSTILE}"], 1),
        (["reproduce", HOSTILE], 2),
    ],
)
def test_mistakes_do_not_command_the_terminal(arguments, code, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    capsys.readouterr()
    assert run(arguments) == code
    assert_harmless("".join(capsys.readouterr()))


LOADING = "loading the library\r\x1b[K"  # a line that is erased


def run_on_a_terminal(folder, *arguments):
    """Exit code and output of a process of its own, whose output is a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ldslearn", *arguments]
    ended = subprocess.run(command, stdout=theirs, stderr=theirs, cwd=folder, check=False)
    os.close(theirs)
    printed = os.read(ours, 10_000).decode().replace("\r\n", "\n")
    os.close(ours)
    return ended.returncode, printed


def test_mistakes_do_not_command_a_real_terminal(tmp_path):
    code, printed = run_on_a_terminal(tmp_path, "convert", "none", "-o", f"{HOSTILE}.txt")
    assert code == 2
    assert_harmless(printed.removeprefix(LOADING))


def test_a_terminal_shows_that_the_library_is_loaded(tmp_path):
    code, printed = run_on_a_terminal(tmp_path, "inspect", "none")
    assert code == 1
    assert printed.startswith(f"{LOADING}error: none must")
    assert printed.count(LOADING) == 1


def test_a_name_of_two_lines_makes_no_line_of_its_own(failure, capsys):
    assert failure("inspect", "a\nerror: all is lost").count("\n") == 1
    assert run(["convert", "none", "-o", "a\nError: all is lost"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("Error:")] == lines[-1:]


def test_columns_of_a_file_do_not_fill_the_terminal(clips, tmp_path, failure):
    labels = tmp_path / "labels.csv"
    labels.write_text(f"{'x' * 60_000},label\n1,2\n")
    assert len(failure("inspect", clips, "--labels", labels)) < 1_000


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from ldslearn.cli import main
main()
"""


@pytest.mark.parametrize("module", ["ldslearn.cli.running", "typer", "ldslearn.cli.options"])
def test_an_interrupt_while_modules_are_loaded_ends_in_one_line(module):
    """As a process of its own, which gets the signal when it imports a module."""
    command = [sys.executable, "-c", INTERRUPTED, module]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 130
    assert ended.stderr == "interrupted; no file was left half written.\n"
