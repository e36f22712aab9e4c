"""Blocks of work on a Dask cluster instead of in this process; nothing of Dask is imported before.

The scheduler is Dask's: it puts tasks on workers, moves what they need, and makes again what a
worker that died had made. Here is only what joins it to :class:`ldslearn._parallel.Engine`.
"""

import math
import re
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from ldslearn import _errors, _places
from ldslearn._parallel import Engine, alone, progress, using

__all__ = ["Cluster", "use_cluster"]

_WINDOW = 8  # blocks a worker thread that are sent or waiting to be taken back
_SECONDS_BETWEEN_COUNTS = 5.0
_BATCHES_BETWEEN_EVENTS = 100
_LOSSES = ("workers_lost", "results_lost", "tasks_moved")
_TIMEOUT = 10.0  # seconds to find a scheduler
_PATIENCE = 600.0  # seconds to wait for workers when there are none
_SETTLING = 5.0  # seconds for a worker that was killed to come back
_STARTING = 1.0  # seconds from when a worker is known until its nanny knows that it has started
_ATTEMPTS = 3  # at a block whose files or memory failed
_LARGE = 2**21  # bytes to all blocks from which what they share is sent once
_QUIET = {"distributed.admin.large-graph-warning-threshold": "1 GiB"}
_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://.+:\d+|inproc://.+")

Note = tuple[str, type[Warning]]
Remarks = tuple[list[Note], _places.Notes]


