"""Stores and dictionaries: what the commands ``encode``, ``learn`` and ``inspect`` share."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.table import Table
from sklearn.base import clone

from ldslearn import _errors
from ldslearn.cli.errors import raise_usage_errors
from ldslearn.cli.inputs import load_dictionary
from ldslearn.cli.remote import format_cluster
from ldslearn.cli.tables import tabulate_facts, tabulate_skipped
from ldslearn.cli.terminal import print_message
from ldslearn.dictionary import LDSDictionary
from ldslearn.models import LDSEncoder
from ldslearn.persist import save
from ldslearn.persist.model import Model
from ldslearn.scale.store import LDSStore
from ldslearn.scale.store_summary import identify_store, summarize_store
from ldslearn.scale.store_times import describe_time_of_store


def make_store_record(store: LDSStore) -> dict[str, Any]:
    """Return the record of a store."""
    return {"record": "store", **summarize_store(store)}


def tabulate_store(record: dict[str, Any]) -> list[Table | str]:
    """Return the tables of a store's record."""
    rows = {
        "sequences": record["n_sequences"],
        "channels": record["n_channels"],
        "states": record["n_states"],
        "shards": f"{record['n_shards']}, {record['n_bytes'] / 1e6:,.1f} MB",
        "skipped": len(record["skipped"]) or None,
        "cluster": format_cluster(record),
    }
    return [tabulate_facts(f"store {record['path']}", rows), *tabulate_skipped(record["skipped"])]


def print_time_column(store: LDSStore) -> None:
    """Print to stderr which column of tables was read as time, if any."""
    if (line := describe_time_of_store(store)) is not None:
        print_message(line)


def encode_like(
    model: Model, options: dict[str, Any], n_jobs: int
) -> tuple[LDSEncoder, dict[str, Any]]:
    """Return the encoder of a model, and its reading with --levels and --labels of `options`."""
    labels = {name: options[name] for name in ("levels", "labels")}
    encoder = clone(model.find_store_encoder()).set_params(n_jobs=n_jobs)
    return encoder, {**model.reading.as_dict(), **labels}


def start_dictionary(init: str, chosen: dict[str, Any]) -> Any:
    """Return a dictionary to fit, with the parameters that are not None.

    `init` is kmeans, random or a file with an earlier dictionary, whose atoms and parameters are
    the start.
    """
    if init in ("kmeans", "random"):
        model: Any = LDSDictionary(16, init=init)
    elif Path(init).is_file():
        earlier = load_dictionary(init)
        model = clone(earlier).set_params(init=earlier.atoms_)
    else:
        with raise_usage_errors():
            raise _errors.invalid(
                "--init", "be kmeans, random or a file written by learn", repr(init), ""
            )
    return model.set_params(**{name: v for name, v in chosen.items() if v is not None})


def fit_and_save(model: Any, systems: LDSStore, output: Path, unfinished: Path) -> None:
    """Fit a dictionary and save it; whatever ends the fit, its atoms so far are saved."""
    about = {"data": identify_store(systems)}
    try:
        model.fit(systems)
        save(model, output, about=about)
    except BaseException:
        if hasattr(model, "atoms_"):
            with suppress(OSError):  # the first error is the one to report
                save(model, unfinished, about=about)
                print_message(f"wrote the atoms so far; resume with --init {unfinished}")
        raise
