"""The command ``ldslearn demo``."""

from pathlib import Path
from typing import Annotated

import typer

import ldslearn


def demo(
    output: Annotated[Path, typer.Argument(help="Folder for the figures and the report.")] = Path(
        "demo-output"
    ),
) -> None:
    """Run the main methods on embedded data: print tables, draw figures, write an HTML report."""
    ldslearn.demo.run(output)
