"""Blocks of work on a Dask cluster instead of in this process.

Dask's scheduler puts tasks on workers, moves what they need, and repeats what a lost worker had
computed. This module joins it to :class:`ldslearn._parallel.Engine`. Dask is an optional package:
it is imported when a cluster is used.

Others choose the size of a block: ``_parallel`` (systems in memory), ``models.blocks`` (systems of
a store), ``dictionary.samples`` (learning), ``scale.encoding`` (items per shard),
``scale.kernel_files`` (tiles of a kernel matrix), ``geometry.fitted_kernels`` (rows of one).
"""

import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ldslearn import _places
from ldslearn._parallel import Engine
from ldslearn._progress import show_progress
from ldslearn.scale.dask_tasks import (
    call,
    call_and_record,
    describe_no_workers,
    name_lost_scheduler,
    pass_on,
)

_BLOCKS_IN_FLIGHT_PER_THREAD = 8  # sent to workers whose results are not back yet
_SECONDS_BETWEEN_COUNTS = 5.0
_BATCHES_BETWEEN_EVENTS = 100
_LOSSES = ("workers_lost", "results_lost", "tasks_moved")
_SECONDS_BETWEEN_CHECKS = 10.0  # whether there are workers, while results are awaited
_MAX_WAIT_SECONDS = 600.0  # for workers when there are none
_RESTART_SECONDS = 5.0  # for a killed worker to come back
_STARTING_SECONDS = 1.0  # from when a worker is known until its nanny knows that it has started
_ATTEMPTS = 3  # at a block whose files or memory failed
_LARGE = 2**21  # bytes to all blocks; larger shared values are sent once