@dataclass
class Cluster(Engine):
    """A cluster at work, and what happened to it.

    Attributes
    ----------
    client : distributed.Client
    n_blocks : int
        Blocks that were asked for.
    n_repeated : int
        Blocks that were tried again because files or memory of a worker failed.
    """

    client: Any
    n_blocks: int = 0
    n_repeated: int = 0
    _past: float = field(default=0.0, repr=False)
    _n_processes: int = field(default=1, repr=False)  # workers to begin with
    _counted: tuple[float, int] = field(default=(-math.inf, 1), repr=False)
    _lost: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_LOSSES, 0), repr=False)
    _asked: tuple[float, int] = field(default=(-math.inf, 0), repr=False)  # when, batches since

    @property
    def n_workers(self) -> int:  # type: ignore[override]
        """Threads of all workers, asked for now and then."""
        if time.monotonic() > self._counted[0] + _SECONDS_BETWEEN_COUNTS:
            with _connected(self.client):
                count = max(1, sum(self.client.nthreads().values()))
            self._counted = time.monotonic(), count
        return self._counted[1]

    def map(
        self,
        function: Callable[..., Any],
        blocks: Sequence[tuple[Any, ...]],
        *shared: Any,
        description: str = "",
        lost: Callable[..., Any] | None = None,
    ) -> Iterator[Any]:
        """Yield results in order; a few blocks for each worker are on their way at a time."""
        with progress(description, len(blocks)) as advance, _connected(self.client):
            common = [self._shared(value, len(blocks)) for value in shared]
            waiting: deque[tuple[tuple[Any, ...], Any]] = deque()
            window, sent = _WINDOW * self.n_workers, 0
            while sent < len(blocks) or waiting:
                new = blocks[sent : sent + window - len(waiting)]
                waiting.extend(zip(new, self._send(function, new, common), strict=True))
                sent += len(new)
                taken = window // 2 if sent < len(blocks) else len(waiting)
                batch = [waiting.popleft() for _ in range(min(taken, len(waiting)))]
                for result, notes in self._results(function, batch, common, description, lost):
                    _places.merge(notes[1])
                    for text, category in dict.fromkeys(notes[0]):
                        warnings.warn(text, category, stacklevel=3)
                    yield result
                    advance(1)

    def keep(
        self, function: Callable[..., Any], blocks: Sequence[tuple[Any, ...]], *shared: Any
    ) -> list[Any]:
        """Return futures: a result stays on its worker, and is made again if that dies."""
        with _connected(self.client):
            common = [self._shared(value, len(blocks)) for value in shared]
            columns = zip(*[(function, *block, *common) for block in blocks], strict=True)
            if not blocks:
                return []
            return self.client.map(_kept, *columns, pure=False, retries=_ATTEMPTS - 1)

    def summary(self) -> dict[str, int]:
        """Return how many blocks were asked for and repeated, and workers lost, with their work."""
        with _connected(self.client):
            self._count_losses()
        return {"blocks": self.n_blocks, "repeated": self.n_repeated, **self._lost}

    def _count_losses(self) -> None:
        """Count the workers that were lost since the last time.

        Dask keeps a thousand events and adds one for every batch that is taken back, so that what
        is not asked for in time is gone. A handler of our own would replace that of the user.
        """
        for when, event in self.client.get_events("all"):
            if when <= self._past:
                continue
            self._past = when
            if event.get("action") == "remove-worker" and not event.get("expected"):
                self._lost["workers_lost"] += 1
                self._lost["results_lost"] += len(event["lost-computed-tasks"])
                self._lost["tasks_moved"] += len(event["processing-tasks"])
        self._asked = time.monotonic(), 0

    def _send(
        self, function: Callable[..., Any], blocks: Sequence[Sequence[Any]], common: list[Any]
    ) -> list[Any]:
        """Futures of some blocks, in one message."""
        self.n_blocks += len(blocks)
        arguments = [(function, *block, *common) for block in blocks]
        columns = zip(*arguments, strict=True)
        return self.client.map(_called, *columns, pure=False) if blocks else []

    def _results(
        self,
        function: Callable[..., Any],
        batch: Sequence[tuple[tuple[Any, ...], Any]],
        common: list[Any],
        description: str,
        lost: Callable[..., Any] | None,
    ) -> list[Any]:
        """Results of some blocks together; if any is missing, of one after the other."""
        from distributed import KilledWorker

        self._wait([future for _, future in batch])
        when, batches = self._asked
        self._asked = when, batches + 1
        if batches > _BATCHES_BETWEEN_EVENTS or time.monotonic() > when + _SECONDS_BETWEEN_COUNTS:
            self._count_losses()
        try:
            return self.client.gather([future for _, future in batch])
        except (KilledWorker, OSError, MemoryError):
            if self.client.status != "running":
                raise
        found = []
        for block, future in batch:
            try:
                found.append(self._result(function, block, common, future))
            except KilledWorker:
                if lost is None:
                    raise ChildProcessError(
                        f"{description or function.__name__}: one block ended several workers "
                        "in a row. They may have too little memory: give them more, or make "
                        "blocks smaller (shard_size)."
                    ) from None
                self._settle()
                found.append((lost(*block), ([], {})))
        return found

    def _wait(self, futures: list[Any]) -> None:
        """Wait for futures; say so if there is nobody left to make them, and give up in the end."""
        from distributed import wait

        address, seen = self.client.scheduler.address, time.monotonic()
        while True:
            try:
                with self.client.as_current():  # `wait` asks the current client, or the default one
                    wait(futures, timeout=_TIMEOUT)  # type: ignore[no-untyped-call]
                return
            except TimeoutError:
                if self.client.nthreads():
                    seen = time.monotonic()
                elif time.monotonic() - seen > _PATIENCE:
                    raise ConnectionError(
                        f"the scheduler at {address} must have workers; for "
                        f"{_PATIENCE / 60:.0f} minutes there was none. What was finished is "
                        "kept: start some and run it again."
                    ) from None
                else:
                    warnings.warn(_no_workers(address), stacklevel=4)

    def _settle(self) -> None:
        """Let a worker that was killed come back before there is more to do.

        One that dies before its nanny knows that it has started, is never started again.
        """
        with suppress(TimeoutError):
            self.client.wait_for_workers(max(1, self._n_processes), timeout=_SETTLING)
        time.sleep(_STARTING)

    def _result(
        self, function: Callable[..., Any], block: Sequence[Any], common: list[Any], future: Any
    ) -> Any:
        """The result of one block, tried again if files or memory of a worker failed."""
        for attempt in range(_ATTEMPTS):
            self._wait([future])
            try:
                return future.result()
            except (OSError, MemoryError):
                if attempt == _ATTEMPTS - 1 or self.client.status != "running":
                    raise
                self.n_repeated += 1
                (future,) = self._send(function, [block], common)
        raise AssertionError

    def _shared(self, value: Any, n_blocks: int) -> Any:
        """The value, or a handle of it, sent once and passed on from worker to worker."""
        from distributed import Future
        from distributed.protocol.pickle import dumps

        if isinstance(value, Future) or n_blocks * len(dumps(value)) < _LARGE:  # type: ignore[no-untyped-call]
            return value
        return self.client.submit(_same, value, pure=False)


