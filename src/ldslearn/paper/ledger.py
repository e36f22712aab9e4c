"""Run computations and cache their records."""

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from ldslearn._records import check_seal, read_json, seal
from ldslearn._versions import list_versions
from ldslearn._writing import atomic_write, check_target
from ldslearn.paper.data_sets import DataSet

FORMAT = 2  # raised when the numbers of a run come to mean something else

_LARGEST_RECORD = 2**28  # bytes
_FIELDS = {
    "record", "seed", "configuration", "numbers", "seconds", "versions", "machine",
}  # fmt: skip

# Settings of a collection that are also in the fingerprint of its data, or among the parameters.
_REPEATED_SETTINGS = ("path", "draw", "n_states", "states")


@dataclass(frozen=True)
class Run:
    """One computation on one collection.

    Attributes
    ----------
    kind : str
        A name of :data:`ldslearn.paper.registry.COMPUTATIONS`.
    data_set : DataSet
    parameters : dict
        Plain values.
    """

    kind: str
    data_set: DataSet
    parameters: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def configuration(self) -> dict[str, Any]:
        """Everything that determines the numbers, except versions of libraries."""
        return {
            "format": FORMAT,
            "version": list_versions()["ldslearn"],
            "kind": self.kind,
            "collection": self.data_set.name,
            "fingerprint": self.data_set.fingerprint,
            "settings": {
                k: v for k, v in self.data_set.settings.items() if k not in _REPEATED_SETTINGS
            },
            "parameters": self.parameters,
        }

    @cached_property
    def key(self) -> str:
        """The name of its record."""
        text = json.dumps(self.configuration, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


class Ledger:
    """A folder of records, one JSON file per run, each written completely or not at all.

    Parameters
    ----------
    folder : path
        Created if it does not exist.

    Attributes
    ----------
    makers : list of dict
        Versions and machines of the records that were used.
    seconds : dict of str to float
        Durations of the runs of these records, whenever they were computed.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.makers: list[dict[str, Any]] = []
        self.seconds: dict[str, float] = {}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _no_room_for_records(self.folder, error) from error

    def path(self, run: Run) -> Path:
        """Return the path of the record of a run."""
        return self.folder / f"{run.kind}-{run.data_set.name}-{run.key}.json"

    def find(self, run: Run) -> dict[str, Any] | None:
        """Return the numbers of a run from its record, None if there is none.

        A damaged record counts as none: the run is computed again.
        """
        try:
            record = read_json(self.path(run), _LARGEST_RECORD)
            if set(record) != _FIELDS:  # those of the first releases have no checksum
                check_seal(record)
            numbers = record["numbers"]
            same = record["configuration"] == run.configuration
            makers = {"versions": record["versions"], "machine": record["machine"]}
            seconds = float(record["seconds"])
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            return None
        if not same or not isinstance(numbers, dict):
            return None
        if makers not in self.makers:
            self.makers.append(makers)
        self.seconds[run.key] = seconds
        return numbers

    def find_or_compute(self, run: Run, compute: Callable[[Run], dict[str, Any]]) -> dict[str, Any]:
        """Return the numbers of a run, from its record or computed and recorded."""
        found = self.find(run)
        if found is not None:
            return found
        check_target(self.path(run))
        started = time.perf_counter()
        numbers = compute(run)
        record = {
            "record": "run",
            "seed": run.parameters.get("seed", 0),
            "configuration": run.configuration,
            "numbers": numbers,
            "seconds": time.perf_counter() - started,
            "versions": list_versions(),
            "machine": describe_machine(),
        }
        text = json.dumps(seal(record), indent=1, allow_nan=False)
        try:
            with atomic_write(self.path(run)) as file:
                file.write(text.encode())
        except OSError as error:
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            raise _no_room_for_records(self.folder, cause) from error
        made = self.find(run)
        assert made is not None  # as a later call reads them
        return made


def describe_machine() -> dict[str, Any]:
    """Return system, processor and cores, without the name of the machine."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
    }


def _no_room_for_records(folder: str | PathLike[str], error: OSError) -> OSError:
    """Return the error for records that cannot be written."""
    return OSError(
        f"records must be written to {folder}; {error.strerror or error}. Existing records "
        "are complete: make room, or name another folder with --output, and run the command again."
    )