@dataclass
class Cluster(Engine):
    """A Dask cluster that blocks of work are sent to, and counts of its blocks and losses.

    :func:`~ldslearn.scale.use_cluster` makes it.

    Attributes
    ----------
    client : distributed.Client
    n_blocks : int, default=0
        Blocks that were sent.
    n_repeated : int, default=0
        Blocks that were sent again because files or memory of a worker failed.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> from ldslearn.scale import use_cluster
    >>> local = LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0")
    >>> with local, use_cluster(local) as cluster:
    ...     print(cluster.summary())
    {'blocks': 0, 'repeated': 0, 'workers_lost': 0, 'results_lost': 0, 'tasks_moved': 0}
    """

    client: Any
    n_blocks: int = 0
    n_repeated: int = 0
    _last_event: float = field(default=0.0, repr=False)  # time of the last event that was counted
    _n_processes: int = field(default=1, repr=False)  # workers at the start
    _threads: tuple[float, int] = field(default=(-math.inf, 1), repr=False)  # when counted, count
    _losses: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_LOSSES, 0), repr=False)
    _events_read: tuple[float, int] = field(default=(-math.inf, 0), repr=False)  # batches since

    @property
    def n_workers(self) -> int:  # type: ignore[override]
        """Threads of all workers; counted every few seconds."""
        if time.monotonic() > self._threads[0] + _SECONDS_BETWEEN_COUNTS:
            with name_lost_scheduler(self.client):
                count = max(1, sum(self.client.nthreads().values()))
            self._threads = time.monotonic(), count
        return self._threads[1]

    def map(
        self,
        function: Callable[..., Any],
        blocks: Sequence[tuple[Any, ...]],
        *shared: Any,
        description: str = "",
        fallback: Callable[..., Any] | None = None,
    ) -> Iterator[Any]:
        """Yield results in order; a few blocks per worker are on their way at a time.

        Parameters
        ----------
        function : callable
            Called as ``function(*block, *shared)``; a function of a module.
        blocks : sequence of tuple
        *shared : object
            Arguments that all blocks share.
        description : str, default=""
            Text of the progress bar; no bar without it.
        fallback : callable, optional
            ``fallback(*block)`` replaces the result of a block on which several workers died.

        Yields
        ------
        object
            The result of each block.
        """
        with show_progress(description, len(blocks)) as advance, name_lost_scheduler(self.client):
            common = [self._share(value, len(blocks)) for value in shared]
            waiting: deque[tuple[tuple[Any, ...], Any]] = deque()
            window, sent = _BLOCKS_IN_FLIGHT_PER_THREAD * self.n_workers, 0
            while sent < len(blocks) or waiting:
                new = blocks[sent : sent + window - len(waiting)]
                waiting.extend(zip(new, self._send(function, new, common), strict=True))
                sent += len(new)
                taken = window // 2 if sent < len(blocks) else len(waiting)
                batch = [waiting.popleft() for _ in range(min(taken, len(waiting)))]
                for result, notes in self._gather(function, batch, common, description, fallback):
                    _places.merge_notes(notes[1])
                    for text, category in dict.fromkeys(notes[0]):
                        warnings.warn(text, category, stacklevel=3)
                    yield result
                    advance(1)

    def submit(
        self, function: Callable[..., Any], blocks: Sequence[tuple[Any, ...]], *shared: Any
    ) -> list[Any]:
        """Return futures: a result stays on its worker, and is computed again if that dies.

        Parameters
        ----------
        function : callable
            Called as ``function(*block, *shared)``; a function of a module.
        blocks : sequence of tuple
        *shared : object
            Arguments that all blocks share.

        Returns
        -------
        list of distributed.Future
        """
        if not blocks:
            return []
        with name_lost_scheduler(self.client):
            common = [self._share(value, len(blocks)) for value in shared]
            columns = zip(*[(function, *block, *common) for block in blocks], strict=True)
            return self.client.map(call, *columns, pure=False, retries=_ATTEMPTS - 1)

    def summary(self) -> dict[str, int]:
        """Return the numbers of blocks sent and repeated, and of lost workers and results.

        Returns
        -------
        dict of str to int
            `blocks`, `repeated`, `workers_lost`, `results_lost` and `tasks_moved`.
        """
        with name_lost_scheduler(self.client):
            self._count_losses()
        return {"blocks": self.n_blocks, "repeated": self.n_repeated, **self._losses}

    def _count_losses(self) -> None:
        """Count the workers that were lost since the last call.

        Dask keeps a thousand events and adds one per batch that is gathered, so that events are
        missed that are not read in time. A handler of our own would replace that of the user.
        """
        for when, event in self.client.get_events("all"):
            if when <= self._last_event:
                continue
            self._last_event = when
            if event.get("action") == "remove-worker" and not event.get("expected"):
                self._losses["workers_lost"] += 1
                self._losses["results_lost"] += len(event["lost-computed-tasks"])
                self._losses["tasks_moved"] += len(event["processing-tasks"])
        self._events_read = time.monotonic(), 0

    def _send(
        self, function: Callable[..., Any], blocks: Sequence[Sequence[Any]], common: list[Any]
    ) -> list[Any]:
        """Return futures of some blocks, sent in one message."""
        if not blocks:
            return []
        self.n_blocks += len(blocks)
        columns = zip(*[(function, *block, *common) for block in blocks], strict=True)
        return self.client.map(call_and_record, *columns, pure=False)

    def _gather(
        self,
        function: Callable[..., Any],
        batch: Sequence[tuple[tuple[Any, ...], Any]],
        common: list[Any],
        description: str,
        fallback: Callable[..., Any] | None,
    ) -> list[Any]:
        """Return the results of some blocks; if one fails, each is gathered on its own."""
        from distributed import KilledWorker

        self._wait([future for _, future in batch])
        when, batches = self._events_read
        self._events_read = when, batches + 1
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
                found.append(self._gather_one(function, block, common, future))
            except KilledWorker:
                if fallback is None:
                    raise ChildProcessError(
                        f"{description or function.__name__}: several workers died on the same "
                        "block. They may have too little memory: give them more, or make "
                        "blocks smaller (shard_size)."
                    ) from None
                self._await_restart()
                found.append((fallback(*block), ([], {})))
        return found

    def _gather_one(
        self, function: Callable[..., Any], block: Sequence[Any], common: list[Any], future: Any
    ) -> Any:
        """Return the result of one block, sent again if files or memory of a worker failed."""
        for _ in range(_ATTEMPTS - 1):
            self._wait([future])
            try:
                return future.result()
            except (OSError, MemoryError):
                if self.client.status != "running":
                    raise
                self.n_repeated += 1
                (future,) = self._send(function, [block], common)
        self._wait([future])
        return future.result()

    def _wait(self, futures: list[Any]) -> None:
        """Wait for futures; warn while there are no workers, and give up after a while."""
        from distributed import wait

        address, seen = self.client.scheduler.address, time.monotonic()
        while True:
            try:
                with self.client.as_current():  # `wait` asks the current client, or the default one
                    wait(futures, timeout=_SECONDS_BETWEEN_CHECKS)  # type: ignore[no-untyped-call]
                return
            except TimeoutError:
                if self.client.nthreads():
                    seen = time.monotonic()
                elif time.monotonic() - seen > _MAX_WAIT_SECONDS:
                    raise ConnectionError(
                        f"the scheduler at {address} must have workers; for "
                        f"{_MAX_WAIT_SECONDS / 60:.0f} minutes there was none. Finished work is "
                        "kept: start some workers and run it again."
                    ) from None
                else:
                    warnings.warn(describe_no_workers(address), stacklevel=4)

    def _await_restart(self) -> None:
        """Wait for a killed worker to come back before more blocks are sent.

        A worker that dies before its nanny knows that it has started is never started again.
        """
        with suppress(TimeoutError):
            self.client.wait_for_workers(max(1, self._n_processes), timeout=_RESTART_SECONDS)
        time.sleep(_STARTING_SECONDS)

    def _share(self, value: Any, n_blocks: int) -> Any:
        """Return the value, or a future of it, sent once and passed from worker to worker."""
        from distributed import Future
        from distributed.protocol.pickle import dumps

        if isinstance(value, Future) or n_blocks * len(dumps(value)) < _LARGE:  # type: ignore[no-untyped-call]
            return value
        return self.client.submit(pass_on, value, pure=False)
