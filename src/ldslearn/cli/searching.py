"""Indexes and what is found in them: what the commands ``index`` and ``search`` do."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from ldslearn import _errors
from ldslearn._versions import list_versions
from ldslearn.cli.errors import raise_usage_errors
from ldslearn.cli.inputs import read_new
from ldslearn.cli.outputs import check_folder, write_text
from ldslearn.cli.predicting import is_one_store
from ldslearn.cli.reporting import format_own_command
from ldslearn.cli.tables import tabulate_facts, tabulate_rows, tabulate_skipped
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.folder import read_items
from ldslearn.datasets.items import Item
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.diagnostics.neighbours import list_sequences, picture_neighbours, picture_sequence
from ldslearn.geometry.registry import Kernel, parse_kernel
from ldslearn.models import LDS, LDSEncoder
from ldslearn.models.unusable_sequences import drop_unusable
from ldslearn.report.search_page import render_search_page
from ldslearn.scale.store import LDSStore
from ldslearn.search import LDSIndex

_MOST_PICTURED = 20  # queries on a page


@dataclass(frozen=True)
class Queries:
    """Systems to search for, their names, and the sequences that they were fitted to."""

    systems: LDS | LDSStore
    names: Sequence[str]
    data: Collection | None
    skipped: Sequence[Sequence[str]]


def make_index(
    store: Path, output: Path, kernel: str | None, *, add: bool, n_jobs: int, **settings: Any
) -> dict[str, Any]:
    """Make an index of a store, or add the store to one, and return its record."""
    systems = LDSStore.open(store)
    check_folder(output)
    with raise_usage_errors():
        index = LDSIndex(parse_kernel_option(kernel or "projection"), n_jobs=n_jobs, **settings)
    if add or (output / "search.json").is_file():
        known = LDSIndex.open(output, n_jobs=n_jobs)
        is_same = (add and kernel is None) or known.kernel_name == index.kernel_name
        if not is_same or not (add or known.settings == index.settings):
            raise _errors.invalid(
                f"index {output}", "have the kernel and the settings that are asked for",
                f"kernel {known.kernel_name}, {known.settings}",
                "Give the same options as before, or another folder.",
            )  # fmt: skip
        if len(known) and not add:
            raise _errors.invalid(
                f"index {output}", "be new or empty", f"{len(known):,} systems in it",
                "Choose another folder, or give --add.",
            )  # fmt: skip
        index = known  # with --add, or empty after an interrupted run
    else:
        index.save(output)
    ids = index.add(systems)
    return {
        "record": "index",
        "path": str(output),
        "store": str(store),
        "n_added": len(ids),
        "n_systems": len(index),
        "n_channels": systems.n_channels,
        "n_states": systems.n_states,
        "kernel": index.kernel_name,
        "is_exact": not index.has_graph,
    }


def parse_kernel_option(text: str) -> Kernel:
    """Return the kernel of ``--kernel``: a name, or weights as in ``projection=0.7,mean=0.3``."""
    if "=" not in text:
        parse_kernel(text, {})
        return text
    weights: dict[str, float] = {}
    for pair in text.split(","):
        name, _, number = pair.partition("=")
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            raise _errors.invalid(
                "--kernel", "be a name, or pairs NAME=WEIGHT with commas", repr(text), ""
            ) from None
    parse_kernel(weights, {})
    return weights


def tabulate_index(record: dict[str, Any]) -> Table:
    """Return the table of an index's record."""
    rows = {
        "systems": f"{record['n_systems']:,} ({record['n_added']:,} added)",
        "channels": record["n_channels"],
        "states": record["n_states"],
        "kernel": record["kernel"],
        "search": "compares all systems" if record["is_exact"] else "by a graph, then exactly",
    }
    return tabulate_facts(f"index {record['path']}", rows)


def open_index(path: Path, n_jobs: int) -> LDSIndex:
    """Return the index in a folder; commands import nothing heavy themselves."""
    return LDSIndex.open(path, n_jobs=n_jobs)


