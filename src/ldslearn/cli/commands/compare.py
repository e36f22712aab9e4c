"""The command ``ldslearn compare``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import table_options, with_options_of


@with_options_of(table=table_options)
def compare(
    table: dict[str, Any],
    first: Annotated[
        Path, typer.Argument(help="A video, a folder of images, a table or an array.")
    ],
    second: Annotated[Path, typer.Argument(help="The sequence to compare with.")],
    states: options.FixedStates = None,
    delays: options.Delays = None,
    size: options.Size = "auto",
    stabilizer: options.Stabilizer = "soft",
    as_json: options.Json = False,
) -> None:
    """Print distances and angles between the systems of two sequences.

    The angles are the principal angles between the subspaces of the systems.
    """
    data = cli.inputs.read_pair(first, second, size, **table)
    record = cli.library.compare_sequences(
        data, n_states=states, delays=delays, stabilizer=stabilizer
    )
    title = f"{first} and {second}"
    cli.tables.print_record(record, as_json, cli.tables.tabulate_comparison(title, record))
