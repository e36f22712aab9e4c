"""Rounds of an evaluation, one after the other or several at once."""

import os
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import Any

from joblib import effective_n_jobs
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import TerminatedWorkerError
from numpy.typing import NDArray

from ldslearn._checks import check_jobs
from ldslearn._compiling import leave_warnings_to_the_caller
from ldslearn._parallel import current_engine
from ldslearn._processes import end_with
from ldslearn._progress import hide_progress, show_progress
from ldslearn._types import Indices
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.fitting import Fit, fit_method
from ldslearn.evaluate.methods import Method
from ldslearn.evaluate.metrics import measure_predictions
from ldslearn.evaluate.predictions import list_misclassified
from ldslearn.evaluate.protocols import Protocol
from ldslearn.evaluate.settings import Settings

_LARGEST_COPY = 2**27  # bytes of the sequences, which are sent with each round


@dataclass(frozen=True)
class DoneRound:
    """Results of a round.

    Attributes
    ----------
    fit : Fit or None
        None unless it is the first round: models are large.
    predicted : (n_test,) array
    record : dict
        Measures, chosen parameters and times, as plain values.
    misclassified : list of dict
    """

    fit: Fit | None
    predicted: NDArray[Any]
    record: dict[str, Any]
    misclassified: list[dict[str, Any]]


