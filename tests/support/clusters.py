"""A small Dask cluster, and workers that die in the middle of their work."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from ldslearn import _parallel
from ldslearn.datasets.reading_settings import ReadingSettings


@contextmanager
def two_workers():
    """Two processes on this machine, and a client of theirs."""
    with some_workers(2) as client:
        yield client


@contextmanager
def some_workers(n_workers, *, processes=True):
    """Workers of one thread each on this machine, reachable from it alone; yields a client.

    It is not the default client: a user who passes an address or a cluster has none.
    """
    distributed = pytest.importorskip("distributed", reason="dask and distributed are missing")
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=processes,
            protocol="tcp://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


def without_cluster():
    """Work in this process inside the block, though a cluster is in use outside."""
    return _parallel.use_engine(_parallel.Engine())


@contextmanager
def small_blocks(n_bytes=2000):
    """Blocks so small that little data have several."""
    usual, _parallel._BYTES_PER_MESSAGE = _parallel._BYTES_PER_MESSAGE, n_bytes
    try:
        yield
    finally:
        _parallel._BYTES_PER_MESSAGE = usual


@contextmanager
def separate_scheduler(folder):
    """A scheduler and a worker, each a process of its own; yields address and process of the first.

    Whichever still runs is ended.
    """
    pytest.importorskip("distributed", reason="dask and distributed are missing")
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard", "--host", "127.0.0.1"]
    commands = [
        ["-m", "distributed.cli.dask_scheduler", "--port", "0", *common],
        ["-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *common],
    ]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen([sys.executable, *command], **quiet) for command in commands]
    try:
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.05)
            assert running[0].poll() is None, "the scheduler did not start"
        yield json.loads(file.read_text())["address"], running[0].pid
    finally:
        for process in running:
            process.kill()
            process.wait()


class Deadly(ReadingSettings):
    """Reads files, but not those named deadly: they end the process."""

    def read_recording(self, path, *like):
        if "deadly" in path.stem:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().read_recording(path, *like)


def processes(client):
    return {info["pid"] for info in client.run(_process).values()}


def _process():
    return {"pid": os.getpid()}


@contextmanager
def killing(engine, after, choose=None):
    """End a process by SIGKILL when so many blocks were asked for inside the `with`.

    `choose` names it, a worker when not given. Yields a list that holds it once it is gone.
    """
    victims, asked, lock = [], [0], threading.Lock()
    client = engine.client
    original = client.map

    def send(*arguments, **options):
        futures = original(*arguments, **options)
        with lock:
            before, asked[0] = asked[0], asked[0] + len(futures)
            due = before < after <= asked[0]
        if due:
            victims.append(choose() if choose else min(processes(client)))
            os.kill(victims[0], signal.SIGKILL)
        return futures

    client.map = send
    try:
        yield victims
    finally:
        del client.map


def wait_for(something, seconds=60):
    """Call until there is a result, and return it."""
    end = time.monotonic() + seconds
    while not (found := something()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)
    return found


def third_time_lucky(path):
    """Fails twice, as a disk far away may, and returns how often it was called."""
    tries = len(path.read_text()) if path.exists() else 0
    path.write_text("x" * (tries + 1))
    if tries < 2:
        raise OSError("stale file handle")
    return tries + 1


def n_workers_seen():
    """Workers of the engine that a block finds."""
    return _parallel.current_engine().n_workers
