"""The command ``ldslearn evaluate``."""

from pathlib import Path
from typing import Any

import ldslearn
from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import read_data, result_files, with_options_of
from ldslearn.cli.method_options import method_options, protocol_options


@with_options_of(
    files=result_files, method_arguments=method_options, plan=protocol_options, collection=read_data
)
def evaluate(
    files: tuple[Path | None, Path | None],
    method_arguments: dict[str, Any],
    plan: Any,
    collection: Any,
    data: options.Data,  # data and skip_errors are arguments of read_data, too
    skip_errors: options.SkipErrors = False,
    as_json: options.Json = False,
) -> None:
    """Measure the accuracy of a method, by cross-validation or on the data's own split.

    Unless given, states and sparsity are chosen on the training part of each round. With --set
    the paper's protocol and parameters are used, unless others are given.
    """
    output, report = files
    if skip_errors:
        collection = cli.inputs.drop_unusable_items(
            collection,
            method_arguments["n_states"],
            method_arguments["delays"],
            method_arguments["method"],
        )
    rounds: list[Any] = []
    record = ldslearn.evaluate.evaluate(
        collection, protocol=plan, on_first=rounds.append, **method_arguments
    )  # fmt: skip
    if output is not None:
        cli.outputs.write_json(output, record)
    # Printed before the page is made, which may fail.
    tables = cli.evaluation_tables.tabulate_evaluation(str(data), record)
    cli.tables.print_record(record, as_json, *tables)
    if output is not None:
        cli.outputs.report_written(output, as_json)
    if report is not None:
        settings, name = method_arguments["settings"], data.resolve().name
        cli.reporting.write_evaluation_page(
            report, record, collection, rounds[0], settings, name=name
        )  # fmt: skip
        cli.outputs.report_written(report, as_json)