def run_rounds(
    data: Collection,
    method: Method,
    protocol: Protocol,
    splits: list[tuple[Indices, Indices]],
    settings: Settings,
    given: dict[str, Any],
) -> Iterator[DoneRound]:
    """Yield the results of every split, in order, with a progress bar.

    Parameters
    ----------
    data : Collection
        With labels.
    method : Method
    protocol : Protocol
        Which made the splits.
    splits : list of (train, test)
    settings : Settings
    given : dict
        Parameters of systems that are given, as in :func:`~ldslearn.evaluate.evaluate`.

    Notes
    -----
    An automatic search fits thousands of small models, which threads hardly speed up: with several
    jobs its rounds run in as many processes, this one and others, with one thread each. Whichever
    is free takes the next round; the first one runs here. The time budget of each search is raised
    so that all rounds may take as long as one after the other.
    """
    n_at_once = _count_processes(data, method, settings, len(splits))
    budget = settings.time_budget * len(splits)
    if n_at_once > 1:
        in_turn = -(-len(splits) // n_at_once)
        settings = replace(settings, n_jobs=1, time_budget=budget / in_turn)
    rounds = _SharedRounds([(data, *one, method, protocol, settings, given) for one in splits])
    taken = rounds.take()  # the first round runs here, as its fit is needed
    with (
        rounds.run_elsewhere(n_at_once - 1),
        show_progress(
            "evaluating", len(splits), budget=budget if method.automatic else None
        ) as advance,
    ):
        own: dict[int, DoneRound] = {}
        for expected in range(len(splits)):
            while taken is not None and expected not in own and not rounds.has_ended(expected):
                index, arguments = taken
                advance(0, f"round {index + 1} of {len(splits)}")
                done = run_round(*arguments)
                own[index] = replace(done, fit=None) if index else done
                taken = rounds.take()
            if expected in own:
                yield own.pop(expected)
            else:
                advance(0, f"round {expected + 1} of {len(splits)}")
                yield rounds.wait_for(expected)
            advance(1)


def _count_processes(data: Collection, method: Method, settings: Settings, n_rounds: int) -> int:
    """Return the number of rounds that run at once."""
    check_jobs(settings.n_jobs)
    n_bytes = sum(x.nbytes for x in data.X)
    if not method.automatic or current_engine().n_workers or n_bytes > _LARGEST_COPY:
        return 1
    return min(effective_n_jobs(settings.n_jobs), n_rounds)


class _SharedRounds:
    """Rounds that this process and others take one by one, in order.

    Parameters
    ----------
    rounds : list of tuple
        Arguments of :func:`run_round`.
    """

    def __init__(self, rounds: list[tuple[Any, ...]]) -> None:
        self._waiting = enumerate(rounds)
        self._futures: dict[int, Future[Any]] = {}
        self._executor: Any = None
        self._lock = Lock()

    def take(self) -> tuple[int, tuple[Any, ...]] | None:
        """Return the index and arguments of the next round; None if all are taken."""
        with self._lock:
            return next(self._waiting, None)

    @contextmanager
    def run_elsewhere(self, n_processes: int) -> Iterator[None]:
        """Run rounds in other processes, which end with the block."""
        if n_processes == 0:
            yield
            return
        self._executor = ProcessPoolExecutor(
            n_processes, initializer=_start_process, initargs=(os.getpid(),)
        )
        try:
            for _ in range(n_processes):
                self._send()
            yield
        finally:
            with self._lock:
                self._waiting = enumerate([])
            self._executor.shutdown(kill_workers=True)  # after an error, they may be at work
            self._executor = None  # or its semaphores would be left to the end of the process

    def _send(self, done: Future[Any] | None = None) -> None:
        """Send the next round to a process that is free, unless its last one has failed."""
        if done is not None and done.exception() is not None:
            return
        with self._lock:  # a round that is taken here has a future
            if (taken := next(self._waiting, None)) is None:
                return
            index, arguments = taken
            try:
                future = self._executor.submit(_run_and_record, *arguments)
            except Exception as error:  # which would be lost, as this may be a callback
                future = Future()
                future.set_exception(error)
            self._futures[index] = future
        future.add_done_callback(self._send)

    def has_ended(self, index: int) -> bool:
        """Whether another process has done a round, or failed to."""
        with self._lock:
            return index in self._futures and self._futures[index].done()

    def wait_for(self, index: int) -> DoneRound:
        """Return the result of another process, and repeat its warnings in this one."""
        with self._lock:
            future = self._futures[index]
        try:
            done, caught = future.result()
        except TerminatedWorkerError as error:
            raise MemoryError(
                "processes must live until their round is done; one was ended from outside, as "
                "systems do when memory runs out. Use n_jobs=1 (--jobs 1)."
            ) from error
        for text, category in caught:
            warnings.warn(text, category, stacklevel=4)
        return done


def _start_process(parent: int) -> None:
    """Prepare another process: it leaves warnings to this one, and does not outlive it."""
    leave_warnings_to_the_caller()
    Thread(target=end_with, args=(parent,), daemon=True).start()


def _run_and_record(*arguments: Any) -> tuple[DoneRound, list[tuple[str, type[Warning]]]]:
    """Return what :func:`run_round` returns, without the fit, and its warnings."""
    with warnings.catch_warnings(record=True) as caught, hide_progress():
        warnings.simplefilter("always")
        done = replace(run_round(*arguments), fit=None)
    return done, [(str(one.message), one.category) for one in caught]


def run_round(
    data: Collection,
    train: Indices,
    test: Indices,
    method: Method,
    protocol: Protocol,
    settings: Settings,
    given: dict[str, Any],
) -> DoneRound:
    """Fit a method to the training sequences, and predict the labels of the others."""
    before = time.perf_counter()
    known, unknown = data[train], data[test]
    fit = fit_method(method, known, settings, outer=protocol, whole=data, **given)
    fitted = time.perf_counter()
    predicted = fit.estimator.predict(unknown.X)
    done = time.perf_counter()
    assert unknown.y is not None
    record = {
        **measure_predictions(unknown.y, predicted),
        "n_train": len(known),
        "n_test": len(unknown),
        **fit.as_dict(),
        **({} if fit.report is None else {"report": fit.report}),
        "fit_seconds": fitted - before,
        "predict_seconds": done - fitted,
    }
    return DoneRound(fit, predicted, record, list_misclassified(fit, unknown, test, predicted))
