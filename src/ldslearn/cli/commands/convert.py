"""ldslearn convert."""

from pathlib import Path
from typing import Any

import ldslearn
from ldslearn import cli
from ldslearn.cli import options as given
from ldslearn.cli.arguments import collection_file, read_data, takes


@takes(output=collection_file, collection=read_data)
def convert(output: Path, collection: Any, as_json: given.Json = False) -> None:
    """Read files once and write the sequences to one .npz file, which loads fast."""
    ldslearn.datasets.save_npz(output, collection)
    cli.inspecting.print_collection(str(output), collection, as_json)
    cli.outputs.report_written(output, as_json)
