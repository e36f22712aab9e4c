"""The command ``ldslearn index``."""

from pathlib import Path
from typing import Annotated

import typer

from ldslearn import cli
from ldslearn.cli import options


def index(
    store: options.Store,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the index.", show_default=False)
    ],
    kernel: Annotated[
        str | None,
        typer.Option(
            help="Kernel by name, or weights of several: projection=0.7,mean=0.3. Default: "
            "projection, or that of the index with --add.",
            show_default=False,
            rich_help_panel=options.MODEL,
        ),
    ] = None,
    landmarks: Annotated[
        int, typer.Option(help="Landmarks of the vectors.", min=1, rich_help_panel=options.MODEL)
    ] = 300,
    exact_below: Annotated[
        int,
        typer.Option(
            help="Compare queries with all systems if there are fewer than this number.",
            min=1,
            rich_help_panel=options.MODEL,
        ),
    ] = 5000,
    add: Annotated[
        bool, typer.Option("--add", help="Add the systems to an index that exists.")
    ] = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Make an index of the systems of a store, for `ldslearn search`.

    An interrupted run leaves the index as it was before.
    """
    record = cli.searching.make_index(
        store, output, kernel, add=add, n_landmarks=landmarks, exact_below=exact_below,
        random_state=seed, n_jobs=jobs,
    )  # fmt: skip
    cli.tables.print_record(record, as_json, cli.searching.tabulate_index(record))
    cli.outputs.report_written(output, as_json)