def read_queries(index: LDSIndex, items: list[Path], skip: bool, n_jobs: int) -> Queries:
    """Return new files, encoded as those of the index, or the systems of a store."""
    if is_one_store(items):
        store = LDSStore.open(items[0])
        names = store.read_texts("names") or [f"sequence {i}" for i in range(len(store))]
        return Queries(store, names, None, store.skipped)
    about = index.about
    if not {"encoder", "reading", "frame"} <= set(about):
        raise _errors.invalid(
            f"index {index.path}", "know how its systems were encoded to be searched for files",
            "none of that", "Make it from a store of `ldslearn encode`, or search for a store.",
        )  # fmt: skip
    reading = ReadingSettings.from_dict(about["reading"])
    data = read_new(items, reading, skip, n_jobs, frame=tuple(about["frame"]))
    encoder = LDSEncoder(**about["encoder"], n_jobs=n_jobs)
    if skip:
        data = drop_unusable(data, encoder.fit_transform)
    return Queries(encoder.fit_transform(data.X), data.names, data, data.skipped)


def find_neighbours(index: LDSIndex, queries: Queries, k: int, *, exact: bool) -> dict[str, Any]:
    """Return the record of the nearest systems of queries."""
    ids, similarities = index.search(queries.systems, k, exact=exact)
    found = []
    for name, row, values in zip(queries.names, ids, similarities, strict=True):
        texts = zip(row, index.get_names(row), index.get_labels(row), values, strict=True)
        neighbours = [
            {"id": int(i), "name": known, "label": label, "similarity": float(value)}
            for i, known, label, value in texts
        ]
        found.append({"name": name, "neighbours": neighbours})
    return {
        "record": "search",
        "index": str(index.path),
        "n_systems": len(index),
        "kernel": index.kernel_name,
        "queries": found,
        "skipped": [list(one) for one in queries.skipped],
        "versions": list_versions(),
    }


def tabulate_neighbours(record: dict[str, Any]) -> list[Table | str]:
    """Return one table per query."""
    tables = tabulate_skipped(record["skipped"])
    for query in record["queries"]:
        rows = [
            (
                str(one["id"]), one["name"] or "", one["label"] or "",
                f"{one['similarity']:.4f}",
            )
            for one in query["neighbours"]
        ]  # fmt: skip
        columns = ("id", "name", "label", "similarity")
        tables += tabulate_rows(f"most similar to {query['name']}", columns, rows)
    return tables


def write_search_page(
    path: Path,
    record: dict[str, Any],
    index: LDSIndex,
    queries: Queries,
    folder: Path | None,
    n_jobs: int,
) -> None:
    """Write the page of search results; of many queries, it shows the first."""
    shown = record["queries"][:_MOST_PICTURED]
    about = index.about
    is_video = len(about.get("frame", ())) > 1 and about["reading"]["features"] == "pixels"
    shape = tuple(about["frame"][1:]) if is_video else None
    n_films = sum(1 + len(query["neighbours"]) for query in shown)
    known = read_recordings(shown, about, folder, n_jobs)
    pictures = []
    for number, query in enumerate(shown):
        neighbours = query["neighbours"]
        systems = index.get_systems([one["id"] for one in neighbours])
        names = [one["name"] for one in neighbours]
        own = None
        if queries.data is not None:
            own = picture_sequence(queries.data.X[number], shape, n_films, is_simulated=False)
        pictures.append((own, picture_neighbours(systems, names, known, shape, n_films)))
    page = {**record, "queries": shown}
    write_text(path, render_search_page(page, format_own_command(), pictures))


def read_recordings(
    shown: Sequence[dict[str, Any]], about: dict[str, Any], folder: Path | None, n_jobs: int
) -> dict[str, Any]:
    """Return the sequences of neighbours whose files are in a folder, by name."""
    if folder is None:
        return {}
    names = dict.fromkeys(one["name"] for query in shown for one in query["neighbours"])
    inside = [n for n in names if n is not None and ".." not in Path(n).parts]
    items = [
        Item(n, folder / n) for n in inside if not Path(n).is_absolute() and (folder / n).exists()
    ]
    if not items:
        raise _errors.bad_file(
            folder, "hold the recordings of the neighbours", "none of them",
            "Name the folder that was encoded.",
        )  # fmt: skip
    reading = ReadingSettings.from_dict(about["reading"])
    return list_sequences(read_items(items, reading, n_jobs=n_jobs, frame=tuple(about["frame"])))
