"""The command ``ldslearn reproduce``."""

from pathlib import Path
from typing import Annotated

import typer

import ldslearn
from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.errors import raise_usage_errors
from ldslearn.cli.terminal import print_message


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Figures and tables of the paper: fig2, fig4 to fig15, table4, covariance; 'all' "
            "for all of them. Further tables: accuracy, tuned, auto, learning, classes, clusters.",
            show_default=False,
        ),
    ],
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the paper's data sets or of replacements for them. Default: embedded "
            "data.",
            envvar="LDSLEARN_DATA",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Fewer parameter values and repetitions: minutes instead of hours.",
        ),
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the records and the page.")
    ] = Path("reproduction"),
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Reproduce tables and figures of the paper, and test its claims, on the available data.

    Every run is recorded in the output folder, and an interrupted command resumes there. The
    folder receives an HTML page named after the arguments (all.html, fig5.html, fig5-quick.html),
    the same results as JSON, and the verdicts on the claims (all-claims.json).
    """
    with raise_usage_errors():
        files = cli.reporting.name_reproduction_files(output, names, quick)
    cli.outputs.check_folder(output)
    if output.is_dir():
        cli.outputs.check_outputs(files)
    record = ldslearn.paper.reproduce(
        names, data_dir=data_dir, records=output, quick=quick, n_jobs=jobs, say=print_message
    )
    cli.reporting.write_reproduction(files, record)
    tables = cli.evaluation_tables.tabulate_reproduction(record)
    cli.tables.print_record(record, as_json, *tables)
    cli.outputs.report_written(files[0], as_json)
