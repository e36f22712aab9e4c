"""One writer at a time; messages say who writes, and what ended processes left is taken over."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ldslearn import _locks
from ldslearn._locks import Owner, lock_file

from support.processes import ended_process

HOLD = """
import sys, time
from pathlib import Path
from ldslearn._locks import lock_file

with lock_file(Path(sys.argv[1]), "it"):
    print("inside", flush=True)
    sys.stdin.read()
"""


def write_lock(path, **changes):
    path.write_text(json.dumps({**Owner.current().as_dict(), "since": 0.0, **changes}))


def start_holder(path, *wrapper):
    """Return a process that holds a lock until its input ends."""
    command = [*wrapper, sys.executable, "-c", HOLD, str(path)]
    holder = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    assert holder.stdout.readline() == "inside\n"
    return holder


def test_a_lock_is_held_by_one_and_removed(tmp_path):
    path = tmp_path / ".lock"
    with lock_file(path, "store s"):
        assert json.loads(path.read_bytes())["pid"] == os.getpid()
        message = f"store s must be written by one process at a time; process {os.getpid()} on "
        with pytest.raises(BlockingIOError, match=message), lock_file(path, "store s"):
            pass
        assert path.exists()
    assert list(tmp_path.iterdir()) == []


def test_an_error_gives_up_the_lock(tmp_path):
    with pytest.raises(KeyboardInterrupt), lock_file(tmp_path / ".lock", "it"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_must_be_there(tmp_path):
    with pytest.raises(FileNotFoundError), lock_file(tmp_path / "none" / ".lock", "it"):
        pass


LEFT = {
    "ended": lambda: json.dumps({**Owner.current().as_dict(), "pid": ended_process()}),
    "number given out again": lambda: json.dumps(Owner.current().as_dict()),
    "another start of the machine": lambda: json.dumps({**Owner.current().as_dict(), "boot": "b"}),
    "another container": lambda: json.dumps({**Owner.current().as_dict(), "host": "other"}),
    "empty": lambda: "",
    "damaged": lambda: '{"pid": 1e999}',
    "an invalid time": lambda: json.dumps({**Owner.current().as_dict(), "since": 10**400}),
    "nested": lambda: "[" * 2000,
    "large": lambda: "1" * 10**5,
}


@pytest.mark.parametrize("left", LEFT)
def test_what_nobody_holds_is_taken_over_at_once(tmp_path, left):
    if left == "another container" and not Owner.current().boot:
        pytest.skip("the system has no name for its start")
    path = tmp_path / ".lock"
    path.write_text(LEFT[left]())
    with lock_file(path, "it"):
        assert Owner.from_dict(json.loads(path.read_bytes())).pid == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_what_the_file_says_is_for_the_message_only(tmp_path):
    """As a process of another container is seen: its number is nobody's, or another's, here."""
    path = tmp_path / ".lock"
    holder = start_holder(path)
    for pid in (ended_process(), os.getpid()):
        write_lock(path, pid=pid)
        message = f"process {pid} on .* since .*. Wait for it, or name another place.$"
        with pytest.raises(BlockingIOError, match=message), lock_file(path, "it"):
            pass
    path.write_text(json.dumps({**Owner.current().as_dict(), "since": 10**400}))
    message = "at a time; another process is writing it. Wait for it, or name another place.$"
    with pytest.raises(BlockingIOError, match=message), lock_file(path, "it"):
        pass
    holder.communicate("")
    assert list(tmp_path.iterdir()) == []


CONTAINER = ("unshare", "--pid", "--fork", "--mount-proc")


@pytest.mark.skipif(
    not shutil.which("unshare")
    or subprocess.run([*CONTAINER, "true"], check=False, capture_output=True).returncode,
    reason="processes cannot be given numbers of their own here",
)
def test_processes_with_numbers_of_their_own_keep_others_out(tmp_path):
    path = tmp_path / ".lock"
    holder = start_holder(path, *CONTAINER)
    assert json.loads(path.read_bytes())["pid"] == 1
    try:
        with pytest.raises(BlockingIOError, match="process 1 on "), lock_file(path, "it"):
            pass
    finally:
        holder.communicate("")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="there are no zombies")
def test_the_lock_of_a_killed_process_that_nobody_waited_for_is_taken_over(tmp_path):
    path = tmp_path / ".lock"
    holder = start_holder(path)
    holder.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
    with lock_file(path, "it"):
        assert json.loads(path.read_bytes())["pid"] == os.getpid()
    holder.communicate()
    assert list(tmp_path.iterdir()) == []


MADE = {
    "link": lambda path: path.symlink_to("nowhere"),
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
}


@pytest.mark.parametrize("kind", MADE)
def test_what_is_no_regular_file_is_refused(tmp_path, kind):
    path = tmp_path / ".lock"
    MADE[kind](path)
    message = rf"\.lock must be a new or a regular file; got a {kind}. Delete it, or name another"
    with pytest.raises(ValueError, match=message), lock_file(path, "it"):
        pass
    assert os.listdir(tmp_path) == [".lock"]


def test_of_other_machines_nothing_is_known(tmp_path):
    path = tmp_path / ".lock"
    write_lock(path, host="elsewhere", boot="b", pid=7)
    message = "process 7 on elsewhere has been writing it since .* no longer runs there, delete .*k"
    with pytest.raises(BlockingIOError, match=message), lock_file(path, "it"):
        pass
    path.unlink()
    with lock_file(path, "it"):
        pass
    assert list(tmp_path.iterdir()) == []


def has_no_locks(*_):
    raise OSError(errno.ENOLCK, "No locks available")


@pytest.mark.parametrize("how", ["of the file system", "of the system"])
def test_without_locks_a_file_is_never_taken_over(tmp_path, monkeypatch, how):
    if how == "of the system":
        monkeypatch.setattr(_locks, "fcntl", None)
    else:
        monkeypatch.setattr(_locks.fcntl, "flock", has_no_locks)
    path = tmp_path / ".lock"
    with lock_file(path, "it"):
        message = f"process {os.getpid()} on .*; if it no longer runs there, delete .*lock.$"
        with pytest.raises(BlockingIOError, match=message), lock_file(path, "it"):
            pass
        assert path.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="there is one user")
def test_the_lock_of_another_user_is_left(monkeypatch):
    """To root every file is writable, and so another user asks."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # tmp_path is for one user only
        os.chmod(folder, 0o777)
        path = Path(folder, ".lock")
        write_lock(path, pid=7)
        path.chmod(0o444)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            message = "process 7 on .*; if it no longer runs there, delete .*lock.$"
            with pytest.raises(BlockingIOError, match=message), lock_file(path, "it"):
                pass
        finally:
            if is_root:
                os.seteuid(0)
        assert path.exists()


LIMITED = """
import resource, sys
from pathlib import Path
from ldslearn._locks import lock_file

resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    with lock_file(Path(sys.argv[1]), "it"):
        print("inside")
except OSError as error:
    print(error)
"""


def test_a_full_disk_is_named_and_nothing_is_left(tmp_path):
    pytest.importorskip("resource")
    command = [sys.executable, "-c", LIMITED, str(tmp_path / ".lock")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ".lock must fit on its disk; got: File too large. Make room" in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_another_made_in_the_meantime_is_left(tmp_path):
    path = tmp_path / ".lock"
    with lock_file(path, "it"):
        path.unlink()
        write_lock(path, pid=os.getppid())
    assert json.loads(path.read_bytes())["pid"] == os.getppid()
