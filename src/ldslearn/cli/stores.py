"""The commands on stores: collections that need not fit in memory, on this machine or a cluster."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ldslearn.cli import options as given
from ldslearn.cli.commands import app
from ldslearn.cli.sharing import on_cluster, reading_options

Store = Annotated[
    Path, typer.Argument(help="A folder written by encode.", show_default=False)
]  # fmt: skip


@app.command()
def encode(
    data: given.Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write.", show_default=False)
    ],
    states: Annotated[
        int, typer.Option("--states", "-n", help="Order of each system.", min=1)
    ] = 10,
    delays: Annotated[int, typer.Option(help="Lagged copies of each sample.", min=1)] = 1,
    stabilizer: given.Stabilizer = "soft",
    size: given.Size = "auto",
    colour: given.Colour = False,
    crop: given.Crop = None,
    stride: given.Stride = 1,
    length: given.Length = None,
    chunk: given.Chunk = False,
    features: given.Features = "pixels",
    shard_size: Annotated[int, typer.Option(help="Items in each file.", min=1)] = 64,
    cluster: given.ClusterAddress = None,
    jobs: given.Jobs = -1,
    as_json: given.Json = False,
) -> None:
    """Fit the systems of a folder or manifest of any size, and write them to a store.

    Given again after an interrupt, it goes on where it was. Items that fail are listed.
    """
    from ldslearn.cli import showing
    from ldslearn.datasets.encoding import encode_folder
    from ldslearn.models import LDSEncoder

    options = reading_options(size, colour, crop, stride, length, chunk, features)
    encoder = LDSEncoder(states, delays=delays, stabilizer=stabilizer, n_jobs=jobs)
    with on_cluster(cluster) as happened:
        store = encode_folder(data, output, encoder, shard_size=shard_size, **options)
        record: dict[str, Any] = {"record": "store", **describe(store), **happened()}
    showing.show(record, as_json, *shown(record))


def describe(store: Any) -> dict[str, Any]:
    """What a store is, as plain values."""
    return {
        "path": str(store.path),
        "n_sequences": len(store),
        "n_channels": store.n_channels,
        "n_states": store.n_states,
        "n_shards": len(store.shards),
        "n_bytes": store.n_bytes,
        "skipped": [list(pair) for pair in store.skipped],
        **store.about,
    }


def told(record: dict[str, Any]) -> str | None:
    """What happened to a cluster, in words."""
    found = record.get("cluster")
    if found is None:
        return None
    words = {
        "blocks": "blocks",
        "repeated": "repeated",
        "workers_lost": "workers lost",
        "results_lost": "results made again",
        "tasks_moved": "tasks moved",
    }
    return ", ".join(f"{found[key]} {word}" for key, word in words.items())


def shown(record: dict[str, Any]) -> list[Any]:
    """The tables of a store."""
    from ldslearn.cli import showing

    rows = {
        "sequences": record["n_sequences"],
        "channels": record["n_channels"],
        "states": record["n_states"],
        "shards": f"{record['n_shards']}, {record['n_bytes'] / 1e6:,.1f} MB",
        "skipped": len(record["skipped"]) or None,
        "cluster": told(record),
    }
    tables: list[Any] = [showing.facts(f"store {record['path']}", rows)]
    if record["skipped"]:
        tables += showing.listed("skipped", ("item", "reason"), list(map(tuple, record["skipped"])))
    return tables
