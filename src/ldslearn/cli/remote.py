"""Work on a Dask cluster, and what happened there."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ldslearn

_EVENTS = {
    "blocks": "blocks",
    "repeated": "repeated",
    "workers_lost": "workers lost",
    "results_lost": "results computed again",
    "tasks_moved": "tasks moved",
}


@contextmanager
def work_on_cluster(address: str | None) -> Iterator[Callable[[], dict[str, Any]]]:
    """Work on the cluster at an address, if any; yield a function that summarizes its events."""
    if address is None:
        yield dict
        return
    with ldslearn.scale.use_cluster(address) as engine:
        for name in logging.root.manager.loggerDict:
            if name.split(".")[0] in ("distributed", "asyncio"):  # what matters is raised
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield lambda: {"cluster": engine.summary()}


def format_cluster(record: dict[str, Any]) -> str | None:
    """Return the events of a cluster as a text; None without a cluster."""
    found = record.get("cluster")
    return None if found is None else ", ".join(f"{found[k]} {v}" for k, v in _EVENTS.items())
