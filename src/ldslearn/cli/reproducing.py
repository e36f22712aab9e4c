"""The command that reproduces the paper."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ldslearn.cli import options as given
from ldslearn.cli.sharing import usage, write_json, write_text
from ldslearn.cli.telling import tell


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Of the paper: fig2, fig4 to fig15, table4, covariance, or all of these: all. "
            "Further tables: accuracy, tuned, auto, learning, classes, clusters.",
            show_default=False,
        ),
    ],
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the paper's data sets or stand-ins; embedded data without it.",
            envvar="LDSLEARN_DATA",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer values and rounds: minutes instead of hours.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for records and the page.")
    ] = Path("reproduction"),
    jobs: given.Jobs = -1,
    as_json: given.Json = False,
) -> None:
    """Redo tables and figures of the paper, and judge its claims, on the data at hand.

    Every run is recorded in the output folder; an interrupted command goes on where it was. The
    folder then holds a page to look at, named after what was asked for (all.html, fig5.html,
    fig5-quick.html), the same as JSON, and the verdicts alone (all-claims.json).
    """
    from ldslearn.cli import showing
    from ldslearn.paper import reproduce as run
    from ldslearn.paper.plans import load_plan
    from ldslearn.paper.verdicts import summarize_claims
    from ldslearn.report import render_reproduction_page
    from ldslearn.scale.output_checks import check_output, check_output_folder

    with usage():
        plans = {name: load_plan(name) for name in names if name != "all"}
    if "all" in names:
        plans = {name: plan for name, plan in plans.items() if not plan.exhibit}
    stem = "-".join([*["all"] * ("all" in names), *plans]) + "-quick" * quick
    check_output_folder(output)
    if output.is_dir():
        for suffix in (".json", ".html", "-claims.json"):
            check_output(output / f"{stem}{suffix}")
    record = run(names, data_dir=data_dir, records=output, quick=quick, n_jobs=jobs, say=tell)
    write_json(output / f"{stem}.json", record)
    write_json(output / f"{stem}-claims.json", summarize_claims(record))
    command = shlex.join(["ldslearn", *sys.argv[1:]])
    write_text(output / f"{stem}.html", render_reproduction_page(record, command))
    last = showing.plain(f"look into {output / stem}.html")
    showing.show(record, as_json, *showing.reproduction(record), last)
