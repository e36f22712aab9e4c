"""What a command writes goes to a new file, or replaces a regular one that may be replaced."""

import os
import stat
import subprocess
import sys

import pytest

from ldslearn._locks import lock_file
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


FOLDER_WRITERS = {
    "encode": ["encode", "none", "-o"],
    "make-clips": ["make-clips"],
    "demo": ["demo"],
    "reproduce": ["reproduce", "fig2", "-o"],
}


@pytest.fixture(params=FOLDER_WRITERS)
def folder_writer(request):
    """A command that lacks the name of the folder that it writes."""
    return FOLDER_WRITERS[request.param]


def test_what_is_no_folder_is_not_written_to(folder_writer, tmp_path, failure):
    (tmp_path / "file").write_text("kept")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name, kind in {
        "file": "a regular file",
        "pipe": "a pipe",
        "loop": "a link that leads to itself",
        "file/deeper/folder": "a regular file",
    }.items():
        message = failure(*folder_writer, tmp_path / name)
        assert "must be a folder" in message
        assert f"; got {kind}. Name another." in message
    assert (tmp_path / "file").read_text() == "kept"
    long = tmp_path / ("n" * 256) / "folder"
    assert "must have at most 255 bytes; got 256." in failure(*folder_writer, long)


def test_an_index_that_cannot_be_replaced_is_refused_before_items_are_read(tmp_path, failure):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/damaged.avi").write_bytes(b"no video")
    store = tmp_path / "store"
    (store / "index.json").mkdir(parents=True)
    command = ["encode", tmp_path / "data", "-o", store]
    assert "index.json must be a file name; got a folder." in failure(*command)
    (store / "index.json").rmdir()
    os.mkfifo(store / "index.json")
    assert "must be a new or a regular file; got a pipe." in failure(*command)
    (store / "index.json").unlink()
    (store / "photo.jpg").write_text("mine")
    assert "must be new, empty or a store; got photo.jpg in it." in failure(*command)
    assert [path.name for path in store.iterdir()] == ["photo.jpg"]
    (tmp_path / "locked").mkdir()
    with lock_file(tmp_path / "locked/.lock", "the store"):
        message = failure("encode", tmp_path / "data", "-o", tmp_path / "locked")
    assert "damaged.avi" not in message
    new = tmp_path / "new"
    assert "damaged.avi" in failure("encode", tmp_path / "data", "-o", new)
    assert not new.exists()


def test_links_that_lead_to_themselves_are_not_replaced(writer, failure):
    command, target = writer
    target.symlink_to(target.name)
    message = failure(*command, target)
    assert "must be a new or a regular file; got a link that leads to itself." in message
    assert target.is_symlink()


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
import ldslearn.dictionary.base as base
import ldslearn.persist.files as files
from ldslearn.cli import main

where, learn, count = sys.argv.pop(1), base.learn, 0

def interrupt(function, at):
    def run(*arguments, **options):
        global count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGINT)
        return function(*arguments, **options)
    return run

def watched(groups, *options):
    for group in groups:
        setattr(group, where, interrupt(getattr(group, where), 1 + len(groups)))
    return learn(groups, *options)

if where == "save_arrays":
    files.save_arrays = interrupt(files.save_arrays, 1)
else:
    base.learn = watched
main()
"""


@pytest.mark.parametrize(
    ("where", "jobs"),
    [("update_codes", 1), ("improve_atoms", 2), ("objective", 1), ("save_arrays", 1)],
)
def test_an_interrupt_while_it_learns_keeps_the_atoms_so_far(store, tmp_path, where, jobs):
    """As a process of its own, which gets the signal in its second iteration, or as it ends."""
    finished = (tmp_path / "atoms.npz").read_bytes()
    options = ["--atoms", "2", "--jobs", jobs, "--iterations", "9", "-o", tmp_path / "atoms.npz"]
    command = [sys.executable, "-c", INTERRUPTED, where, "learn", store, *options]
    ended = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert ended.returncode == 130, ended.stderr
    partial = tmp_path / "atoms.partial.npz"
    assert ended.stderr.splitlines() == [
        f"wrote the atoms so far; resume with --init {partial}",
        "interrupted; no file was left half written.",
    ]
    assert (tmp_path / "atoms.npz").read_bytes() == finished
    again = ["learn", store, "--init", partial, "--iterations", "1", "-o", tmp_path / "more.npz"]
    assert run([*map(str, again)]) == 0
