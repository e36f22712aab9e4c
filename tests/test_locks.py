"""One writer at a time; who holds a lock is said, and the lock of the dead is taken over."""

import json
import os
import subprocess
import sys
import time

import pytest

from ldslearn._locks import lock_file
from ldslearn._processes import Owner, host_name


def ended_process():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def write_lock(path, **changes):
    path.write_text(json.dumps({**Owner.here().as_dict(), "since": 0.0, "token": "x", **changes}))


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


@pytest.mark.parametrize("how", ["dead", "another start", "empty", "damaged", "a pipe"])
def test_what_nobody_holds_is_taken_over(tmp_path, how):
    path = tmp_path / ".lock"
    write_lock(path)
    if how == "dead":
        write_lock(path, pid=ended_process())
    elif how == "another start":
        if not Owner.here().start:
            pytest.skip("the system does not tell when processes started")
        write_lock(path, start=Owner.here().start + 1)
    elif how == "a pipe":
        path.unlink()
        os.mkfifo(path)
    else:
        path.write_text("" if how == "empty" else '{"pid": 1e999}')
    os.utime(path, (time.time() - 60,) * 2)
    with lock_file(path, "it"):
        assert json.loads(path.read_bytes())["start"] == Owner.here().start
    assert list(tmp_path.iterdir()) == []


def test_of_other_machines_nothing_is_known(tmp_path):
    path = tmp_path / ".lock"
    write_lock(path, host="elsewhere", pid=7)
    message = "process 7 on elsewhere has been writing it since .* no longer runs there, delete .*k"
    with pytest.raises(BlockingIOError, match=message), lock_file(path, "it"):
        pass
    path.unlink()
    with lock_file(path, "it"):
        assert json.loads(path.read_bytes())["host"] == host_name()


def test_a_lock_that_another_made_in_the_meantime_is_left(tmp_path):
    path = tmp_path / ".lock"
    with lock_file(path, "it"):
        write_lock(path, pid=os.getppid())
    assert json.loads(path.read_bytes())["pid"] == os.getppid()


RACE = """
import sys, time
from pathlib import Path
from ldslearn._locks import lock_file

path, counter = Path(sys.argv[1]), Path(sys.argv[2])
for _ in range(15):
    try:
        with lock_file(path, "it"):
            before = counter.read_text()
            time.sleep(0.002)
            counter.write_text(before + "x")
            print("x", end="")
    except BlockingIOError:
        time.sleep(0.001)
"""


def test_processes_that_race_for_a_lock_take_turns(tmp_path):
    """Nothing that one of them wrote under the lock is lost."""
    path, counter = tmp_path / ".lock", tmp_path / "counter"
    counter.write_text("")
    write_lock(path, pid=ended_process())
    command = [sys.executable, "-c", RACE, str(path), str(counter)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [racer.communicate()[0] for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0, 0]
    assert counter.read_text() == "".join(printed) != ""
