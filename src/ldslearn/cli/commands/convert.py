"""The command ``ldslearn convert``."""

from pathlib import Path
from typing import Any

import ldslearn
from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import collection_file, read_data, with_options_of


@with_options_of(output=collection_file, collection=read_data)
def convert(output: Path, collection: Any, as_json: options.Json = False) -> None:
    """Read files once and write the sequences to one .npz file, which loads fast."""
    ldslearn.datasets.save_npz(output, collection)
    cli.inspecting.print_collection(str(output), collection, as_json)
    cli.outputs.report_written(output, as_json)
