"""The command ``ldslearn train``."""

from pathlib import Path
from typing import Any

import ldslearn
from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import output_file, read_data, with_options_of
from ldslearn.cli.method_options import method_options


@with_options_of(output=output_file, method_arguments=method_options, collection=read_data)
def train(
    output: Path,
    method_arguments: dict[str, Any],
    collection: Any,
    data: options.Data,  # data and skip_errors are arguments of read_data, too
    skip_errors: options.SkipErrors = False,
    as_json: options.Json = False,
) -> None:
    """Train a classifier on all of a collection and write it to one model file.

    The model stores the reading settings, and reads new files with them. With --set the paper's
    parameters are used, unless others are given.
    """
    if skip_errors:
        collection = cli.inputs.drop_unusable_items(
            collection,
            method_arguments["n_states"],
            method_arguments["delays"],
            method_arguments["method"],
        )
    model = ldslearn.evaluate.train(collection, **method_arguments)
    model.save(output)
    tables = cli.evaluation_tables.tabulate_training(str(data), model.about)
    cli.tables.print_record(model.about, as_json, *tables)
    cli.outputs.report_written(output, as_json)
