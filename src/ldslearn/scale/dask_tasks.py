"""What runs on a Dask worker, and messages about a lost scheduler and missing workers."""

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from ldslearn import _places
from ldslearn._parallel import Engine, use_engine, use_one_thread

Note = tuple[str, type[Warning]]
Remarks = tuple[list[Note], _places.Notes]


@contextmanager
def name_lost_scheduler(client: Any) -> Iterator[None]:
    """Turn the loss of the scheduler, whatever error it causes, into one message."""
    from distributed.comm.core import CommClosedError

    try:
        yield
    except (CancelledError, CommClosedError, OSError, RuntimeError, ValueError) as error:
        closed = isinstance(error, CancelledError | CommClosedError)
        if closed or (client.status != "running" and not isinstance(error, ConnectionError)):
            raise ConnectionError(
                "the scheduler must stay reachable; the connection was lost. Finished shards are "
                "kept, and the same call resumes from them; a dictionary keeps its atoms, to "
                "resume with init=dictionary.atoms_, or `ldslearn learn --init FILE`."
            ) from error
        raise


def describe_no_workers(address: str) -> str:
    """Return the text of the warning about a scheduler without workers."""
    return (
        f"the scheduler at {address} has no workers: nothing is done until one comes. Start some "
        f"with `dask worker {address} --nthreads 1`."
    )


def call_and_record(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Remarks]:
    """Return the result, and the warnings to repeat in the user's process; runs on a worker."""
    with warnings.catch_warnings(record=True) as caught, _places.collect_notes() as systems:
        warnings.simplefilter("always")
        result = call(function, *arguments)
    return result, ([(str(one.message), one.category) for one in caught], systems)


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result, computed on this worker even if it is a thread of the user's process."""
    with use_one_thread(), use_engine(Engine()):
        return function(*arguments)


def pass_on(value: Any) -> Any:
    """Return the value, which then stays on a worker."""
    return value
