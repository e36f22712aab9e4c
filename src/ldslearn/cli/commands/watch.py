"""The command ``ldslearn watch``."""

from pathlib import Path
from typing import Annotated

import typer

from ldslearn import cli
from ldslearn.cli import options


def watch(
    model: Annotated[
        Path,
        typer.Argument(help="A file written by train --method novelty.", show_default=False),
    ],
    items: Annotated[
        list[Path],
        typer.Argument(help="Recordings: videos, folders of images, tables, arrays, or a folder."),
    ],
    window: Annotated[
        int | None,
        typer.Option(
            help="Time points per window. Default: the median length of the training sequences.",
            min=1,
            show_default=False,
        ),
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(
            help="Time points from one window to the next. Default: a quarter of a window.",
            min=1,
            show_default=False,
        ),
    ] = None,
    report: options.ReportFile = None,
    skip_errors: options.SkipErrors = False,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Print how normal each window of long recordings is, and where they are strange.

    A window is strange if its score is below 0. Normal sequences like those of training are so
    with a probability of about the --contamination of train, and never below 1 / (N + 1) for N
    training sequences.
    """
    if report is not None:
        sources = [cli.outputs.find_input(item) for item in items]
        cli.outputs.check_outputs([report], cli.outputs.find_input(model), *sources)
    detector = cli.watching.load_detector(model)
    record = cli.watching.watch_files(
        detector, items, window=window, step=step, skip=skip_errors, n_jobs=jobs
    )
    cli.tables.print_record(record, as_json, *cli.watching.tabulate_watch(record))
    if report is not None:
        cli.reporting.write_watch_page(report, record)
        cli.outputs.report_written(report, as_json)