@contextmanager
def use_cluster(where: Any = None) -> Iterator[Cluster]:
    """Let everything inside the block that works in blocks do so on a Dask cluster.

    Parameters
    ----------
    where : str, distributed.Client, a Dask cluster or None
        Address of a scheduler, such as ``"tcp://host:8786"``; a client; a cluster such as
        ``distributed.LocalCluster``; None for the client that is active.

    Yields
    ------
    Cluster
        Whose ``summary()`` tells what was repeated and which workers were lost.

    Examples
    --------
    ::

        with ldslearn.scale.use_cluster("tcp://host:8786") as workers:
            store = encode_folder("clips", "store", LDSEncoder(10))
            dictionary = LDSDictionary(64).fit(store)
            print(workers.summary())
    """
    try:
        import dask
        from distributed import Client, default_client
    except ImportError:
        raise _package_missing("a cluster", "dask", "dask") from None
    own = isinstance(where, str) or hasattr(where, "scheduler_address")
    if isinstance(where, str) and not _ADDRESS.fullmatch(where):  # Dask would wait for long
        raise _no_scheduler(where, "it must look like tcp://HOST:PORT")
    if where is None:
        try:
            client: Any = default_client()  # type: ignore[no-untyped-call]
        except ValueError:
            raise ValueError(
                "use_cluster() must be given an address or a client, or find an active "
                "client; got none. Pass the scheduler's address, such as 'tcp://host:8786'."
            ) from None
    elif own:
        try:
            client = Client(where, timeout=_TIMEOUT, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise _no_scheduler(where, error) from error
    elif isinstance(where, Client):
        client = where
    else:
        rule = "be an address, a Client, a Dask cluster or None"
        raise _errors.invalid_parameter("where", rule, where)
    try:
        with dask.config.set(_QUIET), _connected(client):
            _await_workers(client)
            events = client.get_events("all")
            past = events[-1][0] if events else 0.0
            engine = Cluster(client, _past=past, _n_processes=len(client.nthreads()))
            with using(engine):
                yield engine
    finally:
        if own:
            client.close(timeout=5)


def _await_workers(client: Any) -> None:
    """Wait a little for workers that are just starting, and warn if there are none."""
    try:
        client.wait_for_workers(1, timeout=_TIMEOUT)
    except TimeoutError:
        warnings.warn(_no_workers(client.scheduler.address), stacklevel=4)


@contextmanager
def _connected(client: Any) -> Iterator[None]:
    """Turn the loss of the scheduler, however it shows, into one message."""
    from concurrent.futures import CancelledError

    from distributed.comm.core import CommClosedError

    try:
        yield
    except (CancelledError, CommClosedError) as error:
        raise _scheduler_lost() from error
    except (OSError, RuntimeError, ValueError) as error:
        if client.status != "running" and not isinstance(error, ConnectionError):
            raise _scheduler_lost() from error
        raise


def _called(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Remarks]:
    """On a worker: the result, and warnings to pass on."""
    with warnings.catch_warnings(record=True) as caught, _places.collect_notes() as systems:
        warnings.simplefilter("always")
        result = _kept(function, *arguments)
    return result, ([(str(one.message), one.category) for one in caught], systems)


def _kept(function: Callable[..., Any], *arguments: Any) -> Any:
    """On a worker: the result, made there and then, even if the worker is a thread of ours."""
    with alone(), using(Engine()):
        return function(*arguments)


def _same(value: Any) -> Any:
    return value


def _package_missing(what: str, package: str, extra: str) -> ImportError:
    """A package of an extra that is not installed."""
    return ImportError(
        f"{what} needs the package {package}, which is not installed. "
        f"Install it with: pip install 'ldslearn[{extra}]'"
    )


def _no_scheduler(address: str, reason: object) -> ConnectionError:
    """An address without a scheduler."""
    return ConnectionError(
        f"cluster must be the address of a running Dask scheduler; got {address!r}: {reason}. "
        "Start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
    )


def _no_workers(address: str) -> str:
    """A scheduler that has nobody to work."""
    return (
        f"the scheduler at {address} has no workers: nothing is done until one comes. Start some "
        f"with `dask worker {address} --nthreads 1`."
    )


def _scheduler_lost() -> ConnectionError:
    """A scheduler that went away in mid-run."""
    return ConnectionError(
        "the scheduler must stay reachable; the connection was lost. Finished shards are kept, and "
        "the same call goes on from them; a dictionary keeps its atoms, to go on with "
        "init=dictionary.atoms_, or `ldslearn learn --init FILE`."
    )
