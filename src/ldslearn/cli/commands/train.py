"""ldslearn train."""

from pathlib import Path
from typing import Any

import ldslearn
from ldslearn import cli
from ldslearn.cli import options as given
from ldslearn.cli.arguments import output_file, read_data, takes
from ldslearn.cli.method_options import method_options


@takes(output=output_file, wanted=method_options, collection=read_data)
def train(
    output: Path,
    wanted: dict[str, Any],
    collection: Any,
    data: given.Data,
    skip_errors: given.SkipErrors = False,
    as_json: given.Json = False,
) -> None:
    """Train a classifier on all of a collection and write it to one model file.

    The model stores how the files were read, and reads new files in the same way.
    """
    if skip_errors:
        collection = cli.inputs.drop_unusable_items(
            collection, wanted["n_states"], wanted["delays"], wanted["method"]
        )
    model = ldslearn.evaluate.train(collection, **wanted)
    model.save(output)
    tables = cli.evaluation_tables.tabulate_training(str(data), model.about)
    cli.tables.print_record(model.about, as_json, *tables)
    cli.outputs.report_written(output, as_json)
