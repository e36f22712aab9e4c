"""Files are replaced whole, by name, and nothing is left behind."""

import errno
import os
import subprocess
import sys
import time

import pytest

from ldslearn import _writing
from ldslearn._locks import Owner
from ldslearn._processes import has_ended, name_process_space, read_host_name
from ldslearn._writing import atomic_write, make_scratch_folder, tidy_leftovers

from support.processes import ended_process


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Folders are looked through once a process, and tests share one."""
    monkeypatch.setattr(_writing, "_tidied", set())


def test_the_name_of_a_part_is_short_and_says_whose_it_is(tmp_path):
    target = tmp_path / ("n" * 255)
    with atomic_write(target) as file:
        (part,) = tmp_path.iterdir()
        assert part.name.startswith(f".ldslearn-{name_process_space()}-{os.getpid()}-")
        file.write(b"new")
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("mode", [0o600, 0o666])
def test_permissions_are_those_of_the_target_at_any_time(tmp_path, mode):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    target.chmod(mode)
    with atomic_write(target) as file:
        assert os.fstat(file.fileno()).st_mode & 0o777 == mode
    assert target.stat().st_mode & 0o777 == mode


def test_the_folder_is_flushed_after_the_file_is_in_place(tmp_path, monkeypatch):
    flushed = []
    fsync = os.fsync

    def noted(number):
        flushed.append((os.readlink(f"/proc/self/fd/{number}"), (tmp_path / "file").exists()))
        fsync(number)

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files have no names here")
    monkeypatch.setattr(os, "fsync", noted)
    with atomic_write(tmp_path / "file") as file:
        file.write(b"x")
    assert [in_place for _, in_place in flushed] == [False, True]
    assert flushed[1][0] == str(tmp_path)


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "file").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    message = "file .*/file must fit on its disk; got: No space left on device. Make room, or name"
    with pytest.raises(OSError, match=message) as raised, atomic_write(tmp_path / "file") as file:
        file.write(b"new")
    assert raised.value.errno == errno.ENOSPC
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


LIMITED = """
import resource, sys
import numpy as np
from ldslearn._writing import atomic_write

resource.setrlimit(resource.RLIMIT_FSIZE, (2**12, 2**12))
try:
    with atomic_write(sys.argv[1]) as file:
        np.save(file, np.zeros(10**4))
except OSError as error:
    print(error.errno is not None, error)
"""


def test_an_array_that_does_not_fit_is_told_with_the_name_of_the_file(tmp_path):
    """As a process of its own, which may not write so much; NumPy tells it without a number."""
    pytest.importorskip("resource")
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "a.npy")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("True file ")
    assert "a.npy must fit on its disk; got: " in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_dead_processes_left_is_removed(tmp_path):
    dead, here = ended_process(), name_process_space()
    gone = [f".ldslearn-{here}-{dead}-0123456789ab.part", f".ldslearn-{here}-{dead}-abc_1.scratch"]
    old = ".ldslearn-elsewhere-7-0123456789ab.part"
    kept = [
        f".ldslearn-{here}-{os.getppid()}-0123456789ab.part",
        f".ldslearn-{read_host_name()}.0a1b2c3d-{dead}-0123456789ab.part",  # of another container
        f".scratch-{here}-{dead}-abc_1",  # somebody else's
        ".ldslearn-elsewhere-8-0123456789ab.part",
        ".hidden.part",
        "systems.part",
    ]
    for name in (gone[0], old, *kept):
        (tmp_path / name).write_text("x")
    (tmp_path / gone[1]).mkdir()
    (tmp_path / gone[1] / "columns").write_text("x")
    os.utime(tmp_path / old, (time.time() - 10**6,) * 2)
    with atomic_write(tmp_path / "new") as file:
        file.write(b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, "new"])


def test_links_among_leftovers_are_not_followed(tmp_path):
    home, precious = tmp_path / "home", tmp_path / "precious"
    home.mkdir()
    precious.mkdir()
    (precious / "file").write_text("kept")
    link = home / f".ldslearn-{name_process_space()}-{ended_process()}-x.scratch"
    link.symlink_to(precious)
    tidy_leftovers(home)
    assert (precious / "file").read_text() == "kept"
    assert not link.is_symlink()


def test_a_scratch_folder_ends_with_its_block(tmp_path):
    with make_scratch_folder(tmp_path) as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith(f".ldslearn-{name_process_space()}-{os.getpid()}-")
        (folder / "file").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_has_ended_before_anybody_waited_for_it():
    if not os.path.isdir("/proc/self"):
        pytest.skip("the system does not say how processes are")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert not has_ended(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert has_ended(process.pid)
    assert has_ended(process.pid)
    assert has_ended(10**17)
    assert not has_ended(os.getppid())


def test_owners_are_checked():
    me = Owner.current()
    assert me.is_here
    assert Owner.from_dict(me.as_dict()) == me
    assert not Owner("elsewhere", "another", me.pid, 0.0).is_here
    assert not Owner("elsewhere", "", me.pid, 0.0).is_here
    good = me.as_dict()
    for wrong in (
        None,
        {},
        {**good, "pid": "1"},
        {**good, "pid": 2**80},
        {**good, "host": 1},
        {**good, "since": 10**400},
        {**good, "since": float("nan")},
        {**good, "since": True},
    ):
        with pytest.raises(ValueError, match="lock file"):
            Owner.from_dict(wrong)
