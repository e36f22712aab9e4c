"""A small Dask cluster, and workers that die in the middle of their work."""

import os
import signal
import threading
from contextlib import contextmanager

import pytest

from ldslearn import _parallel


@contextmanager
def two_workers():
    """Two processes on this machine, and a client of theirs."""
    distributed = pytest.importorskip("distributed", reason="dask and distributed are missing")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


@contextmanager
def small_blocks(n_bytes=2000):
    """Blocks so small that little data have several."""
    usual, _parallel._BLOCK_BYTES = _parallel._BLOCK_BYTES, n_bytes
    try:
        yield
    finally:
        _parallel._BLOCK_BYTES = usual


def processes(client):
    return {info["pid"] for info in client.run(_process).values()}


def _process():
    return {"pid": os.getpid()}


@contextmanager
def killing(engine, after):
    """End one worker by SIGKILL when so many blocks were asked for inside the `with`.

    Yields a list that holds its process once it is gone.
    """
    victims, asked, lock = [], [0], threading.Lock()
    client = engine.client
    original = client.submit

    def submit(*arguments, **options):
        future = original(*arguments, **options)
        with lock:
            asked[0] += 1
            due = asked[0] == after
        if due:
            victims.append(min(processes(client)))
            os.kill(victims[0], signal.SIGKILL)
        return future

    client.submit = submit
    try:
        yield victims
    finally:
        del client.submit
