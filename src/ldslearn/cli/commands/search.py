"""The command ``ldslearn search``."""

from pathlib import Path
from typing import Annotated

import typer

from ldslearn import cli
from ldslearn.cli import options


def search(
    index: Annotated[Path, typer.Argument(help="A folder written by index.", show_default=False)],
    items: Annotated[
        list[Path],
        typer.Argument(
            help="Videos, folders of images, tables, arrays, a folder of them, or a store.",
            show_default=False,
        ),
    ],
    count: Annotated[
        int, typer.Option("--count", "-k", help="Number of neighbours per query.", min=1)
    ] = 10,
    exact: Annotated[
        bool, typer.Option("--exact", help="Compare queries with all systems.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Also write an HTML page with moving pictures of queries and neighbours.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder that the store was encoded from: the page then shows the recordings of "
            "neighbours. Default: sequences simulated by their systems.",
            show_default=False,
        ),
    ] = None,
    skip_errors: options.SkipErrors = False,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Find the sequences of an index that move most like new ones.

    New files are read and encoded as those of the index were.
    """
    if data is not None and report is None:
        raise typer.BadParameter("--data must be given with --report, which shows the recordings.")
    if report is not None:
        given = [*items, data] if data is not None else items
        sources = [cli.outputs.find_input(item) for item in given]
        cli.outputs.check_outputs([report], cli.outputs.find_input(index), *sources)
    opened = cli.searching.open_index(index, jobs)
    queries = cli.searching.read_queries(opened, items, skip_errors, jobs)
    record = cli.searching.find_neighbours(opened, queries, count, exact=exact)
    if report is not None:
        cli.searching.write_search_page(report, record, opened, queries, data, jobs)
    cli.tables.print_record(record, as_json, *cli.searching.tabulate_neighbours(record))
    if report is not None:
        cli.outputs.report_written(report, as_json)
