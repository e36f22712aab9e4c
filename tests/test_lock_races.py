"""Writers that race for one lock: whatever the order of their operations, one is in."""

import itertools
import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack

import pytest

from ldslearn import _locks
from ldslearn._locks import Owner, lock_file

from support.processes import ended_process


class Interleaving:
    """Some steps, each taken before one operation on files of whoever is the first to work."""

    events = ("open", "os.rename", "os.remove", "os.link", "os.truncate", "fcntl.flock")
    current = None  # hooks cannot be removed

    @classmethod
    def hook(cls, event, _):
        self = cls.current
        if self is None or event not in cls.events:
            return
        cls.current = None  # steps have operations of their own
        self.count += 1
        for moment, step in self.steps:
            if moment == self.count:
                step()
        cls.current = self

    def __init__(self, *steps):
        self.steps, self.count = steps, 0

    def __enter__(self):
        Interleaving.current = self
        return self

    def __exit__(self, *_):
        Interleaving.current = None


@pytest.fixture(scope="module")
def hooked():
    sys.addaudithook(Interleaving.hook)


class Writer:
    """Somebody who takes the lock, or does not, and gives it up."""

    def __init__(self, path):
        self.path, self.stack, self.is_inside = path, ExitStack(), False

    def enter(self):
        try:
            self.stack.enter_context(lock_file(self.path, "it"))
            self.is_inside = True
        except BlockingIOError:
            pass

    def leave(self):
        self.stack.close()
        self.is_inside = False


@pytest.mark.parametrize("start", ["nothing", "left of a killed process"])
@pytest.mark.usefixtures("hooked")
def test_no_order_of_operations_lets_two_in(tmp_path, monkeypatch, start):
    """A writer is stopped before any two of its operations, while others come and go."""
    monkeypatch.setattr(_locks, "_PAUSE", 0.0)  # nobody writes in the meantime
    path, n_inside, n_moments = tmp_path / ".lock", [], 1
    pid = ended_process()
    for third, (a, b) in itertools.product((False, True), itertools.combinations(range(1, 12), 2)):
        if start != "nothing":
            path.write_text(json.dumps({**Owner.current().as_dict(), "pid": pid}))
        first, second, other = writers = [Writer(path) for _ in range(3)]
        steps = (a, second.enter), (b, other.enter if third else second.leave)
        with Interleaving(*steps) as seen:
            first.enter()
            n_moments = max(n_moments, seen.count)
        last = Writer(path)
        last.enter()
        inside = [one for one in (*writers, last) if one.is_inside]
        n_inside.append(len(inside))
        for one in inside:
            one.leave()
        assert list(tmp_path.iterdir()) == [], (third, a, b)
    assert n_moments > 2
    assert set(n_inside) == {1}


RACE = """
import os, signal, sys, time
from pathlib import Path
from ldslearn._locks import lock_file

path, counter, killed_at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
for turn in range(15):
    try:
        with lock_file(path, "it"):
            before = counter.read_text()
            time.sleep(0.002)
            counter.write_text(before + "x")
            print("x", end="", flush=True)
            if turn >= killed_at:
                os.kill(os.getpid(), signal.SIGKILL)
    except BlockingIOError:
        time.sleep(0.001)
"""


def test_processes_that_race_and_are_killed_take_turns(tmp_path):
    """Nothing that one of them wrote under the lock is lost."""
    path, counter = tmp_path / ".lock", tmp_path / "counter"
    counter.write_text("")
    command = [sys.executable, "-c", RACE, str(path), str(counter)]
    racers = [
        subprocess.Popen([*command, str(turn)], stdout=subprocess.PIPE, text=True)
        for turn in (0, 3, 6, 99)
    ]
    printed = [racer.communicate(timeout=60)[0] for racer in racers]
    assert {racer.returncode for racer in racers} <= {0, -signal.SIGKILL}
    assert counter.read_text() == "".join(printed) != ""
    with lock_file(path, "it"):
        pass
    assert os.listdir(tmp_path) == ["counter"]
