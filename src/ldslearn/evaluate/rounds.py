"""Rounds of an evaluation, one after the other or several at once."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from joblib import effective_n_jobs
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import TerminatedWorkerError
from numpy.typing import NDArray

from ldslearn._checks import check_jobs
from ldslearn._parallel import current_engine
from ldslearn._progress import hide_progress, show_progress
from ldslearn._types import Indices
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.fitting import Fit, fit_method
from ldslearn.evaluate.methods import Method, Settings
from ldslearn.evaluate.metrics import measure_predictions
from ldslearn.evaluate.predictions import list_misclassified
from ldslearn.evaluate.protocols import Protocol

_LARGEST_COPY = 2**27  # bytes of the sequences, which are sent with each round


@dataclass(frozen=True)
class DoneRound:
    """Results of a round.

    Attributes
    ----------
    fit : Fit
    predicted : (n_test,) array
    record : dict
        Measures, chosen parameters and times, as plain values.
    misclassified : list of dict
    """

    fit: Fit
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
    jobs its rounds run in as many processes, this one and others, with one thread each. The time
    budget of each search is raised so that all rounds may take as long as one after the other.
    """
    n_at_once = _count_processes(data, method, settings, len(splits))
    if n_at_once > 1:
        in_turn = -(-len(splits) // n_at_once)
        budget = settings.time_budget * len(splits) / in_turn
        settings = replace(settings, n_jobs=1, time_budget=budget)
    arguments: tuple[Any, ...] = (method, protocol, settings, given)
    elsewhere = [(data, *split, *arguments) for i, split in enumerate(splits) if i % n_at_once]
    with (
        _run_elsewhere(elsewhere, n_at_once - 1) as others,
        show_progress("evaluating", len(splits)) as advance,
    ):
        for first in range(0, len(splits), n_at_once):
            last = min(first + n_at_once, len(splits))
            which = f"round {last}" if last == first + 1 else f"rounds {first + 1} to {last}"
            advance(0, f"{which} of {len(splits)}")
            yield run_round(data, *splits[first], *arguments)
            yield from islice(others, last - first - 1)
            advance(last - first)


def _count_processes(data: Collection, method: Method, settings: Settings, n_rounds: int) -> int:
    """Return the number of rounds that run at once."""
    check_jobs(settings.n_jobs)
    n_bytes = sum(x.nbytes for x in data.X)
    if not method.automatic or current_engine().n_workers or n_bytes > _LARGEST_COPY:
        return 1
    return min(effective_n_jobs(settings.n_jobs), n_rounds)


@contextmanager
def _run_elsewhere(
    rounds: list[tuple[Any, ...]], n_processes: int
) -> Iterator[Iterator[DoneRound]]:
    """Run rounds in other processes, which end with the block; yield the results, in order."""
    if not rounds:
        yield iter(())
        return
    executor = ProcessPoolExecutor(n_processes)
    try:
        yield map(_wait_for, [executor.submit(_run_and_record, *one) for one in rounds])
    finally:
        executor.shutdown(kill_workers=True)  # in case of an error, they may be at work


def _wait_for(future: Any) -> DoneRound:
    """Return the result of another process, and repeat its warnings in this one."""
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


def _run_and_record(*arguments: Any) -> tuple[DoneRound, list[tuple[str, type[Warning]]]]:
    """Return what :func:`run_round` returns, and its warnings."""
    with warnings.catch_warnings(record=True) as caught, hide_progress():
        warnings.simplefilter("always")
        done = run_round(*arguments)
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
