"""The command ``ldslearn encode``."""

from pathlib import Path
from typing import Annotated, Any

import typer

import ldslearn
from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import reading_options, with_options_of
from ldslearn.cli.remote import work_on_cluster


@with_options_of(reading=reading_options)
def encode(
    reading: dict[str, Any],
    data: Annotated[
        Path,
        typer.Argument(
            help="A folder <class>/<item>, or a manifest.csv (path,label,split,group).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the store.", show_default=False)
    ],
    states: Annotated[
        int, typer.Option("--states", "-n", help="Number of states per system.", min=1)
    ] = 10,
    delays: Annotated[
        int, typer.Option(help="Number of lagged copies stacked per sample.", min=1)
    ] = 1,
    stabilizer: options.Stabilizer = "soft",
    like: Annotated[
        Path | None,
        typer.Option(
            help="A model written by train. Use the reading and encoding settings of this model, "
            "so that it can predict from the store. Other options of reading and encoding are "
            "then ignored, except --levels and --labels.",
            show_default=False,
        ),
    ] = None,
    shard_size: Annotated[
        int, typer.Option(help="Average number of items per shard file.", min=1)
    ] = 64,
    cluster: options.ClusterAddress = None,
    jobs: options.Jobs = -1,
    missing: options.Missing = "raise",  # an argument of reading_options, too
    as_json: options.Json = False,
) -> None:
    """Fit one system per item of a folder or manifest of any size, and write them to a store.

    After an interruption the same command resumes. Items that fail are listed.
    """
    cli.inputs.check_is_listed(data)
    if like is None:
        encoder = ldslearn.LDSEncoder(
            states, delays=delays, stabilizer=stabilizer, n_jobs=jobs, missing=missing
        )
    else:
        encoder, reading = cli.stores.encode_like(cli.inputs.load_model(like), reading, jobs)
    with work_on_cluster(cluster) as summarize_cluster:
        store = ldslearn.scale.encode_folder(
            data, output, encoder, shard_size=shard_size, **reading
        )  # fmt: skip
        record = cli.stores.make_store_record(store) | summarize_cluster()
    cli.stores.print_time_column(store)
    cli.tables.print_record(record, as_json, *cli.stores.tabulate_store(record))
    cli.outputs.report_written(output, as_json)
